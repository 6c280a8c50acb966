import numpy as np
import pytest

from earthexam.core.errors import InputError
from earthexam.spectral.fill import fill_labels, filter_by_neighbours, spectral_angles
from earthexam.spectral.unmix import Endmembers

WAVELENGTHS = np.linspace(450, 1650, 25)


def make_scene(seed=0):
    """Three fields with half their labels hidden."""
    generator = np.random.default_rng(seed)
    spectra = generator.random((3, 25)) * 1000 + 100
    truth = np.repeat([1, 2, 3], 12)[:, None].repeat(30, axis=1).astype(np.int32)
    cube = (spectra[truth - 1] + generator.normal(0, 8, size=(36, 30, 25))).astype(np.float32)
    labels = np.where(generator.random(truth.shape) < 0.5, truth, 0).astype(np.int32)
    return cube, labels, truth


@pytest.mark.parametrize("wavelengths", [WAVELENGTHS, None])
def test_hidden_labels_come_back(wavelengths):
    cube, labels, truth = make_scene()
    filled = fill_labels(cube, labels, wavelengths)
    assert filled.left < 0.05 * truth.size
    assert (filled.labels[filled.labels != 0] == truth[filled.labels != 0]).all()


def test_the_steps_account_for_every_filled_pixel():
    cube, labels, _ = make_scene(1)
    filled = fill_labels(cube, labels, WAVELENGTHS)
    by_steps = filled.by_cluster + filled.by_angle + filled.by_neighbours
    assert by_steps == (labels == 0).sum() - filled.left
    assert (filled.labels == 0).sum() == filled.left


def test_given_labels_are_never_changed():
    cube, labels, _ = make_scene()
    labels[5, 5] = 3
    filled = fill_labels(cube, labels, WAVELENGTHS)
    assert np.array_equal(filled.labels[labels != 0], labels[labels != 0])


def test_a_spectrum_like_no_class_stays_unlabelled():
    cube, labels, _ = make_scene()
    strange = np.zeros(25, dtype=np.float32)
    strange[::2] = 5000
    cube[10:14, 10:14], labels[10:14, 10:14] = strange, 0
    assert (fill_labels(cube, labels, WAVELENGTHS).labels[11:13, 11:13] == 0).all()


def test_a_cube_without_variance_is_filled_by_angle_alone():
    labels = np.array([[1, 0], [1, 1]], dtype=np.int32)
    filled = fill_labels(np.ones((2, 2, 4), dtype=np.float32), labels)
    assert (filled.by_cluster, filled.by_angle, filled.left) == (0, 1, 0)


def test_masked_pixels_are_filled_by_their_neighbours_at_most():
    cube, labels, truth = make_scene()
    cube[5, 5], labels[4:7, 4:7], labels[5, 5] = np.nan, truth[4:7, 4:7], 0
    filled = fill_labels(cube, labels, WAVELENGTHS)
    assert filled.labels[5, 5] == truth[5, 5]


def test_the_same_seed_gives_the_same_labels():
    cube, labels, _ = make_scene()
    first, second = (fill_labels(cube, labels, seed=3).labels for _ in range(2))
    assert np.array_equal(first, second)


def test_nothing_can_be_filled_without_a_labelled_pixel():
    cube, labels, _ = make_scene()
    with pytest.raises(InputError, match="no labelled pixel"):
        fill_labels(cube, np.zeros_like(labels))


def test_the_spectral_angle_ignores_brightness():
    cube = np.array([[[2, 0], [7, 7], [0, 0]]], dtype=np.float32)
    angles = spectral_angles(cube, Endmembers(np.array([[1.0, 0.0]]), (1,)))[0, :, 0]
    assert angles[:2] == pytest.approx([0, np.pi / 4])
    assert np.isnan(angles[2])


def test_five_neighbours_overrule_a_filled_pixel_and_not_a_given_one():
    labels = np.full((3, 3), 2, dtype=np.int32)
    labels[1, 1] = 1
    nothing = np.zeros((3, 3), dtype=np.bool_)
    assert filter_by_neighbours(labels, nothing)[1, 1] == 2
    assert filter_by_neighbours(labels, ~nothing)[1, 1] == 1
    labels[0], labels[2, 2] = 3, 0
    assert filter_by_neighbours(labels, nothing)[1, 1] == 1
