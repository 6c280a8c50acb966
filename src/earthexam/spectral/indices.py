"""Spectral indices: ratios of a few bands that follow leaf, water or pigment."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from earthexam.core.errors import UnknownNameError
from earthexam.core.scene import Cube, Vector
from earthexam.spectral.bands import band_position
from earthexam.spectral.normalise import Floats


@dataclass(frozen=True, slots=True)
class Index:
    """One spectral index.

    Attributes
    ----------
    bands : tuple of str
        Named bands that the formula takes, in order; see `earthexam.spectral.bands`.
    formula : callable
        Takes the bands as arrays, returns numerator and denominator.
    valid_range : tuple of float or None
        What reflectance can give; None where the formula is unbounded.
    needs_reflectance : bool
        Whether constants of the formula hold on reflectance of 0..1 only. On counts or radiance
        such an index is a number without its usual meaning.
    citation : str
        Where the formula comes from.
    """

    name: str
    bands: tuple[str, ...]
    formula: Callable[..., tuple[Floats, Floats]]
    valid_range: tuple[float, float] | None
    needs_reflectance: bool
    citation: str


def _difference_over_sum(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    return first - second, first + second


def _enhanced(nir: Floats, red: Floats, blue: Floats) -> tuple[Floats, Floats]:
    return 2.5 * (nir - red), nir + 6.0 * red - 7.5 * blue + 1.0


def _soil_adjusted(nir: Floats, red: Floats) -> tuple[Floats, Floats]:
    return 1.5 * (nir - red), nir + red + 0.5


INDICES = (
    Index(
        "EVI", ("nir", "red", "blue"), _enhanced, None, True,
        "Huete et al. (2002), Remote Sens. Environ. 83, 195-213, 10.1016/S0034-4257(02)00096-2",
    ),
    Index(
        "NDVI", ("nir", "red"), _difference_over_sum, (-1.0, 1.0), False,
        "Rouse et al. (1974), Third ERTS Symposium, NASA SP-351, 309-317",
    ),
    Index(
        "NDWI", ("green", "nir"), _difference_over_sum, (-1.0, 1.0), False,
        "McFeeters (1996), Int. J. Remote Sens. 17, 1425-1432, 10.1080/01431169608948714",
    ),
    Index(
        "PRI", ("pri_signal", "pri_reference"), _difference_over_sum, (-1.0, 1.0), False,
        "Gamon et al. (1992), Remote Sens. Environ. 41, 35-44, 10.1016/0034-4257(92)90059-S",
    ),
    Index(
        "SAVI", ("nir", "red"), _soil_adjusted, (-1.0, 1.0), True,
        "Huete (1988), Remote Sens. Environ. 25, 295-309, 10.1016/0034-4257(88)90106-X",
    ),
    Index(
        "GNDVI", ("nir", "green"), _difference_over_sum, (-1.0, 1.0), False,
        "Gitelson et al. (1996), Remote Sens. Environ. 58, 289-298, 10.1016/S0034-4257(96)00072-7",
    ),
    Index(
        "MNDWI", ("green", "swir"), _difference_over_sum, (-1.0, 1.0), False,
        "Xu (2006), Int. J. Remote Sens. 27, 3025-3033, 10.1080/01431160600589179",
    ),
)  # fmt: skip
_BY_NAME = {index.name: index for index in INDICES}


def index_named(name: str) -> Index:
    """Return the record of an index, or say which names come nearest."""
    if name not in _BY_NAME:
        kind = "spectral index"
        raise UnknownNameError.of(kind, name, _BY_NAME)
    return _BY_NAME[name]


def compute_index(name: str, cube: Cube, wavelengths_nm: Vector | None = None) -> Floats:
    """Compute one index for every pixel.

    Parameters
    ----------
    name : str
        EVI, NDVI, NDWI, PRI, SAVI, GNDVI or MNDWI.
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN and stay NaN. The constants of EVI and SAVI hold on reflectance of
        0..1 only.
    wavelengths_nm : array, shape (bands,), or None
        Band centres; without them bands are taken by their fraction of the band axis.

    Returns
    -------
    array, shape (rows, cols)
        Unitless; NaN where the denominator is 0.

    Raises
    ------
    UnknownNameError
        No index has this name.
    NoSuchBandError
        The cube has no band within 15 nm of one that the formula needs.

    Examples
    --------
    >>> pixel = np.array([[[0.125, 0.375]]], dtype=np.float32)
    >>> compute_index("NDVI", pixel, np.array([660.0, 850.0])).tolist()
    [[0.5]]
    """
    index = index_named(name)
    positions = [band_position(band, cube.shape[2], wavelengths_nm) for band in index.bands]
    bands = [cube[:, :, position].astype(np.float64) for position in positions]
    numerator, denominator = index.formula(*bands)
    result = np.full(numerator.shape, np.nan, dtype=np.float32)
    np.divide(numerator, denominator, out=result, where=denominator != 0, casting="same_kind")
    return result
