"""The benchmark on disk: write it aside and whole, read it back as records."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from earthexam import __version__
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.core.files import folder_aside, inside, sha256_file, write_whole
from earthexam.core.item import (
    VIEWS,
    Choice,
    Item,
    Media,
    Provenance,
    View,
    answer_from_json,
    answer_to_json,
    to_json,
)

SCHEMA_VERSION = 1
INFO_FILE = "benchmark.json"
ITEMS_FILE = "items.parquet"

_MEDIA = pa.struct(
    [
        pa.field("view", pa.string()),
        pa.field("path", pa.string()),
        pa.field("role", pa.string()),
        pa.field("label", pa.string()),
        pa.field("time", pa.string()),
        pa.field("width", pa.int32()),
        pa.field("height", pa.int32()),
        pa.field("sha256", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("task", pa.string()),
        pa.field("levels", pa.list_(pa.string())),
        pa.field("format", pa.string()),
        pa.field("question_type", pa.string()),
        pa.field("question", pa.string()),
        pa.field("question_by_view", pa.map_(pa.string(), pa.string())),
        pa.field("options", pa.list_(pa.string())),
        pa.field("answer", pa.string()),
        pa.field("media", pa.list_(_MEDIA)),
        pa.field("group", pa.string()),
        pa.field("source", pa.string()),
        pa.field("language", pa.string()),
        pa.field("meta", pa.string()),
        pa.field("provenance", pa.string()),
    ]
)


class SourceInfo(BaseModel):
    """A native file that a benchmark was built from.

    `path` is as given to the builder, `scene` the scene it belongs to, `role` what it is there:
    ``scene``, ``later``, ``labels``, ``later_labels``, ``classes`` or ``profile``.
    """

    model_config = ConfigDict(extra="forbid")

    path: str
    sha256: str
    format: str = ""
    scale: float = 1.0
    offset: float = 0.0
    nodata: list[float] = []
    band_order: list[int] | None = None
    licence: str = ""
    role: str = "scene"
    scene: str = ""


class BenchmarkInfo(BaseModel):
    """What ``benchmark.json`` holds."""

    model_config = ConfigDict(extra="forbid")

    name: str
    version: str = "1.0.0"
    schema_version: int = SCHEMA_VERSION
    taxonomy: str = ""
    title: str = ""
    licence: str = ""
    citation: str = ""
    languages: list[str] = ["en"]
    simulated: str = ""
    counts: dict[str, int] = {}
    sha256: dict[str, str] = {}
    built: dict[str, Any] = {}
    sources: list[SourceInfo] = []


@dataclass(frozen=True)
class Benchmark:
    """A benchmark read from its folder."""

    root: Path
    info: BenchmarkInfo
    items: tuple[Item, ...] = field(repr=False)

    @classmethod
    def open(cls, root: Path | str) -> "Benchmark":
        """Read a benchmark folder.

        Raises
        ------
        MissingFileError
            The folder or one of its two tables does not exist.
        FormatError
            A table does not follow the schema; names the file and the item.
        """
        folder = Path(root)
        for name in (INFO_FILE, ITEMS_FILE):
            if not (folder / name).is_file():
                message = f"{folder} is no benchmark: it holds no {name}; build or import one first"
                raise MissingFileError(message)
        return cls(folder, read_info(folder), tuple(_read_items(folder / ITEMS_FILE)))

    def path(self, media: Media) -> Path:
        """Return where a file of an item lies; never outside the benchmark folder."""
        return inside(self.root, media.path)

    def views(self) -> tuple[View, ...]:
        """List every view that at least one item has."""
        own = {view for item in self.items for view in item.views()}
        return tuple(view for view in VIEWS if view in own)

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """The items by id."""
        return {item.id: item for item in self.items}

    @property
    def sha256(self) -> str:
        """Hash of the item table: two benchmarks with the same hash ask the same questions."""
        return self.info.sha256.get("items", "")


class BenchmarkWriter:
    """Collects items and media in a folder that is not yet in its place; see `write_benchmark`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._items: list[Item] = []
        self._media: dict[str, str] = {}
        (folder / "media").mkdir(parents=True, exist_ok=True)

    def add_media(self, data: bytes, suffix: str) -> tuple[str, str]:
        """Store bytes under their content hash; return (path in the benchmark, sha256)."""
        digest = hashlib.sha256(data).hexdigest()
        path = f"media/{digest[:24]}{suffix}"
        if path not in self._media:
            (self.folder / path).write_bytes(data)
            self._media[path] = digest
        return path, digest

    def add_items(self, items: Iterable[Item]) -> None:
        """Take items; ids are checked when the table is written."""
        self._items.extend(items)

    def finish(self, info: BenchmarkInfo) -> BenchmarkInfo:
        """Write both tables and return the info with counts and hashes filled in."""
        _refuse_repeated_ids(self._items)
        pq.write_table(items_table(self._items), self.folder / ITEMS_FILE, compression="zstd")
        used = {m.path: m.sha256 for item in self._items for m in item.media}
        for path in set(self._media) - set(used):
            (self.folder / path).unlink()
        complete = info.model_copy(
            update={
                "counts": _counts(self._items, len(used)),
                "languages": sorted({item.language for item in self._items}) or ["en"],
                "sha256": {
                    "items": sha256_file(self.folder / ITEMS_FILE),
                    "media": media_digest(used.items()),
                },
                "built": {"earthexam": __version__, **info.built},
            }
        )
        write_info(self.folder, complete)
        return complete


