"""NetCDF, classic and HDF5, through netCDF4; packing and fill values by the CF conventions."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import FormatError, MissingLibraryError
from earthexam.sources import SOURCES
from earthexam.sources.reader import (
    EXAMPLE_NODATA,
    EXAMPLE_WAVELENGTHS_NM,
    Content,
    StoredArray,
    Window,
    choose_variable,
    example_cube,
)
from earthexam.sources.values import Coding
from earthexam.sources.wavelengths import to_nanometres

_BAND_NAMES = ("band", "wavelength", "wl", "lambda", "channel", "spectral")
_COLUMN_NAMES = (
    "x",
    "lon",
    "longitude",
    "col",
    "cols",
    "column",
    "columns",
    "samples",
    "crosstrack",
)
_ROW_NAMES = ("y", "lat", "latitude", "row", "rows", "line", "lines", "downtrack")


class NetCdf:
    """A NetCDF file; variables in groups are called ``group/name``."""

    suffixes = (".nc", ".nc4", ".cdf", ".h5", ".hdf5")

    def recognises(self, path: Path, head: bytes) -> bool:
        """Look for a classic or an HDF5 signature; MATLAB's HDF5 files are not meant."""
        if path.suffix.lower() == ".mat" or head.startswith(b"MATLAB"):
            return False
        known = head.startswith((b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF\r\n\x1a\n"))
        return known or path.suffix.lower() in self.suffixes

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the one variable with three axes, or two for labels."""
        wanted = 3 if content == "cube" else 2
        with _Dataset(path) as dataset:
            shapes = {
                name: tuple(array.shape)
                for name, array in _variables(dataset)
                if array.ndim == wanted and getattr(array.dtype, "kind", "O") in "iuf"
            }
            kind = "3-D numeric variable" if content == "cube" else "2-D numeric variable"
            chosen = choose_variable(path, shapes, variable, kind)
            array = dataset[chosen]
            axes = _axes(array.dimensions)
            rows, cols, bands = (*(array.shape[axis] for axis in axes), 1)[:3]
            wavelengths = () if content == "labels" else _wavelengths(dataset, array, axes[2], path)
            return StoredArray(
                format="netcdf",
                files=(path,),
                shape=(rows, cols, bands),
                dtype=array.dtype,
                read=partial(_read, path, chosen, axes),
                variable=chosen,
                coding=Coding(
                    (float(getattr(array, "scale_factor", 1.0)),),
                    (float(getattr(array, "add_offset", 0.0)),),
                    _fill_values(array),
                ),
                wavelengths_nm=wavelengths,
            )

    def write_example(self, folder: Path) -> Path:
        """Write a packed variable with the bands first."""
        cube = example_cube()
        cube[0, 0] = EXAMPLE_NODATA
        path = folder / "example.nc"
        with _Dataset(path, "w") as dataset:
            for name, size in zip(("band", "y", "x"), (3, 4, 5), strict=True):
                dataset.createDimension(name, size)
            wavelength = dataset.createVariable("wavelength", "f8", ("band",))
            wavelength.units = "nm"
            wavelength[:] = EXAMPLE_WAVELENGTHS_NM
            array = dataset.createVariable(
                "example", "i2", ("band", "y", "x"), fill_value=EXAMPLE_NODATA
            )
            array.set_auto_maskandscale(False)
            array[:] = cube.transpose(2, 0, 1)
        return path


class _Dataset:
    """An open file; what the library cannot read becomes one error of ours."""

    def __init__(self, path: Path, mode: Literal["r", "w"] = "r") -> None:
        try:
            import netCDF4
        except ImportError as error:
            package = "netCDF4"
            raise MissingLibraryError.of(package, f"reading {path.name}", "build") from error
        try:
            self._dataset = netCDF4.Dataset(path, mode)
        except (OSError, RuntimeError, UnicodeDecodeError) as error:
            message = (
                f"{path} cannot be read as NetCDF: {error}; the file may be cut off; copy it anew"
            )
            raise FormatError(message) from error

    def __enter__(self) -> Any:
        return self._dataset

    def __exit__(self, *_: object) -> None:
        self._dataset.close()


def _variables(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, variable in group.variables.items():
        yield prefix + name, variable
    for name, child in group.groups.items():
        yield from _variables(child, f"{prefix}{name}/")


def _axes(dimensions: Sequence[str]) -> tuple[int, ...]:
    """Return which axes of the file are the rows, the columns and, of three, the bands.

    The band axis is told by its name, else it is the one beside two named like map axes, else the
    last.
    """
    names = [name.lower() for name in dimensions]
    axes = list(range(len(names)))
    spatial = [axis for axis in axes if names[axis] in _ROW_NAMES + _COLUMN_NAMES]
    band: list[int] = []
    if len(names) == 3:
        named = [axis for axis in axes if names[axis].startswith(_BAND_NAMES)]
        rest = [axis for axis in axes if axis not in spatial]
        band = named if len(named) == 1 else rest if len(rest) == 1 else [2]
    rows, cols = (axis for axis in axes if axis not in band)
    if names[rows] in _COLUMN_NAMES and names[cols] in _ROW_NAMES:
        rows, cols = cols, rows
    return (rows, cols, *band)


def _fill_values(array: Any) -> tuple[float, ...]:
    attributes = (getattr(array, name, ()) for name in ("_FillValue", "missing_value"))
    found = {float(value) for attribute in attributes for value in np.ravel(attribute)}
    return tuple(sorted(value for value in found if np.isfinite(value)))


def _wavelengths(dataset: Any, array: Any, axis: int, path: Path) -> tuple[float, ...]:
    """Read the band centres: a variable along the band axis that is called so or has such a name."""
    dimension, size = array.dimensions[axis], array.shape[axis]
    for name, variable in _variables(dataset):
        plain = name.rsplit("/", 1)[-1].lower()
        standard = getattr(variable, "standard_name", "")
        if variable.dimensions != (dimension,) or variable.shape != (size,):
            continue
        if "wavelength" in plain or plain == "wl" or standard == "radiation_wavelength":
            values = np.ma.filled(variable[:].astype(np.float64), np.nan)
            return to_nanometres(values.tolist(), getattr(variable, "units", ""), path)
    return ()


def _read(path: Path, name: str, axes: tuple[int, ...], window: Window) -> NDArray[Any]:
    """Read a window as stored; netCDF4 masks fill values, default fills and invalid ranges."""
    wanted = (*window.slices, slice(None))
    with _Dataset(path) as dataset:
        array = dataset[name]
        array.set_auto_scale(False)
        index = tuple(wanted[axes.index(axis)] for axis in range(array.ndim))
        try:
            part = array[index]
        except (OSError, RuntimeError) as error:
            message = (
                f"{path}: {name} cannot be read: {error}; the file may be cut off; copy it anew"
            )
            raise FormatError(message) from error
        unsigned = str(getattr(array, "_Unsigned", "false")).lower() == "true"
    if unsigned and part.dtype.kind == "i":
        part = part.view(part.dtype.str.replace("i", "u"))
    part = part.transpose(axes)
    cube: NDArray[Any] = part if part.ndim == 3 else part[:, :, np.newaxis]
    return cube


SOURCES.add("netcdf")(NetCdf())
