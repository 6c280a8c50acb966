"""Ranks of runs with intervals, and which runs cannot be told from the best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import stats

from earthexam.core.errors import InputError
from earthexam.evaluate.bootstrap import RESAMPLES, resampled_means
from earthexam.evaluate.clusters import CellSums, Matrix, sum_cells
from earthexam.evaluate.intervals import Interval, weighted_interval
from earthexam.evaluate.metrics import RANKED_COVERAGE, measure

_ROUNDING = 1e-12  # differences below come from adding in another order


@dataclass(frozen=True, slots=True)
class RankRow:
    """The place of one run among others on the items they share.

    Attributes
    ----------
    score : Interval
        Micro average on the shared items.
    rank : int or None
        1 is best, equal scores share a rank; None for a run below 98 % coverage.
    low, high : int or None
        Ranks that the run may truly have, at joint 95 % confidence for all runs.
    tied : bool
        Whether it may be the best: its interval of ranks reaches 1.
    """

    label: str
    score: Interval
    coverage: float
    rank: int | None
    low: int | None
    high: int | None
    tied: bool


def rank_runs(
    runs: Sequence[tuple[str, pl.DataFrame]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[RankRow, ...]:
    """Rank runs by their score on shared items, best first, those without a rank last.

    A run's rank lies between one plus the number of runs that are better beyond doubt and the
    number of runs less those that are worse beyond doubt. Doubt is settled for all pairs at once by
    the largest studentised paired difference over clustered resamples, so that all intervals hold
    together.

    Parameters
    ----------
    runs : sequence of (str, DataFrame)
        Label and item table (`average_items`) of one view.

    Raises
    ------
    InputError
        There are no runs, or no items that all of them could take.

    References
    ----------
    Mogstad, Romano, Shaikh & Wilhelm (2024), Inference for ranks, Review of Economic Studies 91,
    476–518.
    """
    if not runs:
        message = "no run to rank; give at least one"
        raise InputError(message)
    cells = _shared_cells(runs)
    coverage = [measure(items).coverage for _, items in runs]
    ranked = [index for index, share in enumerate(coverage) if share >= RANKED_COVERAGE]
    low, high = _rank_bounds(
        cells.pool([[index] for index in ranked]), np.random.default_rng(seed), resamples, level
    )
    means = cells.means
    rows = []
    for index, (label, _) in enumerate(runs):
        score = weighted_interval(cells.pool([[index]]), [1.0], share=True, level=level)
        place = ranked.index(index) if index in ranked else None
        if place is None:
            rows.append(RankRow(label, score, coverage[index], None, None, None, tied=False))
            continue
        rank = 1 + int((means[ranked] > means[index] + _ROUNDING).sum())
        bounds = int(low[place]), int(high[place])
        rows.append(RankRow(label, score, coverage[index], rank, *bounds, tied=bounds[0] == 1))
    return tuple(sorted(rows, key=lambda row: (row.rank or len(rows) + 1, row.label)))


def _shared_cells(runs: Sequence[tuple[str, pl.DataFrame]]) -> CellSums:
    """Sum the items that all runs could take by group, one cell a run."""
    tables = [items.drop_nulls("score").select("id", "group", "score") for _, items in runs]
    shared = tables[0].select("id")
    for table in tables[1:]:
        shared = shared.join(table.select("id"), on="id", how="semi")
    if shared.is_empty():
        message = (
            f"{', '.join(label for label, _ in runs)} share no items; rank runs of one benchmark"
        )
        raise InputError(message)
    stacked = pl.concat(
        table.join(shared, on="id", how="semi").with_columns(run=pl.lit(index))
        for index, table in enumerate(tables)
    )
    return sum_cells(stacked["score"], stacked["group"], stacked["run"], len(runs))


def _rank_bounds(
    cells: CellSums, generator: np.random.Generator, resamples: int, level: float
) -> tuple[Matrix, Matrix]:
    """Return the lowest and highest rank of each cell."""
    count = cells.sums.shape[1]
    first, second = np.triu_indices(count, k=1)
    better = np.zeros((count, count), dtype=bool)
    if len(first):
        pairs = [
            weighted_interval(cells.pool([[one], [other]]), [1.0, -1.0])
            for one, other in zip(first.tolist(), second.tolist(), strict=True)
        ]
        difference = np.array([pair.estimate for pair in pairs])
        needed = _joint_quantile(cells, generator, resamples, level, pairs[0].freedom) * np.array(
            [pair.se for pair in pairs]
        )
        # Runs with the same replies have no spread and cannot be told apart.
        better[first, second] = difference > needed + _ROUNDING
        better[second, first] = -difference > needed + _ROUNDING
    return 1 + better.sum(axis=0), count - better.sum(axis=1)


def _joint_quantile(
    cells: CellSums,
    generator: np.random.Generator,
    resamples: int,
    level: float,
    freedom: float,
) -> float:
    """Return how many standard errors all pairs stay within together, in `level` of resamples.

    Resamples of few clusters vary too little in their spread; so the quantile found is taken as a
    normal one and replaced by the t quantile of the same probability.
    """
    draws = resampled_means(cells, generator, resamples)
    draws = draws[~np.isnan(draws).any(axis=1)] - cells.means
    first, second = np.triu_indices(draws.shape[1], k=1)
    apart = draws[:, first] - draws[:, second]
    spread = apart.std(axis=0, ddof=1)
    apart = apart[:, spread > _ROUNDING] / spread[spread > _ROUNDING]
    largest = np.abs(apart).max(axis=1, initial=0.0)
    normal = float(np.quantile(largest, level))
    return float(stats.t.isf(stats.norm.sf(normal), freedom))
