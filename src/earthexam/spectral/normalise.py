"""Bring values to a common range: percentile stretch, z-scores, 8-bit pictures."""

import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earthexam.core.scene import Cube, Vector

Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]
Limits: TypeAlias = NDArray[np.float64]

LOW_PERCENTILE = 2.0
HIGH_PERCENTILE = 98.0


def stretch_limits(*pictures: Cube) -> Limits:
    """Find the 2nd and 98th percentile of each band over the valid pixels of all pictures.

    Parameters
    ----------
    *pictures : arrays, shape (rows, cols, bands)
        One picture, or several that shall share their limits, such as two dates.

    Returns
    -------
    array, shape (bands, 2)
        Low and high limit of each band; NaN where a band has no valid pixel.

    Examples
    --------
    >>> stretch_limits(np.arange(101, dtype=np.float32).reshape(101, 1, 1)).tolist()
    [[2.0, 98.0]]
    """
    pixels = np.concatenate([picture.reshape(-1, picture.shape[-1]) for picture in pictures])
    pixels = np.where(np.isfinite(pixels), pixels, np.nan)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="All-NaN slice", category=RuntimeWarning)
        limits = np.nanpercentile(pixels, [LOW_PERCENTILE, HIGH_PERCENTILE], axis=0)
    return np.asarray(limits.T, dtype=np.float64)


def stretch(picture: Cube, limits: Limits | None = None) -> Floats:
    """Stretch each band to 0..1 between its limits and clip what lies outside.

    Parameters
    ----------
    picture : array, shape (rows, cols, bands)
    limits : array, shape (bands, 2), or None
        Low and high limits; None for the picture's own 2nd and 98th percentile.

    Returns
    -------
    array, shape (rows, cols, bands)
        0 to 1; NaN stays NaN; 0.5 in a band whose limits are equal.
    """
    limits = stretch_limits(picture) if limits is None else limits
    return _scale(picture, limits[:, 0], limits[:, 1])


def scale_to_range(picture: Cube) -> Floats:
    """Scale each band to 0..1 between its smallest and its largest valid value.

    Returns
    -------
    array, shape (rows, cols, bands)
        0 to 1; NaN stays NaN; 0.5 in a constant band.
    """
    flat = picture.reshape(-1, picture.shape[-1])
    return _scale(picture, np.fmin.reduce(flat, axis=0), np.fmax.reduce(flat, axis=0))


def _scale(picture: Cube, low: Vector, high: Vector) -> Floats:
    span = np.asarray(high - low, dtype=np.float64)
    is_constant = ~(span > 0)
    gain = 1.0 / np.where(is_constant, 1.0, span)
    scaled = np.clip((picture - low) * gain, 0.0, 1.0)
    if is_constant.any():
        middle = np.where(np.isnan(picture), np.nan, 0.5)
        scaled = np.where(is_constant, middle, scaled)
    return np.asarray(scaled, dtype=np.float32)


def standardise(cube: Cube) -> Floats:
    """Turn each band into z-scores over its valid pixels.

    Returns
    -------
    array, shape (rows, cols, bands)
        Mean 0 and standard deviation 1 (divisor n) in each band; NaN stays NaN; 0 in a constant
        band.
    """
    valid = np.isfinite(cube)
    n = np.maximum(valid.sum(axis=(0, 1)), 1)
    mean = np.where(valid, cube, 0.0).sum(axis=(0, 1), dtype=np.float64) / n
    centred = np.where(valid, cube - mean, np.nan)
    std = np.sqrt(np.nansum(centred**2, axis=(0, 1), dtype=np.float64) / n)
    constant = std <= np.finfo(np.float32).eps * np.abs(mean)
    return np.asarray(
        np.where(constant & valid, 0.0, centred / np.where(constant, 1.0, std)), dtype=np.float32
    )


def to_uint8(values: NDArray[np.floating]) -> Bytes:
    """Round values of 0..1 to 0..255; NaN becomes 0.

    Examples
    --------
    >>> to_uint8(np.array([0.0, 0.5, 1.0, np.nan])).tolist()
    [0, 128, 255, 0]
    """
    filled = np.where(np.isnan(values), 0.0, np.clip(values, 0.0, 1.0))
    return np.floor(filled * 255.0 + 0.5).astype(np.uint8)
