"""NumPy ``.npy``: rows, columns, bands, with a description in TOML or JSON of the same name beside it."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import FormatError, ShapeError
from earthexam.core.scene import Profile
from earthexam.sources import SOURCES
from earthexam.sources.profiles import Description, load_description
from earthexam.sources.reader import (
    EXAMPLE_NODATA,
    EXAMPLE_WAVELENGTHS_NM,
    Content,
    StoredArray,
    Window,
    example_cube,
)


class NumpyArray:
    """A ``.npy`` file."""

    suffixes = (".npy",)

    def recognises(self, path: Path, head: bytes) -> bool:
        """Look for the signature, or for the suffix of a file that lost it."""
        return head.startswith(b"\x93NUMPY") or path.suffix.lower() == ".npy"

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the array; pickled objects are refused."""
        mapped = _map(path)
        axes = 2 if content == "labels" else 3
        if mapped.ndim != axes or mapped.dtype.kind not in "buif":
            message = (
                f"{path} holds {mapped.dtype} of shape {mapped.shape}; expected numbers with {axes} "
                f"axes, {'rows and columns' if axes == 2 else 'rows, columns and bands'}"
            )
            raise ShapeError(message)
        rows, cols, bands = (*mapped.shape, 1)[:3]
        side = _side_file(path) if content == "cube" else None
        return StoredArray(
            format="npy",
            files=(path,) if side is None else (path, side),
            shape=(rows, cols, bands),
            dtype=mapped.dtype,
            read=partial(_read, path),
            description=None if side is None else load_description(side),
        )

    def write_example(self, folder: Path) -> Path:
        """Write an array with a side file."""
        cube = example_cube()
        cube[0, 0] = EXAMPLE_NODATA
        profile = Profile(
            "example", nodata=(EXAMPLE_NODATA,), wavelengths_nm=EXAMPLE_WAVELENGTHS_NM
        )
        return write_array(cube, Description(profile), folder / "example.npy")


def write_array(cube: NDArray[Any], description: Description, path: Path) -> Path:
    """Write an array as stored and its description beside it, to be read back as a scene.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Stored values; `description` holds the scale and offset that turn them into physical ones.
    path : Path
        Where the ``.npy`` goes; its folder exists.
    """
    np.save(path, cube, allow_pickle=False)
    path.with_suffix(".toml").write_text(_to_toml(description), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    value: object


def _to_toml(description: Description) -> str:
    """Write what differs from the defaults; JSON texts, numbers and lists are TOML as well."""
    profile = description.profile
    lines = [
        _Line("name", profile.name),
        _Line("sensor", profile.sensor),
        _Line("platform", profile.platform),
        _Line("scene_type", profile.scene_type),
        _Line("resolution_m", profile.resolution_m),
        _Line("quantity", profile.quantity),
        _Line("scale", profile.scale),
        _Line("offset", profile.offset),
        _Line("nodata", list(profile.nodata)),
        _Line("wavelengths_nm", list(profile.wavelengths_nm)),
        _Line("dropped_bands", list(profile.dropped_bands)),
        _Line("licence", profile.licence),
        _Line("citation", profile.citation),
        _Line("time", description.time),
        _Line("simulated", description.simulated),
    ]
    text = "".join(
        f"{line.key} = {json.dumps(line.value, ensure_ascii=False)}\n"
        for line in lines
        if line.value not in ("", None, [])
    )
    for value, name in sorted(profile.class_names.items()):
        text += f"\n[[classes]]\nvalue = {value}\nname = {json.dumps(name, ensure_ascii=False)}\n"
        if name in profile.class_kinds:
            text += f'kind = "{profile.class_kinds[name]}"\n'
    return text


def _side_file(path: Path) -> Path | None:
    sides = (path.with_suffix(suffix) for suffix in (".toml", ".json"))
    return next((side for side in sides if side.is_file()), None)


def _map(path: Path) -> NDArray[Any]:
    try:
        mapped: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, TokenError) as error:
        message = f"{path} is not a whole .npy file of numbers: {error}; write it anew"
        raise FormatError(message) from error
    return mapped


def _read(path: Path, window: Window) -> NDArray[Any]:
    # Mapped anew for each window: a map that lives on keeps every page it touched in memory.
    part = _map(path)[window.slices]
    return np.array(part if part.ndim == 3 else part[:, :, np.newaxis])


SOURCES.add("npy")(NumpyArray())
