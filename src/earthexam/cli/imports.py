"""``earthexam import``: published layouts become folders of ours."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, say


@app.command("import")
def import_(
    layout: Annotated[str, typer.Argument(help="hm-bench, omniearth, …")],
    source: Annotated[Path, typer.Argument(metavar="PATH", help="Folder or file as published.")],
    out: Annotated[Path, typer.Option("--out", help="New folder.")],
    without_media: Annotated[
        bool, typer.Option("--without-media", help="Go on where media files are missing.")
    ] = False,
) -> None:
    """Import a published benchmark into a benchmark folder."""
    from earthexam.exchange import IMPORTERS

    imported = IMPORTERS.get(layout)(source, out, without_media=without_media)
    for warning in imported.warnings:
        say(f"warning: {warning}")
    for path in imported.missing[:10]:
        say(f"missing: {path}")
    if len(imported.missing) > 10:
        say(f"missing: … {len(imported.missing) - 10} more; earthexam check counts them")
    say(f"{imported.root}: {imported.n} imported, {len(imported.warnings)} warnings")
