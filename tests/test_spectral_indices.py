import numpy as np
import pytest

from earthexam.core.errors import UnknownNameError
from earthexam.spectral.bands import NoSuchBandError
from earthexam.spectral.indices import INDICES, compute_index, index_named

WAVELENGTHS = np.array([480.0, 531.0, 560.0, 570.0, 660.0, 850.0, 1610.0])
# A leaf: blue 0.04, 531 nm 0.06, green 0.08, 570 nm 0.075, red 0.05, NIR 0.45, SWIR 0.20.
LEAF = np.array([[[0.04, 0.06, 0.08, 0.075, 0.05, 0.45, 0.20]]], dtype=np.float32)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVI", 2.5 * 0.40 / (0.45 + 0.30 - 0.30 + 1)),
        ("NDVI", 0.40 / 0.50),
        ("NDWI", -0.37 / 0.53),
        ("PRI", -0.015 / 0.135),
        ("SAVI", 1.5 * 0.40 / 1.0),
        ("GNDVI", 0.37 / 0.53),
        ("MNDWI", -0.12 / 0.28),
    ],
)
def test_a_leaf_has_the_index_worked_out_by_hand(name, value):
    assert compute_index(name, LEAF, WAVELENGTHS)[0, 0] == pytest.approx(value, abs=1e-6)


def test_without_wavelengths_bands_go_by_fraction():
    cube = np.zeros((1, 1, 100), dtype=np.float32)
    cube[0, 0, 45], cube[0, 0, 75] = 1.0, 3.0
    assert compute_index("NDVI", cube)[0, 0] == 0.5


@pytest.mark.parametrize("name", ["NDVI", "NDWI", "PRI", "GNDVI", "MNDWI"])
def test_a_zero_denominator_gives_no_value(name):
    assert np.isnan(compute_index(name, np.zeros_like(LEAF), WAVELENGTHS)[0, 0])


def test_masked_pixels_stay_masked():
    assert np.isnan(compute_index("NDVI", LEAF * np.float32(np.nan), WAVELENGTHS)[0, 0])


def test_a_missing_band_is_named():
    with pytest.raises(NoSuchBandError, match="850 nm"):
        compute_index("NDVI", LEAF[..., :5], WAVELENGTHS[:5])


def test_an_unknown_index_says_the_nearest():
    with pytest.raises(UnknownNameError, match="NDVI"):
        compute_index("NVDI", LEAF)


@pytest.mark.parametrize("index", [i for i in INDICES if i.valid_range], ids=lambda i: i.name)
def test_reflectance_stays_in_the_valid_range(index):
    cube = np.random.default_rng(0).random((50, 50, 7), dtype=np.float32)
    values = compute_index(index.name, cube, WAVELENGTHS)
    low, high = index.valid_range
    assert values.min() >= low
    assert values.max() <= high


def test_indices_without_absolute_constants_do_not_change_with_gain():
    for index in INDICES:
        same = np.allclose(
            compute_index(index.name, LEAF * 1000, WAVELENGTHS),
            compute_index(index.name, LEAF, WAVELENGTHS),
            atol=1e-6,
        )
        assert same is not index.needs_reflectance
    assert index_named("EVI").needs_reflectance
