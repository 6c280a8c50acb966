"""Score a run as the released OmniEarth-Bench scorers do, and say where and why ours differs.

What the released code (arXiv:2505.23522) does, and this module repeats: letters are taken from
anywhere in a reply; options beyond E are never read; a box is tried on four scales and the best
overlap with the truth kept; the number returned for a grounding task, whatever its name, is the
share of overlaps of at least 0.9; captions lose their line breaks, which joins the words around
them; an open answer counts by its judge's verdict, and without one (as any failed reply to an open
question) leaves the denominator. The answer of a chain of thought is not scored there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from earthexam.answers.released_omniearth import (
    NO_BOX,
    best_overlap,
    read_corners,
    read_letters,
)
from earthexam.answers.score import Outcome
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import LETTERS, Box, Choice, Golden, Item, References
from earthexam.evaluate.folder import ReplyRecord, Run, ScoreRecord
from earthexam.evaluate.formats import caption_rows
from earthexam.evaluate.scoring import matched, score_run
from earthexam.evaluate.verdicts import VerdictRecord, read_verdicts

RETURNED_FROM = 0.9
"""A loop variable of the released code shadows the metric asked for; this threshold comes last."""

_RULE = "released"
_UNABLE = "unable to decide"


@dataclass(frozen=True, slots=True)
class ReleasedLine:
    """One pooled line of the released log: the names from the sphere down, and its counts."""

    path: tuple[str, ...]
    n: int
    right: int
    unable: int

    @property
    def accuracy(self) -> float:
        """Share of right replies, every item weighing the same."""
        return self.right / self.n


def score_released_omniearth(run: Run, benchmark: Benchmark) -> list[ScoreRecord]:
    """Score the replies of a run the released way.

    A missing reply to a choice or grounding question counts as an empty one. Where the score of such
    a question differs from ours, ``detail`` says why. What is not scored is ``unsupported``.
    """
    ours = {record.key: record for record in score_run(run, benchmark)}
    verdicts = read_verdicts(run.root)
    rows = [
        _score(item, reply, ours[key], verdicts.get((key, "open")))
        for item, key, reply in matched(run, benchmark)
    ]
    return caption_rows(run, benchmark, rows, released=True)[0]


def stops_at(benchmark: Benchmark) -> tuple[str, ...]:
    """List the items at which the released code stops: their last option does not abstain."""
    return tuple(
        item.id
        for item in benchmark.items
        if isinstance(item.answer, Choice) and _UNABLE not in item.options[-1].casefold()
    )


def pooled_lines(records: Sequence[ScoreRecord], items: Mapping[str, Item]) -> list[ReleasedLine]:
    """Pool the choice records at every level, as the released log does; the last line is overall.

    This average is micro at every level, that of the published tables is macro.
    """
    counts: dict[tuple[str, ...], list[int]] = {}
    for record in records:
        item = items[record.key.id]
        if not isinstance(item.answer, Choice) or record.outcome == "unsupported":
            continue
        abstained = record.answer == _as_json(LETTERS[len(item.options) - 1])
        for depth in range(len(item.levels) + 1):
            line = counts.setdefault(item.levels[:depth], [0, 0, 0])
            for place, value in enumerate((1, int(record.score), int(abstained))):
                line[place] += value
    ordered = sorted(counts, key=lambda path: (path == (), path))
    return [ReleasedLine(path, *counts[path]) for path in ordered]


def _score(
    item: Item, reply: ReplyRecord | None, ours: ScoreRecord, verdict: VerdictRecord | None
) -> ScoreRecord:
    text = reply.text if reply is not None and reply.status == "replied" else ""
    match item.answer:
        case Choice(right):
            order = reply.option_order if reply is not None and reply.option_order else None
            letters = read_letters(text)
            is_right = letters == _letters_shown(right, order)
            row = _row(ours, _as_json(letters), is_right=is_right)
            return _explained(row, ours, _letter_reasons(item, ours, letters))
        case Box(box, _):
            width, height = _size(item)
            said = read_corners(text)
            fractions = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
            iou = best_overlap(fractions, said, width, height)
            answer = "" if said == NO_BOX else orjson.dumps(said).decode()
            row = _row(ours, answer, is_right=iou >= RETURNED_FROM, iou=iou)
            return _explained(row, ours, _box_reasons(row, ours))
        case Golden() if verdict is not None and verdict.score is not None:
            outcome: Outcome = "right" if verdict.score == 1 else "wrong"
            if verdict.score == 0.5:
                outcome = "partial"
            return replace(ours, outcome=outcome, score=verdict.score, rule=_RULE, detail="")
        case Golden():
            return _left_out(ours, "without a verdict it leaves the denominator")
        case References() if ours.outcome == "unjudged":
            return ours
        case References():
            return _left_out(ours, "without a caption it leaves the denominator")
        case _:
            return _left_out(ours, f"the released code scores no {item.format}")


def _left_out(ours: ScoreRecord, why: str) -> ScoreRecord:
    return replace(ours, outcome="unsupported", score=0.0, rule=_RULE, detail=why)


def _letters_shown(right: Sequence[int], order: Sequence[int] | None) -> str:
    places = right if order is None else [order.index(index) for index in right]
    return "".join(sorted(LETTERS[place] for place in places))


def _as_json(letters: str) -> str:
    return orjson.dumps(list(letters)).decode() if letters else ""


def _row(
    ours: ScoreRecord, answer: str, *, is_right: bool, iou: float | None = None
) -> ScoreRecord:
    outcome: Outcome = "right" if is_right else "wrong" if answer else "unread"
    return replace(
        ours, answer=answer, rule=_RULE, outcome=outcome, score=float(is_right), iou=iou, detail=""
    )


def _explained(row: ScoreRecord, ours: ScoreRecord, reasons: Iterator[str]) -> ScoreRecord:
    return row if row.score == ours.score else replace(row, detail=next(reasons))


def _size(item: Item) -> tuple[int, int]:
    shown = next(iter(item.media_of("image")), None)
    if shown is None or not shown.width or not shown.height:
        # Without the picture only fractions cannot be told: an overlap in pixels stays what it is.
        return 1, 1
    return shown.width, shown.height


def _letter_reasons(item: Item, ours: ScoreRecord, letters: str) -> Iterator[str]:
    right = item.answer.indices if isinstance(item.answer, Choice) else ()
    if ours.score and max(right) > LETTERS.index("E"):
        yield "letters beyond E are never read"
    if not letters:
        yield "a reply without a capital A to E counts as empty"
    if ours.score:
        yield "letters inside words are taken for answers"
    yield "a letter is taken from a reply that states no single answer"


def _box_reasons(row: ScoreRecord, ours: ScoreRecord) -> Iterator[str]:
    overlap, own_overlap = row.iou or 0.0, ours.iou or 0.0
    if not row.answer:
        yield "the way the box is written fits none of three patterns"
    if overlap > own_overlap:
        yield "the scale of the numbers is chosen by looking at the truth"
    if overlap == own_overlap:
        yield f"right from an overlap of {RETURNED_FROM} on, ours from 0.5 on"
    yield "another box of the reply is read"
