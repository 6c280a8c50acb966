"""Write the scores of a run and their summary into its folder."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from earthexam.core.errors import UnknownNameError
from earthexam.core.taxonomy import Taxonomy
from earthexam.evaluate.folder import Run, ScoreRecord, scores_file, write_scores, write_summary
from earthexam.evaluate.summary import RunSummary, SummaryRow, summarise
from earthexam.published.tables import load_taxonomy


def record_scores(run: Run, rows: Sequence[ScoreRecord], scoring: str = "ours") -> RunSummary:
    """Write the score table, and for our own scoring ``summary.json``; return the summary.

    Another scoring goes to ``scores-NAME.parquet`` beside ours.
    """
    scores = pl.read_parquet(write_scores(run.root, rows, scores_file(scoring)), glob=False)
    summary = summarise(scores, _taxonomy(run), label=run.label)
    if scoring == "ours":
        write_summary(run.root, _as_json(run, summary, scores))
    return summary


def _taxonomy(run: Run) -> Taxonomy | None:
    try:
        return load_taxonomy(run.info.taxonomy) if run.info.taxonomy else None
    except UnknownNameError:  # a user's own taxonomy: tasks stand without levels
        return None


def _as_json(run: Run, summary: RunSummary, scores: pl.DataFrame) -> dict[str, Any]:
    plain = scores.filter(pl.col("outcome") != "unsupported").group_by("view")
    plain_mean = dict(plain.agg(pl.col("score").mean()).iter_rows())
    return {
        "model": run.info.model,
        "benchmark": run.info.benchmark,
        "protocol": run.info.protocol,
        "scoring": "ours",
        "circular": summary.circular,
        "epochs": summary.epochs,
        "views": {
            view.view: {
                "ranked": view.ranked,
                "micro": _row(view.micro),
                "macro": _row(view.macro),
                "plain_mean_of_replies": _number(plain_mean.get(view.view)),
                "tasks": {row.name: _row(row) for row in view.tasks},
            }
            for view in summary.views
        },
    }


def _row(row: SummaryRow) -> dict[str, Any]:
    return {
        "n": row.n,
        "score": _number(row.score.estimate),
        "low": _number(row.score.low),
        "high": _number(row.score.high),
        "coverage": _number(row.coverage),
        "answered_score": _number(row.answered_score),
        "chance": _number(row.chance),
        "outcomes": asdict(row.outcomes),
    }


def _number(value: float | None) -> float | None:
    """Round for the file; JSON has no NaN."""
    return None if value is None or value != value else round(value, 6)
