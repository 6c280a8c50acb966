"""`earthexam describe`: a benchmark in numbers."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table


@app.command("describe")
def describe_command(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Benchmark folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count items by level, format, source…, and measure questions, steps and captions in words."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.report.describe import describe, description_rows

    rows = description_rows(describe(Benchmark.open(benchmark)))
    print_table(rows, ("what", "name", "value"), as_json=as_json)
