"""`earthexam read`: extract answers from replies only."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app


@app.command("read")
def read_command(
    replies: Annotated[
        Path, typer.Argument(help="JSON lines with reply, format, options…; - reads stdin.")
    ],
) -> None:
    """Read the answer in every reply; JSON lines in, JSON lines out."""
    from earthexam.answers.lines import read_lines
    from earthexam.core.errors import MissingFileError

    if str(replies) == "-":
        lines = sys.stdin.read().splitlines()
    elif replies.is_file():
        lines = replies.read_text(encoding="utf-8").split("\n")
    else:
        message = f"{replies} does not exist; expected a file of JSON lines, or - for stdin"
        raise MissingFileError(message)
    for line in read_lines(lines):
        sys.stdout.write(f"{line}\n")
