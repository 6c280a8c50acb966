"""Choose the items that travel inside the page and write them as the browser reads them."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import zip_longest

import polars as pl

from earthexam.core.item import (
    Blanks,
    Box,
    Chain,
    Choice,
    Golden,
    Item,
    JsonValue,
    Media,
    References,
    Truth,
    to_json,
)
from earthexam.models.protocol import Key
from earthexam.report.collect import VIEW_TITLES, Report
from earthexam.report.letters import read_indices
from earthexam.report.pictures import Embedded, embed_picture, is_picture

MOST_PICTURE_BYTES = 16_000_000
"""The page takes no further item once the pictures of those before it reach this size."""

MOST_REPLY_CHARACTERS = 4000
MOST_TEXT_CHARACTERS = 12_000


@dataclass(frozen=True, slots=True)
class BrowserFile:
    """One file of a view: a picture or text embedded elsewhere by path, or a note in its place."""

    path: str
    kind: str
    label: str
    time: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class BrowserView:
    """The files of one view, in the order shown."""

    name: str
    files: tuple[BrowserFile, ...]


@dataclass(frozen=True, slots=True)
class BrowserReply:
    """One reply and how it was read; `box` in pixels of the picture, for grounding."""

    run: int
    view: str
    epoch: int
    order: int
    text: str
    answer: str
    rule: str
    outcome: str
    score: float
    detail: str
    box: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class BrowserItem:
    """One item as the browser shows it; `key` holds the indices of the right options."""

    id: str
    task: str
    format: str
    group: str
    source: str
    question: str
    wording: Mapping[str, str]
    options: tuple[str, ...]
    key: tuple[int, ...]
    key_text: str
    key_box: tuple[float, ...] | None
    evidence: tuple[tuple[str, str], ...]
    views: tuple[BrowserView, ...]
    replies: tuple[BrowserReply, ...]


@dataclass(frozen=True)
class Browser:
    """All that the browser of items reads; becomes one JSON text in the page."""

    items: tuple[BrowserItem, ...]
    pictures: Mapping[str, Embedded]
    texts: Mapping[str, str]
    runs: tuple[str, ...]
    tasks: Mapping[str, str]
    view_names: Mapping[str, str] = field(default_factory=lambda: VIEW_TITLES)

    def to_json(self) -> str:
        """Return JSON that stands safely inside a ``<script>`` element.

        The signs that could end the element or begin another one are written as escapes.
        """
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for sign in "<>&\u2028\u2029":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return text


def build_browser(report: Report, *, most: int, seed: int) -> Browser:
    """Choose at most `most` items and embed what the page shows of them.

    The choice goes round the tasks, and within a task round the patterns of outcomes, so that rare
    outcomes are seen; inside a pattern the order is drawn by `seed`. Items stand in their own order.
    """
    pictures: dict[str, Embedded] = {}
    texts: dict[str, str] = {}
    chosen: set[str] = set()
    for item in choose_items(report.benchmark.items, _outcomes(report), most=most, seed=seed):
        if sum(len(picture.uri) for picture in pictures.values()) >= MOST_PICTURE_BYTES:
            break
        _embed(report, item, pictures, texts)
        chosen.add(item.id)
    replies = _replies(report, chosen)
    names = {item.task: item.task for item in report.benchmark.items}
    return Browser(
        items=tuple(
            _item(item, replies.get(item.id, ()), pictures, texts)
            for item in report.benchmark.items
            if item.id in chosen
        ),
        pictures=pictures,
        texts=texts,
        runs=report.labels,
        tasks=names | {task.code: f"{task.code} · {task.name}" for task in report.taxonomy},
    )


def choose_items(
    items: Iterable[Item], outcomes: Mapping[str, tuple[str, ...]], *, most: int, seed: int
) -> list[Item]:
    """Choose items so that tasks and patterns of outcomes take turns.

    Parameters
    ----------
    outcomes : mapping
        Outcomes of all replies by item id; items that are not in it were not asked and not chosen.
    """
    asked = [item for item in items if item.id in outcomes]
    drawn = sorted(asked, key=lambda item: hashlib.sha256(f"{seed}/{item.id}".encode()).digest())
    by_task: dict[str, dict[tuple[str, ...], list[Item]]] = {}
    for item in drawn:
        by_task.setdefault(item.task, {}).setdefault(outcomes[item.id], []).append(item)
    tasks = (list(_take_turns(by_task[task].values())) for task in sorted(by_task))
    return list(_take_turns(tasks))[:most]


def _take_turns(queues: Iterable[list[Item]]) -> Iterator[Item]:
    for turn in zip_longest(*queues):
        yield from (item for item in turn if item is not None)


def describe_key(item: Item) -> str:
    """Say in words what is right."""
    match item.answer:
        case Choice(indices) | Chain(indices, _):
            return _options(indices, item)
        case Truth(value):
            return "true" if value else "false"
        case Blanks(texts):
            return "; ".join(texts)
        case Golden(text, _, _, unit, _):
            return f"{text} {unit}" if unit and not text.endswith(unit) else text
        case Box(box, _):
            return f"box [{', '.join(f'{side:g}' for side in box)}]"
        case References(references):
            return " / ".join(references)


def describe_read(answer: str, item: Item) -> str:
    """Say in words what was read from a reply; empty where nothing was."""
    if item.options and (indices := read_indices(answer, item)):
        return _options(indices, item)
    if answer in {"", "null"}:
        return ""
    value = json.loads(answer)
    return value if isinstance(value, str) else to_json(value)


def _options(indices: Iterable[int], item: Item) -> str:
    return "; ".join(f"{item.letters[index]} ({item.options[index]})" for index in indices)


def _outcomes(report: Report) -> dict[str, tuple[str, ...]]:
    """Collect the outcomes of every item over all runs, in the order of runs and score rows."""
    table = pl.concat([run.scores().select("id", "outcome") for run in report.runs])
    grouped = table.group_by("id", maintain_order=True).agg(pl.col("outcome"))
    return {name: tuple(outcomes) for name, outcomes in grouped.iter_rows()}


def _replies(report: Report, chosen: set[str]) -> dict[str, tuple[BrowserReply, ...]]:
    found: dict[str, list[BrowserReply]] = {}
    for number, run in enumerate(report.runs):
        said = {r.key: r.text or r.error for r in run.replies() if r.key.id in chosen}
        for row in run.scores().filter(pl.col("id").is_in(list(chosen))).iter_rows(named=True):
            item = report.benchmark.by_id[row["id"]]
            key = Key(row["id"], row["view"], row["epoch"], row["order"])
            reply = BrowserReply(
                run=number,
                view=key.view,
                epoch=key.epoch,
                order=key.order,
                text=_cut(said.get(key, ""), MOST_REPLY_CHARACTERS),
                answer=describe_read(row["answer"] or "", item),
                rule=row["rule"] or "",
                outcome=row["outcome"],
                score=row["score"],
                detail=_remark(row["detail"] or ""),
                box=_read_box(row["answer"], item),
            )
            found.setdefault(item.id, []).append(reply)
    return {name: tuple(replies) for name, replies in found.items()}


def _embed(
    report: Report, item: Item, pictures: dict[str, Embedded], texts: dict[str, str]
) -> None:
    for media in item.media:
        path = report.benchmark.path(media)
        if media.role != "input" or media.path in pictures or not path.is_file():
            continue
        if is_picture(media.path):
            pictures[media.path] = embed_picture(path)
        elif path.suffix == ".txt":
            text = path.read_text(encoding="utf-8", errors="replace")
            texts[media.path] = _cut(text, MOST_TEXT_CHARACTERS)


def _item(
    item: Item,
    replies: tuple[BrowserReply, ...],
    pictures: Mapping[str, Embedded],
    texts: Mapping[str, str],
) -> BrowserItem:
    provenance = item.provenance
    evidence: list[tuple[str, JsonValue]] = []
    if provenance is not None:
        evidence = [("rule", provenance.rule)]
        evidence += sorted(provenance.parameters.items()) + sorted(provenance.evidence.items())
    indices = item.answer.indices if isinstance(item.answer, Choice) else ()
    if isinstance(item.answer, Chain):
        indices = item.answer.options
    return BrowserItem(
        id=item.id,
        task=item.task,
        format=item.format,
        group=item.group,
        source=item.source,
        question=item.question,
        wording=dict(item.question_by_view),
        options=item.options,
        key=indices,
        key_text=describe_key(item),
        key_box=item.answer.box if isinstance(item.answer, Box) else None,
        evidence=tuple((name, _brief(value)) for name, value in evidence),
        views=tuple(
            BrowserView(view, tuple(_file(m, pictures, texts) for m in item.media_of(view)))
            for view in item.views()
        ),
        replies=replies,
    )


def _file(media: Media, pictures: Mapping[str, Embedded], texts: Mapping[str, str]) -> BrowserFile:
    if media.path in pictures:
        return BrowserFile(media.path, "picture", media.label, media.time)
    if media.path in texts:
        return BrowserFile(media.path, "text", media.label, media.time)
    size = f"{media.width} × {media.height}, " if media.width and media.height else ""
    return BrowserFile(media.path, "note", media.label, media.time, f"{size}file {media.path}")


def _read_box(answer: str | None, item: Item) -> tuple[float, ...] | None:
    if item.format != "grounding" or not answer:
        return None
    return tuple(json.loads(answer))


def _remark(detail: str) -> str:
    """Leave out the letters that the scorer repeats: the answer names them already."""
    parts = detail.split("; ")
    return "; ".join(part for part in parts if not re.fullmatch("[A-Z](, [A-Z])*", part))


def _brief(value: JsonValue) -> str:
    return value if isinstance(value, str) else _cut(to_json(value), 400)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"
