"""`earthexam score`: score a saved run; the model is not asked again."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from earthexam.cli.app import app, print_table, say

if TYPE_CHECKING:
    from earthexam.evaluate.published_scoring import Difference
    from earthexam.evaluate.summary import RunSummary


class Scoring(StrEnum):
    """Whose rules decide."""

    OURS = "ours"
    RELEASED = "released"
    PAPER = "paper"


@app.command("score")
def score_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    benchmark: Annotated[
        Path | None, typer.Option(help="Benchmark folder, where it has moved since the run.")
    ] = None,
    scoring: Annotated[
        Scoring, typer.Option(help="ours, or as HM-Bench: its released code, its paper.")
    ] = Scoring.OURS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a saved run and print the result by task; ours is always written."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.evaluate.folder import Run
    from earthexam.evaluate.published_scoring import differences, score_published
    from earthexam.evaluate.record_scores import record_scores
    from earthexam.evaluate.scoring import score_run

    opened = Run.open(run)
    items = Benchmark.open(benchmark or opened.info.benchmark_path)
    ours = score_run(opened, items)
    summary = record_scores(opened, ours)
    if scoring is Scoring.OURS:
        _print_summary(summary, as_json)
        return
    rules: Literal["released", "paper"] = "released" if scoring is Scoring.RELEASED else "paper"
    published = score_published(opened, items, rules)
    _print_summary(record_scores(opened, published, scoring.value), as_json)
    _tell_differences(differences(opened, ours, published), scoring)


def _print_summary(summary: "RunSummary", as_json: bool) -> None:
    rows = [
        (
            view.view or "blind",
            " ".join(filter(None, [row.name, row.average])),
            str(row.n),
            f"{row.score.estimate:.3f}" if row.supported else "X",
            f"{row.score.low:.3f}–{row.score.high:.3f}" if row.supported else "",
            f"{row.chance:.3f}",
            f"{row.coverage:.3f}",
            ", ".join(
                f"{name} {count}"
                for name in row.outcomes.__dataclass_fields__
                if (count := getattr(row.outcomes, name))
            ),
        )
        for view in summary.views
        for row in (*view.tasks, view.micro, view.macro)
    ]
    header = ("view", "task", "n", "score", "95 %", "chance", "coverage", "outcomes")
    print_table(rows, header, as_json=as_json)
    if summary.circular:
        say("circular evaluation: an item is right only if every rotation of its options is")


def _tell_differences(found: "list[Difference]", scoring: Scoring) -> None:
    say(f"{len(found)} replies score differently under {scoring.value} and ours:")
    for one in found:
        reply = " ".join(one.reply.split())[:60]
        say(
            f"  {one.key.id} {one.key.view} ({one.task}): {scoring.value} {one.published.outcome} "
            f"{one.published.answer}, ours {one.ours.outcome} {one.ours.answer}: {reply!r}"
        )
