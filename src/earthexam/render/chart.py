"""Spectral curves as a PNG chart, drawn with Pillow: quick, and the same bytes every time."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from earthexam.core.errors import InputError, ShapeError
from earthexam.core.scene import Cube, Quantity, Vector
from earthexam.render.raster import Picture, encode_png, load_font

WIDTH, HEIGHT = 960, 600
LEFT, RIGHT, TOP, BOTTOM = 96, 24, 84, 72
SUPERSAMPLING = 2
FONT_SIZE = 18
LEGEND_TOP = 16
LINE_WIDTH = 3
TICK_LENGTH = 6
WANTED_TICKS = 7
GAP_RATIO = 3.0
INK, FAINT, PAPER = "#222222", "#dddddd", "#ffffff"
# Okabe and Ito (2008), Color Universal Design: told apart with every kind of colour vision. Their
# yellow is left out, too faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
QUANTITY_LABELS: dict[Quantity, str] = {
    "counts": "value (counts)",
    "radiance": "radiance (unit of the scene)",
    "reflectance": "reflectance (0 to 1)",
    "unknown": "value (unknown unit)",
}


@dataclass(frozen=True)
class Curve:
    """A named spectrum: values of shape (bands,), NaN where there is none."""

    name: str
    values: Vector


@dataclass(frozen=True, slots=True)
class _Axis:
    """Maps values to pixels of the large drawing; `ticks` are round numbers inside the range."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def mean_curve(cube: Cube, name: str = "mean of all pixels") -> Curve:
    """Average the spectra of the pixels that are valid in all measured bands.

    Raises
    ------
    InputError
        No pixel is valid.
    """
    measured = np.isfinite(cube).any(axis=(0, 1))
    valid = np.isfinite(cube[:, :, measured]).all(axis=2)
    if not measured.any() or not valid.any():
        message = "no pixel is valid in all measured bands; check the mask of the cube"
        raise InputError(message)
    return Curve(name, np.where(measured, cube[valid].mean(axis=0, dtype=np.float64), np.nan))


def pixel_curves(
    cube: Cube, pixels: Sequence[tuple[int, int]], names: Sequence[str]
) -> tuple[Curve, ...]:
    """Take the spectra of single pixels, given as (row, column), 0-based."""
    return tuple(
        Curve(name, cube[row, col].astype(np.float64))
        for (row, col), name in zip(pixels, names, strict=True)
    )


def spectra_png(
    curves: Sequence[Curve], wavelengths_nm: Vector | None = None, quantity: Quantity = "unknown"
) -> Picture:
    """Draw spectra over wavelength, or over band number where wavelengths are unknown.

    Lines break where bands are missing: at NaN, and where two neighbours lie more than three times
    the usual step apart, as where water-vapour bands were dropped.

    Parameters
    ----------
    curves : sequence of Curve
        One to seven of one length.
    wavelengths_nm : array, shape (bands,), or None
        Band centres, rising, nanometres.

    Raises
    ------
    InputError
        No curve, more than seven, or nothing finite to draw.
    ShapeError
        Curves and wavelengths differ in length.
    """
    _check(curves, wavelengths_nm)
    places = np.arange(len(curves[0].values)) if wavelengths_nm is None else wavelengths_nm
    values = np.concatenate([curve.values for curve in curves])
    finite = values[np.isfinite(values)]
    large = SUPERSAMPLING
    across = _axis(float(places[0]), float(places[-1]), LEFT * large, (WIDTH - RIGHT) * large)
    margin = 0.05 * (np.ptp(finite) or abs(finite[0]) or 1.0)
    up = _axis(
        float(finite.min() - margin), float(finite.max() + margin),
        (HEIGHT - BOTTOM) * large, TOP * large,
    )  # fmt: skip
    picture = Image.new("RGB", (WIDTH * large, HEIGHT * large), PAPER)
    pen = ImageDraw.Draw(picture)
    _draw_frame(picture, pen, across, up)
    x_label = "band number (from 0)" if wavelengths_nm is None else "wavelength (nm)"
    _draw_labels(picture, pen, x_label, QUANTITY_LABELS[quantity])
    for curve, colour in zip(curves, COLOURS, strict=False):
        for piece in _pieces(np.asarray(places, dtype=np.float64), curve.values):
            _draw_piece(pen, [(across.place(x), up.place(y)) for x, y in piece], colour)
    _draw_legend(pen, [curve.name for curve in curves])
    return encode_png(picture.reduce(large))


