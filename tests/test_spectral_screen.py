import numpy as np
import pytest

from earthexam.core.errors import ShapeError
from earthexam.spectral.screen import check_alignment, saturation_share, screen_block


def make_fields(rows=48, cols=48, seed=0):
    """Nine fields of different spectra, and the labels that belong to them."""
    generator = np.random.default_rng(seed)
    row, col = np.indices((rows, cols))
    labels = (3 * (row // 17) + col // 19 + 1).astype(np.int32)
    spectra = generator.random((10, 20)) * 1000
    cube = spectra[labels] + generator.normal(0, 10, size=(rows, cols, 20))
    return cube.astype(np.float32), labels


def test_doubtful_pixels_are_counted_by_kind():
    cube = np.random.default_rng(0).normal(100, 1, size=(10, 10, 3)).astype(np.float32)
    labels = np.ones((10, 10), dtype=np.int32)
    labels[:, :4] = 0
    labels[0, 9] = 2
    cube[0, 0, 1] = np.nan
    cube[0, 1, 2] = np.inf
    cube[1, 1] = 4095
    found = screen_block(cube, labels, saturation_level=4095)
    assert found.unlabelled == 0.4
    assert found.invalid == pytest.approx(0.02)
    assert found.saturated == pytest.approx(1 / 98)
    assert found.outlying == pytest.approx(1 / 98)
    assert found.classes == 2


def test_a_block_without_labels_or_without_values_is_measured_too():
    found = screen_block(np.full((2, 2, 3), np.nan, dtype=np.float32))
    assert (found.unlabelled, found.invalid, found.saturated, found.outlying) == (1, 1, 0, 0)
    assert found.classes == 0


def test_a_flat_block_has_no_outliers():
    cube = np.ones((5, 5, 2), dtype=np.float32)
    cube[0, 0] = 2
    assert screen_block(cube).outlying == 0


def test_saturation_counts_values_at_the_level():
    cube = np.array([[[1, 4], [4, np.nan]]], dtype=np.float32)
    assert saturation_share(cube) == pytest.approx(2 / 3)
    assert saturation_share(cube, level=5.0) == 0
    assert np.isnan(saturation_share(cube * np.float32(np.nan)))


def test_labels_in_their_place_are_aligned():
    found = check_alignment(*make_fields())
    assert found.is_aligned
    assert (found.row_shift, found.col_shift) == (0, 0)
    assert found.correlation > 0.5


@pytest.mark.parametrize("shift", [(2, 0), (0, -2), (3, 3), (-2, 1)])
def test_displaced_labels_are_noticed_with_the_way_back(shift):
    cube, labels = make_fields()
    found = check_alignment(cube, np.roll(labels, shift, axis=(0, 1)))
    assert not found.is_aligned
    assert (found.row_shift, found.col_shift) == (-shift[0], -shift[1])


def test_a_masked_corner_does_not_hide_the_edges():
    cube, labels = make_fields()
    cube[:6, :6] = np.nan
    assert check_alignment(cube, labels).is_aligned


@pytest.mark.parametrize("size", [4, 20])
def test_a_single_class_cannot_be_misaligned(size):
    cube, _ = make_fields(size, size)
    found = check_alignment(cube, np.ones((size, size), dtype=np.int32))
    assert found.is_aligned
    assert np.isnan(found.correlation)


def test_labels_of_another_size_are_refused():
    cube, labels = make_fields()
    with pytest.raises(ShapeError, match="one grid"):
        check_alignment(cube, labels[1:])
    with pytest.raises(ShapeError, match="one grid"):
        screen_block(cube, labels[1:])
