"""Which band is which: named bands, nearest wavelengths, and bands that carry no signal."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError, UnknownNameError
from earthexam.core.scene import Cube, Vector

BandMask: TypeAlias = NDArray[np.bool_]

TOLERANCE_NM = 15.0
WATER_VAPOUR_NM = ((1350.0, 1450.0), (1800.0, 1950.0))
CHUNK_VALUES = 4_000_000


@dataclass(frozen=True, slots=True)
class NamedBand:
    """A part of the spectrum that formulas ask for by name.

    Attributes
    ----------
    centre_nm : float
        Wanted wavelength, nanometres.
    fraction : float or None
        Position on the band axis, 0 to 1, taken where wavelengths are unknown; None where no
        position can be assumed.
    """

    name: str
    centre_nm: float
    fraction: float | None


# HM-Bench (arXiv 2604.08884) gives the fractions of blue, green, red and NIR. Those of the other
# visible bands are read off the line through these four points.
NAMED_BANDS = (
    NamedBand("blue", 480.0, 0.10),
    NamedBand("pri_signal", 531.0, 0.196),
    NamedBand("green", 560.0, 0.25),
    NamedBand("pri_reference", 570.0, 0.27),
    NamedBand("red", 660.0, 0.45),
    NamedBand("red_edge", 705.0, 0.521),
    NamedBand("nir", 850.0, 0.75),
    NamedBand("swir", 1610.0, None),
)
_BY_NAME = {band.name: band for band in NAMED_BANDS}


class NoSuchBandError(InputError):
    """The cube has no band near the wavelength that was asked for."""


def nearest_band(
    wavelengths_nm: Vector, wanted_nm: float, tolerance_nm: float = TOLERANCE_NM
) -> int:
    """Find the band whose centre is nearest to a wavelength.

    Parameters
    ----------
    wavelengths_nm : array, shape (bands,)
        Band centres in any order, nanometres.
    tolerance_nm : float
        The farthest a centre may lie from `wanted_nm`.

    Returns
    -------
    int
        0-based band; the first of two that are equally near.

    Raises
    ------
    NoSuchBandError
        No centre lies within the tolerance; names the nearest one.

    Examples
    --------
    >>> nearest_band(np.array([450.0, 550.0, 650.0]), 655.0)
    2
    """
    centres = np.asarray(wavelengths_nm, dtype=np.float64)
    if centres.size == 0:
        message = f"no band near {wanted_nm:g} nm: the list of wavelengths is empty"
        raise NoSuchBandError(message)
    band = int(np.argmin(np.abs(centres - wanted_nm)))
    if abs(centres[band] - wanted_nm) > tolerance_nm:
        message = (
            f"no band within {tolerance_nm:g} nm of {wanted_nm:g} nm; the nearest is band {band} "
            f"at {centres[band]:g} nm; ask for that one or widen the tolerance"
        )
        raise NoSuchBandError(message)
    return band


def band_position(name: str, n_bands: int, wavelengths_nm: Vector | None = None) -> int:
    """Find a band by name: by wavelength when known, else by its fraction of the band axis.

    Parameters
    ----------
    name : str
        One of `NAMED_BANDS`.
    wavelengths_nm : array, shape (n_bands,), or None
        Band centres, nanometres.

    Returns
    -------
    int
        0-based band; by fraction, ``floor(fraction * n_bands)``.

    Raises
    ------
    UnknownNameError
        No band has this name.
    NoSuchBandError
        No band lies within 15 nm, or wavelengths are unknown and the name has no fraction.
    ShapeError
        As many wavelengths as bands were expected.

    Examples
    --------
    >>> band_position("nir", 200)
    150
    """
    if name not in _BY_NAME:
        kind = "band"
        raise UnknownNameError.of(kind, name, _BY_NAME)
    band = _BY_NAME[name]
    if wavelengths_nm is not None:
        if len(wavelengths_nm) != n_bands:
            message = f"{len(wavelengths_nm)} wavelengths for {n_bands} bands; give one for each"
            raise ShapeError(message)
        return nearest_band(wavelengths_nm, band.centre_nm)
    if band.fraction is None:
        message = (
            f"the band {name!r} ({band.centre_nm:g} nm) cannot be placed without wavelengths; "
            "give the wavelengths of the cube"
        )
        raise NoSuchBandError(message)
    return min(int(band.fraction * n_bands), n_bands - 1)


def water_vapour_bands(wavelengths_nm: Vector) -> BandMask:
    """Mark bands inside the strong absorptions of water vapour, 1350-1450 and 1800-1950 nm.

    Returns
    -------
    array of bool, shape (bands,)
        True where the atmosphere lets next to no sunlight through, bounds included.

    References
    ----------
    Gao, B.-C. and Goetz, A. F. H. (1990), J. Geophys. Res. 95(D4), 3549-3564,
    10.1029/JD095iD04p03549: absorptions centred at 1380 and 1880 nm.

    Examples
    --------
    >>> water_vapour_bands(np.array([1340.0, 1400.0, 1900.0])).tolist()
    [False, True, True]
    """
    centres = np.asarray(wavelengths_nm, dtype=np.float64)
    inside = [(centres >= low) & (centres <= high) for low, high in WATER_VAPOUR_NM]
    return np.asarray(np.logical_or.reduce(inside), dtype=np.bool_)


def bad_bands(cube: Cube, wavelengths_nm: Vector | None = None) -> BandMask:
    """Mark bands without information: all NaN, one value everywhere, or water vapour.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN.
    wavelengths_nm : array, shape (bands,), or None
        Band centres; without them water vapour cannot be told.

    Returns
    -------
    array of bool, shape (bands,)

    Examples
    --------
    >>> bad_bands(np.array([[[1, 5, np.nan], [2, 5, np.nan]]], dtype=np.float32)).tolist()
    [False, True, True]
    """
    rows, cols, bands = cube.shape
    lowest = np.full(bands, np.inf)
    highest = np.full(bands, -np.inf)
    step = max(1, CHUNK_VALUES // max(1, cols * bands))
    for row in range(0, rows, step):
        chunk = cube[row : row + step].reshape(-1, bands)
        lowest = np.fmin(lowest, np.fmin.reduce(chunk, axis=0))
        highest = np.fmax(highest, np.fmax.reduce(chunk, axis=0))
    bad = ~(highest > lowest)
    return bad if wavelengths_nm is None else bad | water_vapour_bands(wavelengths_nm)
