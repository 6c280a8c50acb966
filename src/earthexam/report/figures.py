"""What the figures of a report show, as numbers: drawn as SVG for the page, on paper by matplotlib."""

import math
from dataclasses import dataclass

from earthexam.evaluate.intervals import Interval
from earthexam.evaluate.summary import SummaryRow, ViewSummary
from earthexam.report.collect import VIEW_TITLES, Report

MOST_AXES = 24
"""A radar with more axes cannot be read; it then shows the level above the tasks."""

MOST_SERIES = 8
"""A figure with more runs cannot be read; it then shows those with the best averages."""


@dataclass(frozen=True, slots=True)
class RadarLine:
    """One run in a radar: a value in percent for every axis, NaN where it has none."""

    run: int
    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Radar:
    """One panel: all runs of one view over the tasks.

    Attributes
    ----------
    axes, names : tuple of str
        Short and full names of the axes.
    chance : tuple of float
        Score of a uniform guess on every axis, in percent.
    """

    view: str
    title: str
    axes: tuple[str, ...]
    names: tuple[str, ...]
    chance: tuple[float, ...]
    lines: tuple[RadarLine, ...]


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """One run in a scatter: its score, 0 to 1, from the image and from the report."""

    run: int
    label: str
    image: Interval
    report: Interval


@dataclass(frozen=True, slots=True)
class Scatter:
    """One panel: all runs over the tasks of one capability; `chance` in percent."""

    title: str
    tasks: tuple[str, ...]
    chance: float
    points: tuple[ScatterPoint, ...]


@dataclass(frozen=True, slots=True)
class ScatterSet:
    """The panels of all capabilities and the two views they compare."""

    image_view: str
    report_view: str
    panels: tuple[Scatter, ...]


@dataclass(frozen=True, slots=True)
class DotLine:
    """One run over the tasks: its score, 0 to 1, on every axis, None where it has none."""

    run: int
    label: str
    scores: tuple[Interval | None, ...]


@dataclass(frozen=True, slots=True)
class TaskDots:
    """One panel: all runs of one view over the tasks, with intervals; `chance` in percent."""

    title: str
    axes: tuple[str, ...]
    chance: tuple[float, ...]
    lines: tuple[DotLine, ...]


def drawn_runs(report: Report) -> tuple[int, ...]:
    """Number the runs that figures show: all, or the best `MOST_SERIES` by micro average."""
    numbers = range(len(report.summaries))
    best = sorted(numbers, key=lambda number: (-_best_micro(report, number), number))
    return tuple(sorted(best[:MOST_SERIES]))


def radars(report: Report) -> tuple[Radar, ...]:
    """Return one radar a view; the axes are the tasks in the order of the taxonomy."""
    shown = drawn_runs(report)
    return tuple(_radar(report, view, shown) for view in report.views)


def task_dots(report: Report) -> tuple[TaskDots, ...]:
    """Return the scores with intervals over the axes of the radars, one panel a view."""
    return tuple(_task_dots(report, radar) for radar in radars(report))


def scatters(report: Report) -> ScatterSet | None:
    """Compare an image view with the report view, a panel for each name of the level above tasks.

    The image view is the first picture view that shares a run with the report; None without one.
    """
    pairs = [(view, "report") for view in report.views if view not in {"report", "cube", ""}]
    for image_view, report_view in pairs:
        both = [
            (number, image, words)
            for number, image in report.in_view(image_view)
            if number in drawn_runs(report)
            and (words := report.summaries[number].view(report_view)) is not None
        ]
        if both:
            panels = (_scatter(report, title, both) for title in _capabilities(report))
            kept = tuple(panel for panel in panels if panel.points)
            return ScatterSet(image_view, report_view, kept)
    return None


def percent(share: float) -> float:
    """Return a share as percent; NaN stays NaN."""
    return 100 * share


def _best_micro(report: Report, number: int) -> float:
    scores = [view.micro.score.estimate for view in report.summaries[number].views]
    return max((score for score in scores if not math.isnan(score)), default=-1.0)


def _radar(report: Report, view: str, shown: tuple[int, ...]) -> Radar:
    runs = [(number, summary) for number, summary in report.in_view(view) if number in shown]
    tables = [(number, _axis_rows(report, summary)) for number, summary in runs]
    named = {row.name: row for _, rows in reversed(tables) for row in rows.values()}
    axes = tuple(name for name in _axis_names(report) if name in named)
    return Radar(
        view=view,
        title=VIEW_TITLES[view],
        axes=axes,
        names=tuple(named[name].title for name in axes),
        chance=tuple(percent(named[name].chance) for name in axes),
        lines=tuple(
            RadarLine(number, report.labels[number], tuple(_value(rows.get(a)) for a in axes))
            for number, rows in tables
        ),
    )


def _task_dots(report: Report, radar: Radar) -> TaskDots:
    shown = {line.run for line in radar.lines}
    tables = [
        (number, _axis_rows(report, summary))
        for number, summary in report.in_view(radar.view)
        if number in shown
    ]
    lines = (
        DotLine(number, report.labels[number], tuple(_score(rows.get(a)) for a in radar.axes))
        for number, rows in tables
    )
    return TaskDots(radar.title, radar.axes, radar.chance, tuple(lines))


def _axis_names(report: Report) -> tuple[str, ...]:
    own = {row.name for s in report.summaries for view in s.views for row in view.tasks}
    codes = tuple(task.code for task in report.taxonomy)
    tasks = (*codes, *sorted(own - set(codes)))
    return tasks if len(own) <= MOST_AXES else _capabilities(report)


def _axis_rows(report: Report, summary: ViewSummary) -> dict[str, SummaryRow]:
    if _axis_names(report) == _capabilities(report):
        return {title: row for title in _capabilities(report) if (row := _level(summary, title))}
    return {row.name: row for row in summary.tasks}


def _capabilities(report: Report) -> tuple[str, ...]:
    """List the names of the level above the tasks; one for everything where there is none."""
    if len(report.taxonomy.level_names) < 2:
        return ("Overall",)
    return tuple(dict.fromkeys(task.levels[-2] for task in report.taxonomy))


def _level(summary: ViewSummary, title: str) -> SummaryRow | None:
    rows = (row for row in (*summary.levels, summary.micro) if row.average == "micro")
    return next((row for row in rows if row.name == title), None)


def _scatter(
    report: Report, title: str, both: list[tuple[int, ViewSummary, ViewSummary]]
) -> Scatter:
    points: list[ScatterPoint] = []
    chance, tasks = math.nan, tuple[str, ...]()
    for number, image, words in both:
        one, other = _level(image, title), _level(words, title)
        if one is None or other is None or not (one.supported and other.supported):
            continue
        points.append(ScatterPoint(number, report.labels[number], one.score, other.score))
        chance, tasks = percent(one.chance), one.tasks
    return Scatter(title, tasks, chance, tuple(points))


def _value(row: SummaryRow | None) -> float:
    return percent(row.score.estimate) if row is not None and row.supported else math.nan


def _score(row: SummaryRow | None) -> Interval | None:
    return row.score if row is not None and row.supported else None
