"""Import OmniEarth-Bench as released (arXiv:2505.23522), in any of its layouts.

A record that cannot be read is left out and listed with the reason in ``benchmark.json``; the
import says what share was taken. The six chain-of-thought tasks share their files with choice
tasks: such a record becomes a chain item and its choice twin.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from earthexam.answers.golden import golden_from_text
from earthexam.benchmark.store import BenchmarkInfo, BenchmarkWriter, SourceInfo, write_benchmark
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.core.files import inside, sha256_file
from earthexam.core.item import (
    Answer,
    Box,
    Chain,
    Choice,
    Format,
    Golden,
    Item,
    JsonValue,
    Media,
    QuestionType,
    References,
    normalise_text,
)
from earthexam.exchange import IMPORTERS
from earthexam.exchange.importer import Imported, picture_facts
from earthexam.exchange.omniearth_files import (
    PICTURE_FOLDERS,
    Release,
    Unread,
    open_release,
    read_tree,
)
from earthexam.exchange.omniearth_folders import format_of, place_of, tasks_at
from earthexam.exchange.omniearth_released import (
    Picture,
    Released,
    lead_months,
    pixel_box,
    plain_options,
    right_options,
    split_steps,
    unable_option,
)
from earthexam.published.spheres import SphereTask

_CHOICE: tuple[Format, ...] = ("single_choice", "multiple_choice")
_MOST_LABELS = 20
_KIND_TYPES: dict[str, QuestionType] = {
    "number": "number",
    "interval": "range",
    "vector": "box",
    "yes_no": "judgement",
}


@IMPORTERS.add("omniearth")
def import_omniearth(source: Path, out: Path, *, without_media: bool = False) -> Imported:
    """Import a release of OmniEarth-Bench; see `Importer`.

    Ids are the task code and the record's own number, or its place in the file where the numbers
    are no integers or repeat. ``group`` is the first picture. ``meta`` keeps the released id, the
    place of the abstaining option, reference captions, and the lead of a forecast in months.
    """
    release = open_release(source)
    with write_benchmark(out) as writer:
        shelf = _Shelf(release.root, writer)
        taken: list[Item] = []
        unread: list[Unread] = []
        for made in _items(release, shelf, without_media=without_media):
            if isinstance(made, Unread):
                unread.append(made)
            else:
                taken.append(made)
        if not taken:
            first = f"{unread[0].where}: {unread[0].reason}" if unread else "no record at all"
            message = f"{source}: no record could be read; the first: {first}"
            raise MissingFileError(message)
        writer.add_items(_with_labels(taken))
        writer.finish(_info(release, taken, unread, shelf))
    return Imported(out, len(taken), tuple(shelf.missing), _warnings(release, taken, unread))


@dataclass
class _Shelf:
    """Puts pictures into the new benchmark, once each, and remembers the absent ones."""

    root: Path
    writer: BenchmarkWriter
    missing: dict[str, None] = field(default_factory=dict)
    known: dict[str, Media] = field(default_factory=dict)

    def take(self, picture: Picture) -> Media:
        """Return the media record of a picture; without a hash where the file is absent."""
        if picture.data is not None:
            return self._store(picture.data)
        if picture.name not in self.known:
            self.known[picture.name] = self._from_disk(picture.name)
        return self.known[picture.name]

    def _from_disk(self, name: str) -> Media:
        relative = name.replace("\\", "/")
        for folder in PICTURE_FOLDERS:
            path = inside(self.root, f"{folder}/{relative}" if folder else relative)
            if path.is_file():
                return self._store(path.read_bytes())
        self.missing[name] = None
        return Media("image", relative)

    def _store(self, data: bytes) -> Media:
        facts = picture_facts(data)
        path, digest = self.writer.add_media(data, facts.ending)
        return Media("image", path, width=facts.width, height=facts.height, sha256=digest)


def _items(release: Release, shelf: _Shelf, *, without_media: bool) -> Iterator[Item | Unread]:
    for tree in release.trees:
        for record in read_tree(tree):
            if isinstance(record, Unread):
                yield record
                continue
            try:
                tasks, media = _tasks_of(record), _media(record, shelf, without_media=without_media)
            except FormatError as error:
                yield Unread(record.where, str(error))
                continue
            for task in tasks:
                yield _try_item(record, task, media)


def _media(record: Released, shelf: _Shelf, *, without_media: bool) -> tuple[Media, ...]:
    media = tuple(shelf.take(picture) for picture in record.pictures)
    lacking = [shown.path for shown in media if not shown.sha256]
    if lacking and not without_media:
        message = f"the picture {lacking[0]} is missing"
        raise FormatError(message)
    return media


def _tasks_of(record: Released) -> list[SphereTask]:
    places = (place_of(record.source_file.split("/")), place_of(record.levels))
    found = next((tasks for place in places if place and (tasks := tasks_at(place))), ())
    if not found:
        message = f"{record.source_file} is none of the 109 tasks"
        raise FormatError(message)
    if record.is_open or found[0].format == "caption":
        return [found[0]]
    printed = format_of(record.question_type)
    if printed is None:
        message = f"the question type {record.question_type!r} is unknown"
        raise FormatError(message)
    is_chain = printed == "chain_of_thought" or bool(record.steps)
    if is_chain and not record.is_shard:
        return [task for task in found if task.format in ("chain_of_thought", "single_choice")]
    # A choice task may hold records of the other choice format: the record decides, see _format.
    return [task for task in found if task.format == printed] or [found[0]]


def _try_item(record: Released, task: SphereTask, media: tuple[Media, ...]) -> Item | Unread:
    try:
        return _item(record, task, media)
    except FormatError as error:
        return Unread(record.where, str(error))


def _item(record: Released, task: SphereTask, media: tuple[Media, ...]) -> Item:
    item_format: Format = _format(record, task)
    meta: dict[str, JsonValue] = {"released_id": record.released_id}
    options = plain_options(record.choices) if item_format in (*_CHOICE, "chain_of_thought") else ()
    unable = unable_option(options)
    if unable is not None:
        meta["unable"] = unable
    lead = lead_months(record.text) if "forecast" in task.code else None
    if lead is not None:
        meta["lead_months"] = lead
    captions = split_steps(record.steps)[1]
    if item_format == "chain_of_thought" and captions:
        meta["reference_captions"] = list(captions)
    answer = _answer(record, task, item_format, options, media)
    suffix = "-open" if record.is_open else ""
    return Item(
        id=f"{task.code}{suffix}-{record.number:04d}",
        task=task.code,
        levels=task.levels,
        format=item_format,
        question_type=_question_type(answer, options, task),
        question=record.text,
        options=options,
        answer=answer,
        media=media,
        group=_group(record, media),
        source=record.dataset,
        meta=meta,
    )


def _format(record: Released, task: SphereTask) -> Format:
    if record.is_open:
        return "open"
    printed = format_of(record.question_type)
    return printed if task.format in _CHOICE and printed in _CHOICE else task.format


def _answer(
    record: Released,
    task: SphereTask,
    item_format: Format,
    options: tuple[str, ...],
    media: tuple[Media, ...],
) -> Answer:
    if item_format == "grounding":
        if len(media) != 1:
            message = f"{len(media)} pictures; a box needs exactly one"
            raise FormatError(message)
        shown = media[0]
        size = (shown.width, shown.height) if shown.width and shown.height else None
        return Box(pixel_box(record.truth, size))
    if not isinstance(record.truth, str):
        message = f"the key {record.truth!r} is a box; expected text"
        raise FormatError(message)
    match item_format:
        case "caption":
            return References((record.truth,))
        case "open":
            return golden_from_text(record.truth, task.open_type, place=_is_place(task))
        case "chain_of_thought":
            steps = split_steps(record.steps)[0]
            if not steps:
                message = "a chain of thought without key steps"
                raise FormatError(message)
            return Chain(right_options(record.truth, len(options)), steps)
    right = right_options(record.truth, len(options))
    if item_format == "single_choice" and len(right) != 1:
        message = f"the key {record.truth!r} of a single choice names {len(right)} options"
        raise FormatError(message)
    return Choice(right)


def _question_type(answer: Answer, options: tuple[str, ...], task: SphereTask) -> QuestionType:
    match answer:
        case Box():
            return "box"
        case References():
            return "text"
        case Golden():
            golden = answer
        case Choice(indices) | Chain(indices, _) if indices:
            golden = golden_from_text(options[indices[0]], task.open_type)
        case _:
            return "choice"
    if golden.kind == "number" and "count" in task.code:
        return "count"
    return _KIND_TYPES.get(golden.kind, "choice")


def _is_place(task: SphereTask) -> bool:
    return task.code.startswith("human-geolocation")


def _group(record: Released, media: tuple[Media, ...]) -> str:
    if not media:
        return hashlib.sha256(record.text.encode()).hexdigest()[:16]
    return media[0].sha256[:16] or media[0].path


def _with_labels(items: Iterable[Item]) -> list[Item]:
    """Give open label items the closed set of their task: all its golden labels, if they are few."""
    items = list(items)
    labels: dict[str, dict[str, str]] = {}
    for item in items:
        if isinstance(item.answer, Golden) and item.answer.kind in ("label", "stage"):
            own = labels.setdefault(item.task, {})
            own.setdefault(normalise_text(item.answer.text), item.answer.text)
    closed = {
        task: sorted(own.values()) for task, own in labels.items() if len(own) <= _MOST_LABELS
    }
    return [
        replace(item, meta={**item.meta, "labels": closed[item.task]})
        if item.format == "open" and item.task in closed
        else item
        for item in items
    ]


def _warnings(release: Release, taken: list[Item], unread: list[Unread]) -> tuple[str, ...]:
    aside = [
        f"{folder} puts the same questions again; import it by itself" for folder in release.aside
    ]
    if not unread:
        return tuple(aside)
    share = len(taken) / (len(taken) + len(unread))
    reasons = Counter(unread_record.reason for unread_record in unread)
    first = {record.reason: record.where for record in reversed(unread)}
    lines = [f"{share:.2%} of the questions taken; {len(unread)} left out:"]
    lines += [f"{n} x {reason} (first: {first[reason]})" for reason, n in reasons.most_common(20)]
    return (*lines, *aside)


def _info(
    release: Release, taken: list[Item], unread: list[Unread], shelf: _Shelf
) -> BenchmarkInfo:
    listed = [{"where": record.where, "reason": record.reason} for record in unread]
    absent: Mapping[str, object] = (
        {"without_media": True, "missing_media": len(shelf.missing)} if shelf.missing else {}
    )
    return BenchmarkInfo(
        name="omniearth",
        taxonomy="omniearth",
        title="OmniEarth-Bench as released",
        citation="arXiv:2505.23522",
        built={
            "importer": "omniearth",
            "items_by_format": dict(sorted(Counter(item.format for item in taken).items())),
            "share_taken": round(len(taken) / (len(taken) + len(unread)), 6),
            "left_out": listed,
            **absent,
        },
        sources=[
            SourceInfo(
                path=str(path), sha256=sha256_file(path), format=path.suffix[1:], role="questions"
            )
            for tree in release.trees
            for path in tree.files()
        ],
    )
