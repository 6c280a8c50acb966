"""Make pictures small enough to travel inside a page."""

import base64
import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

LARGEST_SIDE = 1024
"""Pictures are shrunk to this many pixels a side."""

_AS_IS = 40_000
_MOST_LOSSLESS = 200_000
_MIME = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class Embedded:
    """A picture as a ``data:`` address with its own size in pixels."""

    uri: str
    width: int
    height: int


def is_picture(path: str) -> bool:
    """Say whether a media path is a picture that browsers show."""
    return Path(path).suffix.lower() in _MIME


def embed_picture(path: Path) -> Embedded:
    """Read a picture for the page; same file, same bytes.

    Small files go in as they are; others as lossless WebP of at most `LARGEST_SIDE` pixels a side,
    and where that is still large, as WebP of quality 85.
    """
    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as image:
        width, height = image.size
        if len(data) <= _AS_IS and max(width, height) <= LARGEST_SIDE:
            return Embedded(_uri(_MIME[path.suffix.lower()], data), width, height)
        picture = image.convert("RGBA" if "A" in image.getbands() else "RGB")
    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE), Image.Resampling.LANCZOS)
    webp = _webp(picture, lossless=True)
    if len(webp) > _MOST_LOSSLESS:
        webp = _webp(picture, lossless=False)
    return Embedded(_uri("image/webp", webp), width, height)


def _webp(picture: Image.Image, *, lossless: bool) -> bytes:
    stream = io.BytesIO()
    # For lossless pictures quality is effort, not loss.
    picture.save(stream, "WEBP", lossless=lossless, quality=20 if lossless else 85, method=2)
    return stream.getvalue()


def _uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
