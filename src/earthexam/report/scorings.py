"""The scorings of one run side by side: ours, the released code's and the paper's."""

from collections.abc import Iterator

import polars as pl

from earthexam.evaluate.folder import Run
from earthexam.evaluate.published_scoring import PUBLISHED_SCORINGS
from earthexam.evaluate.summary import summarise
from earthexam.report.collect import VIEW_TITLES, Report
from earthexam.report.tables import escape_markdown, markdown_rows, percent, percent_interval

_KEY = ("id", "view", "epoch", "order")


def scorings_markdown(report: Report) -> str:
    """Write the averages of every run under every scoring; empty where only ours was made."""
    rows = [
        row
        for label, run in zip(report.labels, report.runs, strict=True)
        for row in _rows(report, label, run)
    ]
    if not rows:
        return ""
    head = ["Run", "View", "Scoring", "Micro [95 %]", "Macro [95 %]", "Replies scored otherwise"]
    return (
        f"# Scorings side by side (%)\n\n{markdown_rows(head, rows)}\n"
        "*Released* is what the published code does, faults included; *paper* is what the paper says. "
        "The replies that score otherwise than ours lie in the run, in `differences-SCORING.jsonl`.\n"
    )


def _rows(report: Report, label: str, run: Run) -> Iterator[list[str]]:
    other: dict[str, pl.DataFrame] = {}
    for scoring in PUBLISHED_SCORINGS:
        found = run.scores_by(scoring)
        if found is not None:
            other[scoring] = found
    if not other:
        return
    ours = run.scores()
    for name, scores in {"ours": ours, **other}.items():
        for view in summarise(scores, report.taxonomy, label=label).views:
            yield [
                escape_markdown(label),
                VIEW_TITLES[view.view],
                name,
                f"{percent(view.micro.score.estimate)} [{percent_interval(view.micro.score)}]",
                f"{percent(view.macro.score.estimate)} [{percent_interval(view.macro.score)}]",
                "" if name == "ours" else str(_differing(ours, scores, view.view)),
            ]


def _differing(ours: pl.DataFrame, other: pl.DataFrame, view: str) -> int:
    both = ours.filter(view=view).join(other, on=_KEY, suffix="_other")
    taken = both.filter(pl.col("outcome_other") != "unsupported")
    return taken.filter(pl.col("score") != pl.col("score_other")).height
