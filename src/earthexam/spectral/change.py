"""What changed between two dates: difference, change vectors, and the 3-sigma rule."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError
from earthexam.core.scene import Cube
from earthexam.spectral.normalise import Floats

SIGMAS = 3.0
# Scales the median absolute deviation of a normal distribution to its standard deviation.
MAD_TO_SIGMA = 1.4826
MAX_ROUNDS = 100


@dataclass(frozen=True)
class ChangeMap:
    """Which pixels changed, and against which background.

    Attributes
    ----------
    magnitude : array, shape (rows, cols)
        Length of the change vector, in the unit of the cube; NaN where either date is masked.
    changed : array of bool, shape (rows, cols)
        Magnitude above the threshold; False where masked.
    mean, sigma : float
        Of the magnitude over the unchanged background.
    threshold : float
        ``mean + 3 * sigma``.
    share : float
        Changed pixels over valid pixels, 0 to 1.
    """

    magnitude: Floats
    changed: NDArray[np.bool_]
    mean: float
    sigma: float
    threshold: float
    share: float


def difference(before: Cube, after: Cube) -> Cube:
    """Subtract the earlier date from the later one, band by band.

    Raises
    ------
    ShapeError
        The dates differ in shape.
    """
    if before.shape != after.shape:
        message = (
            f"the two dates have shapes {before.shape} and {after.shape}; "
            "bring them to one grid and the same bands first"
        )
        raise ShapeError(message)
    return np.asarray(after - before, dtype=np.float32)


def change_magnitude(before: Cube, after: Cube) -> Floats:
    """Measure the length of each pixel's change vector over all bands.

    Returns
    -------
    array, shape (rows, cols)
        In the unit of the cube; NaN where a band of either date is NaN.

    References
    ----------
    Malila (1980), Change vector analysis, LARS Symposia, Purdue University, 326-335.

    Examples
    --------
    >>> before = np.zeros((1, 2, 2), dtype=np.float32)
    >>> after = np.array([[[3, 4], [0, 0]]], dtype=np.float32)
    >>> change_magnitude(before, after).tolist()
    [[5.0, 0.0]]
    """
    step = difference(before, after).astype(np.float64)
    return np.asarray(np.sqrt(np.einsum("rcb,rcb->rc", step, step)), dtype=np.float32)


def changed_pixels(before: Cube, after: Cube) -> ChangeMap:
    """Find pixels whose change vector is longer than mean + 3 sigma of the unchanged background.

    The background is not known beforehand. It starts as the pixels within 3 robust deviations
    (median absolute deviation) of the median, which holds as long as fewer than half the pixels
    changed; then mean and sigma are computed over it and the pixels below mean + 3 sigma become the
    background, until the set stays as it is. The rule is one-sided: a small change is no change.

    Parameters
    ----------
    before, after : arrays, shape (rows, cols, bands)
        Two dates on one grid; masked pixels are NaN.

    Raises
    ------
    ShapeError
        The dates differ in shape.
    InputError
        No pixel is valid at both dates.
    """
    magnitude = change_magnitude(before, after)
    values = magnitude[np.isfinite(magnitude)].astype(np.float64)
    if values.size == 0:
        message = "no pixel is valid at both dates; check the masks and the nodata values"
        raise InputError(message)
    mean, sigma = _background(values)
    threshold = mean + SIGMAS * sigma
    changed = np.asarray(magnitude > threshold, dtype=np.bool_)
    return ChangeMap(magnitude, changed, mean, sigma, threshold, float(changed.sum() / values.size))


def _background(values: NDArray[np.float64]) -> tuple[float, float]:
    median = np.median(values)
    spread = MAD_TO_SIGMA * np.median(np.abs(values - median))
    limit = median + SIGMAS * spread
    mean, sigma = float(median), float(spread)
    for _ in range(MAX_ROUNDS):
        background = values[values <= limit]
        mean, sigma = float(background.mean()), float(background.std())
        if mean + SIGMAS * sigma == limit:
            break
        limit = mean + SIGMAS * sigma
    return mean, sigma
