import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earthexam.core.errors import InputError
from earthexam.core.item import to_json
from earthexam.spectral.describe import describe
from earthexam.spectral.prose import accept_rewriting, write_prose

WAVELENGTHS = np.linspace(400, 1000, 61)


def make_cube(rows=12, cols=9, seed=0):
    generator = np.random.default_rng(seed)
    shape = 0.3 + 0.2 * np.sin(WAVELENGTHS / 60)
    return (shape * generator.uniform(0.5, 1.5, size=(rows, cols, 1))).astype(np.float32)


def test_counts_and_moments_are_those_of_the_values():
    cube = np.array([[[1, 2], [3, 8]], [[np.nan, 8], [1, 1]]], dtype=np.float32)
    found = describe(cube)
    assert (found.rows, found.cols, found.bands, found.nan_count) == (2, 2, 2, 1)
    assert (found.minimum, found.maximum) == (1, 8)
    assert found.mean == pytest.approx(24 / 7, rel=1e-5)
    assert found.std == pytest.approx(np.std([1, 2, 3, 8, 8, 1, 1]), rel=1e-5)
    assert found.saturation_share == pytest.approx(2 / 7, rel=1e-5)
    assert found.mean_spectrum == pytest.approx((5 / 3, 19 / 4), rel=1e-5)


def test_peaks_and_valleys_of_a_wave_are_where_calculus_puts_them():
    found = describe(make_cube(), WAVELENGTHS, "reflectance")
    peaks = [60 * np.pi * (2 * n + 0.5) for n in (1, 2)]
    assert [p.position for p in found.peaks] == pytest.approx(peaks, abs=5)
    assert [p.position for p in found.valleys] == pytest.approx([60 * np.pi * 3.5], abs=5)
    assert found.steepest_rise.position == pytest.approx(60 * np.pi * 4, abs=10)
    assert found.steepest_fall.position == pytest.approx(60 * np.pi * 3, abs=10)


def test_a_flat_spectrum_has_the_entropy_of_its_band_count():
    assert describe(np.ones((3, 3, 8), dtype=np.float32)).spectral_entropy_bits == 3.0


def test_a_single_bright_band_has_no_entropy():
    cube = np.zeros((3, 3, 4), dtype=np.float32)
    cube[:, :, 2] = 5
    assert describe(cube).spectral_entropy_bits == 0.0


def test_slopes_leave_out_gaps_and_overlaps_of_the_axis():
    wavelengths = np.array([400.0, 410, 420, 430, 430.1, 440, 600, 610])
    spectrum = np.array([1.0, 2, 3, 4, 9, 5, 90, 91], dtype=np.float32)
    found = describe(np.tile(spectrum, (2, 2, 1)), wavelengths)
    assert found.steepest_rise.value == pytest.approx(0.1)
    assert found.steepest_fall.position == pytest.approx(435.05)


def test_the_grid_holds_brightness_and_its_variance():
    cube = np.zeros((6, 6, 2), dtype=np.float32)
    cube[:2, 4:, 0] = 4
    cube[5, 0] = 10
    cells = {(cell.row, cell.col): cell for cell in describe(cube).grid}
    assert (cells[1, 3].brightness, cells[1, 3].variance) == (2, 0)
    assert (cells[3, 1].brightness, cells[3, 1].variance) == (2.5, 18.75)
    assert cells[2, 2].brightness == 0


def test_the_six_indices_are_summarised():
    cube = np.zeros((2, 2, 61), dtype=np.float32)
    cube[:, :, 26], cube[:, :, 45] = 0.1, 0.3
    found = {index.name: index for index in describe(cube, WAVELENGTHS, "reflectance").indices}
    assert list(found) == ["EVI", "NDVI", "NDWI", "PRI", "SAVI", "GNDVI"]
    assert found["NDVI"].mean == found["NDVI"].median == found["NDVI"].low == 0.5
    assert found["SAVI"].mean == pytest.approx(1.5 * 0.2 / 0.9, rel=1e-5)
    assert found["SAVI"].scaled_by is None
    assert found["PRI"].mean is None