def _check(curves: Sequence[Curve], wavelengths_nm: Vector | None) -> None:
    if not 1 <= len(curves) <= len(COLOURS):
        message = (
            f"a chart holds 1 to {len(COLOURS)} curves, not {len(curves)}; draw several charts"
        )
        raise InputError(message)
    lengths = {len(curve.values) for curve in curves}
    if wavelengths_nm is not None:
        lengths.add(len(wavelengths_nm))
    if len(lengths) != 1:
        message = f"curves and wavelengths have {sorted(lengths)} bands; they must be equally long"
        raise ShapeError(message)
    if not any(np.isfinite(curve.values).any() for curve in curves):
        message = "nothing to draw: all values of all curves are NaN"
        raise InputError(message)


def _axis(low: float, high: float, start: float, end: float) -> _Axis:
    if high == low:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / WANTED_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return _Axis(low, high, start, end, tuple(n * step for n in range(first, last + 1)))


def _pieces(places: Vector, values: Vector) -> Iterator[list[tuple[float, float]]]:
    seen = np.flatnonzero(np.isfinite(values))
    if len(seen) == 0:
        return
    usual = float(np.median(np.diff(places))) if len(places) > 1 else 1.0
    is_gap = (np.diff(seen) > 1) | (np.diff(places[seen]) > GAP_RATIO * usual)
    for piece in np.split(seen, np.flatnonzero(is_gap) + 1):
        yield [(float(places[band]), float(values[band])) for band in piece]


def _draw_frame(picture: Image.Image, pen: ImageDraw.ImageDraw, across: _Axis, up: _Axis) -> None:
    large = SUPERSAMPLING
    font = load_font(FONT_SIZE * large)
    tick = TICK_LENGTH * large
    for value in up.ticks:
        y = up.place(value)
        pen.line([(across.start, y), (across.end, y)], fill=FAINT, width=large)
        place = (across.start - 2 * tick, y)
        pen.text(place, _tick_text(value, up), fill=INK, font=font, anchor="rm")
    for value in across.ticks:
        x = across.place(value)
        pen.line([(x, up.start), (x, up.start + tick)], fill=INK, width=large)
        place = (x, up.start + 2 * tick)
        pen.text(place, _tick_text(value, across), fill=INK, font=font, anchor="mt")
    corner = (across.start, up.end)
    pen.line([corner, (across.start, up.start), (across.end, up.start)], fill=INK, width=large)


def _tick_text(value: float, axis: _Axis) -> str:
    step = axis.ticks[1] - axis.ticks[0] if len(axis.ticks) > 1 else abs(value) or 1.0
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{decimals}f}"


def _draw_labels(
    picture: Image.Image, pen: ImageDraw.ImageDraw, x_label: str, y_label: str
) -> None:
    large = SUPERSAMPLING
    font = load_font(FONT_SIZE * large)
    middle = (LEFT + WIDTH - RIGHT) / 2 * large
    pen.text((middle, (HEIGHT - 10) * large), x_label, fill=INK, font=font, anchor="ms")
    length = math.ceil(font.getlength(y_label))
    strip = Image.new("RGB", (length, 2 * FONT_SIZE * large), PAPER)
    ImageDraw.Draw(strip).text((0, FONT_SIZE * large), y_label, fill=INK, font=font, anchor="lm")
    upright = strip.rotate(90, expand=True)
    top = round((TOP + HEIGHT - BOTTOM) / 2 * large - length / 2)
    picture.paste(upright, (0, top))


def _draw_piece(
    pen: ImageDraw.ImageDraw, points: Sequence[tuple[float, float]], colour: str
) -> None:
    width = LINE_WIDTH * SUPERSAMPLING
    if len(points) > 1:
        pen.line(points, fill=colour, width=width, joint="curve")
    else:
        pen.circle(points[0], width, fill=colour)


def _draw_legend(pen: ImageDraw.ImageDraw, names: Sequence[str]) -> None:
    large = SUPERSAMPLING
    font = load_font(FONT_SIZE * large)
    x, y = float(LEFT * large), float(LEGEND_TOP * large)
    for name, colour in zip(names, COLOURS, strict=False):
        length = 60 * large + font.getlength(name)
        if x > LEFT * large and x + length > WIDTH * large:
            x, y = float(LEFT * large), y + (FONT_SIZE + 6) * large
        pen.line([(x, y), (x + 28 * large, y)], fill=colour, width=LINE_WIDTH * large)
        pen.text((x + 36 * large, y), name, fill=INK, font=font, anchor="lm")
        x += length
