"""ENVI: a text header beside a raw binary file."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import FormatError, MissingFileError, ShapeError
from earthexam.sources import SOURCES
from earthexam.sources.envi_header import EnviHeader, read_header
from earthexam.sources.reader import (
    EXAMPLE_NODATA,
    EXAMPLE_WAVELENGTHS_NM,
    Content,
    StoredArray,
    Window,
    example_cube,
)
from earthexam.sources.values import Coding

_DATA_SUFFIXES = ("", ".img", ".dat", ".raw", ".bsq", ".bil", ".bip", ".bin")


class Envi:
    """ENVI, given by its header or by its binary file."""

    suffixes = (".hdr", *_DATA_SUFFIXES[1:])

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say whether this is a header or a header lies beside."""
        if path.suffix.lower() == ".hdr":
            return True
        return path.suffix.lower() in _DATA_SUFFIXES and _header_of(path) is not None

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the array; the binary file has to have exactly the size the header gives."""
        header_path, data_path = _pair(path)
        header = read_header(header_path)
        size = data_path.stat().st_size
        if size != header.data_size:
            message = (
                f"{data_path} has {size} bytes, {header_path.name} gives {header.data_size} "
                f"({header.header_offset} + {header.rows}×{header.cols}×{header.bands} values of "
                f"{header.dtype.itemsize} bytes); the file is cut off or the header is of another"
            )
            raise FormatError(message)
        if content == "labels" and header.bands != 1:
            message = f"{path} has {header.bands} bands; a label map has one; give the label file"
            raise ShapeError(message)
        return StoredArray(
            format="envi",
            files=(data_path, header_path),
            shape=(header.rows, header.cols, header.bands),
            dtype=header.dtype,
            read=partial(_read, data_path, header),
            coding=_coding(header),
            wavelengths_nm=header.wavelengths_nm,
            bad_bands=header.bad_bands,
            quantity="unknown" if header.reflectance_scale is None else "reflectance",
        )

    def write_example(self, folder: Path) -> Path:
        """Write a big-endian BIL file with the wavelengths falling."""
        cube = example_cube()
        cube[0, 0] = EXAMPLE_NODATA
        falling = cube[:, :, ::-1].transpose(0, 2, 1).astype(">i2")
        (folder / "example.img").write_bytes(falling.tobytes())
        wavelengths = ", ".join(f"{nm / 1000:g}" for nm in reversed(EXAMPLE_WAVELENGTHS_NM))
        header = folder / "example.hdr"
        header.write_text(
            "ENVI\nsamples = 5\nlines = 4\nbands = 3\nheader offset = 0\nfile type = ENVI Standard\n"
            f"data type = 2\ninterleave = bil\nbyte order = 1\ndata ignore value = {EXAMPLE_NODATA}\n"
            f"wavelength units = Micrometers\nwavelength = {{{wavelengths}}}\n",
            encoding="utf-8",
        )
        return header


def _pair(path: Path) -> tuple[Path, Path]:
    """Return the header and the binary file that belong together."""
    if path.suffix.lower() != ".hdr":
        header = _header_of(path)
        if header is None:
            message = f"{path} has no header; expected {path.with_suffix('.hdr').name} beside it"
            raise MissingFileError(message)
        return header, path
    stem = path.with_suffix("")
    names = {f"{stem.name}{suffix}".lower() for suffix in _DATA_SUFFIXES}
    found = sorted(
        file for file in path.parent.iterdir() if file.name.lower() in names and file.is_file()
    )
    if not found:
        message = f"{path} has no binary file beside it; expected {stem.name}.img, .dat or the like"
        raise MissingFileError(message)
    return path, found[0]


def _header_of(path: Path) -> Path | None:
    names = {f"{path.stem}.hdr".lower(), f"{path.name}.hdr".lower()}
    found = sorted(file for file in path.parent.iterdir() if file.name.lower() in names)
    return found[0] if found else None


def _coding(header: EnviHeader) -> Coding:
    """Combine gain, offset and reflectance scale factor to one scale and offset."""
    divisor = header.reflectance_scale or 1.0
    return Coding(
        scale=tuple(gain / divisor for gain in header.gain or (1.0,)),
        offset=tuple(offset / divisor for offset in header.offset or (0.0,)),
        nodata=() if header.ignore_value is None else (header.ignore_value,),
    )


def _read(path: Path, header: EnviHeader, window: Window) -> NDArray[Any]:
    rows, cols = window.slices
    count = (header.rows, header.cols, header.bands)
    stored, index, to_cube = {
        "bsq": ((count[2], count[0], count[1]), (slice(None), rows, cols), (1, 2, 0)),
        "bil": ((count[0], count[2], count[1]), (rows, slice(None), cols), (0, 2, 1)),
        "bip": (count, (rows, cols, slice(None)), (0, 1, 2)),
    }[header.interleave]
    # Mapped anew for each window: a map that lives on keeps every page it touched in memory.
    mapped = np.memmap(path, header.dtype, "r", offset=header.header_offset, shape=stored)
    return np.ascontiguousarray(mapped[index].transpose(to_cube))


SOURCES.add("envi")(Envi())
