"""Turn stored values into physical ones: scale, offset and nodata, applied here and nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earthexam.core.scene import Cube


@dataclass(frozen=True, slots=True)
class Coding:
    """How values are stored: ``value = stored * scale + offset``.

    Attributes
    ----------
    scale, offset : tuple of float
        One number for all bands, or one a band.
    nodata : tuple of float
        Stored values that mean "not measured".
    """

    scale: tuple[float, ...] = (1.0,)
    offset: tuple[float, ...] = (0.0,)
    nodata: tuple[float, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether stored values are the physical ones."""
        return set(self.scale) == {1.0} and set(self.offset) == {0.0}

    def of_bands(self, order: Sequence[int]) -> "Coding":
        """Return the coding of the bands taken in `order`."""
        return replace(self, scale=_by_band(self.scale, order), offset=_by_band(self.offset, order))


def _by_band(numbers: tuple[float, ...], order: Sequence[int]) -> tuple[float, ...]:
    return numbers[:1] if len(set(numbers)) == 1 else tuple(numbers[band] for band in order)


def decode(stored: NDArray[Any], coding: Coding) -> Cube:
    """Turn stored values into physical ones.

    Parameters
    ----------
    stored : array, shape (rows, cols, bands)
        As in the file, any numeric type; masked values of a masked array count as nodata.
    coding : Coding
        Scale, offset and nodata values of these bands.

    Returns
    -------
    array, shape (rows, cols, bands), float32
        NaN where the stored value is nodata, masked, NaN or infinite. The arithmetic is done in
        double precision, row by row: integers neither wrap nor lose digits, and the peak stays near
        the size of the result.

    Examples
    --------
    >>> stored = np.array([[[500, 0]]], dtype=np.uint16)
    >>> decode(stored, Coding(scale=(1e-4,), offset=(-0.1,), nodata=(0.0,)))
    array([[[-0.05,   nan]]], dtype=float32)
    """
    cube = np.empty(stored.shape, dtype=np.float32)
    masked = np.ma.getmaskarray(stored) if np.ma.is_masked(stored) else None
    plain = np.ma.getdata(stored)
    scale, offset = np.asarray(coding.scale), np.asarray(coding.offset)
    for index, line in enumerate(plain):
        missing = _missing(line, coding.nodata)
        if masked is not None:
            missing |= masked[index]
        with np.errstate(over="ignore", invalid="ignore"):
            cube[index] = line if coding.is_plain else line.astype(np.float64) * scale + offset
        missing |= ~np.isfinite(cube[index])
        cube[index][missing] = np.nan
    return cube


def _missing(line: NDArray[Any], nodata: tuple[float, ...]) -> NDArray[np.bool_]:
    missing = np.zeros(line.shape, dtype=bool)
    whole = line.dtype.kind in "iu"
    for value in nodata:
        # A whole number compares with integers exactly, without a copy as float.
        missing |= line == (int(value) if whole and float(value).is_integer() else value)
    return missing
