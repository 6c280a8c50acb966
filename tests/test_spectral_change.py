import numpy as np
import pytest

from earthexam.core.errors import InputError, ShapeError
from earthexam.spectral.change import change_magnitude, changed_pixels, difference


def two_dates(changed_rows, seed=0):
    generator = np.random.default_rng(seed)
    before = generator.normal(100, 20, size=(60, 50, 30)).astype(np.float32)
    after = before + generator.normal(0, 1, size=before.shape).astype(np.float32)
    after[:changed_rows] += 15
    return before, after


def test_magnitude_is_the_length_of_the_change_vector():
    before = np.array([[[1.0, 2.0, 2.0]]], dtype=np.float32)
    assert change_magnitude(np.zeros_like(before), before).tolist() == [[3.0]]
    assert difference(before, np.zeros_like(before)).tolist() == [[[-1.0, -2.0, -2.0]]]


@pytest.mark.parametrize("changed_rows", [1, 6, 20, 28])
def test_the_changed_part_is_found_whatever_its_size(changed_rows):
    found = changed_pixels(*two_dates(changed_rows))
    assert found.changed[:changed_rows].all()
    assert found.changed[changed_rows:].mean() < 0.01
    assert found.threshold == pytest.approx(found.mean + 3 * found.sigma)


def test_the_background_is_that_of_the_unchanged_pixels():
    before, after = two_dates(12)
    found = changed_pixels(before, after)
    quiet = found.magnitude[12:]
    assert found.mean == pytest.approx(quiet.mean(), rel=0.01)
    assert found.sigma == pytest.approx(quiet.std(), rel=0.05)


def test_equal_dates_have_no_change():
    before, _ = two_dates(0)
    found = changed_pixels(before, before.copy())
    assert not found.changed.any()
    assert found.share == 0.0


def test_the_rule_does_not_depend_on_the_unit():
    before, after = two_dates(10)
    assert np.array_equal(
        changed_pixels(before, after).changed, changed_pixels(before * 8, after * 8).changed
    )


def test_pixels_masked_at_either_date_are_not_changed_and_not_counted():
    before, after = two_dates(6)
    before[0, 0] = np.nan
    after[59, 49, 3] = np.nan
    found = changed_pixels(before, after)
    assert np.isnan(found.magnitude[[0, 59], [0, 49]]).all()
    assert not found.changed[[0, 59], [0, 49]].any()
    assert found.share == pytest.approx(found.changed.sum() / (60 * 50 - 2))


def test_dates_on_different_grids_are_refused():
    with pytest.raises(ShapeError, match="one grid"):
        changed_pixels(np.zeros((2, 2, 1), np.float32), np.zeros((2, 3, 1), np.float32))


def test_dates_without_a_common_pixel_are_refused():
    with pytest.raises(InputError, match="both dates"):
        changed_pixels(np.full((2, 2, 1), np.nan, np.float32), np.zeros((2, 2, 1), np.float32))
