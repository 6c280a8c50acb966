"""Analytic intervals for weighted sums of cell means, from the variance between clusters."""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from earthexam.evaluate.clusters import CellSums, Matrix, effective_clusters, sum_cells

Method: TypeAlias = Literal["CR2", "Wilson", "bootstrap", "none"]

FEW_CLUSTERS = 30
"""Below this number of clusters an interval rests on its small-sample correction; reports say so."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, low, high : float
        NaN where there is nothing to estimate, or one cluster only and so no interval.
    se : float
        Standard error by the clusters.
    n, clusters : int
        Items and clusters it rests on.
    freedom : float
        Degrees of freedom of the t quantile.
    design_effect : float
        Variance over the variance that independent items would have.
    method : Method
        ``CR2``: cluster-robust variance with t quantiles; ``Wilson``: score interval on the
        effective n, where the former would leave 0–1 or has no width; ``bootstrap``: percentiles of
        clustered resamples; ``none``: no interval.
    level : float
        Coverage aimed at.
    """

    estimate: float
    low: float
    high: float
    se: float
    n: int
    clusters: int
    freedom: float = math.nan
    design_effect: float = math.nan
    method: Method = "none"
    level: float = 0.95

    @property
    def effective_n(self) -> float:
        """How many independent items would give the same variance."""
        return self.n / self.design_effect if self.design_effect > 0 else math.nan

    @property
    def few_clusters(self) -> bool:
        """Whether it rests on fewer than 30 clusters and so on its small-sample correction."""
        return self.clusters < FEW_CLUSTERS

    @property
    def p(self) -> float:
        """Two-sided p of the t test against 0."""
        if math.isnan(self.freedom) or math.isnan(self.se):
            return math.nan
        if self.se == 0:
            return 1.0 if self.estimate == 0 else 0.0
        return float(2 * stats.t.sf(abs(self.estimate) / self.se, self.freedom))

    def above(self, chance: float) -> "Interval":
        """Return the chance-corrected interval: 0 is a uniform guess, 1 is all right."""
        if not chance < 1:
            return replace(self, estimate=math.nan, low=math.nan, high=math.nan, se=math.nan)
        scale = 1 / (1 - chance)
        return replace(
            self,
            estimate=(self.estimate - chance) * scale,
            low=(self.low - chance) * scale,
            high=(self.high - chance) * scale,
            se=self.se * scale,
        )


def mean_interval(scores: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Interval:
    """Return the mean of scores between 0 and 1 with its clustered interval.

    Examples
    --------
    >>> found = mean_interval([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"])
    >>> round(found.estimate, 3), found.clusters
    (0.5, 3)
    """
    return weighted_interval(sum_cells(scores, clusters), np.ones(1), share=True, level=level)


def weighted_interval(
    cells: CellSums, weights: ArrayLike, *, share: bool = False, level: float = 0.95
) -> Interval:
    """Return a weighted sum of cell means with its clustered interval.

    The variance is the bias-reduced cluster-robust one (CR2: Bell & McCaffrey 2002, Survey
    Methodology 28, 169–181) of the regression on cell indicators, for which it has a closed form: the
    residual sum of cluster g in cell k, divided by ``sqrt(1 - m_gk / n_k)``. The t quantile has
    their Satterthwaite degrees of freedom. Both corrections vanish as clusters become many, so one
    rule serves few and many.

    Parameters
    ----------
    weights : array, shape (cells,)
        One weight a cell: ``[1]`` is a mean, ``[1, -1]`` a difference, ``[1/13] * 13`` a macro average.
        Cells may share clusters, or the very items: the clusters carry the pairing.
    share : bool
        The result lies between 0 and 1, and so must its interval.

    Notes
    -----
    A cell that lies in a single cluster adds nothing to the variance, which nothing can measure
    then; when there is no second cluster at all the interval is NaN.
    """
    weight = np.asarray(weights, dtype=np.float64)
    used = np.flatnonzero(weight).tolist()
    cells, weight = cells.pool([[cell] for cell in used]), weight[used]
    per_cluster = cells.counts.sum(axis=1)
    n, clusters = int(cells.n.sum()), int((per_cluster > 0).sum())
    estimate = float(weight @ cells.means) if used else math.nan
    if math.isnan(estimate) or clusters < 2:
        return Interval(estimate, math.nan, math.nan, math.nan, n, clusters, level=level)
    variance, freedom = _cr2(cells, weight)
    independent = _independent_variance(cells, weight)
    half = float(stats.t.ppf(0.5 + level / 2, freedom)) * math.sqrt(variance)
    interval = Interval(
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        se=math.sqrt(variance),
        n=n,
        clusters=clusters,
        freedom=freedom,
        design_effect=variance / independent if independent > 0 else math.nan,
        method="CR2",
        level=level,
    )
    outside = interval.low < 0 or interval.high > 1 or half == 0
    return _within_unit(interval, per_cluster) if share and outside else interval


def wilson_bounds(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the bounds of the score interval of a share.

    Parameters
    ----------
    share : float
        0 to 1.
    n : float
        Independent trials it rests on; need not be whole.
    quantile : float
        Normal or t quantile, 1.96 for 95 %.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209–212.

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson_bounds(1.0, 10, 1.959964)]
    [0.7225, 1.0]
    """
    square = quantile**2 / n
    middle = (share + square / 2) / (1 + square)
    half = quantile * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _cr2(cells: CellSums, weight: Matrix) -> tuple[float, float]:
    """Return the variance and its degrees of freedom."""
    n = cells.n
    leverage = cells.counts / n
    residual = cells.sums - cells.counts * cells.means
    # The generalised inverse: a cell inside one cluster has leverage 1 and no residual.
    adjust = np.zeros_like(leverage)
    np.divide(1.0, np.sqrt(1 - leverage), out=adjust, where=leverage < 1)
    scale = weight / n * adjust
    variance = float((((scale * residual).sum(axis=1)) ** 2).sum())
    # Gram matrix of the quadratic form: diag(own) - shared @ shared.T, never built as a square.
    own = (scale**2 * cells.counts).sum(axis=1)
    shared = scale * cells.counts / np.sqrt(n)
    cross = shared.T @ shared
    trace = float(own.sum() - np.trace(cross))
    square = float((own**2).sum() - 2 * (own * (shared**2).sum(axis=1)).sum() + (cross**2).sum())
    return variance, max(trace**2 / square, 1.0) if square > 0 else 1.0


def _independent_variance(cells: CellSums, weight: Matrix) -> float:
    """Return the variance of the weighted sum if all items were independent."""
    n = cells.n
    spread = np.maximum(cells.squares - n * cells.means**2, 0.0)
    within = np.divide(spread, n - 1, out=np.zeros_like(n), where=n > 1)
    return float((weight**2 * within / n).sum())


def _within_unit(interval: Interval, sizes: Matrix) -> Interval:
    """Replace the bounds by Wilson's on the effective n; at 0 or 1 clusters count as one item."""
    share = min(max(interval.estimate, 0.0), 1.0)
    n = share * (1 - share) / interval.se**2 if interval.se > 0 else effective_clusters(sizes)
    quantile = float(stats.t.ppf(0.5 + interval.level / 2, interval.freedom))
    low, high = wilson_bounds(share, n, quantile)
    return replace(interval, low=low, high=high, method="Wilson")
