"""Is a block fit to be asked about? Shares of doubtful pixels, and whether labels lie on the cube."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from earthexam.core.errors import ShapeError
from earthexam.core.scene import Cube, Labels
from earthexam.spectral.composite import principal_components
from earthexam.spectral.normalise import Floats, scale_to_range

OUTLIER_DEVIATIONS = 6.0
MAD_TO_SIGMA = 1.4826
MAX_SHIFT = 3
MIN_SHIFT = 2
MIN_GAIN = 0.05
EDGE_COMPONENTS = 3
EDGE_SIGMA = 1.0


@dataclass(frozen=True, slots=True)
class BlockQuality:
    """Shares of doubtful pixels of a block, 0 to 1.

    Attributes
    ----------
    unlabelled : float
        Pixels with label 0.
    invalid : float
        Pixels with a band that is NaN or infinite.
    saturated : float
        Valid pixels with at least one band at the saturation level or above.
    outlying : float
        Valid pixels whose brightness (mean over bands) is more than 6 robust deviations from the
        block's median and, where labelled, from the median of their class in the block: a pond
        among fields is no fault of the picture.
    classes : int
        Labelled classes.
    """

    unlabelled: float
    invalid: float
    saturated: float
    outlying: float
    classes: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well label borders lie on edges of the cube.

    Attributes
    ----------
    correlation : float
        Between label borders and edge strength as they lie; NaN where one has no edges.
    best_correlation : float
        The largest one over all shifts of the labels by up to 3 pixels.
    row_shift, col_shift : int
        The shift of the labels that gives it.
    is_aligned : bool
        Whether no shift by 2 pixels or more gains clearly: more than 0.05 plus three standard errors
        of a correlation over so many pixels. Also True where nothing can be measured.
    """

    correlation: float
    best_correlation: float
    row_shift: int
    col_shift: int
    is_aligned: bool


def screen_block(
    cube: Cube, labels: Labels | None = None, saturation_level: float = np.inf
) -> BlockQuality:
    """Measure the shares of doubtful pixels.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN.
    labels : array, shape (rows, cols), or None
        0 is unlabelled; None counts as all unlabelled.
    saturation_level : float
        Value from which on the detector no longer tells brightness apart, in the unit of the cube.

    Raises
    ------
    ShapeError
        Cube and labels differ in size.

    Examples
    --------
    >>> block = np.array([[[1.0], [np.nan]]], dtype=np.float32)
    >>> screen_block(block, np.array([[3, 0]], dtype=np.int32)).unlabelled
    0.5
    """
    labels = np.zeros(cube.shape[:2], dtype=np.int32) if labels is None else labels
    _require_one_grid(cube, labels)
    valid = np.asarray(np.isfinite(cube).all(axis=2), dtype=np.bool_)
    pixels = cube[valid]
    is_saturated = np.asarray((pixels >= saturation_level).any(axis=1), dtype=np.bool_)
    return BlockQuality(
        unlabelled=float((labels == 0).mean()),
        invalid=float(1.0 - valid.mean()),
        saturated=_share(is_saturated),
        outlying=_share(_outliers(pixels.mean(axis=1, dtype=np.float64), labels[valid])),
        classes=len(np.unique(labels[labels != 0])),
    )


def saturation_share(cube: Cube, level: float | None = None) -> float:
    """Return the share of valid values that stand at the top of the scale.

    Parameters
    ----------
    level : float or None
        Saturation level; None for the cube's own largest value.

    Returns
    -------
    float
        0 to 1; NaN where no value is valid.
    """
    values = cube[np.isfinite(cube)]
    if values.size == 0:
        return float("nan")
    return float((values >= (values.max() if level is None else level)).mean())


