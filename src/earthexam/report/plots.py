"""Figures for papers: the page's radar and scatter, and tasks with their intervals, as PDF and PNG."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.projections.polar import PolarAxes

from earthexam.evaluate.intervals import Interval
from earthexam.report.collect import VIEW_TITLES, Report
from earthexam.report.figures import (
    Radar,
    Scatter,
    ScatterSet,
    drawn_runs,
    percent,
    radars,
    scatters,
)

# The page's light palette: Okabe and Ito's colours, darkened to 3:1 on white.
_COLOURS = (
    "#0072b2", "#c44f00", "#00805d", "#a8457f", "#8a6d00", "#2c86b8", "#6b4fa0", "#4d4d4d",
)  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P", "p", "X")
_DASHES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (8, 3)), (0, (1, 2)), (0, (6, 2, 1, 2, 1, 2)))
_FAINT = "#5b636d"
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: same bytes on every machine
    "font.size": 8.0,
    "text.parse_math": False,  # a dollar in the name of a model is a dollar
    "axes.linewidth": 0.6,
    "axes.edgecolor": _FAINT,
    "grid.linewidth": 0.4,
    "grid.color": "#cccccc",
    "pdf.fonttype": 42,  # journals refuse Type 3 fonts
    "pdf.compression": 6,
}
_DPI = 200
_COLUMN, _PAGE = 3.4, 7.0  # inches


def write_figures(report: Report, folder: Path) -> tuple[Path, ...]:
    """Draw every figure that the runs allow; return the files, same runs, same bytes.

    ``radar`` needs at least three tasks, ``image-against-report`` a run with both views;
    ``tasks`` is always there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    styles = {run: number for number, run in enumerate(drawn_runs(report))}
    panels = tuple(radar for radar in radars(report) if len(radar.axes) > 2)
    compared = scatters(report)
    drawings: dict[str, Callable[[], Figure]] = {
        "tasks": lambda: _draw_tasks(radars(report), styles)
    }
    if panels:
        drawings["radar"] = lambda: _draw_radars(panels, styles)
    if compared is not None:
        drawings["image-against-report"] = lambda: _draw_scatters(compared, styles)
    with mpl.rc_context(_STYLE):
        return tuple(
            path for name, draw in drawings.items() for path in _save(draw(), folder, name)
        )


def _save(figure: Figure, folder: Path, name: str) -> Iterator[Path]:
    # The canvases print directly: savefig draws everything twice, and lays it out twice.
    figure.set_dpi(_DPI)
    png, pdf = folder / f"{name}.png", folder / f"{name}.pdf"
    agg: Any = FigureCanvasAgg(figure)
    agg.print_png(png, metadata={"Software": "EarthExam"})
    figure.set_layout_engine("none")
    paper: Any = FigureCanvasPdf(figure)
    paper.print_pdf(pdf, metadata={"Creator": "EarthExam", "CreationDate": None})
    yield from (pdf, png)


def _draw_radars(panels: tuple[Radar, ...], styles: dict[int, int]) -> Figure:
    columns = min(len(panels), 2)
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(_COLUMN * columns, 3.4 * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, subplot_kw={"projection": "polar"})
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    for ax, panel in zip(axes.flat, panels, strict=False):
        _draw_radar(ax, panel, styles)
    _add_legend(figure, {line.run: line.label for p in panels for line in p.lines}, styles)
    return figure


def _draw_radar(ax: PolarAxes, panel: Radar, styles: dict[int, int]) -> None:
    count = len(panel.axes)
    angles = [2 * math.pi * index / count for index in range(count)]
    closed = [*angles, angles[0]]
    ax.set_theta_zero_location("N")
    ax.set_theta_direction(-1)
    ax.set_ylim(0, 100)
    ax.set_yticks([25, 50, 75, 100], ["25", "50", "75", "100"], color=_FAINT, fontsize=6.5)
    ax.set_rlabel_position(180 / count)
    ax.set_xticks(angles, panel.axes)
    ax.set_title(panel.title, fontweight="bold")
    ax.fill(closed, [*panel.chance, panel.chance[0]], color=_FAINT, alpha=0.12, linewidth=0)
    for line in panel.lines:
        values = [*line.values, line.values[0]]
        ax.plot(closed, values, **_line_style(styles[line.run]))


