"""A contact sheet: every block at a glance, kept and dropped, for a person to look at."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from earthexam.render.raster import Picture, encode_png, load_font

SIDE = 160
# Where blocks are so many that thumbnails get narrower than this, captions are left out.
LEAST_CAPTIONED = 120
LEAST_SIDE = 8
CAPTION = 54
FEWEST_COLUMNS = 6
GAP = 8
# Pixels of a sheet of thumbnails alone: more is too large to open.
MOST_PIXELS = 40_000_000
INK, PAPER, DROPPED = "#222222", "#ffffff", "#d55e00"


@dataclass(frozen=True)
class Thumbnail:
    """A small picture of a block.

    Attributes
    ----------
    pixels : array, shape (rows, cols, 3), uint8
    title, note : str
        Two lines under the picture.
    dropped : bool
        Draws a frame in another colour, and a cross.
    """

    pixels: NDArray[np.uint8]
    title: str
    note: str
    dropped: bool = False


def contact_sheet(thumbnails: Sequence[Thumbnail]) -> Picture:
    """Lay thumbnails out in rows, six or about the square root of their number to a row.

    Of very many they are drawn small, then without captions.

    Parameters
    ----------
    thumbnails : sequence of Thumbnail
        At least one.
    """
    count = len(thumbnails)
    columns = max(FEWEST_COLUMNS, math.ceil(math.sqrt(count)))
    side = min(SIDE, max(LEAST_SIDE, math.isqrt(MOST_PIXELS // count) - GAP))
    captioned = side >= LEAST_CAPTIONED
    cell_w, cell_h = side + GAP, side + GAP + (CAPTION if captioned else 0)
    sheet = Image.new("RGB", (columns * cell_w + GAP, -(-count // columns) * cell_h + GAP), PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, thumbnail in enumerate(thumbnails):
        x, y = GAP + number % columns * cell_w, GAP + number // columns * cell_h
        picture = Image.fromarray(thumbnail.pixels)
        sheet.paste(picture.resize((side, side), Image.Resampling.NEAREST), (x, y))
        if thumbnail.dropped:
            pen.rectangle((x, y, x + side - 1, y + side - 1), outline=DROPPED, width=4)
            pen.line((x, y, x + side - 1, y + side - 1), fill=DROPPED, width=3)
        if captioned:
            _write_caption(pen, thumbnail, (x, y + side + 2), side)
    return encode_png(sheet)


def _write_caption(
    pen: ImageDraw.ImageDraw, thumbnail: Thumbnail, corner: tuple[int, int], width: int
) -> None:
    x, y = corner
    pen.text((x, y), thumbnail.title, fill=INK, font=load_font(14))
    font = load_font(11)
    ink = DROPPED if thumbnail.dropped else INK
    for number, line in enumerate(_lines(thumbnail.note, font, width)):
        pen.text((x, y + 18 + 14 * number), line, fill=ink, font=font)


def _lines(text: str, font: ImageFont.FreeTypeFont, width: int) -> Iterator[str]:
    """Break a text between words so that each line keeps the width."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > width:
            yield line
            longer = word
        line = longer
    yield line
