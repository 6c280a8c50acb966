"""`earthexam label` and `earthexam errors`: why replies are wrong, as reviewers see it."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table, say


@app.command("label")
def label_command(
    run: Annotated[Path, typer.Argument(help="Scored run folder.")],
    item: Annotated[str, typer.Argument(help="Id of the item.")],
    category: Annotated[
        str, typer.Argument(help="order, number, visual, knowledge, abstention or target.")
    ],
    view: Annotated[str, typer.Option(help="View of the reply; its only one by default.")] = "",
    epoch: Annotated[int, typer.Option(min=0, help="Repetition, from 0.")] = 0,
    order: Annotated[int, typer.Option(min=0, help="Option order, from 0.")] = 0,
    reviewer: Annotated[str, typer.Option(help="Who says so.")] = "",
    note: Annotated[str, typer.Option(help="In a few words, why.")] = "",
) -> None:
    """Say what kind of error a wrong reply makes; a later label replaces an earlier one."""
    from earthexam.evaluate.error_labels import reply_key, set_label
    from earthexam.evaluate.folder import Run

    opened = Run.open(run)
    key = reply_key(opened, item, view=view, epoch=epoch, order=order)
    label = set_label(opened, key, category, reviewer=reviewer, note=note)
    say(f"{label.key.id} ({label.key.view or 'blind'}): {label.category}")


@app.command("errors")
def errors_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Labelled run folders.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the error categories of labelled runs."""
    from earthexam.evaluate.error_labels import CATEGORIES, error_table
    from earthexam.evaluate.folder import Run

    table = error_table([Run.open(run) for run in runs])
    rows = [(name, *map(str, counts), CATEGORIES[name]) for name, counts in table.counts.items()]
    print_table(rows, ("category", *table.runs, "meaning"), as_json=as_json)
