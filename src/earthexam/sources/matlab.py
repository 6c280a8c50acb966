"""MATLAB ``.mat``: version 5 through SciPy, version 7.3 (HDF5) through h5py with all axes reversed."""

import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy.io.matlab import MatReadError

from earthexam.core.errors import FormatError, MissingLibraryError
from earthexam.sources import SOURCES
from earthexam.sources.reader import (
    Content,
    StoredArray,
    Window,
    choose_variable,
    example_cube,
)

_HDF5 = b"\x89HDF\r\n\x1a\n"
_VERSION_5_CLASSES = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
) | {"double", "single", "logical"}
_WHAT: Mapping[Content, str] = {"cube": "3-D numeric array", "labels": "2-D numeric array"}


class Matlab:
    """A ``.mat`` file of any version; the one array with three axes is the cube."""

    suffixes = (".mat",)

    def recognises(self, path: Path, head: bytes) -> bool:
        """Look for the text that versions 5 and 7.3 begin with, or for the suffix."""
        return head.startswith(b"MATLAB") or path.suffix.lower() == ".mat"

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the array; version 5 is read whole, as its format cannot be read in parts."""
        with path.open("rb") as file:
            head = file.read(1024)
        opener = _open_hdf5 if _HDF5 in (head[:8], head[512:520]) else _open_version_5
        return opener(path, variable, content)

    def write_example(self, folder: Path) -> Path:
        """Write a version 5 file that also holds a label map."""
        cube = example_cube().astype(np.float32)
        cube[0, 0] = np.nan
        path = folder / "example.mat"
        scipy.io.savemat(path, {"example": cube, "example_gt": np.eye(4, 5, dtype=np.uint8)})
        return path


def _open_version_5(path: Path, variable: str | None, content: Content) -> StoredArray:
    contents = _guarded(path, partial(scipy.io.whosmat, path))
    fitting = {
        name: (tuple(shape), "int" in kind)
        for name, shape, kind in contents
        if kind in _VERSION_5_CLASSES and _fits(tuple(shape), content)
    }
    chosen = choose_variable(path, _likely(fitting, content), variable, _WHAT[content])
    array = _guarded(path, partial(scipy.io.loadmat, path, variable_names=[chosen]))[chosen]
    if content == "labels":
        array = array[:, :, np.newaxis]
    return StoredArray(
        format="matlab 5",
        files=(path,),
        shape=array.shape,
        dtype=array.dtype,
        read=partial(_cut, array),
        variable=chosen,
    )


def _cut(array: NDArray[Any], window: Window) -> NDArray[Any]:
    cut: NDArray[Any] = array[window.slices]
    return cut


def _guarded(path: Path, call: Callable[[], Any]) -> Any:
    """Turn what SciPy raises on a damaged file into one error of ours."""
    try:
        return call()
    except (ValueError, TypeError, OSError, KeyError, zlib.error, MatReadError) as error:
        message = (
            f"{path} is not a whole MATLAB file: {error or type(error).__name__}; copy it anew"
        )
        raise FormatError(message) from error


def _open_hdf5(path: Path, variable: str | None, content: Content) -> StoredArray:
    try:
        import h5py
    except ImportError as error:
        package, need = "h5py", f"reading the MATLAB 7.3 file {path.name}"
        raise MissingLibraryError.of(package, need, "build") from error
    try:
        with h5py.File(path, "r") as file:
            fitting = {
                name: (tuple(reversed(dataset.shape)), dataset.dtype.kind in "iu")
                for name, dataset in file.items()
                if isinstance(dataset, h5py.Dataset)
                and dataset.dtype.kind in "buif"
                and _fits(dataset.shape, content)
            }
            chosen = choose_variable(path, _likely(fitting, content), variable, _WHAT[content])
            dtype = file[chosen].dtype
    except OSError as error:
        message = f"{path} is not a whole MATLAB 7.3 file: {error}; copy it anew"
        raise FormatError(message) from error
    rows, cols, bands = (*fitting[chosen][0], 1)[:3]
    return StoredArray(
        format="matlab 7.3",
        files=(path,),
        shape=(rows, cols, bands),
        dtype=dtype,
        read=partial(_read_hdf5, path, chosen),
        variable=chosen,
    )


def _read_hdf5(path: Path, variable: str, window: Window) -> NDArray[Any]:
    import h5py

    rows, cols = window.slices
    try:
        with h5py.File(path, "r") as file:
            # MATLAB writes its first axis last, so the file's order is (bands, cols, rows).
            part: NDArray[Any] = file[variable][..., cols, rows].T
    except OSError as error:
        message = f"{path}: {variable} cannot be read: {error}; copy the file anew"
        raise FormatError(message) from error
    return np.ascontiguousarray(part if part.ndim == 3 else part[:, :, np.newaxis])


def _likely(
    fitting: Mapping[str, tuple[tuple[int, ...], bool]], content: Content
) -> Mapping[str, tuple[int, ...]]:
    """Return name and shape of the arrays to choose from: for labels the integer ones, if any."""
    integer_only = content == "labels" and any(integer for _, integer in fitting.values())
    return {
        name: shape for name, (shape, integer) in fitting.items() if integer or not integer_only
    }


def _fits(shape: tuple[int, ...], content: Content) -> bool:
    """Tell cubes and maps from vectors and numbers, which MATLAB stores with two axes as well."""
    return len(shape) == (3 if content == "cube" else 2) and min(shape) > 1


SOURCES.add("matlab")(Matlab())
