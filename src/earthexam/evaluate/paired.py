"""Two runs on the same items: difference, interval, tests, and what difference could be seen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import stats

from earthexam.core.errors import InputError
from earthexam.core.taxonomy import Task, Taxonomy
from earthexam.evaluate.bootstrap import (
    RESAMPLES,
    interval_of_draws,
    resampled_means,
    two_sided_p,
)
from earthexam.evaluate.clusters import CellSums, Matrix
from earthexam.evaluate.folder import Run
from earthexam.evaluate.intervals import Interval, weighted_interval
from earthexam.evaluate.metrics import RANKED_COVERAGE, average_items, measure
from earthexam.evaluate.summary import level_groups, task_cells, tasks_of
from earthexam.published.tables import load_taxonomy, taxonomy_names

_ALPHA, _POWER = 0.05, 0.8  # the usual convention (Cohen 1988)


@dataclass(frozen=True, slots=True)
class PairedRow:
    """The difference between two runs on one set of items.

    Attributes
    ----------
    kind, average, name : str
        As in `SummaryRow`: ``task`` and its code, ``level`` and its name, or ``overall``.
    n : int
        Items that both runs could take.
    first, second : float
        Mean scores on these items, 0 to 1.
    difference : Interval
        First minus second, with the analytic clustered interval.
    bootstrap : Interval
        The same with the percentile interval of clustered paired resamples.
    p : float
        Two-sided, of the clustered paired bootstrap; of the t test where clusters are few.
    adjusted : float
        `p` corrected for the rows of its kind and level (Benjamini–Hochberg).
    first_better, second_better : int
        Items on which the one run scores higher than the other.
    mcnemar : float
        Exact two-sided p of McNemar's test on these counts; it takes items as independent and is
        there for comparison with publications that do.
    detectable : float
        Difference that would be found at the 5 % level with 80 % power, given this spread.
    """

    kind: Literal["task", "level", "overall"]
    average: Literal["", "micro", "macro"]
    name: str
    n: int
    first: float
    second: float
    difference: Interval
    bootstrap: Interval
    p: float
    adjusted: float
    first_better: int
    second_better: int
    mcnemar: float
    detectable: float

    @property
    def interval(self) -> Interval:
        """The interval to print: the bootstrap one, the analytic one where clusters are few.

        Percentiles of few clusters are too narrow (Cameron, Gelbach & Miller 2008, Review of
        Economics and Statistics 90, 414–427).
        """
        return self.difference if self.difference.few_clusters else self.bootstrap


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs compared in one pair of views.

    Attributes
    ----------
    first_only, second_only : int
        Items that only one of the runs could take; they are left out.
    first_coverage, second_coverage : float
        Share of each run's items with a reply.
    rows : tuple of PairedRow
        Tasks, levels, then the two overall averages.
    """

    first: str
    second: str
    first_view: str
    second_view: str
    first_only: int
    second_only: int
    first_coverage: float
    second_coverage: float
    rows: tuple[PairedRow, ...]

    @property
    def covered(self) -> bool:
        """Whether both runs have replies to at least 98 % of their items."""
        return min(self.first_coverage, self.second_coverage) >= RANKED_COVERAGE

    @property
    def overall(self) -> PairedRow:
        """The micro average over all items."""
        return next(row for row in self.rows if (row.kind, row.average) == ("overall", "micro"))


def compare_runs(first: Run, second: Run, *, seed: int = 0) -> tuple[Comparison, ...]:
    """Compare two scored runs of one benchmark, view by view; see `compare_scores`.

    Raises
    ------
    InputError
        The runs asked different questions, or share no views or items.
    MissingFileError
        A run has no scores yet.
    """
    hashes = first.info.benchmark_sha256, second.info.benchmark_sha256
    if hashes[0] != hashes[1]:
        message = (
            f"{first.root} was run on items {hashes[0][:12]!r}, {second.root} on {hashes[1][:12]!r}; "
            "compare runs of one and the same benchmark"
        )
        raise InputError(message)
    name = first.info.taxonomy
    labels = first.label, second.label
    if labels[0] == labels[1]:
        labels = f"{labels[0]} [{first.root.name}]", f"{labels[1]} [{second.root.name}]"
    return compare_scores(
        first.scores(),
        second.scores(),
        load_taxonomy(name) if name in taxonomy_names() else None,
        labels=labels,
        seed=seed,
    )


