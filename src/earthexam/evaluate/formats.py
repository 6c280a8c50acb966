"""Finish the scores of formats that need more than one reply at a time: open, captions, chains, boxes."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from earthexam.answers.released_omniearth import clean_caption
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import FormatError
from earthexam.core.files import write_whole
from earthexam.core.item import References
from earthexam.evaluate.captions import (
    CaptionPair,
    CaptionScores,
    plain_caption,
    score_captions,
)
from earthexam.evaluate.chain import ChainItem, ChainSummary, chains_by_task, summarise_chains
from earthexam.evaluate.folder import Run, ScoreRecord
from earthexam.evaluate.grounding import GroundingSummary, summarise_boxes
from earthexam.evaluate.judging import Judged, apply_verdicts
from earthexam.evaluate.verdicts import read_verdicts

FORMATS_FILE = "formats.json"
CAPTION_SCORE = "ROUGE-L"
"""The metric that stands as a caption's score from 0 to 1: it needs no other caption and no Java."""


@dataclass(frozen=True)
class FormatResults:
    """What the formats beyond choice came to; empty where a run has none of them.

    Attributes
    ----------
    judged : Judged
        How the judge went about open answers and chains.
    captions : CaptionScores or None
        All captions as one corpus.
    chains, boxes : mapping
        Task code to its summary; all chains together under an empty name.
    """

    judged: Judged
    captions: CaptionScores | None = None
    chains: Mapping[str, ChainSummary] = field(default_factory=dict)
    boxes: Mapping[str, GroundingSummary] = field(default_factory=dict)


def finish_scores(
    run: Run, benchmark: Benchmark, scores: Sequence[ScoreRecord]
) -> tuple[list[ScoreRecord], FormatResults]:
    """Complete the score rows of a run by its kept verdicts and by caption metrics.

    Parameters
    ----------
    scores : sequence of ScoreRecord
        As `score_run` gives them.
    """
    rows, judged = apply_verdicts(run, benchmark, scores)
    rows, captions = caption_rows(run, benchmark, rows)
    return rows, FormatResults(
        judged, captions, _chains(run, benchmark, rows), _boxes(benchmark, rows)
    )


def record_formats(run: Run, results: FormatResults) -> None:
    """Write ``formats.json`` beside the scores, where there is anything to write; NaN becomes null."""
    if not (results.judged.judge or results.captions or results.chains or results.boxes):
        return
    text = json.dumps(_plain(asdict(results)), indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(run.root / FORMATS_FILE, (text + "\n").encode())


def caption_rows(
    run: Run, benchmark: Benchmark, rows: Sequence[ScoreRecord], *, released: bool = False
) -> tuple[list[ScoreRecord], CaptionScores | None]:
    """Score the captions among the rows as one corpus; None where there is none.

    Parameters
    ----------
    released : bool
        Clean captions as the released OmniEarth-Bench code does, and leave out those that failed.
    """
    own = [
        row
        for row in rows
        if isinstance(benchmark.by_id[row.key.id].answer, References)
        and row.outcome not in (("unsupported", "failed") if released else ("unsupported",))
    ]
    if not any(row.outcome == "unjudged" for row in own):  # no caption came at all
        return list(rows), None
    texts = {record.key: record.text for record in run.replies() if record.status == "replied"}
    clean = clean_caption if released else plain_caption
    pairs = []
    for row in own:
        answer = benchmark.by_id[row.key.id].answer
        references = answer.references if isinstance(answer, References) else ()
        pairs.append(
            CaptionPair(repr(row.key), clean(texts.get(row.key, "")), tuple(map(clean, references)))
        )
    scores = score_captions(pairs)
    return [_caption_row(row, scores) for row in rows], scores


def _caption_row(row: ScoreRecord, scores: CaptionScores) -> ScoreRecord:
    values = scores.by_item.get(repr(row.key))
    if row.outcome != "unjudged" or values is None:
        return row
    detail = ", ".join(f"{metric} {value:.3f}" for metric, value in sorted(values.items()))
    return replace(
        row, outcome="partial", score=values[CAPTION_SCORE], rule=CAPTION_SCORE, detail=detail
    )


def _chains(run: Run, benchmark: Benchmark, rows: Sequence[ScoreRecord]) -> dict[str, ChainSummary]:
    verdicts = read_verdicts(run.root)
    chains = []
    for row in rows:
        if benchmark.by_id[row.key.id].format != "chain_of_thought":
            continue
        if row.outcome == "unsupported":
            continue
        precision = verdicts.get((row.key, "precision"))
        recall = verdicts.get((row.key, "recall"))
        chains.append(
            ChainItem(
                id=row.key.id,
                task=row.task,
                precision=precision.score if precision else None,
                recall=recall.score if recall else None,
                answered=row.score == 1,
            )
        )
    return {"": summarise_chains(chains), **chains_by_task(chains)} if chains else {}


def _boxes(benchmark: Benchmark, rows: Sequence[ScoreRecord]) -> dict[str, GroundingSummary]:
    by_task: dict[str, list[ScoreRecord]] = {}
    for row in rows:
        if benchmark.by_id[row.key.id].format == "grounding":
            by_task.setdefault(row.task, []).append(row)
    return {
        task: summarise_boxes(
            pl.DataFrame(
                {"outcome": [row.outcome for row in own], "iou": [row.iou for row in own]},
                schema={"outcome": pl.String, "iou": pl.Float64},
            )
        )
        for task, own in by_task.items()
    }


def _plain(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return None
        case float():
            return round(value, 6)
        case dict():
            return {key: _plain(held) for key, held in value.items()}
        case list() | tuple():
            return [_plain(held) for held in value]
        case _:
            return value


def read_formats(run: Run) -> FormatResults | None:
    """Read ``formats.json``; None where the run has none.

    Raises
    ------
    FormatError
        The file is not what `record_formats` writes.
    """
    path = run.root / FORMATS_FILE
    if not path.is_file():
        return None
    try:
        kept = json.loads(path.read_bytes())
        for summaries in (kept["chains"], kept["boxes"]):
            for name, summary in summaries.items():
                summaries[name] = _with_nan(summary)
        return _RESULTS.validate_python(kept)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        line = str(error).splitlines()[0]
        message = f"{path}: {line}; score the run again with: earthexam score {run.root}"
        raise FormatError(message) from error


def _with_nan(value: Any) -> Any:
    match value:
        case None:
            return math.nan
        case dict():
            return {key: _with_nan(held) for key, held in value.items()}
        case list():
            return [_with_nan(held) for held in value]
        case _:
            return value


_RESULTS = TypeAdapter(FormatResults)