def check_alignment(cube: Cube, labels: Labels) -> Alignment:
    """Correlate label borders with edges of the cube, as they lie and shifted.

    Edge strength is the gradient magnitude (Gaussian, sigma 1 pixel) summed over the first three
    component maps. A border pixel has another label among its 8 neighbours; borders to unlabelled
    pixels count, because labels are usually drawn up to an edge.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
    labels : array, shape (rows, cols)

    Raises
    ------
    ShapeError
        Cube and labels differ in size.
    InputError
        Fewer than two valid pixels, or every band is constant.
    """
    _require_one_grid(cube, labels)
    edges = _edge_strength(cube)
    borders = _label_borders(labels)
    scores = {
        (row, col): _correlate(edges, borders, row, col)
        for row in range(-MAX_SHIFT, MAX_SHIFT + 1)
        for col in range(-MAX_SHIFT, MAX_SHIFT + 1)
    }
    here = scores[0, 0]
    # The shortest shift wins a tie.
    ranked = sorted(scores, key=lambda shift: (abs(shift[0]) + abs(shift[1]), shift))
    best = max(ranked, key=lambda shift: np.nan_to_num(scores[shift], nan=-2.0))
    is_far = max(map(abs, best)) >= MIN_SHIFT
    is_gain = scores[best] - here > MIN_GAIN + 3.0 / np.sqrt(labels.size)
    return Alignment(here, scores[best], best[0], best[1], not (is_far and is_gain))


def _require_one_grid(cube: Cube, labels: Labels) -> None:
    if labels.shape != cube.shape[:2]:
        message = (
            f"the cube is {cube.shape[:2]} pixels and the labels {labels.shape}; give one grid"
        )
        raise ShapeError(message)


def _share(mask: NDArray[np.bool_]) -> float:
    return float(mask.mean()) if mask.size else 0.0


def _outliers(brightness: NDArray[np.float64], labels: Labels) -> NDArray[np.bool_]:
    """Which pixels lie far off in the block and, where labelled, in their class."""
    outlying = _far_off(brightness)
    for code in np.unique(labels[outlying & (labels != 0)]):
        own = labels == code
        outlying[own] &= _far_off(brightness[own])
    return outlying


def _far_off(brightness: NDArray[np.float64]) -> NDArray[np.bool_]:
    if brightness.size == 0:
        return np.zeros(0, dtype=np.bool_)
    distance = np.abs(brightness - np.median(brightness))
    spread = MAD_TO_SIGMA * np.median(distance)
    # More than half the pixels alike leave no scale to call the others outliers by.
    return np.asarray((distance > OUTLIER_DEVIATIONS * spread) & (spread > 0), dtype=np.bool_)


def _edge_strength(cube: Cube) -> Floats:
    maps = scale_to_range(principal_components(cube, EDGE_COMPONENTS).maps)
    maps = np.where(np.isnan(maps), np.nanmean(maps, axis=(0, 1)), maps)
    steps = [ndimage.gaussian_gradient_magnitude(m, EDGE_SIGMA) for m in np.moveaxis(maps, 2, 0)]
    return np.asarray(np.sum(steps, axis=0), dtype=np.float32)


def _label_borders(labels: Labels) -> Floats:
    # Both sides of a border count, which keeps its middle where it is.
    smallest = ndimage.minimum_filter(labels, 3, mode="nearest")
    largest = ndimage.maximum_filter(labels, 3, mode="nearest")
    return np.asarray(smallest != largest, dtype=np.float32)


def _correlate(edges: Floats, borders: Floats, row: int, col: int) -> float:
    """Correlate with the labels moved by (row, col), over pixels that every shift leaves inside."""
    rows, cols = (size - 2 * MAX_SHIFT for size in edges.shape)
    if min(rows, cols) < 1:
        return float("nan")
    first = edges[MAX_SHIFT : MAX_SHIFT + rows, MAX_SHIFT : MAX_SHIFT + cols].ravel()
    top, left = MAX_SHIFT - row, MAX_SHIFT - col
    second = borders[top : top + rows, left : left + cols].ravel()
    if first.std() == 0 or second.std() == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])