@contextmanager
def write_benchmark(out: Path, *, replace_existing: bool = False) -> Iterator[BenchmarkWriter]:
    """Give a writer whose folder moves to `out` when the block ends without error."""
    with folder_aside(out, marker=INFO_FILE, replace=replace_existing) as aside:
        yield BenchmarkWriter(aside)


def media_digest(files: Iterable[tuple[str, str]]) -> str:
    """Hash the (path, sha256) pairs of all media into one digest, whatever their order."""
    lines = "".join(f"{path} {digest}\n" for path, digest in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def read_info(folder: Path) -> BenchmarkInfo:
    """Read ``benchmark.json``."""
    path = folder / INFO_FILE
    try:
        info = BenchmarkInfo.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole file"
        message = f"{path}: {where}: {first['msg']}; expected schema version {SCHEMA_VERSION}"
        raise FormatError(message) from error
    if info.schema_version > SCHEMA_VERSION:
        message = (
            f"{path} has schema version {info.schema_version}, this EarthExam reads up to "
            f"{SCHEMA_VERSION}; update with: pip install -U earthexam"
        )
        raise FormatError(message)
    return info


def write_info(folder: Path, info: BenchmarkInfo) -> None:
    """Write ``benchmark.json``, sorted and indented."""
    text = json.dumps(info.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(folder / INFO_FILE, (text + "\n").encode())


def items_table(items: Iterable[Item]) -> pa.Table:
    """Return the items as a table with the columns of `SCHEMA`."""
    return pa.Table.from_pylist([_to_row(item) for item in items], schema=SCHEMA)


def _to_row(item: Item) -> dict[str, Any]:
    provenance = item.provenance
    return {
        "id": item.id,
        "task": item.task,
        "levels": list(item.levels),
        "format": item.format,
        "question_type": item.question_type,
        "question": item.question,
        "question_by_view": sorted(item.question_by_view.items()),
        "options": list(item.options),
        "answer": to_json(answer_to_json(item.answer)),
        "media": [
            {name: getattr(media, name) for name in Media.__dataclass_fields__}
            for media in item.media
        ],
        "group": item.group,
        "source": item.source,
        "language": item.language,
        "meta": to_json(item.meta),
        "provenance": "null"
        if provenance is None
        else to_json({name: getattr(provenance, name) for name in Provenance.__dataclass_fields__}),
    }


def _read_items(path: Path) -> Iterator[Item]:
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        message = f"{path} is no whole Parquet file ({error}); copy or build the benchmark again"
        raise FormatError(message) from error
    missing = [name for name in SCHEMA.names if name not in table.column_names]
    if missing:
        message = (
            f"{path} lacks the columns {', '.join(missing)}; expected {', '.join(SCHEMA.names)}"
        )
        raise FormatError(message)
    for number, row in enumerate(table.select(SCHEMA.names).to_pylist()):
        yield _from_row(row, path, number)


def _from_row(row: dict[str, Any], path: Path, number: int) -> Item:
    try:
        provenance = json.loads(row["provenance"] or "null")
        return Item(
            id=row["id"],
            task=row["task"],
            levels=tuple(row["levels"] or ()),
            format=row["format"],
            question_type=row["question_type"],
            question=row["question"],
            options=tuple(row["options"] or ()),
            answer=answer_from_json(json.loads(row["answer"]), row["format"]),
            media=tuple(Media(**media) for media in row["media"] or ()),
            group=row["group"],
            source=row["source"],
            question_by_view=dict(row["question_by_view"] or ()),
            language=row["language"],
            meta=json.loads(row["meta"] or "{}"),
            provenance=None if provenance is None else Provenance(**provenance),
        )
    except (TypeError, ValueError) as error:
        message = f"{path}, row {number} (item {row.get('id')!r}): {error}"
        raise FormatError(message) from error


def _refuse_repeated_ids(items: Iterable[Item]) -> None:
    repeated = [name for name, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        message = (
            f"{len(repeated)} item ids occur more than once, first {repeated[0]!r}; "
            "ids must be unique over the whole benchmark"
        )
        raise FormatError(message)


def _counts(items: list[Item], n_media: int) -> dict[str, int]:
    tasks = Counter(item.task for item in items)
    return {
        "items": len(items),
        "media": n_media,
        "groups": len({item.group for item in items}),
        **{f"task {task}": tasks[task] for task in sorted(tasks)},
    }


def redacted(item: Item) -> Item:
    """Return the item as a model may see it: no key, no evidence, no meta, no label files.

    The rule and its parameters stay: they say what is asked, as the question does. Parameters that
    the question does not name begin with an underscore and are left out.
    """
    shown = tuple(media for media in item.media if media.role in {"input", "mask", "wavelengths"})
    provenance = item.provenance
    if provenance is not None:
        named = {k: v for k, v in provenance.parameters.items() if not k.startswith("_")}
        provenance = Provenance(rule=provenance.rule, parameters=named)
    return replace(item, answer=Choice(()), media=shown, meta={}, provenance=provenance)