def test_counts_are_scaled_for_indices_with_absolute_constants_and_it_is_said():
    found = {i.name: i for i in describe(make_cube() * 4000, WAVELENGTHS, "counts").indices}
    assert found["NDVI"].scaled_by is None
    assert found["EVI"].scaled_by == found["SAVI"].scaled_by > 1000
    assert "EVI and SAVI were computed on values divided by" in write_prose(
        describe(make_cube() * 4000, WAVELENGTHS, "counts")
    )


def test_an_index_without_its_bands_is_none():
    found = describe(make_cube()[:, :, :20], WAVELENGTHS[:20])
    assert {index.name: index.mean for index in found.indices}["NDVI"] is None
    assert "NDVI not available" in write_prose(found)


def test_values_are_rounded_to_six_digits():
    found = describe(make_cube(), WAVELENGTHS)
    for value in (found.mean, found.std, *found.mean_spectrum):
        assert value == float(f"{value:.6g}")


def test_nothing_to_describe_is_refused():
    with pytest.raises(InputError, match="all 8 values"):
        describe(np.full((2, 2, 2), np.nan, dtype=np.float32))


def test_the_json_round_trips_and_has_no_nan():
    found = describe(make_cube(1, 2), None)
    assert json.loads(to_json(found.as_json()))["bands"] == 61


def test_the_same_cube_gives_the_same_sentences():
    first, second = (write_prose(describe(make_cube(), WAVELENGTHS, "radiance")) for _ in range(2))
    assert first == second
    assert len(first) < 3000


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31), gain=st.sampled_from([1e-6, 0.01, 1.0, 33.3, 1e5]),
    offset=st.sampled_from([0.0, -0.5, 1000.0]), rows=st.integers(1, 7), bands=st.integers(1, 61),
    known=st.booleans(),
)  # fmt: skip
def test_every_number_in_the_sentences_is_in_the_json(seed, gain, offset, rows, bands, known):
    cube = np.random.default_rng(seed).normal(size=(rows, 5, bands)) * gain + offset
    cube[0, 0, 0] = np.nan
    wavelengths = WAVELENGTHS[:bands] if known else None
    found = describe(cube.astype(np.float32), wavelengths, "radiance")
    assert accept_rewriting(write_prose(found), found) == ()


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("The mean is 123.", "123"),
        ("Values reach -0.5", "-0.5"),
        ("About 47 % of the values.", "47 %"),
        ("The scene shows dense Vegetation.", "vegetation"),
        ("Acquired by AVIRIS.", "aviris"),
        ("There is open\nwater.", "water"),
        ("Corn-notill stands here.", "corn-notill"),
        ("A mean of 2000.", "2000"),
    ],
)
def test_a_rewriting_that_adds_something_is_refused(sentence, problem):
    found = describe(np.full((3, 3, 4), 0.25, dtype=np.float32), None, "reflectance")
    assert any(problem in line for line in accept_rewriting(sentence, found, ["Corn-notill"]))


@pytest.mark.parametrize(
    "sentence",
    [
        "A block of 3 by 3 pixels and 4 bands with mean 0.25, or 0.250.",
        "All 100 % of the values are equal.",
        "Bands 0-3; the entropy is 2 bits, a 25.0 % level.",
        "NDVI and NDWI are 0.0; waterfall-like words inside others, as in landscaper, are fine.",
    ],
)
def test_a_rewriting_that_only_rounds_is_accepted(sentence):
    found = describe(np.full((3, 3, 4), 0.25, dtype=np.float32), None, "reflectance")
    assert accept_rewriting(sentence, found) == ()


def test_rounding_away_most_of_a_value_is_no_rounding():
    found = describe(np.full((3, 3, 4), 0.7, dtype=np.float32), None, "reflectance")
    assert accept_rewriting("The mean is 0.7", found) == ()
    assert describe(np.full((3, 3, 4), 6.6, dtype=np.float32)).mean == 6.6
    assert accept_rewriting("The mean is 7", describe(np.full((3, 3, 5), 6.6, np.float32))) != ()
