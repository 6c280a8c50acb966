"""What the figures of a report show, as numbers: drawn as SVG for the page, on paper by matplotlib."""

import math
from dataclasses import dataclass
from typing import TypeAlias

from earthexam.evaluate.intervals import Interval
from earthexam.evaluate.summary import SummaryRow, ViewSummary
from earthexam.report.collect import VIEW_TITLES, Report

Path: TypeAlias = tuple[str, ...]

MOST_AXES = 24
"""A radar with more axes cannot be read; it then shows a wider level than tasks."""

MOST_PANELS = 12
"""More scatters cannot be compared; they then show a wider level."""

_LONGEST_LABEL = 6  # characters that fit beside a radar on a phone

MOST_SERIES = 8
"""A figure with more runs cannot be read; it then shows those with the best averages."""


@dataclass(frozen=True, slots=True)
class RadarLine:
    """One run in a radar: its score, 0 to 1, on every axis, None where it has none."""

    run: int
    label: str
    scores: tuple[Interval | None, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """The scores in percent, NaN where there is none."""
        return tuple(math.nan if s is None else percent(s.estimate) for s in self.scores)


@dataclass(frozen=True, slots=True)
class Radar:
    """One panel: all runs of one view over the tasks.

    Attributes
    ----------
    axes, names : tuple of str
        Short and full names of the axes; the short ones are numbers where codes are long.
    chance : tuple of float
        Score of a uniform guess on every axis, in percent.
    """

    view: str
    title: str
    axes: tuple[str, ...]
    names: tuple[str, ...]
    chance: tuple[float, ...]
    lines: tuple[RadarLine, ...]

    @property
    def is_numbered(self) -> bool:
        """Whether a reader needs a list of what the axes stand for."""
        return bool(self.axes) and self.axes[0] == "1"


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


def drawn_runs(report: Report) -> tuple[int, ...]:
    """Number the runs that figures show: all, or the best `MOST_SERIES` by micro average."""
    numbers = range(len(report.summaries))
    best = sorted(numbers, key=lambda number: (-_best_micro(report, number), number))
    return tuple(sorted(best[:MOST_SERIES]))


def radars(report: Report) -> tuple[Radar, ...]:
    """Return one radar a view; the axes are the tasks, or the deepest level that can be read."""
    shown = drawn_runs(report)
    return tuple(_radar(report, view, shown) for view in report.views)


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
            above = len(report.taxonomy.level_names) - 1
            panels = (_scatter(report, p, both) for p in _names(report, MOST_PANELS, above))
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
    tables = [(n, _rows(summary)) for n, summary in report.in_view(view) if n in shown]
    named = {path: row for _, rows in reversed(tables) for path, row in rows.items()}
    paths = tuple(
        p for p in _names(report, MOST_AXES, len(report.taxonomy.level_names)) if p in named
    )
    return Radar(
        view=view,
        title=VIEW_TITLES[view],
        axes=_axis_labels([named[path] for path in paths]),
        names=tuple(named[path].title for path in paths),
        chance=tuple(percent(named[path].chance) for path in paths),
        lines=tuple(
            RadarLine(number, report.labels[number], tuple(_score(rows.get(p)) for p in paths))
            for number, rows in tables
        ),
    )


def _axis_labels(rows: list[SummaryRow]) -> tuple[str, ...]:
    """Label axes with the codes of their tasks, or number them where any code is long."""
    if all(len(row.name) <= _LONGEST_LABEL for row in rows):
        return tuple(row.name for row in rows)
    return tuple(str(number) for number in range(1, len(rows) + 1))


def _names(report: Report, most: int, deepest: int) -> tuple[Path, ...]:
    """List the names of the deepest level, at most `deepest`, that has at most `most` of them.

    Names are paths from the widest level down: the same name may stand under several others.
    """
    own = {row.path for run in report.summaries for view in run.views for row in view.tasks}
    known = [task.levels for task in report.taxonomy if task.levels in own]
    paths = [*known, *sorted(own - set(known))]
    for depth in range(deepest, 0, -1):
        names = tuple(dict.fromkeys(path[:depth] for path in paths))
        if len(names) <= most:
            return names
    return ((),)


def _rows(summary: ViewSummary) -> dict[Path, SummaryRow]:
    """Return the rows of tasks, of levels (micro) and over everything (the empty path)."""
    levels = [row for row in summary.levels if row.average == "micro"]
    return {row.path: row for row in (summary.micro, *levels, *summary.tasks)}


def _scatter(
    report: Report, path: Path, both: list[tuple[int, ViewSummary, ViewSummary]]
) -> Scatter:
    points: list[ScatterPoint] = []
    chance, tasks = math.nan, tuple[str, ...]()
    for number, image, words in both:
        one, other = _rows(image).get(path), _rows(words).get(path)
        if one is None or other is None or not (one.supported and other.supported):
            continue
        points.append(ScatterPoint(number, report.labels[number], one.score, other.score))
        chance, tasks = percent(one.chance), one.tasks
    return Scatter(path[-1] if path else "Overall", tasks, chance, tuple(points))


def _score(row: SummaryRow | None) -> Interval | None:
    return row.score if row is not None and row.supported else None
