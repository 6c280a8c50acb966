"""The command that compares two runs."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table, say


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A scored run.", metavar="RUN")],
    second: Annotated[
        Path, typer.Argument(help="A scored run of the same benchmark.", metavar="RUN")
    ],
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare two runs item by item: differences with clustered intervals and tests.

    With a blind run as the second, the differences are the gain from looking.
    """
    from dataclasses import astuple, fields

    from earthexam.evaluate.folder import Run
    from earthexam.evaluate.paired import compare_runs
    from earthexam.report.pairs import PAIR_HEADER, PairRecord, pair_notes, pair_records, pair_rows

    comparisons = compare_runs(Run.open(first), Run.open(second), seed=seed)
    for note in pair_notes(comparisons):
        say(note)
    if as_json:
        header = [field.name for field in fields(PairRecord)]
        print_table([astuple(one) for one in pair_records(comparisons)], header, as_json=True)
    else:
        print_table(pair_rows(comparisons), PAIR_HEADER)
