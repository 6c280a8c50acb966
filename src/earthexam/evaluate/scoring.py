"""Score a saved run: a pure function of its replies and the benchmark."""

from collections.abc import Iterator
from dataclasses import replace

import orjson

from earthexam.answers.extract import Expected, read_reply
from earthexam.answers.reading import Reading, answer_as_json
from earthexam.answers.score import score_reading
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Box, Chain, Choice, Item
from earthexam.evaluate.folder import ReplyRecord, Run, ScoreRecord
from earthexam.evaluate.frames import Frame
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.models.profiles import Profile, profile_from_run
from earthexam.models.protocol import Key


def score_run(run: Run, benchmark: Benchmark) -> list[ScoreRecord]:
    """Score every request of the run, those without a reply included.

    Raises
    ------
    InputError
        The run was made on other questions than `benchmark` holds.
    """
    profile = profile_from_run(run.info.profile)
    return [
        score_reply(item, key, record, profile, benchmark)
        for item, key, record in matched(run, benchmark)
    ]


def matched(run: Run, benchmark: Benchmark) -> Iterator[tuple[Item, Key, ReplyRecord | None]]:
    """Give every planned request with the item as shown and its reply, None where none was asked."""
    if run.info.benchmark_sha256 != benchmark.sha256:
        message = (
            f"{run.root} was made on the benchmark {run.info.benchmark!r} with the item hash "
            f"{run.info.benchmark_sha256[:12]}, {benchmark.root} has {benchmark.sha256[:12]}; "
            "score against the benchmark that was run"
        )
        raise InputError(message)
    replies = {record.key: record for record in run.replies()}
    plan = Plan(benchmark, Selection.of_run(run.info))
    for key in plan:
        yield plan.shown_item(key), key, replies.get(key)


def score_reply(
    item: Item, key: Key, record: ReplyRecord | None, profile: Profile, benchmark: Benchmark
) -> ScoreRecord:
    """Score one reply to `item`, or the lack of one."""
    if record is None or record.status != "replied":
        return without_reply(item, key, record)
    reading = _read(item, record, profile, benchmark)
    score = score_reading(item, reading)
    answer = answer_as_json(reading)
    return ScoreRecord(
        key=key,
        task=item.task,
        group=item.group,
        source=item.source,
        answer="" if answer is None else orjson.dumps(answer).decode(),
        rule=reading.rule,
        outcome=score.outcome,
        score=score.value,
        chance=chance(item),
        iou=score.iou,
        detail="; ".join(filter(None, [score.detail, *reading.flags])),
    )


def without_reply(item: Item, key: Key, record: ReplyRecord | None) -> ScoreRecord:
    """Make the row of a request that has no reply: failed, not asked yet, or unsupported."""
    error = "not asked yet" if record is None else record.error.strip()
    return ScoreRecord(
        key=key,
        task=item.task,
        group=item.group,
        source=item.source,
        answer="",
        rule="",
        outcome="unsupported" if record and record.status == "unsupported" else "failed",
        score=0.0,
        chance=chance(item),
        detail=error.splitlines()[-1][:300] if error else "",
    )


def chance(item: Item) -> float:
    """Return the expected score of a uniform guess, 0 where there is nothing to guess from.

    A multiple-choice guess is one of the non-empty sets of options.
    """
    count = len(item.options)
    match item.format:
        case "true_false":
            return 0.5
        case "multiple_choice" if count:
            return 1.0 / ((1 << count) - 1)
        case "single_choice" | "chain_of_thought" if count:
            return 1.0 / count
        case _:
            return 0.0


def _read(item: Item, record: ReplyRecord, profile: Profile, benchmark: Benchmark) -> Reading:
    """Read a reply; options come back in the item's own order, boxes in pixels of the stored file."""
    text = record.text
    if len(profile.reasoning_tags) == 2:
        opening, closing = profile.reasoning_tags
        text = text.replace(opening, "<think>").replace(closing, "</think>")
    frame = None
    if item.format == "grounding" and record.shown:
        frame = Frame.of(item, record, profile, benchmark)
    reading = read_reply(
        text,
        Expected.of(
            item,
            option_order=record.option_order,
            convention=profile.convention if item.format == "grounding" else "pixels",
            order=profile.order,
            size=frame.size if frame else None,
            finish_reason=record.finish_reason,
        ),
    )
    match reading.answer:
        case Choice(places):
            own = tuple(sorted(record.option_order[place] for place in places))
            return replace(reading, answer=Choice(own))
        case Chain(places, steps):
            own = tuple(sorted(record.option_order[place] for place in places))
            return replace(reading, answer=Chain(own, steps))
        case Box(box, _) if frame:
            return replace(reading, answer=Box(frame.to_stored(box)))
        case _:
            return reading
