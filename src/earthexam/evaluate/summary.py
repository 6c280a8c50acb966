"""The result of one run as typed rows: tasks, levels and averages of every view, with intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from earthexam.core.taxonomy import Task, Taxonomy
from earthexam.evaluate.clusters import CellSums, sum_cells
from earthexam.evaluate.intervals import Interval, weighted_interval
from earthexam.evaluate.metrics import (
    RANKED_COVERAGE,
    Measures,
    Outcomes,
    average_items,
    is_circular,
    measure,
)


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One line of a result table.

    Attributes
    ----------
    kind : str
        ``task``, ``level`` (all tasks under one name of a level) or ``overall``.
    average : str
        ``micro`` (over items) or ``macro`` (over tasks) for levels and overall; empty for a task.
    name, title : str
        Code and full name of a task; both the name of a level; ``Overall``.
    level : str
        What the level is called (``dimension``, ``task``); empty for ``overall``.
    path : tuple of str
        Names from the widest level down to this one; empty for ``overall``.
    tasks : tuple of str
        Codes of the tasks it covers.
    n : int
        Items in the denominator: all but the unsupported ones.
    score : Interval
        Mean score, 0 to 1, with its interval clustered by group.
    coverage, answered_score, chance : float
        Share of items with a reply, score where an answer was read, score of a uniform guess;
        averaged as `average` says.
    corrected : Interval
        Chance-corrected score.
    outcomes : Outcomes
        Counts of replies.
    """

    kind: Literal["task", "level", "overall"]
    average: Literal["", "micro", "macro"]
    name: str
    title: str
    level: str
    path: tuple[str, ...]
    tasks: tuple[str, ...]
    n: int
    score: Interval
    coverage: float
    answered_score: float
    chance: float
    corrected: Interval
    outcomes: Outcomes

    @property
    def supported(self) -> bool:
        """Whether the model could take any of its items; tables print X where not."""
        return self.n > 0


