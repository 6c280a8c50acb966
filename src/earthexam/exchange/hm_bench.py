"""Import HM-Bench as published: its image and report sides become two views of one item.

Layout: ``QA_for_image/task_N/mcq_only.json`` and ``QA_for_report/task_N/mcq_only.json``, each a list
of records with ``question``, ``options`` {letter: text}, ``answer`` (a letter) and either
``image_path`` or ``image1`` and ``image2``, relative to the same folder (arXiv:2604.08884).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from earthexam.benchmark.store import (
    BenchmarkInfo,
    BenchmarkWriter,
    SourceInfo,
    write_benchmark,
)
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.core.files import inside, sha256_file
from earthexam.core.item import LETTERS, Choice, Item, Media, QuestionType, View, normalise_text
from earthexam.core.taxonomy import Task
from earthexam.exchange import IMPORTERS
from earthexam.exchange.importer import Imported, picture_facts
from earthexam.published.tables import load_taxonomy

_SIDES: tuple[tuple[View, str], ...] = (("composite", "QA_for_image"), ("report", "QA_for_report"))
# data/…/Houston_13/block_4_pca12.png, data/…/Hermiston_2004/hermiston_blk_17/objective_report.txt
_BLOCK = re.compile(
    r"(?P<scene>[^/_]+)(?:_(?P<year>\d{2}|\d{4}))?/(?:\w+_)?bl(?:oc)?k_(?P<block>\d+)"
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?\s*%?"
_SHAPES: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    ("judgement", re.compile(r"(yes|no|true|false)\Z", re.IGNORECASE)),
    ("count", re.compile(r"\d+\Z")),
    ("number", re.compile(rf"{_NUMBER}\Z")),
    ("box", re.compile(rf"[\[(]?{_NUMBER}(?:\s*,\s*{_NUMBER}){{3}}[\])]?\Z")),
    ("range", re.compile(rf"(?:[<>≤≥]\s*{_NUMBER}|{_NUMBER}\s*(?:-|–|to)\s*{_NUMBER})\Z")),
)


class _Record(BaseModel):
    """One published question; keys we do not know are kept."""

    model_config = ConfigDict(extra="allow", strict=True)

    question: str
    options: dict[str, str]
    answer: str
    image_path: str | None = None
    image1: str | None = None
    image2: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files shown, in order."""
        return tuple(p for p in (self.image_path, self.image1, self.image2) if p is not None)


_RECORDS = TypeAdapter(list[_Record])


@dataclass
class _Shelf:
    """Copies each published file once into the new benchmark and remembers the absent ones."""

    source: Path
    writer: BenchmarkWriter
    media: dict[tuple[str, View], Media] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def take(self, view: View, path: str) -> Media:
        """Return the media record of a published file."""
        if (path, view) not in self.media:
            self.media[path, view] = self._copy(view, path)
        return self.media[path, view]

    def _copy(self, view: View, path: str) -> Media:
        year = _block_of(path)["year"] or ""
        time = f"20{year}" if len(year) == 2 else year
        file = inside(self.source, path)
        if not file.is_file():
            self.missing.append(path)
            return Media(view, path, time=time)
        data = file.read_bytes()
        if view == "report":
            stored, digest = self.writer.add_media(data, ".txt")
            return Media(view, stored, time=time, sha256=digest)
        try:
            facts = picture_facts(data)
        except FormatError as error:
            message = f"{path}: {error}; copy it again"
            raise FormatError(message) from error
        stored, digest = self.writer.add_media(data, facts.ending)
        return Media(view, stored, time=time, width=facts.width, height=facts.height, sha256=digest)


@IMPORTERS.add("hm-bench")
def import_hm_bench(source: Path, out: Path, *, without_media: bool = False) -> Imported:
    """Import the published HM-Bench folder; see `Importer`.

    Ids are the task code and the running number in the task's file. ``group`` is the location
    block: the scene folder without its year, and the block number; ``source`` is the scene. Keys
    beyond the layout go to ``meta``. Where the wording of the two sides differs both are kept: a
    question in ``question_by_view``, options (which have no such place) in ``meta.options_by_view``
    while the image side's are asked.
    """
    tasks = tuple(load_taxonomy("hm-bench"))
    sides = {view: _files(source / folder, len(tasks)) for view, folder in _SIDES}
    if not sides["composite"]:
        message = (
            f"{source} holds no QA_for_image/task_N/mcq_only.json; give the folder of the "
            "published HM-Bench files"
        )
        raise MissingFileError(message)
    with write_benchmark(out) as writer:
        shelf = _Shelf(source, writer)
        warnings: list[str] = []
        items: list[Item] = []
        for number, file in sides["composite"].items():
            twin_file = sides["report"].get(number)
            items.extend(_read_task(tasks[number - 1], file, twin_file, shelf, warnings))
        if shelf.missing and not without_media:
            message = (
                f"{source} lacks {len(shelf.missing)} of the {len(shelf.media)} files that the "
                f"questions name, first {shelf.missing[0]}; add them or pass --without-media"
            )
            raise MissingFileError(message)
        writer.add_items(items)
        files = [file for side in sides.values() for file in side.values()]
        writer.finish(_info(files, len(shelf.missing)))
    return Imported(out, len(items), tuple(shelf.missing), tuple(warnings))


