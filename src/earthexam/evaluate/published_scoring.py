"""Score a run as a published benchmark's own scorer would, and say where that differs from ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import orjson

from earthexam.answers.released import read_paper, read_released
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.files import write_whole
from earthexam.core.item import Choice, Item
from earthexam.evaluate.folder import ReplyRecord, Run, ScoreRecord
from earthexam.evaluate.released_omniearth import score_released_omniearth
from earthexam.evaluate.scoring import chance, matched, without_reply
from earthexam.models.protocol import Key

PublishedScoring: TypeAlias = Literal["released", "paper"]

PUBLISHED_SCORINGS: tuple[PublishedScoring, ...] = ("released", "paper")

_READERS: dict[str, Callable[[str, str], str | None]] = {
    "released": read_released,
    "paper": read_paper,
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A request that two scorings judge differently."""

    key: Key
    task: str
    reply: str
    ours: ScoreRecord
    published: ScoreRecord


def score_published(run: Run, benchmark: Benchmark, scoring: PublishedScoring) -> list[ScoreRecord]:
    """Score as the code released with a benchmark does, or as its paper says.

    For OmniEarth-Bench see `released_omniearth`; all else is read as HM-Bench (arXiv 2604.08884).

    A reply without a valid letter is wrong in both. The released code also counts calls that failed
    as wrong; the paper is silent on them, so they stay failed.

    Raises
    ------
    InputError
        An item is no single choice; neither scorer knows another format.
    """
    if scoring == "released" and benchmark.info.taxonomy == "omniearth":
        return score_released_omniearth(run, benchmark)
    return [_score(item, key, record, scoring) for item, key, record in matched(run, benchmark)]


def differences(
    run: Run, ours: Sequence[ScoreRecord], published: Sequence[ScoreRecord]
) -> list[Difference]:
    """List the requests whose score differs between the two."""
    replies = {record.key: record.text for record in run.replies()}
    other = {row.key: row for row in published}
    return [
        Difference(row.key, row.task, replies.get(row.key, ""), row, other[row.key])
        for row in ours
        if row.score != other[row.key].score and other[row.key].outcome != "unsupported"
    ]


def write_differences(run: Run, scoring: PublishedScoring, found: Sequence[Difference]) -> Path:
    """Write ``differences-SCORING.jsonl`` into the run, one request a line; return its path."""
    path = run.root / f"differences-{scoring}.jsonl"
    lines = [
        orjson.dumps(
            {
                **{name: getattr(one.key, name) for name in one.key.__dataclass_fields__},
                "task": one.task,
                "reply": one.reply,
                "ours": _told(one.ours),
                scoring: _told(one.published),
            }
        )
        for one in found
    ]
    write_whole(path, b"".join(line + b"\n" for line in lines))
    return path


def _told(row: ScoreRecord) -> dict[str, str | float]:
    return {
        "outcome": row.outcome,
        "score": row.score,
        "answer": row.answer,
        "rule": row.rule,
        "detail": row.detail,
    }


def _score(
    item: Item, key: Key, record: ReplyRecord | None, scoring: PublishedScoring
) -> ScoreRecord:
    if item.format != "single_choice" or not isinstance(item.answer, Choice):
        message = (
            f"item {item.id} is a {item.format} item; the scoring {scoring!r} knows single choice "
            "only, use --scoring ours"
        )
        raise InputError(message)
    row = without_reply(item, key, record)
    if record is None or record.status != "replied":
        failed_is_wrong = scoring == "released" and row.outcome == "failed" and record is not None
        return replace(row, outcome="wrong", detail="failed call") if failed_is_wrong else row
    letter = _READERS[scoring](record.text, item.letters)
    if letter is None:
        return replace(row, outcome="wrong", rule=scoring, detail="no valid letter")
    own = record.option_order[item.letters.index(letter)]
    right = (own,) == item.answer.indices
    return ScoreRecord(
        key=key,
        task=item.task,
        group=item.group,
        source=item.source,
        answer=f'["{item.letters[own]}"]',
        rule=scoring,
        outcome="right" if right else "wrong",
        score=1.0 if right else 0.0,
        chance=chance(item),
        detail=item.letters[own],
    )
