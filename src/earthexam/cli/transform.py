"""`earthexam transform` and `earthexam twins`: open-ended twins of choice questions."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table, say

_LISTED = 20


class Transformation(StrEnum):
    """What to make of a benchmark."""

    OPEN_ENDED = "open-ended"


@app.command("transform")
def transform_command(
    transformation: Annotated[Transformation, typer.Argument(help="open-ended.")],
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Benchmark folder.")],
    out: Annotated[Path, typer.Option("--out", help="New benchmark folder.")],
) -> None:
    """Turn the choice questions of a benchmark into open-ended ones."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.exchange.open_ended import turn_open_ended

    turned = turn_open_ended(Benchmark.open(benchmark), out)
    for one in turned.not_turned[:_LISTED]:
        say(f"not turned: {one.id}: {one.reason}")
    if len(turned.not_turned) > _LISTED:
        say(f"not turned: … {len(turned.not_turned) - _LISTED} more; benchmark.json lists all")
    say(
        f"{turned.root}: {turned.n} open-ended questions ({transformation.value}), "
        f"{len(turned.not_turned)} not turned, {turned.other} were no choice questions"
    )


@app.command("twins")
def twins_command(
    choice: Annotated[Path, typer.Argument(help="Scored run on choice questions.")],
    spoken: Annotated[
        Path, typer.Argument(metavar="OPEN", help="Scored run on their open-ended twins.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare choice and open-ended results side by side, task by task, in percent."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.evaluate.folder import Run
    from earthexam.evaluate.twins import compare_twins

    runs = [Run.open(folder) for folder in (choice, spoken)]
    first, second = [(run, Benchmark.open(run.info.benchmark_path)) for run in runs]
    rows = [
        (
            row.task or "mean over tasks",
            str(row.n),
            *(
                f"{100 * share:.2f}"
                for share in (
                    row.choice,
                    row.chance,
                    row.open_mean,
                    row.open_strict,
                    row.unjudged,
                )
            ),
        )
        for row in compare_twins(first, second)
    ]
    head = ("task", "n", "choice", "chance", "open mean", "open strict", "unjudged")
    print_table(rows, head, as_json=as_json)
