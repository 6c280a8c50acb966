"""Check the files of a benchmark: they exist, are whole, decode and have the size they claim."""

import io
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image

from earthexam.benchmark.problem import Problem, error, warning
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import FormatError
from earthexam.core.item import ROLES, VIEWS, Item, Media

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"})
TEXTS = frozenset({".txt", ".json", ".md"})


def media_problems(benchmark: Benchmark) -> Iterator[Problem]:
    """Check every file that an item names, each once, and that nobody left a stray one."""
    absent_is_known = bool(benchmark.info.built.get("without_media"))
    absent: list[Media] = []
    named: dict[str, Media] = {}
    for item in benchmark.items:
        yield from _record_problems(item)
        for media in item.media:
            first = named.setdefault(media.path, media)
            if (first.sha256, first.width, first.height) != (
                media.sha256,
                media.width,
                media.height,
            ):
                yield error("media", item.id, f"{media.path} is described in two ways")
    for media in named.values():
        try:
            path = benchmark.path(media)
        except FormatError as fault:
            yield error("media", media.path, str(fault))
            continue
        if path.is_file():
            yield from _file_problems(path, media)
        elif absent_is_known:
            absent.append(media)
        else:
            yield error("media", media.path, "the file does not exist; build or import again")
    if absent:
        yield warning(
            "media",
            "",
            f"{len(absent)} of {len(named)} files are absent, first {absent[0].path}; the benchmark "
            "was imported without media and can only be run blind",
        )
    yield from _stray_files(benchmark.root, named)


def _record_problems(item: Item) -> Iterator[Problem]:
    for media in item.media:
        if media.view not in VIEWS:
            yield error("media", item.id, f"unknown view {media.view!r}; known: {', '.join(VIEWS)}")
        if media.role not in ROLES:
            yield error("media", item.id, f"unknown role {media.role!r}; known: {', '.join(ROLES)}")


def _file_problems(path: Path, media: Media) -> Iterator[Problem]:
    data = path.read_bytes()
    digest = sha256(data).hexdigest()
    if digest != media.sha256:
        recorded = f"{media.sha256[:12]}…" if media.sha256 else "no hash"
        yield error("media", media.path, f"sha256 {digest[:12]}…, the item table has {recorded}")
    try:
        size = _decoded_size(data, path.suffix.lower())
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        yield error("media", media.path, f"cannot be decoded ({fault})")
        return
    claimed = (media.width, media.height)
    if size is not None and None not in claimed and size != claimed:
        yield error(
            "media",
            media.path,
            f"is {size[0]}×{size[1]} (width × height), the item table says {claimed[0]}×{claimed[1]}",
        )


def _decoded_size(data: bytes, suffix: str) -> tuple[int, int] | None:
    """Decode a file whole; return its (width, height), None for text and other data."""
    if suffix in PICTURES:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
            return picture.size
    if suffix == ".npy":
        array = np.load(io.BytesIO(data), allow_pickle=False)
        return (array.shape[1], array.shape[0]) if array.ndim >= 2 else None
    if suffix in TEXTS and not data.decode("utf-8").strip():
        message = "the text is empty"
        raise ValueError(message)
    return None


def _stray_files(root: Path, named: dict[str, Media]) -> Iterator[Problem]:
    folder = root / "media"
    if not folder.is_dir():
        return
    stray = sorted(
        path.relative_to(root).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(root).as_posix() not in named
    )
    if stray:
        yield warning("media", stray[0], f"{len(stray)} files in media/ belong to no item")
