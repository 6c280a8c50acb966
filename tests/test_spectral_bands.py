import numpy as np
import pytest

from earthexam.core.errors import ShapeError, UnknownNameError
from earthexam.spectral.bands import (
    NoSuchBandError,
    bad_bands,
    band_position,
    nearest_band,
    water_vapour_bands,
)

VISIBLE = np.array([450.0, 550.0, 650.0])


def test_nearest_band_takes_the_closer_neighbour():
    assert nearest_band(VISIBLE, 545.0) == 1


def test_a_wavelength_far_from_every_band_is_refused_and_the_nearest_is_named():
    with pytest.raises(NoSuchBandError, match=r"band 2 at 650 nm"):
        nearest_band(VISIBLE, 850.0)


def test_an_empty_wavelength_list_is_refused():
    with pytest.raises(NoSuchBandError, match="empty"):
        nearest_band(np.array([]), 850.0)


@pytest.mark.parametrize(("name", "band"), [("blue", 20), ("green", 50), ("red", 90), ("nir", 150)])
def test_without_wavelengths_bands_stand_at_the_published_fractions(name, band):
    assert band_position(name, 200) == band


def test_with_wavelengths_the_fraction_plays_no_role():
    wavelengths = np.array([480.0, 560.0, 660.0, 850.0])
    names = ("blue", "green", "red", "nir")
    assert [band_position(name, 4, wavelengths) for name in names] == [0, 1, 2, 3]


def test_short_wave_infrared_cannot_be_guessed_from_a_fraction():
    with pytest.raises(NoSuchBandError, match="wavelengths"):
        band_position("swir", 200)


def test_an_unknown_band_name_says_the_nearest():
    with pytest.raises(UnknownNameError, match="green"):
        band_position("gren", 200)


def test_a_wavelength_list_of_another_length_is_refused():
    with pytest.raises(ShapeError, match="3 wavelengths for 4 bands"):
        band_position("red", 4, VISIBLE)


def test_one_band_is_every_band():
    assert band_position("nir", 1) == 0


def test_water_vapour_windows_include_their_bounds():
    edges = np.array([1349.9, 1350.0, 1450.0, 1450.1, 1799.9, 1800.0, 1950.0, 1950.1])
    assert water_vapour_bands(edges).tolist() == [
        False, True, True, False, False, True, True, False,
    ]  # fmt: skip


def test_bad_bands_are_constant_or_empty_or_wet():
    cube = np.zeros((2, 2, 4), dtype=np.float32)
    cube[:, :, 0] = [[1, 2], [3, np.nan]]
    cube[:, :, 1] = [[5, 5], [5, np.nan]]
    cube[:, :, 2] = np.nan
    cube[:, :, 3] = [[1, 2], [3, 4]]
    assert bad_bands(cube).tolist() == [False, True, True, False]
    wet = np.array([500.0, 600.0, 700.0, 1900.0])
    assert bad_bands(cube, wet).tolist() == [False, True, True, True]
