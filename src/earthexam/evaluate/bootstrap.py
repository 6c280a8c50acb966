"""Clustered bootstrap: whole clusters are drawn, and only their sums are touched.

A resample of clusters is a row of multinomial counts; the cell means of all resamples are two
products of that weight matrix with the clusters' sums, so that the number of items does not matter.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from earthexam.core.errors import InputError
from earthexam.evaluate.clusters import CellSums, Matrix, divide
from earthexam.evaluate.intervals import Interval

RESAMPLES = 10_000

_CHUNK = 512  # resamples at once: 512 × 1,512 clusters are 6 MB of weights, which fits the cache


def resampled_means(cells: CellSums, generator: np.random.Generator, resamples: int) -> Matrix:
    """Return the cell means of clustered resamples.

    Parameters
    ----------
    generator : Generator
        Same state, same resamples.
    resamples : int
        At least 1.

    Returns
    -------
    array, shape (resamples, cells)
        NaN where a resample drew no item of the cell. All cells of a row come from the same draw,
        so that differences between columns are paired.
    """
    if resamples < 1:
        message = f"{resamples} resamples cannot be drawn; ask for at least 1"
        raise InputError(message)
    n_cells = cells.sums.shape[1]
    both = np.hstack([cells.sums, cells.counts])
    means = np.empty((resamples, n_cells))
    start = 0
    for weights in _draw_weights(len(both), generator, resamples):
        totals = weights @ both
        stop = start + len(weights)
        means[start:stop] = divide(totals[:, :n_cells], totals[:, n_cells:])
        start = stop
    return means


def bootstrap_interval(
    cells: CellSums,
    weights: ArrayLike,
    generator: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Return a weighted sum of cell means with its clustered percentile interval.

    Parameters
    ----------
    weights : array, shape (cells,)
        As in `intervals.weighted_interval`.

    Notes
    -----
    Resamples that miss a whole cell have no value and are left out.

    References
    ----------
    Field & Welsh (2007), Journal of the Royal Statistical Society B 69, 369–390 (resampling whole
    clusters).
    """
    weight = np.asarray(weights, dtype=np.float64)
    used = np.flatnonzero(weight).tolist()
    cells, weight = cells.pool([[cell] for cell in used]), weight[used]
    estimate = float(weight @ cells.means) if used else float("nan")
    draws = resampled_means(cells, generator, resamples) @ weight
    return interval_of_draws(estimate, draws, cells, level=level)


def interval_of_draws(
    estimate: float, draws: Matrix, cells: CellSums, *, level: float = 0.95
) -> Interval:
    """Make the percentile interval of resampled values of an estimate over `cells`."""
    clusters = int((cells.counts.sum(axis=1) > 0).sum())
    n = int(cells.n.sum())
    draws = draws[~np.isnan(draws)]
    if clusters < 2 or len(draws) < 2:
        nan = float("nan")
        return Interval(estimate, nan, nan, nan, n, clusters, level=level)
    low, high = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
    se = float(draws.std(ddof=1))
    return Interval(
        estimate, float(low), float(high), se, n, clusters, method="bootstrap", level=level
    )


def two_sided_p(estimate: float, draws: Matrix) -> float:
    """Return the p of an estimate against 0, from resamples moved so that 0 is true.

    Never 0: the observed value counts as one of the draws (Davison & Hinkley 1997, Bootstrap
    Methods and their Application, section 4.2).
    """
    draws = draws[~np.isnan(draws)]
    # Equal up to rounding counts as extreme, so that a run against itself has p = 1.
    extreme = np.abs(draws - estimate) >= abs(estimate) - 1e-12
    return float((1 + extreme.sum()) / (1 + len(draws)))


def _draw_weights(
    clusters: int, generator: np.random.Generator, resamples: int
) -> Iterator[Matrix]:
    """Give how often each cluster is drawn: multinomial rows, in pieces.

    Counting uniform draws is many times faster than ``generator.multinomial``, which walks through
    a binomial for every cluster.
    """
    for start in range(0, resamples, _CHUNK):
        rows = min(_CHUNK, resamples - start)
        drawn = generator.integers(0, clusters, size=(rows, clusters), dtype=np.int32)
        drawn += np.arange(rows, dtype=np.int32)[:, None] * np.int32(clusters)
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)
