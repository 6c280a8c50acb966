"""Tables of the formats beyond choice: boxes, captions, chains of thought, open answers."""

from collections.abc import Iterator, Sequence

import polars as pl

from earthexam.evaluate.captions import METRICS
from earthexam.evaluate.chain import ChainSummary
from earthexam.evaluate.formats import FormatResults, read_formats
from earthexam.evaluate.grounding import THRESHOLDS, GroundingSummary
from earthexam.report.collect import Report
from earthexam.report.tables import escape_markdown, markdown_rows, percent


def formats_markdown(report: Report) -> str:
    """Write one section for every format beyond choice that the runs hold; empty without any."""
    kept = [
        (label, results)
        for label, run in zip(report.labels, report.runs, strict=True)
        if (results := read_formats(run)) is not None
    ]
    sections = (*_boxes(kept), *_captions(kept), *_chains(kept), *_open(report, kept))
    return "\n\n".join(sections) + "\n" if sections else ""


_NOTHING = "–"
_Kept = Sequence[tuple[str, FormatResults]]


def _boxes(kept: _Kept) -> Iterator[str]:
    rows = [
        _box_row(label, task, summary)
        for label, results in kept
        for task, summary in results.boxes.items()
    ]
    if rows:
        head = ["Run", "Task", "n", "Mean IoU", *(f"Acc@{t}" for t in THRESHOLDS), "Unread"]
        yield "## Boxes (%)"
        yield _table(head, rows)
        yield (
            "A reply without a box counts with an overlap of 0. Coordinates are read in the "
            "convention that the model declares, never in the one that fits best."
        )


def _box_row(label: str, task: str, summary: GroundingSummary) -> list[str]:
    shares = [summary.mean_iou, *(share for _, share in summary.accuracy), summary.unread]
    return [label, task, str(summary.n), *(percent(share) for share in shares)]


def _captions(kept: _Kept) -> Iterator[str]:
    rows, notes = [], dict[str, None]()
    for label, results in kept:
        if results.captions is None:
            continue
        corpus = results.captions.corpus
        values = [percent(corpus[name]) if name in corpus else _NOTHING for name in METRICS]
        rows.append([label, str(results.captions.n), *values])
        notes |= dict.fromkeys(results.captions.notes)
    if rows:
        yield "## Captions (times 100)"
        yield _table(["Run", "Pictures", *METRICS], rows)
        yield "\n".join(f"- {note}" for note in notes)


def _chains(kept: _Kept) -> Iterator[str]:
    rows = [
        _chain_row(label, task or "all", summary)
        for label, results in kept
        for task, summary in results.chains.items()
    ]
    if rows:
        head = [
            "Run", "Task", "n", "Precision", "Recall", "F1 of averages", "Mean of item F1s",
            "Failed verdicts", "F1, failed as 0", "Answer right",
        ]  # fmt: skip
        yield "## Chains of thought (%)"
        yield _table(head, rows)
        yield (
            "Precision and recall as in MME-CoT, over valid verdicts; published tables print the F1 "
            "of the averages."
        )


def _chain_row(label: str, task: str, summary: ChainSummary) -> list[str]:
    return [
        label,
        task,
        str(summary.n),
        percent(summary.precision),
        percent(summary.recall),
        percent(summary.f1_of_averages),
        percent(summary.mean_item_f1),
        f"{summary.failed} of {2 * summary.n}",
        percent(summary.f1_of_averages_all),
        percent(summary.accuracy),
    ]


def _open(report: Report, kept: _Kept) -> Iterator[str]:
    ids = [item.id for item in report.benchmark.items if item.format == "open"]
    if not ids:
        return
    rows = []
    for label, run in zip(report.labels, report.runs, strict=True):
        scores = run.scores().filter(pl.col("id").is_in(ids) & (pl.col("outcome") != "unsupported"))
        if scores.is_empty():
            continue
        n = scores.height
        strict = int((scores["score"] >= 1).sum()) / n
        unjudged = int((scores["outcome"] == "unjudged").sum())
        by_judge = int((scores["rule"] == "judge").sum())
        mean = float(scores["score"].sum()) / n
        judge = next((results.judged for name, results in kept if name == label), None)
        rows.append(
            [
                label,
                str(n),
                percent(mean),
                percent(strict),
                str(unjudged),
                str(by_judge),
                judge.judge if judge and judge.judge else _NOTHING,
                ", ".join(judge.prompt_versions) if judge else _NOTHING,
                percent(judge.agreement) if judge and judge.agreement is not None else _NOTHING,
            ]
        )
    head = [
        "Run", "n", "Mean score", "Strict (score 1)", "Unjudged", "Decided by judge", "Judge",
        "Wording", "Agrees with rules",
    ]  # fmt: skip
    yield "## Open answers (%)"
    yield _table(head, rows)
    yield (
        "Rules decide numbers, ranges, yes or no and closed label sets; a judge decides the rest. "
        "An unjudged reply counts 0."
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_rows(head, [[escape_markdown(cell) for cell in row] for row in rows]).rstrip()