def compare_scores(
    first: pl.DataFrame,
    second: pl.DataFrame,
    taxonomy: Taxonomy | None = None,
    *,
    labels: tuple[str, str] = ("first", "second"),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare the score tables of two runs of one benchmark, view by view.

    Views that both runs have are compared with themselves. A blind run is compared with every view of
    the other, which gives the gain from looking; two runs of one view each are compared as they are.

    Parameters
    ----------
    first, second : DataFrame
        Score tables as `Run.scores` gives them.
    taxonomy : Taxonomy, optional
        Order and levels of the tasks.

    Raises
    ------
    InputError
        The runs share no views, or no items.
    """
    items = average_items(first), average_items(second)
    known = taxonomy or Taxonomy("", "", ("task",), ())
    return tuple(
        compare_items(
            items[0].filter(pl.col("view") == views[0]),
            items[1].filter(pl.col("view") == views[1]),
            known,
            labels=labels,
            resamples=resamples,
            seed=seed,
        )
        for views in _pair_views(_views(items[0]), _views(items[1]))
    )


def compare_items(
    first: pl.DataFrame,
    second: pl.DataFrame,
    taxonomy: Taxonomy,
    *,
    labels: tuple[str, str] = ("first", "second"),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare two item tables (`average_items`) of one view each, paired by id."""
    supported = first.drop_nulls("score"), second.drop_nulls("score")
    both = supported[0].join(supported[1].select("id", other="score"), on="id").sort("id")
    if both.is_empty():
        message = f"{labels[0]} and {labels[1]} share no items; compare runs of the same benchmark and tasks"
        raise InputError(message)
    return Comparison(
        first=labels[0],
        second=labels[1],
        first_view=str(first["view"][0]),
        second_view=str(second["view"][0]),
        first_only=supported[0].height - both.height,
        second_only=supported[1].height - both.height,
        first_coverage=measure(first).coverage,
        second_coverage=measure(second).coverage,
        rows=_paired_rows(both, taxonomy, resamples, seed),
    )


def exact_mcnemar(first_better: int, second_better: int) -> float:
    """Return the exact two-sided p of McNemar's test from the two discordant counts.

    Examples
    --------
    >>> round(exact_mcnemar(9, 1), 4)
    0.0215
    """
    discordant = first_better + second_better
    if discordant == 0:
        return 1.0
    return float(stats.binomtest(first_better, discordant, 0.5).pvalue)


def detectable_difference(se: float, freedom: float = math.inf) -> float:
    """Return the difference that a two-sided test at the 5 % level finds with 80 % power.

    Parameters
    ----------
    se : float
        Standard error of the difference.
    freedom : float
        Degrees of freedom of the t quantiles; infinite for a normal test.

    References
    ----------
    Bloom (1995), Evaluation Review 19, 547–556.

    Examples
    --------
    >>> round(detectable_difference(0.01), 4)
    0.028
    """
    return se * float(stats.t.isf(_ALPHA / 2, freedom) + stats.t.ppf(_POWER, freedom))


def adjust_family(p_values: ArrayLike) -> Matrix:
    """Correct the p values of one family by Benjamini & Hochberg (1995); NaN stay NaN and count not.

    Examples
    --------
    >>> adjust_family([0.01, 0.02, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.04, 0.04, 0.5]
    """
    values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full_like(values, np.nan)
    known = ~np.isnan(values)
    if known.any():
        adjusted[known] = stats.false_discovery_control(values[known])
    return adjusted


@dataclass(frozen=True, slots=True)
class _Set:
    """Tasks that make one row, as indices."""

    kind: Literal["task", "level", "overall"]
    average: Literal["", "micro", "macro"]
    name: str
    level: str
    members: tuple[int, ...]


def _row_sets(tasks: Sequence[Task], taxonomy: Taxonomy) -> list[_Set]:
    every = tuple(range(len(tasks)))
    return [
        *(_Set("task", "", task.code, "", (index,)) for index, task in enumerate(tasks)),
        *(
            _Set("level", "micro", group.path[-1], group.level, group.members)
            for group in level_groups(tasks, taxonomy)
        ),
        _Set("overall", "micro", "Overall", "micro", every),
        _Set("overall", "macro", "Overall", "macro", every),
    ]


def _paired_rows(
    both: pl.DataFrame, taxonomy: Taxonomy, resamples: int, seed: int
) -> tuple[PairedRow, ...]:
    both = both.with_columns(difference=pl.col("score") - pl.col("other"))
    tasks = tasks_of(both, taxonomy)
    by_task = [both.filter(pl.col("task") == task.code) for task in tasks]
    sets = _row_sets(tasks, taxonomy)
    cells = task_cells(both.with_columns(score="difference"), [task.code for task in tasks])
    # One column a set for what is pooled over items, then one a task for the macro average.
    columns = cells.pool([one.members for one in sets] + [(index,) for index in range(len(tasks))])
    draws = resampled_means(columns, np.random.default_rng(seed), resamples)
    rows = []
    for number, one in enumerate(sets):
        macro = one.average == "macro"
        used = [len(sets) + index for index in one.members] if macro else [number]
        part = columns.pool([[column] for column in used])
        weights = np.full(len(used), 1 / len(used))
        items = [by_task[index] for index in one.members]
        rows.append(_paired_row(one, items, part, weights, draws[:, used]))
    return _adjust_rows(rows, sets)


def _paired_row(
    one: _Set, items: list[pl.DataFrame], cells: CellSums, weights: Matrix, draws: Matrix
) -> PairedRow:
    difference = weighted_interval(cells, weights)
    values = draws @ weights
    pooled = pl.concat(items)
    means = [_mean_over(items if one.average == "macro" else [pooled], name) for name in _SCORES]
    better = [int((pooled["difference"] * sign > 0).sum()) for sign in (1, -1)]
    few = difference.few_clusters
    p = difference.p if few else two_sided_p(difference.estimate, values)
    return PairedRow(
        kind=one.kind,
        average=one.average,
        name=one.name,
        n=pooled.height,
        first=means[0],
        second=means[1],
        difference=difference,
        bootstrap=interval_of_draws(difference.estimate, values, cells),
        p=p,
        adjusted=p,
        first_better=better[0],
        second_better=better[1],
        mcnemar=exact_mcnemar(*better),
        detectable=detectable_difference(difference.se, difference.freedom),
    )


def _adjust_rows(rows: list[PairedRow], sets: list[_Set]) -> tuple[PairedRow, ...]:
    """Correct p within each family: the tasks, and the names of each level; overall rows stand alone."""
    families = [(one.kind, one.level) for one in sets]
    adjusted = np.empty(len(rows))
    for family in dict.fromkeys(families):
        own = [index for index, other in enumerate(families) if other == family]
        adjusted[own] = adjust_family([rows[index].p for index in own])
    return tuple(
        replace(row, adjusted=float(value)) for row, value in zip(rows, adjusted, strict=True)
    )


_SCORES = ("score", "other")


def _mean_over(parts: list[pl.DataFrame], column: str) -> float:
    return float(np.mean([part[column].to_numpy().mean() for part in parts]))


def _views(items: pl.DataFrame) -> list[str]:
    return items["view"].unique(maintain_order=True).to_list()


def _pair_views(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    shared = [(view, view) for view in first if view in second]
    if shared:
        return shared
    blind = first == [""] or second == [""]
    if blind or len(first) == len(second) == 1:
        return [(one, other) for one in first for other in second]
    message = (
        f"the runs share no view: {', '.join(first)} and {', '.join(second)}; "
        "run one of them again with --views"
    )
    raise InputError(message)
