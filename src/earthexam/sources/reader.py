"""What a format has to offer: an array in a file, described but not yet read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import AmbiguousError, FormatError, ShapeError, UnknownNameError
from earthexam.core.scene import Quantity
from earthexam.sources.profiles import Description
from earthexam.sources.values import Coding

Content: TypeAlias = Literal["cube", "labels"]


class SourceWarning(UserWarning):
    """A source file leaves something open and the reader had to assume."""


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of pixels, 0-based, within the array."""

    row: int
    col: int
    height: int
    width: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rows and the columns as slices."""
        return (
            slice(self.row, self.row + self.height),
            slice(self.col, self.col + self.width),
        )


@dataclass(frozen=True)
class StoredArray:
    """An array in a file: what is known before a value is read.

    Attributes
    ----------
    files : tuple of Path
        All files that were read, the one with the values first.
    variable : str
        Name of the array inside the file; empty where the format has none.
    shape : tuple of int
        Rows, columns, bands, whatever the order in the file; labels have one band.
    read : callable
        Gives a window as stored, shape (height, width, bands); a masked array where the format's
        own library masks. Opens and closes the file each time, so that no window holds memory.
    bad_bands : tuple of int
        0-based bands that the file itself calls bad.
    description : Description or None
        What a side file says.
    """

    format: str
    files: tuple[Path, ...]
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    read: Callable[[Window], NDArray[Any]]
    variable: str = ""
    coding: Coding = field(default_factory=Coding)
    wavelengths_nm: tuple[float, ...] = ()
    bad_bands: tuple[int, ...] = ()
    quantity: Quantity = "unknown"
    description: Description | None = None


class Reader(Protocol):
    """One file format."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Lower-case file endings, as shown to the user."""

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say whether the file is of this format, from its name and its first 1,024 bytes."""

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the cube, or the label map, in the file."""

    def write_example(self, folder: Path) -> Path:
        """Write a small cube with wavelengths and one masked pixel; used by the tests.

        The cube holds `example_cube`; pixel (0, 0) is stored as the format's own nodata.
        """


def example_cube() -> NDArray[np.int16]:
    """Give the 4 × 5 × 3 cube of the written examples: 100 · row + 10 · column + band + 1."""
    rows, cols, bands = np.indices((4, 5, 3))
    return np.asarray(100 * rows + 10 * cols + bands + 1, dtype=np.int16)


EXAMPLE_WAVELENGTHS_NM = (450.0, 550.0, 850.0)
EXAMPLE_NODATA = -9999


def choose_variable(
    path: Path, shapes: Mapping[str, tuple[int, ...]], wanted: str | None, what: str
) -> str:
    """Choose an array by name, or the only one there is.

    Parameters
    ----------
    shapes : dict
        Name and shape of each array that could be meant.
    what : str
        What is looked for, for example ``"3-D numeric array"``.
    """
    if wanted is not None:
        if wanted not in shapes:
            kind = f"{what} in {path}"
            raise UnknownNameError.of(kind, wanted, shapes)
        return wanted
    if not shapes:
        message = f"{path} holds no {what}; expected exactly one; check that this is the right file"
        raise FormatError(message)
    if len(shapes) > 1:
        found = ", ".join(
            f"{name} ({'×'.join(map(str, shape))})" for name, shape in sorted(shapes.items())
        )
        message = f"{path} holds {len(shapes)} {what}s: {found}; choose one with --variable NAME"
        raise AmbiguousError(message)
    return next(iter(shapes))


def check_window(window: Window, shape: tuple[int, int, int], path: Path) -> None:
    """Refuse a window that is empty or leaves the array."""
    rows, cols, _ = shape
    inside = (
        window.row >= 0
        and window.col >= 0
        and window.height > 0
        and window.width > 0
        and window.row + window.height <= rows
        and window.col + window.width <= cols
    )
    if not inside:
        message = (
            f"window of {window.height}×{window.width} pixels at row {window.row}, column "
            f"{window.col} is not inside {path}, which has {rows}×{cols}; choose a smaller window"
        )
        raise ShapeError(message)
