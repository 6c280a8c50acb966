"""Turn choice questions into open-ended ones: the options go, the key becomes a golden answer.

How depends on what the options are, as in the OmniEarth-Bench paper (arXiv:2505.23522, Section 4): a
small set of labels is dropped, a large one is listed in the question, a value or a range is asked for
in a stated form. What cannot be turned is listed with the reason.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from earthexam.answers.golden import golden_from_text
from earthexam.answers.prejudge import tolerance_of
from earthexam.benchmark.store import Benchmark, BenchmarkInfo, BenchmarkWriter, write_benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Choice, Golden, Item, JsonValue, Media, normalise_text
from earthexam.published.spheres import OpenType, sphere_tasks

SMALL_SET = 8
LISTED = 40
"""Most labels of a task that are listed; beyond it an item lists its own options."""

_ABSTAINS = re.compile(
    r"unable to decide|cannot (?:be )?(?:tell|decide|determined?)", re.IGNORECASE
)
_POINTS_AT_OPTIONS = re.compile(
    r"\b(?:which|what)\s+(?:one\s+)?of\s+(?:these|those|the\s+(?:following|options|above|given))\b"
    r"|\b(?:following|listed|given|above)\s+(?:options?|choices?|answers?|statements?|descriptions?)\b"
    r"|\b(?:none|all|both|neither|any)\s+of\s+(?:the\s+above|these|the\s+options)\b"
    r"|\boptions?\s+[A-H]\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NotTurned:
    """A choice question that has no open-ended form, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Turned:
    """What a transformation made.

    Attributes
    ----------
    n : int
        Open-ended questions.
    other : int
        Items that were no choice questions to begin with.
    """

    root: Path
    n: int
    not_turned: tuple[NotTurned, ...]
    other: int


def turn_open_ended(benchmark: Benchmark, out: Path) -> Turned:
    """Write the open-ended twins of a benchmark's choice questions as a new benchmark.

    A twin keeps task, levels, group and media of its parent, has its id with ``-open``, names it in
    ``meta.parent`` and starts with ``meta.review`` ``unreviewed``.

    Raises
    ------
    InputError
        No question could be turned.
    """
    choices = [item for item in benchmark.items if isinstance(item.answer, Choice)]
    types = _open_types(choices)
    labels = _labels_by_task(choices)
    made: list[Item] = []
    left: list[NotTurned] = []
    for item in choices:
        turned = turn_item(item, types[item.task], labels[item.task])
        if isinstance(turned, NotTurned):
            left.append(turned)
        else:
            made.append(turned)
    if not made:
        message = f"{benchmark.root} has no choice question that can become an open-ended one"
        raise InputError(message)
    with write_benchmark(out) as writer:
        writer.add_items(_with_media(made, benchmark, writer))
        writer.finish(_info(benchmark, left))
    return Turned(out, len(made), tuple(left), len(benchmark.items) - len(choices))


def turn_item(item: Item, open_type: OpenType, labels: tuple[str, ...]) -> Item | NotTurned:
    """Turn one choice question, or say why it cannot be turned.

    Parameters
    ----------
    open_type : OpenType
        What the options of its task are.
    labels : tuple of str
        All options of its task, abstaining ones left out.
    """
    reason = _why_not(item)
    if reason:
        return NotTurned(item.id, reason)
    text = item.options[_right(item)[0]]
    golden = golden_from_text(text, open_type, place="geolocation" in item.task)
    is_value = golden.kind in ("number", "interval", "vector")
    listed = not is_value and open_type != "small_label_set"
    meta: dict[str, JsonValue] = {"parent": item.id, "review": "unreviewed"}
    if not is_value and len(labels) <= LISTED:
        meta["labels"] = list(labels)
    if "lead_months" in item.meta:
        meta["lead_months"] = item.meta["lead_months"]
    candidates = labels if len(labels) <= LISTED else _told(item.options)
    ask = f"Answer with one of: {'; '.join(candidates)}." if listed else _form(golden)
    return replace(
        item,
        id=f"{item.id}-open",
        format="open",
        question=f"{item.question} {ask}".strip(),
        question_by_view={view: f"{q} {ask}".strip() for view, q in item.question_by_view.items()},
        options=(),
        answer=_with_tolerance(golden, item),
        meta=meta,
        provenance=None,
    )


