"""Lay the figures out on the page's drawing plane: points, paths and labels for inline SVG."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from earthexam.evaluate.intervals import Interval
from earthexam.report.figures import Radar, Scatter, ScatterPoint, percent

MARKS = (
    "M4.5 0A4.5 4.5 0 1 1-4.5 0A4.5 4.5 0 1 1 4.5 0Z",
    "M-4-4H4V4H-4Z",
    "M0-5.5L5.2 3.8H-5.2Z",
    "M0-5.8L5.8 0L0 5.8L-5.8 0Z",
    "M0 5.5L5.2-3.8H-5.2Z",
    "M-1.8-5.4H1.8V-1.8H5.4V1.8H1.8V5.4H-1.8V1.8H-5.4V-1.8H-1.8Z",
    "M0-5.5L5.2-1.7L3.2 4.5H-3.2L-5.2-1.7Z",
    "M-5.5-3H5.5V3H-5.5Z",
)
"""Outline of the mark of each series, about 10 units wide around (0, 0); colour is never alone."""

DASHES = ("none", "7 3", "2 3", "9 3 2 3", "5 2", "12 4", "1 3", "9 3 2 3 2 3")
"""Dash pattern of the line of each series."""

RINGS = (25, 50, 75, 100)
TICKS = (0, 25, 50, 75, 100)
RADAR_SIZE = (400, 346)
SCATTER_SIZE = (300, 300)

_CENTRE = (200.0, 174.0)
_RADIUS = 140.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 288.0, 12.0, 256.0


@dataclass(frozen=True, slots=True)
class Label:
    """A text at (x, y) with its SVG ``text-anchor``; `hint` is what it is short for."""

    x: float
    y: float
    text: str
    anchor: str = "middle"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """One run: the path of its line, its marks, and what they stand for in words."""

    series: int
    label: str
    path: str
    marks: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class RadarDrawing:
    """A radar laid out on a plane of `RADAR_SIZE`; `key` names numbered axes in their order."""

    title: str
    rings: tuple[str, ...]
    spokes: tuple[str, ...]
    ring_labels: tuple[Label, ...]
    axis_labels: tuple[Label, ...]
    chance: str
    traces: tuple[Trace, ...]
    words: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScatterDrawing:
    """A scatter laid out on a plane of `SCATTER_SIZE`; every trace holds the bars of one mark."""

    title: str
    tasks: tuple[str, ...]
    grid: str
    identity: str
    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]
    chance: Label | None
    traces: tuple[Trace, ...]
    words: str


def series_of(runs: Iterable[int]) -> dict[int, int]:
    """Give every drawn run its number in the palette, marks and dashes."""
    return {run: number % len(MARKS) for number, run in enumerate(sorted(set(runs)))}


def draw_radar(radar: Radar, series: dict[int, int]) -> RadarDrawing:
    """Lay out a radar: the first axis points up, the others follow clockwise, rim 100 %."""
    count = len(radar.axes)
    return RadarDrawing(
        title=radar.title,
        rings=tuple(_ring([float(ring)] * count) for ring in RINGS),
        spokes=tuple(_segment(_polar(0, i, count), _polar(100, i, count)) for i in range(count)),
        # Half-way between two spokes, where no line has a vertex.
        ring_labels=tuple(_ring_label(ring, count) for ring in RINGS),
        axis_labels=tuple(
            _axis_label(i, count, *names)
            for i, names in enumerate(zip(radar.axes, radar.names, strict=True))
        ),
        chance=_ring(radar.chance),
        traces=tuple(
            Trace(
                series=series[line.run],
                label=line.label,
                path=_ring(line.values),
                marks=_radar_marks(radar, line.label, line.values),
            )
            for line in radar.lines
        ),
        words=_radar_words(radar),
        key=radar.names if radar.is_numbered else (),
    )


def draw_scatter(scatter: Scatter, series: dict[int, int]) -> ScatterDrawing:
    """Lay out a scatter: image to the right, report upwards, both 0 to 100 %."""
    known = not math.isnan(scatter.chance)
    return ScatterDrawing(
        title=scatter.title,
        tasks=scatter.tasks,
        grid="".join(
            f"{_segment((_x(t), _TOP), (_x(t), _BOTTOM))}{_segment((_LEFT, _y(t)), (_RIGHT, _y(t)))}"
            for t in TICKS
        ),
        identity=_segment((_x(0), _y(0)), (_x(100), _y(100))),
        x_labels=tuple(Label(_x(tick), _BOTTOM + 16, str(tick)) for tick in TICKS),
        y_labels=tuple(Label(_LEFT - 7, _y(tick) + 4, str(tick), "end") for tick in TICKS),
        chance=Label(_x(scatter.chance), _y(scatter.chance), f"chance {scatter.chance:.1f} %")
        if known
        else None,
        traces=tuple(_scatter_trace(point, series[point.run]) for point in scatter.points),
        words="; ".join(_point_words(point) for point in scatter.points),
    )


def _polar(value: float, index: float, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * index / count - math.pi / 2
    reach = _RADIUS * value / 100
    return _CENTRE[0] + reach * math.cos(angle), _CENTRE[1] + reach * math.sin(angle)


def _ring(values: Sequence[float]) -> str:
    """Join the values of neighbouring axes; an axis without a value leaves a gap."""
    count = len(values)
    known = [not math.isnan(value) for value in values]
    if all(known):
        corners = "L".join(_at(_polar(value, i, count)) for i, value in enumerate(values))
        return f"M{corners}Z" if corners else ""
    sides = ((i, (i + 1) % count) for i in range(count))
    return "".join(
        _segment(_polar(values[i], i, count), _polar(values[j], j, count))
        for i, j in sides
        if known[i] and known[j]
    )


def _radar_marks(radar: Radar, label: str, values: Sequence[float]) -> tuple[Label, ...]:
    return tuple(
        Label(*_rounded(_polar(value, i, len(values))), f"{label}, {name}: {value:.1f} %")
        for i, (value, name) in enumerate(zip(values, radar.names, strict=True))
        if not math.isnan(value)
    )


def _ring_label(ring: int, count: int) -> Label:
    x, y = _rounded(_polar(ring * math.cos(math.pi / count), 0.5, count))
    return Label(x, y + 4, str(ring))


def _axis_label(index: int, count: int, text: str, hint: str) -> Label:
    x, y = _rounded(_polar(110, index, count))
    side = x - _CENTRE[0]
    anchor = "middle" if abs(side) < 20 else "start" if side > 0 else "end"
    return Label(x, y + 4, text, anchor, hint)


def _radar_words(radar: Radar) -> str:
    return "; ".join(
        f"{line.label}: "
        + ", ".join(
            f"{axis} {value:.0f} %"
            for axis, value in zip(radar.axes, line.values, strict=True)
            if not math.isnan(value)
        )
        for line in radar.lines
    )


def _scatter_trace(point: ScatterPoint, series: int) -> Trace:
    x, y = _x(percent(point.image.estimate)), _y(percent(point.report.estimate))
    bars = ""
    if _has_bounds(point.image):
        ends = (percent(point.image.low), percent(point.image.high))
        bars += _segment((_x(ends[0]), y), (_x(ends[1]), y))
    if _has_bounds(point.report):
        ends = (percent(point.report.low), percent(point.report.high))
        bars += _segment((x, _y(ends[0])), (x, _y(ends[1])))
    return Trace(series, point.label, bars, (Label(*_rounded((x, y)), _point_words(point)),))


def _point_words(point: ScatterPoint) -> str:
    image, report = percent(point.image.estimate), percent(point.report.estimate)
    return f"{point.label}: image {image:.1f} %, report {report:.1f} %"


def _has_bounds(interval: Interval) -> bool:
    return not (math.isnan(interval.low) or math.isnan(interval.high))


def _x(value: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * value / 100


def _y(value: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value / 100


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 1), round(point[1], 1)


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _segment(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f"M{_at(start)}L{_at(end)}"
