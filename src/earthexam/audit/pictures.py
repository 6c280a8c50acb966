"""M1 and M2: files are there, whole and different; as many of them as the question needs."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.subject import Subject
from earthexam.benchmark.media import PICTURES, media_problems
from earthexam.core.errors import FormatError
from earthexam.core.item import Item, Media

_TWO_DATES = re.compile(
    r"\b(?:between|from)\s+(?:19|20)\d\d\s+(?:and|to|until)\s+(?:19|20)\d\d\b"
    r"|\bbefore and after\b|\bthe two (?:dates|images|times|years)\b|\bbi-?temporal\b",
    re.IGNORECASE,
)
_SKETCH = 16


@check(
    "M1",
    title="Media",
    definition="Every file exists, has its recorded hash and size and decodes (errors); no two groups "
    "show the same picture, byte for byte or to the eye (16 × 16 difference hash).",
    statistic="files concerned",
    fix="Write a manifest with hashes; deal each picture to one block.",
)
def media(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Check files, then look for equal pictures under different groups."""
    used = {m.path: m for item in subject.items for m in item.media}
    problems = list(media_problems(subject.benchmark))
    for severity in ("error", "warning"):
        seen = [p for p in problems if p.severity == severity]
        if seen:
            broken = {p.where for p in seen}
            ids = [i.id for i in subject.items if any(m.path in broken for m in i.media)]
            yield Hit(
                "error" if severity == "error" else "warning", len(seen), len(used),
                f"{seen[0].where or 'all'}: {seen[0].message}", tuple(ids),
                len(seen) / max(len(used), 1), 0.0,
            )  # fmt: skip
    yield from _equal_pictures(subject, used)


@check(
    "M2",
    title="Media count",
    definition="An item of a change task shows at least two pictures (error otherwise); a question "
    "that speaks of two dates has two (warning).",
    statistic="share of items",
    fix="Let the task declare how many pictures it needs, and assert it when building.",
)
def media_count(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare what tasks and questions need with what is shown."""
    change = [i for i in subject.items if any("change" in level.casefold() for level in i.levels)]
    single = [item for item in change if 0 < _shown(item) < 2]
    example = f"{single[0].id}, one picture: {single[0].question}" if single else ""
    yield from hit_items("error", [item.id for item in single], len(change), example)
    needs = {item.id for item in change}
    lone = [
        item
        for item in subject.items
        if item.id not in needs and 0 < _shown(item) < 2 and _TWO_DATES.search(item.question)
    ]
    example = f"{lone[0].id}, one picture: {lone[0].question}" if lone else ""
    yield from hit_items("warning", [item.id for item in lone], len(subject.items), example)


def difference_hash(picture: Image.Image) -> bytes:
    """Return whether brightness rises from each cell to the next on a 16 × 16 grid, 32 bytes.

    Pictures that differ in size or compression only have equal hashes (Krawetz 2013, dHash).
    """
    small = picture.convert("L").resize((_SKETCH + 1, _SKETCH), Image.Resampling.BILINEAR)
    values = np.asarray(small, dtype=np.int16)
    return np.packbits(values[:, 1:] > values[:, :-1]).tobytes()


def _shown(item: Item) -> int:
    """Count the files of the view that shows most."""
    return max((len(item.media_of(view)) for view in item.views()), default=0)


def _equal_pictures(subject: Subject, used: dict[str, Media]) -> Iterator[Hit]:
    groups: dict[str, set[str]] = defaultdict(set)
    for item in subject.items:
        for one in item.media:
            if one.role == "input":
                groups[one.path].add(item.group)
    alike: dict[bytes, list[str]] = defaultdict(list)
    for path in groups:
        sketch = _sketch(subject, used[path])
        if sketch:
            alike[sketch].append(path)
    shared = [
        paths for paths in alike.values() if len(set().union(*(groups[p] for p in paths))) > 1
    ]
    if not shared:
        return
    wanted = {path for paths in shared for path in paths}
    ids = tuple(i.id for i in subject.items if any(m.path in wanted for m in i.media))
    owners = sorted(set().union(*(groups[path] for path in shared[0])))
    example = f"{shared[0][0]} is shown for {', '.join(owners[:3])}"
    yield Hit("warning", len(wanted), len(groups), example, ids, len(wanted) / len(groups), 0.0)


def _sketch(subject: Subject, one: Media) -> bytes:
    """Return the difference hash of a picture file; empty for other and for unreadable files."""
    if Path(one.path).suffix.lower() not in PICTURES:
        return b""
    try:
        with Image.open(subject.benchmark.path(one)) as picture:
            sketch = difference_hash(picture)
    except (OSError, ValueError, FormatError):
        return b""  # media_problems has said so
    # A flat picture rises nowhere; there is nothing to compare it by.
    return sketch if any(sketch) else b""
