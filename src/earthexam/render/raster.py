"""Cubes as PNG pictures: the component composite, true colour and colour infrared.

Every picture is enlarged by a whole number, nearest neighbour, so that no value is shown that was
not measured. Same input, same bytes.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from earthexam.core.errors import MissingLibraryError
from earthexam.core.scene import Cube, Vector
from earthexam.spectral.bands import band_position
from earthexam.spectral.composite import N_COMPONENTS, composite_panels, principal_components
from earthexam.spectral.normalise import Bytes, Limits, stretch, stretch_limits, to_uint8

MIN_SIDE = 224
MAX_SIDE = 4096
PANELS_PER_ROW = 4
GAP = 8
MIN_FONT_SIZE = 16
DPI = 300
ZLIB_LEVEL = 1
TRUE_COLOUR = ("red", "green", "blue")
COLOUR_INFRARED = ("nir", "red", "green")


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture and its size in pixels."""

    png: bytes
    width: int
    height: int


def composite_png(cube: Cube, n: int = N_COMPONENTS) -> Picture:
    """Draw the first components of a cube as grey panels, four to a row.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN and come out black.

    Raises
    ------
    InputError
        Fewer than two valid pixels, or every band is constant.
    """
    components = principal_components(cube, n)
    return draw_composite(composite_panels(components), components.explained)


def draw_composite(panels: Bytes, ratios: Sequence[float] | Vector) -> Picture:
    """Lay grey panels out four to a row, each under a caption such as ``PC1 (42.0%)``.

    Parameters
    ----------
    panels : array, shape (k, rows, cols), uint8
    ratios : sequence of k floats
        Explained variance of each panel, 0 to 1.
    """
    count, rows, cols = panels.shape
    factor = enlargement(rows, cols)
    height, width = rows * factor, cols * factor
    font = load_font(max(MIN_FONT_SIZE, width // 16))
    band = font.size + 2 * GAP
    slot = max(width, 7 * font.size)
    corners = [
        (index // PANELS_PER_ROW * (height + band), GAP + index % PANELS_PER_ROW * (slot + GAP))
        for index in range(count)
    ]
    n_cols = min(PANELS_PER_ROW, count)
    bottom = corners[-1][0] + band + height + GAP
    canvas = np.full((bottom, n_cols * (slot + GAP) + GAP), 255, dtype=np.uint8)
    for panel, (top, left) in zip(panels, corners, strict=True):
        left += (slot - width) // 2
        canvas[top + band : top + band + height, left : left + width] = enlarge(panel, factor)
    picture = Image.fromarray(canvas)
    pen = ImageDraw.Draw(picture)
    for index, (top, left) in enumerate(corners):
        caption = f"PC{index + 1} ({100 * ratios[index]:.1f}%)"
        pen.text((left + slot / 2, top + band / 2), caption, fill=0, font=font, anchor="mm")
    return encode_png(picture)


def true_colour_png(
    cube: Cube, wavelengths_nm: Vector | None = None, limits: Limits | None = None
) -> Picture:
    """Draw red, green and blue as the eye would see them.

    Parameters
    ----------
    limits : array, shape (3, 2), or None
        Stretch limits that several pictures share, from `colour_limits`; None for the cube's own
        2nd and 98th percentile.

    Raises
    ------
    NoSuchBandError
        Wavelengths are known and one of the three colours is not among them.
    """
    return _colour_png(cube, TRUE_COLOUR, wavelengths_nm, limits)


def colour_infrared_png(
    cube: Cube, wavelengths_nm: Vector | None = None, limits: Limits | None = None
) -> Picture:
    """Draw near infrared, red and green as red, green and blue; see `true_colour_png`."""
    return _colour_png(cube, COLOUR_INFRARED, wavelengths_nm, limits)


def colour_limits(
    cubes: Sequence[Cube],
    names: tuple[str, str, str] = TRUE_COLOUR,
    wavelengths_nm: Vector | None = None,
) -> Limits:
    """Find stretch limits that two dates share, so that equal values get equal colours.

    Returns
    -------
    array, shape (3, 2)
        2nd and 98th percentile of each of the three bands over all cubes.
    """
    return stretch_limits(*(_three_bands(cube, names, wavelengths_nm) for cube in cubes))


def enlargement(rows: int, cols: int) -> int:
    """Return the whole number that brings the short side to 224 pixels.

    The long side of a narrow strip stays within 4096 pixels, at the cost of the short one.

    Examples
    --------
    >>> enlargement(32, 32), enlargement(300, 300), enlargement(10, 1000)
    (7, 1, 4)
    """
    wanted = math.ceil(MIN_SIDE / min(rows, cols))
    return max(1, min(wanted, MAX_SIDE // max(rows, cols)))


def enlarge(picture: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Repeat every pixel `factor` times along both axes.

    Parameters
    ----------
    picture : array, shape (rows, cols) or (rows, cols, channels), uint8
    """
    return picture.repeat(factor, axis=0).repeat(factor, axis=1)


def encode_png(picture: Image.Image) -> Picture:
    """Encode at zlib level 1, with 300 DPI recorded."""
    file = io.BytesIO()
    picture.save(file, format="PNG", compress_level=ZLIB_LEVEL, dpi=(DPI, DPI))
    return Picture(file.getvalue(), picture.width, picture.height)


@cache
def load_font(size: int) -> ImageFont.FreeTypeFont:
    """Return Pillow's bundled font, which is the same on every machine.

    Raises
    ------
    MissingLibraryError
        Pillow was built without FreeType.
    """
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        message = "captions need a Pillow with FreeType, as in its wheels; run: pip install pillow"
        raise MissingLibraryError(message)
    return font


def _colour_png(
    cube: Cube, names: tuple[str, str, str], wavelengths_nm: Vector | None, limits: Limits | None
) -> Picture:
    picture = to_uint8(stretch(_three_bands(cube, names, wavelengths_nm), limits))
    return encode_png(Image.fromarray(enlarge(picture, enlargement(*picture.shape[:2]))))


def _three_bands(cube: Cube, names: tuple[str, str, str], wavelengths_nm: Vector | None) -> Cube:
    bands = [band_position(name, cube.shape[2], wavelengths_nm) for name in names]
    return cube[:, :, bands]