def _files(folder: Path, n_tasks: int) -> dict[int, Path]:
    paths = {n: folder / f"task_{n}" / "mcq_only.json" for n in range(1, n_tasks + 1)}
    return {n: path for n, path in paths.items() if path.is_file()}


def _info(files: list[Path], n_missing: int) -> BenchmarkInfo:
    absent: Mapping[str, Any] = (
        {"without_media": True, "missing_media": n_missing} if n_missing else {}
    )
    return BenchmarkInfo(
        name="hm-bench",
        taxonomy="hm-bench",
        title="HM-Bench as published",
        licence="CC BY-NC 4.0",
        citation="arXiv:2604.08884",
        built={"importer": "hm-bench", **absent},
        sources=[
            SourceInfo(path=str(file), sha256=sha256_file(file), format="json", role="questions")
            for file in files
        ],
    )


def _read_task(
    task: Task, file: Path, twin_file: Path | None, shelf: _Shelf, warnings: list[str]
) -> Iterator[Item]:
    records = _read(file)
    twins = _read(twin_file) if twin_file is not None else []
    if twin_file is None:
        warnings.append(f"{file}: no report side; the items have the image view alone")
    elif len(twins) != len(records):
        message = f"{twin_file} has {len(twins)} records, {file} has {len(records)}; expected twins"
        raise FormatError(message)
    for number, record in enumerate(records, 1):
        twin = twins[number - 1] if twins else None
        where = f"{file}, record {number}"
        try:
            item = _item(f"{task.code}-{number:04d}", task, record, twin, shelf)
        except FormatError as fault:
            message = f"{where}: {fault}"
            raise FormatError(message) from fault
        if twin is not None and (twin.question, twin.options) != (record.question, record.options):
            what = "questions" if twin.question != record.question else "options"
            warnings.append(f"{where} ({item.id}): the {what} of the two sides differ; both kept")
        yield item


def _read(file: Path) -> list[_Record]:
    try:
        return _RECORDS.validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole file"
        message = f"{file}: {where}: {first['msg']}"
        raise FormatError(message) from error


def _item(name: str, task: Task, record: _Record, twin: _Record | None, shelf: _Shelf) -> Item:
    letters = "".join(sorted(record.options))
    if letters != LETTERS[: len(letters)]:
        message = f"option letters {letters!r}; expected {LETTERS[: len(letters)]!r}"
        raise FormatError(message)
    if record.answer not in record.options:
        message = f"the answer {record.answer!r} is not among the letters {letters!r}"
        raise FormatError(message)
    options = tuple(record.options[letter] for letter in letters)
    block = _one_block(record.paths)
    media = [shelf.take("composite", path) for path in record.paths]
    meta: dict[str, Any] = dict(record.model_extra or {})
    wording: dict[str, str] = {}
    if twin is not None:
        _refuse_another_question(record, twin, block)
        media += [shelf.take("report", path) for path in twin.paths]
        if twin.question != record.question:
            wording = {"report": twin.question}
        if twin.options != record.options:
            meta["options_by_view"] = {"report": [twin.options[letter] for letter in letters]}
    return Item(
        id=name,
        task=task.code,
        levels=task.levels,
        format="single_choice",
        question_type=_question_type(options),
        question=record.question,
        options=options,
        answer=Choice((letters.index(record.answer),)),
        media=tuple(media),
        group=f"{block[0]}/{block[1]}",
        source=block[0],
        question_by_view=wording,
        meta=meta,
    )


def _refuse_another_question(record: _Record, twin: _Record, block: tuple[str, int]) -> None:
    for what, ours, theirs in (
        ("answer", record.answer, twin.answer),
        ("option letters", sorted(record.options), sorted(twin.options)),
        ("block", block, _one_block(twin.paths)),
    ):
        if ours != theirs:
            message = f"the {what} of the image side is {ours}, of the report side {theirs}"
            raise FormatError(message)


def _block_of(path: str) -> re.Match[str]:
    match = _BLOCK.search(path)
    if match is None:
        message = f"the path {path!r} names no scene and block; expected …/SCENE_YEAR/block_N…"
        raise FormatError(message)
    return match


def _one_block(paths: tuple[str, ...]) -> tuple[str, int]:
    blocks = {(match["scene"], int(match["block"])) for match in map(_block_of, paths)}
    if len(blocks) != 1:
        message = f"the files {list(paths)} belong to {len(blocks)} blocks; expected one"
        raise FormatError(message)
    return blocks.pop()


def _question_type(options: tuple[str, ...]) -> QuestionType:
    texts = [normalise_text(option) for option in options]
    for kind, shape in _SHAPES:
        if all(shape.match(text) for text in texts):
            return kind
    return "choice"
