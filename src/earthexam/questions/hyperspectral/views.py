"""Every view of a block, drawn once and stored under its content hash."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earthexam.benchmark.store import BenchmarkWriter
from earthexam.core.item import Media, Role, View, to_json
from earthexam.core.scene import Cube
from earthexam.questions.hyperspectral.block import Block
from earthexam.render.chart import pixel_curves, spectra_png
from earthexam.render.raster import (
    COLOUR_INFRARED,
    TRUE_COLOUR,
    Picture,
    colour_infrared_png,
    colour_limits,
    composite_png,
    true_colour_png,
)
from earthexam.spectral.bands import NoSuchBandError
from earthexam.spectral.describe import describe
from earthexam.spectral.prose import write_prose

ORDINALS = ("first date", "second date")
# Spectra are drawn of the centre and four points around it, at these shares of height and width.
MARKED = ((0.5, 0.5), (0.2, 0.2), (0.2, 0.8), (0.8, 0.2), (0.8, 0.8))


@dataclass(frozen=True)
class _File:
    view: View
    data: bytes
    suffix: str
    role: Role = "input"
    width: int | None = None
    height: int | None = None


def store_views(block: Block, dates: int, writer: BenchmarkWriter) -> tuple[Media, ...]:
    """Store every view of a block and return its media, views in order, dates in order.

    Parameters
    ----------
    dates : int
        1 for the first date alone, 2 for both.
    """
    cubes = (block.cube,) if dates == 1 or block.later is None else (block.cube, block.later)
    media: list[Media] = []
    for files in _by_view(block, cubes):
        for number, file in enumerate(files):
            path, digest = writer.add_media(file.data, file.suffix)
            dated = len(cubes) > 1 and file.role in {"input", "data", "labels"}
            media.append(
                Media(
                    view=file.view,
                    path=path,
                    role=file.role,
                    label=ORDINALS[number] if dated else "",
                    time=block.times[number] if dated else block.times[0],
                    width=file.width,
                    height=file.height,
                    sha256=digest,
                )
            )
    return tuple(media)


def _by_view(block: Block, cubes: tuple[Cube, ...]) -> Iterator[list[_File]]:
    wavelengths = block.wavelengths_nm
    yield [_picture("composite", composite_png(cube)) for cube in cubes]
    facts = [describe(cube, wavelengths, block.quantity) for cube in cubes]
    yield [_File("report", write_prose(fact).encode(), ".txt") for fact in facts]
    yield [
        _File("report", to_json(fact.as_json()).encode(), ".json", role="data") for fact in facts
    ]
    yield from _colour_views(block, cubes)
    yield [_picture("spectra", _spectra(block, cube)) for cube in cubes]
    yield [_array("cube", cube) for cube in cubes]
    yield [_array("cube", block.labelled, role="mask")]
    if wavelengths is not None:
        yield [_array("cube", wavelengths, role="wavelengths")]
    labels = [block.labels] if len(cubes) == 1 else [block.labels, block.later_labels]
    yield [_array("cube", map_, role="labels") for map_ in labels if map_ is not None]


def _colour_views(block: Block, cubes: tuple[Cube, ...]) -> Iterator[list[_File]]:
    """Draw the colour pictures, both dates with one stretch; none where a band is missing."""
    wavelengths = block.wavelengths_nm
    try:
        true = colour_limits(cubes, TRUE_COLOUR, wavelengths)
        infrared = colour_limits(cubes, COLOUR_INFRARED, wavelengths)
    except NoSuchBandError:
        return
    yield [_picture("true_colour", true_colour_png(cube, wavelengths, true)) for cube in cubes]
    yield [
        _picture("colour_infrared", colour_infrared_png(cube, wavelengths, infrared))
        for cube in cubes
    ]


def _spectra(block: Block, cube: Cube) -> Picture:
    rows, cols = block.shape
    pixels = [(int(y * (rows - 1) + 0.5), int(x * (cols - 1) + 0.5)) for y, x in MARKED]
    names = [f"row {row}, column {col}" for row, col in pixels]
    curves = [
        curve for curve in pixel_curves(cube, pixels, names) if np.isfinite(curve.values).any()
    ]
    return spectra_png(curves, block.wavelengths_nm, block.quantity)


def _picture(view: View, picture: Picture) -> _File:
    return _File(view, picture.png, ".png", width=picture.width, height=picture.height)


def _array(view: View, values: NDArray[np.generic], role: Role = "input") -> _File:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values), allow_pickle=False)
    size = (values.shape[1], values.shape[0]) if values.ndim > 1 else (None, None)
    return _File(view, file.getvalue(), ".npy", role=role, width=size[0], height=size[1])
