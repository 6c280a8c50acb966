"""`earthexam score`: score a saved run; the model is not asked again."""

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from earthexam.cli.app import app, print_table, say

if TYPE_CHECKING:
    from earthexam.benchmark.store import Benchmark
    from earthexam.evaluate.folder import Run, ScoreRecord
    from earthexam.evaluate.formats import FormatResults
    from earthexam.evaluate.intervals import Interval
    from earthexam.evaluate.published_scoring import Difference
    from earthexam.evaluate.summary import RunSummary


_LISTED = 20


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
        Scoring, typer.Option(help="ours, or as published: the released code, the paper.")
    ] = Scoring.OURS,
    judge: Annotated[
        str | None, typer.Option(help="Model that decides open answers and chains, as for run.")
    ] = None,
    base_url: Annotated[
        list[str] | None, typer.Option(help="Server address of the judge; may be repeated.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Most questions to the judge at once.")
    ] = 16,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a saved run and print the result by task; ours is always written."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.evaluate.folder import Run
    from earthexam.evaluate.formats import finish_scores, record_formats
    from earthexam.evaluate.published_scoring import (
        differences,
        score_published,
        write_differences,
    )
    from earthexam.evaluate.record_scores import record_scores
    from earthexam.evaluate.scoring import score_run

    opened = Run.open(run)
    items = Benchmark.open(benchmark or opened.info.benchmark_path)
    ours = score_run(opened, items)
    if judge is not None:
        _ask_judge(opened, items, ours, judge, base_url, concurrency)
    ours, results = finish_scores(opened, items, ours)
    record_formats(opened, results)
    summary = record_scores(opened, ours)
    _tell_formats(results)
    if scoring is Scoring.OURS:
        _print_summary(summary, as_json)
        return
    rules: Literal["released", "paper"] = "released" if scoring is Scoring.RELEASED else "paper"
    published = score_published(opened, items, rules)
    _print_summary(record_scores(opened, published, scoring.value), as_json)
    found = differences(opened, ours, published)
    _tell_differences(found, scoring)
    say(f"all of them: {write_differences(opened, rules, found)}")
    if rules == "released" and items.info.taxonomy == "omniearth":
        _tell_released_log(published, items)


def _tell_released_log(published: "list[ScoreRecord]", benchmark: "Benchmark") -> None:
    """Say what the released OmniEarth-Bench log would: pooled accuracy by sphere and overall."""
    from earthexam.evaluate.released_omniearth import pooled_lines, stops_at

    for line in pooled_lines(published, benchmark.by_id):
        if len(line.path) <= 1:
            name = line.path[0] if line.path else "Overall"
            say(f"released, pooled: {name}: {line.accuracy:.4f}, unable {line.unable}, n {line.n}")
    if stops := stops_at(benchmark):
        say(
            f"the released code stops with an error at {len(stops)} items whose last option does "
            f"not abstain, first {stops[0]}"
        )


def _ask_judge(
    run: "Run",
    benchmark: "Benchmark",
    scores: "list[ScoreRecord]",
    judge: str,
    base_url: list[str] | None,
    concurrency: int,
) -> None:
    from earthexam.evaluate.judging import judge_run
    from earthexam.models.opening import open_model
    from earthexam.models.options import ModelOptions
    from earthexam.models.profiles import find_profile

    options = ModelOptions(
        profile=find_profile(judge), base_urls=tuple(base_url or ()), concurrency=concurrency
    )
    model = open_model(judge, options)
    asked = judge_run(run, benchmark, scores, model, concurrency=concurrency)
    say(f"{judge} was asked {asked} questions; its earlier verdicts were kept")


def _tell_formats(results: "FormatResults") -> None:
    judged = results.judged
    if judged.judge:
        agreement = (
            "" if judged.agreement is None else f", agrees with rules in {judged.agreement:.1%}"
        )
        say(f"judge {judged.judge}: {judged.verdicts} verdicts, {judged.failed} failed{agreement}")
    if results.captions is not None:
        values = (f"{name} {value:.4f}" for name, value in results.captions.corpus.items())
        say(f"{results.captions.n} captions: {', '.join(values) or 'not scored'}")
        for note in results.captions.notes:
            say(f"  {note}")


def _print_summary(summary: "RunSummary", as_json: bool) -> None:
    rows = [
        (
            view.view or "blind",
            " ".join(filter(None, [row.name, row.average])),
            str(row.n),
            f"{row.score.estimate:.3f}" if row.supported else "X",
            _interval(row.score) if row.supported else "",
            f"{row.chance:.3f}" if row.supported else "",
            f"{row.coverage:.3f}" if row.supported else "",
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


def _interval(score: "Interval") -> str:
    """Write an interval; a single group, or groups that cannot vary, has none."""
    return "–" if math.isnan(score.low) else f"{score.low:.3f}–{score.high:.3f}"


def _tell_differences(found: "list[Difference]", scoring: Scoring) -> None:
    say(f"{len(found)} replies score differently under {scoring.value} and ours:")
    for one in found[:_LISTED]:
        reply = " ".join(one.reply.split())[:60]
        say(
            f"  {one.key.id} {one.key.view} ({one.task}): {scoring.value} {one.published.outcome} "
            f"{one.published.answer}, ours {one.ours.outcome} {one.ours.answer}: {reply!r} "
            f"{one.published.detail}".rstrip()
        )
