"""Make pictures fit what a model can take, and record by how much they shrank."""

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Resize, UnsupportedItemError

_MIME = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}
# Opened by class: Image.open refuses pictures above 179 million pixels, by a limit that holds for
# the whole process; the files here are listed in a benchmark, not sent by a stranger.
_OPENERS: dict[str, type[ImageFile]] = {
    "image/png": PngImageFile,
    "image/jpeg": JpegImageFile,
    "image/webp": WebPImageFile,
}
_BASE64 = 4 / 3
_JPEG_QUALITY = 95


@dataclass(frozen=True, slots=True)
class Fitted:
    """A picture ready to be sent.

    Attributes
    ----------
    data : bytes
        The stored file itself, or a smaller picture: PNG, JPEG only where the file is one.
    resize : Resize or None
        None where the stored file is sent as it is.
    """

    data: bytes
    mime: str
    width: int
    height: int
    resize: Resize | None = None

    def data_url(self) -> bytes:
        """Return the picture as a ``data:`` URL."""
        return b"data:%b;base64,%b" % (self.mime.encode(), base64.b64encode(self.data))


def fit_pictures(root: Path, paths: Sequence[str], profile: Profile) -> tuple[Fitted, ...]:
    """Read pictures and shrink those that pass a limit of the profile.

    Parameters
    ----------
    root : Path
        Folder that `paths` start from.
    paths : sequence of str
        In the order shown.

    Raises
    ------
    UnsupportedItemError
        The model takes fewer pictures than there are.
    MissingFileError, FormatError
        A file does not exist or is no picture; names it.
    """
    if profile.most_pictures is not None and len(paths) > profile.most_pictures:
        message = f"{len(paths)} pictures; the model takes at most {profile.most_pictures}"
        raise UnsupportedItemError(message)
    return tuple(_fit(root, path, profile, len(paths)) for path in paths)


def picture_size(path: Path) -> tuple[int, int]:
    """Read width and height of a picture file from its header."""
    raw = _read(path)
    return _size(raw, _mime(raw, path), path)


def _fit(root: Path, path: str, profile: Profile, shared_by: int) -> Fitted:
    pixels = _least(profile.most_pixels, profile.most_request_pixels, shared_by)
    length = _least(profile.most_bytes, profile.most_request_bytes, shared_by)
    raw = _read(root / path)
    mime = _mime(raw, root / path)
    width, height = _size(raw, mime, root / path)
    factor = min(1.0, math.sqrt(pixels / (width * height)))
    if profile.most_side is not None:
        factor = min(factor, profile.most_side / max(width, height))
    if factor == 1.0 and len(raw) * _BASE64 <= length:
        return Fitted(raw, mime, width, height)
    try:
        return _shrink(raw, path, mime, factor, length)
    except (OSError, SyntaxError) as error:  # Pillow calls a broken PNG chunk a SyntaxError
        raise _unreadable(root / path, error) from error


def _least(each: int | None, together: int | None, shared_by: int) -> float:
    return min(
        math.inf if each is None else each,
        math.inf if together is None else together / shared_by,
    )


def _shrink(raw: bytes, path: str, mime: str, factor: float, length: float) -> Fitted:
    """Shrink by `factor`, then further until the base64 text is short enough."""
    with _OPENERS[mime](io.BytesIO(raw)) as picture:
        full = picture.convert("RGB") if mime == "image/jpeg" else _plain(picture)
    while True:
        width = max(1, math.floor(full.width * factor))
        height = max(1, math.floor(full.height * factor))
        smaller = full.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
        data, form = _encode(smaller, mime)
        if len(data) * _BASE64 <= length or width == height == 1:
            shrunk = Resize(path, width / full.width, height / full.height)
            unchanged = (width, height) == full.size
            return Fitted(data, form, width, height, None if unchanged else shrunk)
        factor *= min(0.95, math.sqrt(length / (len(data) * _BASE64)))


def _plain(picture: Image.Image) -> Image.Image:
    """Return the picture in a mode that resampling can average: palettes become colours."""
    if picture.mode in {"L", "RGB", "RGBA"}:
        return picture.copy()
    if picture.mode in {"P", "PA", "LA"} and "transparency" in picture.info:
        return picture.convert("RGBA")
    return picture.convert("L" if picture.mode in {"1", "LA"} else "RGB")


def _encode(picture: Image.Image, mime: str) -> tuple[bytes, str]:
    stream = io.BytesIO()
    if mime == "image/jpeg":
        picture.save(stream, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
        return stream.getvalue(), mime
    picture.save(stream, "PNG")
    return stream.getvalue(), "image/png"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        message = f"{path} does not exist; the benchmark lacks media, copy or import it again"
        raise MissingFileError(message) from error


def _mime(raw: bytes, path: Path) -> str:
    for magic, mime in _MIME.items():
        if raw.startswith(magic):
            return mime
    message = f"{path} is no PNG, JPEG or WebP picture; it starts with {raw[:8]!r}"
    raise FormatError(message)


def _size(raw: bytes, mime: str, path: Path) -> tuple[int, int]:
    """Read width and height; a PNG has them at a fixed place, which spares opening it."""
    if raw.startswith(b"\x89PNG") and len(raw) >= 24:
        return int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")
    try:
        with _OPENERS[mime](io.BytesIO(raw)) as picture:
            return picture.size
    except (OSError, SyntaxError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> FormatError:
    return FormatError(f"{path} cannot be read as a picture ({error}); copy or import it again")
