"""A contact sheet: every block at a glance, kept and dropped, for a person to look at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from earthexam.render.raster import Picture, encode_png, load_font

SIDE = 160
CAPTION = 40
COLUMNS = 6
GAP = 8
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
    """Lay thumbnails out six to a row.

    Parameters
    ----------
    thumbnails : sequence of Thumbnail
        At least one.
    """
    rows = -(-len(thumbnails) // COLUMNS)
    cell_w, cell_h = SIDE + GAP, SIDE + CAPTION + GAP
    sheet = Image.new("RGB", (COLUMNS * cell_w + GAP, rows * cell_h + GAP), PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, thumbnail in enumerate(thumbnails):
        x, y = GAP + number % COLUMNS * cell_w, GAP + number // COLUMNS * cell_h
        picture = Image.fromarray(thumbnail.pixels)
        sheet.paste(picture.resize((SIDE, SIDE), Image.Resampling.NEAREST), (x, y))
        if thumbnail.dropped:
            pen.rectangle((x, y, x + SIDE - 1, y + SIDE - 1), outline=DROPPED, width=4)
            pen.line((x, y, x + SIDE - 1, y + SIDE - 1), fill=DROPPED, width=3)
        pen.text((x, y + SIDE + 2), thumbnail.title, fill=INK, font=load_font(14))
        pen.text(
            (x, y + SIDE + 20),
            thumbnail.note,
            fill=DROPPED if thumbnail.dropped else INK,
            font=load_font(11),
        )
    return encode_png(sheet)
