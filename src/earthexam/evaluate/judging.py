"""Ask a judge about the replies that no rule can decide, and bring its verdicts into the scores."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from earthexam.answers.judge import JudgePrompt, NoVerdict, ask_judge
from earthexam.answers.prompt import Part, Prompt
from earthexam.benchmark.store import Benchmark, redacted
from earthexam.core.errors import InputError
from earthexam.core.item import Chain, Golden
from earthexam.evaluate.folder import Run, ScoreRecord
from earthexam.evaluate.scoring import matched
from earthexam.evaluate.verdicts import VERDICTS_FILE, Case, Question, VerdictRecord, read_verdicts
from earthexam.models.protocol import FaultError, Key, Model, Request

CHECKED = 50
"""Replies that a rule decided and the judge is asked about too, to see whether the two agree."""

_MOST_TOKENS = {"open": 1024, "recall": 4096, "precision": 4096}
_DECIDED = ("right", "partial", "wrong")


@dataclass(frozen=True, slots=True)
class Judged:
    """How judging went.

    Attributes
    ----------
    judge : str
        Name of the judge; empty where none was asked.
    prompt_versions : tuple of str
        Versions of the wordings that were used.
    verdicts, failed : int
        Valid verdicts and failures, open answers and chains together.
    compared, agreed : int
        Open replies that a rule and the judge both decided, and those with the same score.
    """

    judge: str
    prompt_versions: tuple[str, ...]
    verdicts: int
    failed: int
    compared: int
    agreed: int

    @property
    def agreement(self) -> float | None:
        """Share of the compared replies with the same score; None where none was compared."""
        return self.agreed / self.compared if self.compared else None


def judge_run(
    run: Run,
    benchmark: Benchmark,
    scores: Sequence[ScoreRecord],
    model: Model,
    *,
    concurrency: int = 16,
) -> int:
    """Ask `model` about every open reply that no rule decided and every chain; return how many.

    Verdicts go to ``verdicts.jsonl`` as they come. What this judge has already decided under the
    same wording is not asked again; its failures are.

    Raises
    ------
    InputError
        The judge cannot be asked at all (a wrong key, an unknown model).
    """
    kept = read_verdicts(run.root)
    name = _judge_name(model)
    known = {
        record.digest
        for record in kept.values()
        if record.judge == name and record.score is not None
    }
    cases = [case for case in cases_of(run, benchmark, scores) if case.digest(name) not in known]
    if cases:
        asyncio.run(_ask_all(cases, model, name, run.root, benchmark.root, concurrency))
    return len(cases)


def cases_of(run: Run, benchmark: Benchmark, scores: Sequence[ScoreRecord]) -> Iterator[Case]:
    """Give all that a judge should be asked: undecided open replies, a sample of decided ones, chains."""
    outcomes = {row.key: row.outcome for row in scores}
    checked = _checked(benchmark, scores)
    for item, key, record in matched(run, benchmark):
        if record is None or record.status != "replied" or not record.text.strip():
            continue
        if isinstance(item.answer, Golden) and (outcomes[key] == "unjudged" or key in checked):
            yield Case(key, item, record.text, "open")
        elif isinstance(item.answer, Chain):
            yield Case(key, item, record.text, "recall")
            yield Case(key, item, record.text, "precision")


def apply_verdicts(
    run: Run, benchmark: Benchmark, scores: Sequence[ScoreRecord]
) -> tuple[list[ScoreRecord], Judged]:
    """Score the undecided open replies by the verdicts kept in the run; a rule's score stands.

    A verdict counts only for the very question, golden answer and reply that it was given on. What
    the judge failed on stays ``unjudged``, with the cause as its detail.
    """
    verdicts = read_verdicts(run.root)
    valid: dict[tuple[Key, Question], VerdictRecord] = {}
    if verdicts:
        for case in cases_of(run, benchmark, scores):
            record = verdicts.get((case.key, case.question))
            if record is not None and record.digest == case.digest(record.judge):
                valid[case.key, case.question] = record
    rows = [_judged_row(row, valid.get((row.key, "open"))) for row in scores]
    return rows, _sum_up(scores, valid)


def _judge_name(model: Model) -> str:
    return f"{model.name}@{model.revision}" if model.revision else model.name


def _checked(benchmark: Benchmark, scores: Sequence[ScoreRecord]) -> frozenset[Key]:
    decided = [
        row.key
        for row in scores
        if row.outcome in _DECIDED and benchmark.by_id[row.key.id].format == "open"
    ]
    drawn = sorted(decided, key=lambda key: hashlib.sha256(repr(key).encode()).digest())
    return frozenset(drawn[:CHECKED])


async def _ask_all(
    cases: Sequence[Case], model: Model, name: str, folder: Path, root: Path, concurrency: int
) -> None:
    left = iter(cases)
    with (folder / VERDICTS_FILE).open("ab") as stream:

        async def ask_in_turn() -> None:
            for case in left:
                record = await _ask(case, model, name, root)
                stream.write(record.to_line())
                stream.flush()

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(concurrency, len(cases))):
                    group.create_task(ask_in_turn())
        except* InputError as faults:
            raise faults.exceptions[0] from None
        finally:
            await model.close()


async def _ask(case: Case, model: Model, name: str, root: Path) -> VerdictRecord:
    async def ask(prompt: JudgePrompt) -> str:
        parts = (Part("text", prompt.user),)
        put = Prompt(prompt.system, parts, (), _MOST_TOKENS[case.question], 0.0)
        try:
            reply = await model.ask(Request(case.key, redacted(case.item), put, root))
        except FaultError as fault:
            if fault.kind == "fatal":
                message = f"the judge {name} cannot be asked: {fault}; choose another --judge"
                raise InputError(message) from fault
            raise
        return reply.text

    found = await ask_judge(ask, case.prompt, case.read)
    score, reason = (None, found.cause) if isinstance(found, NoVerdict) else found
    return VerdictRecord(
        case.key, case.question, name, case.prompt_version, case.digest(name), score, reason
    )


def _judged_row(row: ScoreRecord, verdict: VerdictRecord | None) -> ScoreRecord:
    if row.outcome != "unjudged" or verdict is None:
        return row
    if verdict.score is None:
        return replace(row, detail=f"the judge failed: {verdict.reason}")
    outcome = {1.0: "right", 0.0: "wrong"}.get(verdict.score, "partial")
    return replace(
        row,
        outcome=outcome,  # type: ignore[arg-type]  # one of three outcomes
        score=verdict.score,
        rule="judge",
        detail=verdict.reason,
    )


def _sum_up(
    scores: Sequence[ScoreRecord], valid: dict[tuple[Key, Question], VerdictRecord]
) -> Judged:
    rule_scores = {row.key: row.score for row in scores if row.outcome in _DECIDED}
    both = [
        (rule_scores[key], record.score)
        for (key, question), record in valid.items()
        if question == "open" and key in rule_scores and record.score is not None
    ]
    failed = sum(record.score is None for record in valid.values())
    return Judged(
        judge=next((record.judge for record in valid.values()), ""),
        prompt_versions=tuple(sorted({record.prompt_version for record in valid.values()})),
        verdicts=len(valid) - failed,
        failed=failed,
        compared=len(both),
        agreed=sum(ours == judged for ours, judged in both),
    )