def _draw_scatters(compared: ScatterSet, styles: dict[int, int]) -> Figure:
    panels = compared.panels
    columns = min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(_PAGE / 3 * columns, 2.35 * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    for ax, panel in zip(axes.flat, panels, strict=False):
        _draw_scatter(ax, panel, styles)
        ax.set_xlabel(f"{VIEW_TITLES[compared.image_view]}, score in %")
        ax.set_ylabel(f"{VIEW_TITLES[compared.report_view]}, score in %")
        ax.label_outer()
    _add_legend(figure, {point.run: point.label for p in panels for point in p.points}, styles)
    return figure


def _draw_scatter(ax: Axes, panel: Scatter, styles: dict[int, int]) -> None:
    ax.set_title(panel.title, fontsize=8)
    ax.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.grid(visible=True)
    ax.plot([0, 100], [0, 100], linestyle=":", color=_FAINT, linewidth=0.8)
    ax.plot([panel.chance], [panel.chance], marker="+", color=_FAINT, markersize=6)
    for point in panel.points:
        number = styles[point.run]
        ax.errorbar(
            percent(point.image.estimate),
            percent(point.report.estimate),
            xerr=_reaches([point.image]),
            yerr=_reaches([point.report]),
            marker=_MARKERS[number],
            color=_COLOURS[number],
            markersize=4.5,
            elinewidth=0.7,
            clip_on=False,
        )


def _draw_tasks(panels: tuple[Radar, ...], styles: dict[int, int]) -> Figure:
    """Draw one panel a view: tasks downwards, the runs of a task side by side."""
    most = max((len(panel.axes) for panel in panels), default=1)
    height = 0.9 + most * max(0.22, 0.11 * len(styles))
    figure = Figure(figsize=(_PAGE, height), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False, sharey=False)
    for ax, panel in zip(axes.flat, panels, strict=True):
        _draw_dots(ax, panel, styles)
    _add_legend(figure, {line.run: line.label for p in panels for line in p.lines}, styles)
    return figure


def _draw_dots(ax: Axes, panel: Radar, styles: dict[int, int]) -> None:
    count = len(panel.axes)
    ax.set_title(panel.title, fontweight="bold")
    ax.set(xlim=(0, 100), ylim=(count - 0.5, -0.5), xlabel="score in %, 95 % interval")
    ax.set_yticks(range(count), panel.names if panel.is_numbered else panel.axes)
    ax.grid(visible=True, axis="x")
    places = range(count)
    ax.vlines(
        panel.chance, [p - 0.4 for p in places], [p + 0.4 for p in places], _FAINT, linewidth=0.8
    )
    for rank, line in enumerate(panel.lines):
        shift = 0.7 * ((rank + 0.5) / len(panel.lines) - 0.5)
        number = styles[line.run]
        known = [(p + shift, score) for p, score in enumerate(line.scores) if score is not None]
        ax.errorbar(
            [percent(score.estimate) for _, score in known],
            [place for place, _ in known],
            xerr=_reaches([score for _, score in known]),
            linestyle="none",
            marker=_MARKERS[number],
            color=_COLOURS[number],
            markersize=3.5,
            elinewidth=0.7,
            clip_on=False,
        )


def _line_style(number: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[number],
        "marker": _MARKERS[number],
        "linestyle": _DASHES[number],
        "linewidth": 1.2,
        "markersize": 3.5,
    }


def _add_legend(figure: Figure, labels: dict[int, str], styles: dict[int, int]) -> None:
    handles = [
        Line2D([], [], label=labels[run], **_line_style(styles[run])) for run in sorted(labels)
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=min(len(handles), 3), frameon=False
    )


def _reaches(intervals: list[Interval]) -> list[list[float]]:
    """Return how far the intervals reach below and above their estimates, 0 where there is none."""
    below = [percent(interval.estimate - interval.low) for interval in intervals]
    above = [percent(interval.high - interval.estimate) for interval in intervals]
    return [[0.0 if math.isnan(reach) else max(0.0, reach) for reach in side]
            for side in (below, above)]  # fmt: skip