def _right(item: Item) -> tuple[int, ...]:
    return item.answer.indices if isinstance(item.answer, Choice) else ()


def _why_not(item: Item) -> str:
    indices = _right(item)
    if len(indices) != 1:
        return f"{len(indices)} right options have no single golden answer"
    if _ABSTAINS.search(item.options[indices[0]]):
        return "the right option abstains"
    if _POINTS_AT_OPTIONS.search(item.question):
        return "the question points at its options"
    if any(_POINTS_AT_OPTIONS.search(option) for option in item.options):
        return "an option points at other options"
    return ""


def _open_types(items: Iterable[Item]) -> dict[str, OpenType]:
    """Say for every task what its options are: as published, else as they look."""
    known = {task.code: task.open_type for task in sphere_tasks() if task.open_type}
    by_task: dict[str, list[Item]] = {}
    for item in items:
        by_task.setdefault(item.task, []).append(item)
    return {task: known.get(task) or _guess(own) for task, own in by_task.items()}


def _guess(items: list[Item]) -> OpenType:
    texts = [text for item in items for text in _told(item.options)]
    if all(golden_from_text(text, "exact_regression").kind in _VALUES for text in texts):
        return "exact_regression"
    if all(golden_from_text(text, "interval_regression").kind in _VALUES for text in texts):
        return "interval_regression"
    distinct = {normalise_text(text) for text in texts}
    return "small_label_set" if len(distinct) <= SMALL_SET else "large_label_set"


_VALUES = ("number", "vector", "interval")


def _labels_by_task(items: Iterable[Item]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, str]] = {}
    for item in items:
        own = found.setdefault(item.task, {})
        for text in _told(item.options):
            own.setdefault(normalise_text(text), text)
    return {task: tuple(sorted(own.values())) for task, own in found.items()}


def _told(options: Iterable[str]) -> tuple[str, ...]:
    return tuple(option for option in options if not _ABSTAINS.search(option))


def _form(golden: Golden) -> str:
    unit = f", in {golden.unit}" if golden.unit else ""
    match golden.kind:
        case "number":
            return f"Give one number{unit}."
        case "interval":
            return f"Give a range, the lower number first, as 2-5{unit}."
        case "vector":
            count = len(golden.value) if isinstance(golden.value, list) else 0
            return f"Give {count} numbers in square brackets, separated by commas."
        case "yes_no":
            return "Begin with yes or no."
        case _:
            return ""


def _with_tolerance(golden: Golden, item: Item) -> Golden:
    """Record the tolerance where it is a plain share; counts and values below 1 have rules of their own."""
    value = golden.value
    if golden.kind != "number" or item.question_type == "count" or not isinstance(value, float):
        return golden
    return replace(golden, tolerance=tolerance_of(value)) if abs(value) >= 1 else golden


def _with_media(
    items: Iterable[Item], benchmark: Benchmark, writer: BenchmarkWriter
) -> Iterator[Item]:
    stored: dict[str, str] = {}
    for item in items:
        yield replace(item, media=tuple(_stored(m, benchmark, writer, stored) for m in item.media))


def _stored(
    media: Media, benchmark: Benchmark, writer: BenchmarkWriter, stored: dict[str, str]
) -> Media:
    path = benchmark.path(media)
    if not path.is_file():
        return media
    if media.path not in stored:
        stored[media.path], _ = writer.add_media(path.read_bytes(), path.suffix)
    return replace(media, path=stored[media.path])


def _info(benchmark: Benchmark, left: list[NotTurned]) -> BenchmarkInfo:
    listed: list[Mapping[str, str]] = [{"id": one.id, "reason": one.reason} for one in left]
    return benchmark.info.model_copy(
        update={
            "name": f"{benchmark.info.name}-open",
            "title": f"{benchmark.info.title or benchmark.info.name}, open-ended twins",
            "built": {
                "transform": "open-ended",
                "parent": benchmark.info.name,
                "parent_items_sha256": benchmark.sha256,
                "not_turned": listed,
            },
        }
    )
