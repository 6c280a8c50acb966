"""Verdicts of a judge on the replies of a run, kept in the run folder so that none is asked twice."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import orjson

from earthexam.answers.chain_judge import (
    CHAIN_PROMPT_VERSION,
    key_steps,
    precision_prompt,
    read_precision,
    read_recall,
    recall_prompt,
)
from earthexam.answers.judge import (
    OPEN_PROMPT_VERSION,
    JudgePrompt,
    NoVerdict,
    open_prompt,
    read_verdict,
)
from earthexam.core.errors import FormatError
from earthexam.core.item import Golden, Item
from earthexam.models.protocol import Key

VERDICTS_FILE = "verdicts.jsonl"

Question: TypeAlias = Literal["open", "recall", "precision"]


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """One line of ``verdicts.jsonl``.

    Attributes
    ----------
    question : Question
        What the judge was asked: whether an open answer is right, or a chain's recall or precision.
    digest : str
        Hash of judge, prompt version and the whole prompt: a verdict holds for these alone.
    score : float or None
        0, 0.5 or 1 for an open answer, 0 to 1 for a chain; None where the judge failed.
    reason : str
        Why, or how the judge failed.
    """

    key: Key
    question: Question
    judge: str
    prompt_version: str
    digest: str
    score: float | None
    reason: str

    def to_line(self) -> bytes:
        """Return the record as one JSON line with its line break."""
        record = asdict(self)
        return orjson.dumps({**record.pop("key"), **record}) + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "VerdictRecord":
        """Read one JSON line."""
        record = orjson.loads(line)
        key = Key(*(record.pop(name) for name in ("id", "view", "epoch", "order")))
        return cls(key=key, **record)


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to ask a judge about one reply."""

    key: Key
    item: Item
    reply: str
    question: Question

    @property
    def prompt(self) -> JudgePrompt:
        """What the judge is told."""
        match self.question:
            case "recall":
                return recall_prompt(self.item, self.reply)
            case "precision":
                return precision_prompt(self.item, self.reply)
            case _:
                return open_prompt(self.item.question, self._golden, self.reply)

    @property
    def prompt_version(self) -> str:
        """Version of the wording."""
        return OPEN_PROMPT_VERSION if self.question == "open" else CHAIN_PROMPT_VERSION

    def read(self, text: str) -> tuple[float, str] | NoVerdict:
        """Read the judge's reply as a score and a reason."""
        match self.question:
            case "recall":
                recall = read_recall(len(key_steps(self.item)), text)
                if isinstance(recall, NoVerdict):
                    return recall
                return recall.recall, f"{sum(recall.matched)} of {len(recall.matched)} key steps"
            case "precision":
                found = read_precision(text)
                if isinstance(found, NoVerdict):
                    return found
                return found.precision, f"{len(found.steps)} steps"
            case _:
                verdict = read_verdict(text)
                return (
                    verdict if isinstance(verdict, NoVerdict) else (verdict.score, verdict.reason)
                )

    def digest(self, judge: str) -> str:
        """Hash all that the verdict depends on."""
        prompt = self.prompt
        parts = (judge, self.prompt_version, prompt.system, prompt.user)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    @property
    def _golden(self) -> Golden:
        if not isinstance(self.item.answer, Golden):
            message = f"{self.item.id} is no open item but {self.item.format}"
            raise TypeError(message)
        return self.item.answer


def read_verdicts(folder: Path) -> dict[tuple[Key, Question], VerdictRecord]:
    """Read the verdicts of the judge asked last: one a reply and question, the last one written.

    Raises
    ------
    FormatError
        A line is no verdict; names file and line. A cut last line is left out.
    """
    records = list(_records(folder / VERDICTS_FILE))
    judge = records[-1].judge if records else ""
    return {(r.key, r.question): r for r in records if r.judge == judge}


def _records(path: Path) -> Iterator[VerdictRecord]:
    if not path.is_file():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                yield VerdictRecord.from_line(line)
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                message = f"{path}, line {number}: {error}; expected one verdict as JSON a line"
                raise FormatError(message) from error
