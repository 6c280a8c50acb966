"""Parse an ENVI header: text of ``key = value`` lines beside the binary file.

What other software writes and this accepts: keys in any case and with underscores, values over
several lines in braces, CRLF, a byte order mark, Latin-1, comment lines that begin with ``;``, empty values, and
headers without byte order, header offset or file type.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from earthexam.core.errors import FormatError
from earthexam.sources.reader import SourceWarning
from earthexam.sources.wavelengths import to_nanometres

# Data types of the ENVI header format; 6 and 9 are complex and no image.
_DTYPES: Mapping[int, str] = {
    1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8",
}  # fmt: skip
_INTERLEAVES = ("bsq", "bil", "bip")


@dataclass(frozen=True)
class EnviHeader:
    """The fields of a header that concern the values.

    Attributes
    ----------
    gain, offset : tuple of float
        ``data gain values`` and ``data offset values``, one a band, or empty.
    reflectance_scale : float or None
        Stored values divided by this are reflectance.
    bad_bands : tuple of int
        0-based bands whose ``bbl`` entry is 0.
    """

    rows: int
    cols: int
    bands: int
    dtype: np.dtype[Any]
    interleave: str
    header_offset: int = 0
    ignore_value: float | None = None
    reflectance_scale: float | None = None
    gain: tuple[float, ...] = ()
    offset: tuple[float, ...] = ()
    wavelengths_nm: tuple[float, ...] = ()
    bad_bands: tuple[int, ...] = ()

    @property
    def data_size(self) -> int:
        """Bytes that the binary file has to have."""
        return self.header_offset + self.rows * self.cols * self.bands * self.dtype.itemsize


def read_header(path: Path) -> EnviHeader:
    """Read an ENVI header.

    Raises
    ------
    FormatError
        The text is no ENVI header, a needed key is missing, or a value is no number.
    """
    fields = parse_fields(path)
    rows, cols, bands = (_integer(fields, key, path) for key in ("lines", "samples", "bands"))
    interleave = fields.get("interleave", "").lower()
    if interleave not in _INTERLEAVES:
        message = f"{path}: interleave = {interleave!r}; expected bsq, bil or bip; mend the header"
        raise FormatError(message)
    if min(rows, cols, bands) < 1:
        message = f"{path}: {rows} lines, {cols} samples, {bands} bands; each has to be at least 1"
        raise FormatError(message)
    good = _per_band(fields, "bbl", bands, path)
    scale = _number(fields, "reflectance scale factor", path)
    if scale is not None and scale <= 0:
        message = f"{path}: reflectance scale factor = {scale}; expected a number above 0"
        raise FormatError(message)
    return EnviHeader(
        rows=rows,
        cols=cols,
        bands=bands,
        dtype=_dtype(fields, path),
        interleave=interleave,
        header_offset=_integer(fields, "header offset", path, default=0),
        ignore_value=_number(fields, "data ignore value", path),
        reflectance_scale=scale,
        gain=_per_band(fields, "data gain values", bands, path),
        offset=_per_band(fields, "data offset values", bands, path),
        wavelengths_nm=_wavelengths(fields, bands, path),
        bad_bands=tuple(band for band, flag in enumerate(good) if flag == 0),
    )


def parse_fields(path: Path) -> Mapping[str, str]:
    """Split a header into its keys, lower-case with single spaces, and their raw values."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    first, *lines = text.splitlines() or [""]
    if not first.strip().upper().startswith("ENVI"):
        message = f"{path} begins with {first[:20]!r}; an ENVI header begins with the line ENVI"
        raise FormatError(message)
    kept = "\n".join(line for line in lines if not line.lstrip().startswith(";"))
    pairs = re.findall(r"^[ \t]*([^=\n{}]+?)[ \t]*=[ \t]*(\{[^}]*\}?|[^\n]*)", kept, re.MULTILINE)
    fields: dict[str, str] = {}
    for key, value in pairs:
        if value.startswith("{") and not value.endswith("}"):
            message = f"{path}: the braces of {key!r} are not closed; the header is cut off"
            raise FormatError(message)
        fields[re.sub(r"[\s_]+", " ", key).lower()] = value.strip().strip("{}").strip()
    return fields


def _dtype(fields: Mapping[str, str], path: Path) -> np.dtype[Any]:
    code = _integer(fields, "data type", path)
    if code not in _DTYPES:
        known = ", ".join(map(str, _DTYPES))
        message = f"{path}: data type = {code}; expected one of {known}; convert the file first"
        raise FormatError(message)
    if "byte order" not in fields:
        message = f"{path} names no byte order; taken as 0 (little-endian)"
        warnings.warn(message, SourceWarning, stacklevel=2)
    order = _integer(fields, "byte order", path, default=0)
    if order not in (0, 1):
        message = f"{path}: byte order = {order}; expected 0 (little-endian) or 1 (big-endian)"
        raise FormatError(message)
    return np.dtype(("<" if order == 0 else ">") + _DTYPES[code])


def _wavelengths(fields: Mapping[str, str], bands: int, path: Path) -> tuple[float, ...]:
    values = _per_band(fields, "wavelength", bands, path)
    return to_nanometres(values, fields.get("wavelength units", ""), path)


def _per_band(fields: Mapping[str, str], key: str, bands: int, path: Path) -> tuple[float, ...]:
    """Read a list with one number a band; of another length it is ignored with a warning."""
    parts = [part for part in re.split(r"[,\s]+", fields.get(key, "")) if part]
    if not parts:
        return ()
    if len(parts) != bands:
        message = f"{path}: {key} has {len(parts)} values for {bands} bands; ignored"
        warnings.warn(message, SourceWarning, stacklevel=2)
        return ()
    return tuple(_to_float(part, key, path) for part in parts)


def _number(fields: Mapping[str, str], key: str, path: Path) -> float | None:
    text = fields.get(key, "")
    return _to_float(text, key, path) if text else None


def _integer(fields: Mapping[str, str], key: str, path: Path, default: int | None = None) -> int:
    text = fields.get(key, "")
    if not text and default is not None:
        return default
    if not text:
        message = f"{path} names no {key!r}, which an ENVI header needs; add the line"
        raise FormatError(message)
    try:
        return int(text)
    except ValueError:
        message = f"{path}: {key} = {text!r}; expected a whole number; mend the header"
        raise FormatError(message) from None


def _to_float(text: str, key: str, path: Path) -> float:
    try:
        return float(text)
    except ValueError:
        message = f"{path}: {key} holds {text!r}; expected a number; mend the header"
        raise FormatError(message) from None