@dataclass(frozen=True, slots=True)
class ViewSummary:
    """The rows of one view (empty name: a blind run), tasks in the order of the taxonomy."""

    view: str
    tasks: tuple[SummaryRow, ...]
    levels: tuple[SummaryRow, ...]
    micro: SummaryRow
    macro: SummaryRow

    @property
    def rows(self) -> tuple[SummaryRow, ...]:
        """All rows: tasks, levels, micro, macro."""
        return (*self.tasks, *self.levels, self.micro, self.macro)

    @property
    def ranked(self) -> bool:
        """Whether replies came to at least 98 % of the items, without which there is no rank."""
        return self.micro.coverage >= RANKED_COVERAGE

    def task(self, code: str) -> SummaryRow | None:
        """Return the row of a task, None where the run has no item of it."""
        return next((row for row in self.tasks if row.name == code), None)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run, summarised.

    Attributes
    ----------
    label : str
        What tables call the run.
    circular : bool
        Items were asked in several option orders and count as right only if every order is right.
    epochs : int
        How often each question was asked; averaged within the item first.
    """

    label: str
    taxonomy: str
    circular: bool
    epochs: int
    views: tuple[ViewSummary, ...]

    def view(self, name: str) -> ViewSummary | None:
        """Return one view, None where the run does not have it."""
        return next((view for view in self.views if view.view == name), None)


def summarise(
    scores: pl.DataFrame, taxonomy: Taxonomy | None = None, *, label: str = "", level: float = 0.95
) -> RunSummary:
    """Summarise the score table of one run.

    Parameters
    ----------
    scores : DataFrame
        As `Run.scores` gives it.
    taxonomy : Taxonomy, optional
        Order and levels of the tasks. Tasks it does not know follow after its own, without levels.
    label : str
        What tables call the run; `Run.label` is meant.
    level : float
        Coverage of the intervals.
    """
    items = average_items(scores)
    known = taxonomy or Taxonomy("", "", ("task",), ())
    return RunSummary(
        label=label,
        taxonomy=known.name,
        circular=is_circular(scores),
        epochs=scores["epoch"].n_unique(),
        views=tuple(
            _summarise_view(items.filter(pl.col("view") == view), view, known, level)
            for view in items["view"].unique(maintain_order=True)
        ),
    )


def tasks_of(items: pl.DataFrame, taxonomy: Taxonomy) -> tuple[Task, ...]:
    """List the tasks that occur, in the order of the taxonomy, unknown ones last by code."""
    own = set(items["task"].unique())
    unknown = sorted(own - {task.code for task in taxonomy})
    return (
        *(task for task in taxonomy if task.code in own),
        *(Task(code, code, (code,)) for code in unknown),
    )


@dataclass(frozen=True, slots=True)
class LevelGroup:
    """Tasks under one name of a level; `members` are their indices among the tasks given."""

    level: str
    path: tuple[str, ...]
    members: tuple[int, ...]


def level_groups(tasks: Sequence[Task], taxonomy: Taxonomy) -> tuple[LevelGroup, ...]:
    """Group tasks by each level above the task, widest level first."""
    groups = []
    for depth, level in enumerate(taxonomy.level_names[:-1]):
        paths = [task.levels[: depth + 1] if len(task.levels) > 1 else () for task in tasks]
        for path in dict.fromkeys(filter(None, paths)):
            members = tuple(index for index, other in enumerate(paths) if other == path)
            groups.append(LevelGroup(level, path, members))
    return tuple(groups)


def task_cells(items: pl.DataFrame, codes: Sequence[str]) -> CellSums:
    """Sum the supported items of a view by group and task; cells in the order of `codes`."""
    counted = items.drop_nulls("score").filter(pl.col("task").is_in(codes))
    cells = counted["task"].replace_strict(codes, range(len(codes)), return_dtype=pl.Int64)
    return sum_cells(counted["score"], counted["group"], cells, len(codes))


def _summarise_view(
    items: pl.DataFrame, view: str, taxonomy: Taxonomy, level: float
) -> ViewSummary:
    parts = _Parts.of(items, tasks_of(items, taxonomy), level)
    levels = tuple(
        row
        for group in level_groups(parts.tasks, taxonomy)
        for row in parts.averages("level", group.level, group.path, list(group.members))
    )
    micro, macro = parts.averages("overall", "", (), list(range(len(parts.tasks))))
    tasks = tuple(
        parts.task_row(index, taxonomy.level_names[-1]) for index in range(len(parts.tasks))
    )
    return ViewSummary(view, tasks, levels, micro, macro)


@dataclass(frozen=True)
class _Parts:
    """The tasks of one view with what their rows are computed from, all in the same order."""

    tasks: tuple[Task, ...]
    items: tuple[pl.DataFrame, ...]
    measures: tuple[Measures, ...]
    cells: CellSums
    level: float

    @classmethod
    def of(cls, items: pl.DataFrame, tasks: tuple[Task, ...], level: float) -> "_Parts":
        by_task = tuple(items.filter(pl.col("task") == task.code) for task in tasks)
        measures = tuple(measure(part) for part in by_task)
        cells = task_cells(items, [task.code for task in tasks])
        return cls(tasks, by_task, measures, cells, level)

    def task_row(self, index: int, level: str) -> SummaryRow:
        task = self.tasks[index]
        score = self._interval([index])
        place = _Place("task", "", task.code, task.name, level, task.levels)
        return _row(place, (task.code,), self.measures[index], score)

    def averages(
        self, kind: Literal["level", "overall"], level: str, path: tuple[str, ...], own: list[int]
    ) -> tuple[SummaryRow, SummaryRow]:
        """Return the micro and the macro row over the tasks with the indices `own`."""
        name = path[-1] if path else "Overall"
        codes = tuple(self.tasks[index].code for index in own)
        pooled = measure(pl.concat([self.items[index] for index in own]))
        micro = weighted_interval(self.cells.pool([own]), [1.0], share=True, level=self.level)
        macro = self._interval([index for index in own if self.measures[index].n])
        over_tasks = _over_tasks([self.measures[index] for index in own], pooled)
        return (
            _row(_Place(kind, "micro", name, name, level, path), codes, pooled, micro),
            _row(_Place(kind, "macro", name, name, level, path), codes, over_tasks, macro),
        )

    def _interval(self, own: list[int]) -> Interval:
        weights = np.zeros(len(self.tasks))
        weights[own] = 1 / max(len(own), 1)
        return weighted_interval(self.cells, weights, share=True, level=self.level)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row stands; the first fields of `SummaryRow`."""

    kind: Literal["task", "level", "overall"]
    average: Literal["", "micro", "macro"]
    name: str
    title: str
    level: str
    path: tuple[str, ...]


def _row(place: _Place, codes: tuple[str, ...], measures: Measures, score: Interval) -> SummaryRow:
    return SummaryRow(
        kind=place.kind,
        average=place.average,
        name=place.name,
        title=place.title,
        level=place.level,
        path=place.path,
        tasks=codes,
        n=measures.n,
        score=score,
        coverage=measures.coverage,
        answered_score=measures.answered_score,
        chance=measures.chance,
        corrected=score.above(measures.chance),
        outcomes=measures.outcomes,
    )


def _over_tasks(measures: list[Measures], pooled: Measures) -> Measures:
    """Average the measures of tasks; tasks without a value (nothing supported or read) are left out."""

    def average(values: list[float]) -> float:
        present = [value for value in values if not math.isnan(value)]
        return math.fsum(present) / len(present) if present else math.nan

    return Measures(
        n=pooled.n,
        score=average([one.score for one in measures]),
        coverage=average([one.coverage for one in measures]),
        answered_score=average([one.answered_score for one in measures]),
        chance=average([one.chance for one in measures]),
        outcomes=pooled.outcomes,
    )
