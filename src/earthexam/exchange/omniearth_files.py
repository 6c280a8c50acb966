"""Read the files of an OmniEarth-Bench release: JSON trees and the shards made from them.

Layouts (task list and shard builder of the paper's evaluation code, arXiv:2505.23522):

``jsons/L1/L2/L3/L4.json`` with pictures below ``raw/``; ``jsons_open/…`` alike with golden answers
in words; ``caption_data/jsons/…`` with ``caption_data/images/``; and the Parquet shards
``mcq_shards``, ``vg_shards`` and ``cot_shards`` ``/L1/L2/L3/L4.parquet``, which hold the pictures.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.exchange.omniearth_released import Picture, Released, numbers_of

JSON_TREES = ("jsons", "jsons_open", "caption_data/jsons")
SHARD_TREES = ("mcq_shards", "vg_shards", "cot_shards")
PICTURE_FOLDERS = ("", "raw", "caption_data/images", "images")
_LEVELS = ("L1-task", "L2-task", "L3-task", "L4-task")
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that could not be taken, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tree:
    """One folder of question files; `is_open` says that its answers are words."""

    folder: Path
    suffix: str
    is_open: bool

    def files(self) -> list[Path]:
        """List the question files: those at least two folders down; lists of tasks lie above."""
        found = sorted(self.folder.rglob(f"*{self.suffix}"))
        return [path for path in found if len(path.relative_to(self.folder).parts) > 2]


@dataclass(frozen=True, slots=True)
class Release:
    """A released folder: where picture paths start, its question trees, and those left aside."""

    root: Path
    trees: tuple[Tree, ...]
    aside: tuple[Path, ...] = ()


def open_release(root: Path) -> Release:
    """Find the question trees of a release.

    The open-ended tree puts the questions of the choice tree again, and shards are built from the
    JSON trees: of these the first that is there is read and the others are left aside, so that no
    average counts a question twice. The folder of a single tree may be given to read that one.

    Raises
    ------
    MissingFileError
        There is none.
    """
    if trees := _trees_below(root):
        first = next((kind for kind in map(_kind, trees) if kind != "captions"), "captions")
        read = tuple(tree for tree in trees if _kind(tree) in ("captions", first))
        return Release(root, read, tuple(tree.folder for tree in trees if tree not in read))
    own = tuple(tree for tree in _trees_below(root.parent) if tree.folder.name == root.name)
    if own:
        return Release(root.parent, own)
    message = (
        f"{root} holds no question files; expected one of "
        f"{', '.join((*JSON_TREES, *SHARD_TREES))} with L1/L2/L3/L4 files below it"
    )
    raise MissingFileError(message)


def _trees_below(root: Path) -> tuple[Tree, ...]:
    json_trees = [Tree(root / name, ".json", name == "jsons_open") for name in JSON_TREES]
    shard_trees = [Tree(root / name, ".parquet", False) for name in SHARD_TREES]
    return tuple(tree for tree in (*json_trees, *shard_trees) if tree.files())


def _kind(tree: Tree) -> str:
    if tree.suffix == ".parquet":
        return "shards"
    if tree.folder.parent.name == "caption_data":
        return "captions"
    return tree.folder.name


def read_tree(tree: Tree) -> Iterator[Released | Unread]:
    """Read every record of a tree, file by file; what cannot be read comes with its reason."""
    for path in tree.files():
        yield from _read_json(path, tree) if tree.suffix == ".json" else _read_shard(path, tree)


def _read_json(path: Path, tree: Tree) -> Iterator[Released | Unread]:
    try:
        records = _json_records(path)
    except FormatError as error:
        yield Unread(str(path.relative_to(tree.folder)), str(error))
        return
    numbers = numbers_of([_id_of(record) for record in records])
    for place, (number, record) in enumerate(zip(numbers, records, strict=True), 1):
        where = f"{path.relative_to(tree.folder)}, record {place}"
        try:
            yield _from_json(record, where, number, path, tree)
        except FormatError as error:
            yield Unread(where, str(error))


def _json_records(path: Path) -> list[Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"no UTF-8 text ({error})"
        raise FormatError(message) from error
    try:
        value = json.loads(text)
    except ValueError:
        value = _json_lines(text)
    except RecursionError as error:
        message = "lists within lists, deeper than any question file"
        raise FormatError(message) from error
    return value if isinstance(value, list) else [value]


def _json_lines(text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        message = f"neither a JSON list nor one JSON record a line ({error})"
        raise FormatError(message) from error


def _id_of(record: Any) -> str:
    return str(record.get("Question_id", "")) if isinstance(record, dict) else ""


def _from_json(record: Any, where: str, number: int, path: Path, tree: Tree) -> Released:
    if not isinstance(record, dict):
        message = f"{type(record).__name__} instead of an object"
        raise FormatError(message)
    truth = _need(record, "Ground Truth", str)
    return Released(
        where=where,
        source_file=path.relative_to(tree.folder).with_suffix("").as_posix(),
        released_id=_id_of(record),
        number=number,
        question_type=str(record.get("Question Type", "")),
        text=_need(record, "Text", str),
        choices=_texts(record, "Answer Choices"),
        truth=truth,
        pictures=tuple(Picture(name) for name in _texts(record, "Images")),
        levels=tuple(str(record.get(level) or "") for level in _LEVELS),
        dataset=str(record.get("Dataset") or ""),
        steps=_texts(record, "CoT"),
        is_open=tree.is_open,
    )


def _read_shard(path: Path, tree: Tree) -> Iterator[Released | Unread]:
    where = path.relative_to(tree.folder)
    try:
        shard = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        yield Unread(str(where), f"no whole Parquet file ({error})")
        return
    with shard:
        indices = (
            shard.read(["index"])["index"].to_pylist() if "index" in shard.schema.names else []
        )
        count = shard.metadata.num_rows
        numbers = iter(numbers_of([str(index) for index in indices] or [""] * count))
        place = 0
        for batch in shard.iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                place += 1
                try:
                    yield _from_row(row, f"{where}, record {place}", next(numbers), path, tree)
                except FormatError as error:
                    yield Unread(f"{where}, record {place}", str(error))


def _from_row(row: Mapping[str, Any], where: str, number: int, path: Path, tree: Tree) -> Released:
    answer = row.get("answer")
    is_box = isinstance(answer, list)
    pictures = row.get("image")
    shown = pictures if isinstance(pictures, list) else [pictures]
    is_chain = "key_annotation_steps" in row
    return Released(
        where=where,
        source_file=path.relative_to(tree.folder).with_suffix("").as_posix(),
        released_id=str(row.get("index", "")),
        number=number,
        question_type=_shard_type(row, is_box=is_box, is_chain=is_chain),
        text=_need(row, "question", str),
        choices=_texts(row, "multi-choice options"),
        truth=tuple(float(v) for v in answer)
        if isinstance(answer, list)
        else _need(row, "answer", str),
        pictures=tuple(_shard_picture(picture) for picture in shown),
        levels=tuple(str(row.get(level) or "") for level in _LEVELS),
        dataset=str(row.get("Dataset") or ""),
        steps=_texts(row, "CoT"),
        is_shard=True,
    )


def _shard_type(row: Mapping[str, Any], *, is_box: bool, is_chain: bool) -> str:
    """Name the format that the shard holds: a choice shard keeps the type its file was made from."""
    if is_box:
        return "Visual Grounding"
    if is_chain:
        return "Chain-of-Thought"
    printed = str(row.get("question_type") or "")
    return "Single Choice" if printed == "Chain-of-Thought" else printed


def _shard_picture(picture: Any) -> Picture:
    if not isinstance(picture, dict) or not (picture.get("bytes") or picture.get("path")):
        message = "a picture without bytes and path"
        raise FormatError(message)
    return Picture(str(picture.get("path") or ""), picture.get("bytes"))


def _need(record: Mapping[str, Any], key: str, kind: type[str]) -> str:
    value = record.get(key)
    if not isinstance(value, kind) or not value.strip():
        message = f"{key!r} is {value!r}; expected text"
        raise FormatError(message)
    return _whole(value.strip(), key)


def _texts(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key) or []
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        message = f"{key!r} is no list of texts"
        raise FormatError(message)
    return tuple(_whole(part.strip(), key) for part in value)


def _whole(text: str, key: str) -> str:
    """Return a text that can be stored: JSON may hold one half of a surrogate pair, UTF-8 not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"{key!r} is no text ({error.reason})"
        raise FormatError(message) from error
    return text
