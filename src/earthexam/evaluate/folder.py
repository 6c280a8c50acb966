"""The run folder: what was asked, every reply, every score; see the design's *on disk* section."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from earthexam.answers.score import Outcome
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.core.files import write_whole
from earthexam.models.protocol import Key

RUN_FILE = "run.json"
REPLIES_FILE = "replies.jsonl"
SCORES_FILE = "scores.parquet"
SUMMARY_FILE = "summary.json"


class RunInfo(BaseModel):
    """What ``run.json`` holds."""

    model_config = ConfigDict(extra="forbid")

    benchmark: str
    benchmark_path: str
    benchmark_sha256: str
    taxonomy: str = ""
    model: str
    revision: str = ""
    endpoint_kind: str = ""
    profile: dict[str, Any] = {}
    protocol: str = "default"
    style: str = "default"
    views: list[str] = []
    blind: bool = False
    swap_media: bool = False
    shuffle_options: bool = False
    epochs: int = 1
    tasks: list[str] = []
    limit: int | None = None
    sample_per_task: int | None = None
    seed: int = 0
    parameters: dict[str, Any] = {}
    packages: dict[str, str] = {}
    git_revision: str = ""
    started: str = ""
    finished: str = ""
    asked: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """One line of ``replies.jsonl``: a finished reply, or the reason that there is none.

    Attributes
    ----------
    status : str
        ``replied``, ``failed`` (no reply came, asked again by the next run) or ``unsupported``.
    option_order : tuple of int
        ``option_order[i]`` is the item's option shown at position i.
    shown : tuple of str
        Media paths in the order shown.
    resizes : tuple of (str, float, float)
        Path and shown-to-own size factors of pictures that were resized.
    """

    key: Key
    status: str
    text: str = ""
    finish_reason: str = ""
    error: str = ""
    option_order: tuple[int, ...] = ()
    shown: tuple[str, ...] = ()
    resizes: tuple[tuple[str, float, float], ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    model: str = ""
    cached: bool = False

    def to_line(self) -> bytes:
        """Return the record as one JSON line with its line break."""
        # Not asdict, which copies every value deeply: this is written once a reply.
        record = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "key"}
        key = {name: getattr(self.key, name) for name in self.key.__dataclass_fields__}
        return orjson.dumps({**key, **record}) + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "ReplyRecord":
        """Read one JSON line."""
        record = orjson.loads(line)
        key = Key(*(record.pop(name) for name in ("id", "view", "epoch", "order")))
        record["option_order"] = tuple(record["option_order"])
        record["shown"] = tuple(record["shown"])
        record["resizes"] = tuple((path, x, y) for path, x, y in record["resizes"])
        return cls(key=key, **record)


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """One row of ``scores.parquet``.

    Attributes
    ----------
    answer : str
        The answer read from the reply, as JSON text; letters of a choice stand for the options in
        the item's own order. Empty where none was read.
    rule : str
        The reading rule that decided.
    score : float
        0 to 1.
    chance : float
        Expected score of a uniform guess among the options; 0 where there are none.
    iou : float or None
        Overlap of the read box with the true one, for grounding.
    """

    key: Key
    task: str
    group: str
    source: str
    answer: str
    rule: str
    outcome: Outcome
    score: float
    chance: float = 0.0
    iou: float | None = None
    detail: str = ""


@dataclass(frozen=True)
class Run:
    """A finished or interrupted run, read from its folder."""

    root: Path
    info: RunInfo

    @classmethod
    def open(cls, root: Path | str) -> "Run":
        """Read ``run.json``; replies and scores are read when asked for."""
        folder = Path(root)
        path = folder / RUN_FILE
        if not path.is_file():
            message = f"{folder} is no run: it holds no {RUN_FILE}; make one with: earthexam run"
            raise MissingFileError(message)
        try:
            return cls(folder, RunInfo.model_validate_json(path.read_bytes()))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            message = f"{path}: {where}: {first['msg']}"
            raise FormatError(message) from error

    @property
    def label(self) -> str:
        """What reports call this run: the model, and what is special about the run."""
        marks = [
            mark
            for mark, on in (
                ("blind", self.info.blind),
                ("media swapped", self.info.swap_media),
                ("options rotated", self.info.shuffle_options),
            )
            if on
        ]
        return f"{self.info.model} ({', '.join(marks)})" if marks else self.info.model

    def replies(self) -> Iterator[ReplyRecord]:
        """Give the last record of every key, in the order first written.

        A cut last line is left out: it is what an interrupted run leaves behind.
        """
        return iter(_last_by_key(self.root / REPLIES_FILE).values())

    def scores(self) -> pl.DataFrame:
        """Read the scores; the columns are the fields of `ScoreRecord`, the key in four columns."""
        path = self.root / SCORES_FILE
        if not path.is_file():
            message = f"{self.root} has no scores yet; run: earthexam score {self.root}"
            raise MissingFileError(message)
        return pl.read_parquet(path, glob=False)

    def scores_by(self, scoring: str) -> pl.DataFrame | None:
        """Read the scores that another scoring gave; None where it was never used."""
        path = self.root / scores_file(scoring)
        return pl.read_parquet(path, glob=False) if path.is_file() else None


def scores_file(scoring: str) -> str:
    """Return the name of the score table of a scoring."""
    return SCORES_FILE if scoring == "ours" else f"scores-{scoring}.parquet"


def write_run_info(folder: Path, info: RunInfo) -> None:
    """Write ``run.json``, sorted and indented."""
    text = json.dumps(info.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(folder / RUN_FILE, (text + "\n").encode())


def write_scores(folder: Path, records: Iterable[ScoreRecord], name: str = SCORES_FILE) -> Path:
    """Write the score table, aside and whole; return its path."""
    rows = list(records)
    path = folder / name
    # Column by column: turning 60,000 records into dictionaries first takes seconds.
    columns = {
        column: [getattr(row.key if column in _KEY_COLUMNS else row, column) for row in rows]
        for column in SCORE_COLUMNS
    }
    frame = pl.DataFrame(columns, schema=SCORE_COLUMNS)
    aside = path.with_name(f".{path.name}.aside")
    frame.write_parquet(aside)
    aside.replace(path)
    return path


def write_summary(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write ``summary.json``, sorted and indented."""
    text = json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(folder / SUMMARY_FILE, (text + "\n").encode())


_KEY_COLUMNS = ("id", "view", "epoch", "order")
SCORE_COLUMNS: dict[str, Any] = {
    "id": pl.String,
    "view": pl.String,
    "epoch": pl.Int32,
    "order": pl.Int32,
    "task": pl.String,
    "group": pl.String,
    "source": pl.String,
    "answer": pl.String,
    "rule": pl.String,
    "outcome": pl.String,
    "score": pl.Float64,
    "chance": pl.Float64,
    "iou": pl.Float64,
    "detail": pl.String,
}


def _last_by_key(path: Path) -> dict[Key, ReplyRecord]:
    if not path.is_file():
        message = f"{path} does not exist; the run asked nothing yet"
        raise MissingFileError(message)
    records: dict[Key, ReplyRecord] = {}
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                record = ReplyRecord.from_line(line)
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                message = f"{path}, line {number}: {error}; expected one reply as JSON a line"
                raise FormatError(message) from error
            records[record.key] = record
    return records
