"""The application that every command module adds to, and how commands print."""

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

# Rich mark-up in help texts costs 0.3 s at every start; errors of ours are one line anyway.
app = typer.Typer(
    name="earthexam",
    help="Build, audit, run and report multimodal-LLM benchmarks for Earth observation.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and stop, when asked to."""
    if wanted:
        from earthexam import __version__

        typer.echo(f"earthexam {__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Build, audit, run and report multimodal-LLM benchmarks for Earth observation."""


def say(text: str) -> None:
    """Tell the user how things go: messages are for stderr, stdout is for data."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def print_table(
    rows: Sequence[Sequence[str]], header: Sequence[str], *, as_json: bool = False
) -> None:
    """Print rows on stdout as an aligned table, or as a JSON list of objects."""
    if as_json:
        records: list[dict[str, Any]] = [dict(zip(header, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
        return
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        line = "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
