"""Cut a scene into windows of one size that cover all of it, and put maps together again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError

ScalarT = TypeVar("ScalarT", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Tile:
    """A window of a scene: its number, its top left pixel and its size in pixels."""

    index: int
    row: int
    col: int
    height: int
    width: int

    def cut(self, array: NDArray[ScalarT]) -> NDArray[ScalarT]:
        """Return the part of an array (rows, cols, ...) that lies in this window, as a view."""
        return array[self.row : self.row + self.height, self.col : self.col + self.width]


def cut_tiles(rows: int, cols: int, size: int) -> tuple[Tile, ...]:
    """Cover a scene with the fewest windows of one size.

    Windows stand apart where `size` divides the scene. Elsewhere they are spread evenly from border
    to border, and share the overlap that this needs between them.

    Parameters
    ----------
    rows, cols : int
        Size of the scene in pixels.
    size : int
        Side of a window in pixels; clipped to the scene where that is smaller.

    Returns
    -------
    tuple of Tile
        Row by row from the top left; every pixel lies in at least one.

    Raises
    ------
    InputError
        A size below 1.

    Examples
    --------
    >>> [(tile.row, tile.col) for tile in cut_tiles(4, 5, 4)]
    [(0, 0), (0, 1)]
    """
    if min(rows, cols, size) < 1:
        message = f"cannot cut {rows} x {cols} pixels into windows of {size}; sizes start at 1"
        raise InputError(message)
    height, width = min(size, rows), min(size, cols)
    corners = [(row, col) for row in _starts(rows, height) for col in _starts(cols, width)]
    return tuple(Tile(index, row, col, height, width) for index, (row, col) in enumerate(corners))


def choose_tile_size(rows: int, cols: int, at_least: int) -> int:
    """Find the largest window that still gives `at_least` windows.

    Raises
    ------
    InputError
        The scene has fewer pixels than windows are wanted.

    Examples
    --------
    >>> choose_tile_size(145, 145, 16)
    48
    """
    for size in range(max(rows, cols), 0, -1):
        if math.ceil(rows / size) * math.ceil(cols / size) >= at_least:
            return size
    message = (
        f"{rows} x {cols} pixels do not give {at_least} windows; ask for {rows * cols} or fewer"
    )
    raise InputError(message)


def count_cover(tiles: Sequence[Tile], rows: int, cols: int) -> NDArray[np.int32]:
    """Count for each pixel how many windows hold it; above 1 is overlap.

    Returns
    -------
    array, shape (rows, cols)
    """
    cover = np.zeros((rows, cols), dtype=np.int32)
    for tile in tiles:
        tile.cut(cover)[...] += 1
    return cover


def stitch(
    tiles: Sequence[Tile], blocks: Sequence[NDArray[ScalarT]], rows: int, cols: int
) -> NDArray[ScalarT]:
    """Lay blocks back into the scene; where windows overlap, the first one's pixels stay.

    Parameters
    ----------
    tiles : sequence of Tile
        Windows that cover the scene, as from `cut_tiles`.
    blocks : sequence of arrays, shape (height, width, ...)
        One for each window.

    Returns
    -------
    array, shape (rows, cols, ...)

    Raises
    ------
    ShapeError
        A block has not the size of its window.
    """
    scene = np.empty((rows, cols, *blocks[0].shape[2:]), dtype=blocks[0].dtype)
    for tile, block in reversed(list(zip(tiles, blocks, strict=True))):
        if block.shape[:2] != (tile.height, tile.width):
            message = (
                f"block {tile.index} has {block.shape[0]} x {block.shape[1]} pixels, "
                f"its window {tile.height} x {tile.width}; give blocks in the order of the windows"
            )
            raise ShapeError(message)
        tile.cut(scene)[...] = block
    return scene


def _starts(length: int, size: int) -> list[int]:
    count = math.ceil(length / size)
    if count == 1:
        return [0]
    return [round(place * (length - size) / (count - 1)) for place in range(count)]
