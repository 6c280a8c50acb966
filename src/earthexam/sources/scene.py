"""Open a scene of any known format, whole or in windows.

``open_scene`` reads no values: scenes larger than memory are worked through with
``OpenScene.read_window``. ``read_scene`` reads all.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from earthexam.core.errors import FormatError, MissingFileError, ShapeError
from earthexam.core.files import sha256_file
from earthexam.core.scene import Cube, Profile, Scene, Source, Vector
from earthexam.sources import SOURCES
from earthexam.sources.profiles import known_profile, load_profile, recognise
from earthexam.sources.reader import (
    Content,
    Reader,
    SourceWarning,
    StoredArray,
    Window,
    check_window,
)
from earthexam.sources.values import Coding, decode
from earthexam.sources.wavelengths import band_order

# Rows are read in strips of about this many values, which bounds the memory beside the result.
_STRIP_VALUES = 20_000_000


@dataclass(frozen=True)
class OpenScene:
    """A scene whose values are still in the file.

    Attributes
    ----------
    name : str
        From the profile, else the stem of the file.
    stored : StoredArray
        The array as it lies in the file.
    bands : tuple of int
        The file's bands in the order of the cube: bad and dropped ones left out, rising wavelength.
    coding : Coding
        Scale, offset and nodata of these bands.
    wavelengths_nm : array, shape (bands,) or None
        Rising; None where neither file nor profile has them.
    """

    name: str
    stored: StoredArray
    profile: Profile
    bands: tuple[int, ...]
    coding: Coding
    wavelengths_nm: Vector | None
    time: str = ""
    simulated: str = ""

    @property
    def path(self) -> Path:
        """The file with the values."""
        return self.stored.files[0]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and bands of the cube."""
        rows, cols, _ = self.stored.shape
        return rows, cols, len(self.bands)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values; windows are float32."""
        return self.stored.dtype

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The files with their hashes, computed at the first look."""
        values, *others = self.stored.files
        by_band = len(self.coding.scale) > 1 or len(self.coding.offset) > 1
        first = Source(
            path=str(values),
            sha256=sha256_file(values),
            format=f"{self.stored.format}, scale and offset by band"
            if by_band
            else self.stored.format,
            scale=1.0 if by_band else self.coding.scale[0],
            offset=0.0 if by_band else self.coding.offset[0],
            nodata=self.coding.nodata,
            band_order=None if self.bands == tuple(range(self.stored.shape[2])) else self.bands,
            licence=self.profile.licence,
        )
        sides = (Source(str(file), sha256_file(file), self.stored.format) for file in others)
        return (first, *sides)

    def read_window(self, row: int, col: int, height: int, width: int) -> Cube:
        """Read a rectangle of pixels, all bands.

        Returns
        -------
        array, shape (height, width, bands), float32
            Values in `profile.quantity`; nodata is NaN.
        """
        window = Window(row, col, height, width)
        check_window(window, self.stored.shape, self.path)
        stored = self.stored.read(window)
        if self.bands != tuple(range(stored.shape[2])):
            stored = stored[:, :, list(self.bands)]
        return decode(stored, self.coding)

    def read(self) -> Cube:
        """Read all pixels, strip by strip.

        Raises
        ------
        FormatError
            A band without one measured value.
        """
        rows, cols, bands = self.shape
        cube = np.empty(self.shape, dtype=np.float32)
        height = max(1, _STRIP_VALUES // (cols * self.stored.shape[2]))
        for row in range(0, rows, height):
            part = min(height, rows - row)
            cube[row : row + part] = self.read_window(row, 0, part, cols)
        self.refuse_empty([band for band in range(bands) if np.isnan(cube[:, :, band]).all()])
        return cube

    def refuse_empty(self, empty: Sequence[int]) -> None:
        """Raise the error for bands (0-based, of the cube) without a measured value, if any.

        Raises
        ------
        FormatError
            Names the bands as they are counted in the file.
        """
        if not empty:
            return
        listed = ", ".join(str(self.bands[band]) for band in empty)
        message = (
            f"{self.path}: every pixel of band {listed} is NaN or nodata; check the nodata value "
            "or put these bands (0-based, as in the file) under dropped_bands in the profile"
        )
        raise FormatError(message)


def read_scene(
    path: Path,
    *,
    variable: str | None = None,
    profile: Profile | Path | str | None = None,
    time: str = "",
) -> Scene:
    """Read a whole scene; parameters and errors as in `open_scene`."""
    opened = open_scene(path, variable=variable, profile=profile, time=time)
    return Scene(
        name=opened.name,
        cube=opened.read(),
        profile=opened.profile,
        wavelengths_nm=opened.wavelengths_nm,
        time=opened.time,
        simulated=opened.simulated,
        sources=opened.sources,
    )


def open_scene(
    path: Path,
    *,
    variable: str | None = None,
    profile: Profile | Path | str | None = None,
    time: str = "",
) -> OpenScene:
    """Open a scene without reading its values.

    Parameters
    ----------
    path : Path
        The file; for ENVI the header or the binary file.
    variable : str or None
        Name of the array, for formats that hold several; needed only where it is not clear.
    profile : Profile, Path, str or None
        What is known of the scene: a record, the path of a TOML or JSON description, or a short name
        of the shipped table. None takes the side file, else recognises known scenes by shape and name.
    time : str
        Date of the scene; wins over what a side file says.

    Raises
    ------
    MissingFileError, FormatError, ShapeError, AmbiguousError, UnknownNameError
        With the file, the value, what was expected and the next step.
    """
    stored = open_array(path, variable=variable, content="cube")
    if stored.shape[2] < 2:
        message = (
            f"{path} has one band; a hyperspectral scene needs at least 2; if this is a label map, "
            "give it with --labels"
        )
        raise ShapeError(message)
    known = _profile(stored, path, profile)
    dropped = sorted({*known.dropped_bands, *stored.bad_bands})
    wavelengths = known.wavelengths_nm or stored.wavelengths_nm
    bands = band_order(stored.shape[2], wavelengths, dropped, str(path))
    if len(bands) < 2:
        message = f"{path} keeps {len(bands)} of {stored.shape[2]} bands; needs 2; drop fewer bands"
        raise ShapeError(message)
    quantity = stored.quantity if known.quantity == "unknown" else known.quantity
    described = stored.description
    return OpenScene(
        name=known.name,
        stored=stored,
        profile=replace(known, quantity=quantity),
        bands=bands,
        coding=_coding(stored, known, path).of_bands(bands),
        wavelengths_nm=np.asarray(wavelengths)[list(bands)] if wavelengths else None,
        time=time or (described.time if described else ""),
        simulated=described.simulated if described else "",
    )


def open_array(path: Path, *, variable: str | None, content: Content) -> StoredArray:
    """Describe the cube or the label map in a file of any registered format."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        message = (
            f"{path} {what}; give the path of a {'scene' if content == 'cube' else 'label'} file"
        )
        raise MissingFileError(message)
    return _reader_of(path).open(path, variable=variable, content=content)


def _reader_of(path: Path) -> Reader:
    with path.open("rb") as file:
        head = file.read(1024)
    for _, reader in SOURCES:
        if reader.recognises(path, head):
            return reader
    known = ", ".join(sorted({suffix for _, reader in SOURCES for suffix in reader.suffixes}))
    message = f"{path} is of no known format; expected one of {known}; convert it first"
    raise FormatError(message)


def _profile(stored: StoredArray, path: Path, given: Profile | Path | str | None) -> Profile:
    if isinstance(given, Profile):
        return given
    if isinstance(given, Path):
        return load_profile(given)
    if isinstance(given, str):
        return load_profile(Path(given)) if Path(given).suffix else known_profile(given)
    if stored.description is not None:
        return stored.description.profile
    known = recognise(stored.shape, (stored.variable, path.stem))
    return known or Profile(name=path.stem)


def _coding(stored: StoredArray, profile: Profile, path: Path) -> Coding:
    """Take scale and offset from the profile where it has them, else from the file; never both."""
    own = Coding((profile.scale,), (profile.offset,))
    if not own.is_plain and not stored.coding.is_plain:
        message = (
            f"{path} and the profile {profile.name!r} both give a scale or offset; only the "
            f"profile's is applied (value = stored * {profile.scale:g} + {profile.offset:g})"
        )
        warnings.warn(message, SourceWarning, stacklevel=3)
    chosen = stored.coding if own.is_plain else own
    return replace(chosen, nodata=_union(stored.coding.nodata, profile.nodata))


def _union(first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(sorted({float(value) for value in (*first, *second)}))
