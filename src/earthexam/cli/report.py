"""`earthexam report`: tables, figures and one page about runs."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, say


@app.command("report")
def report_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Scored run folders.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the report.")],
    benchmark: Annotated[
        Path | None, typer.Option("--benchmark", help="Where the benchmark lies, if it was moved.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Published results to compare with: hm-bench…")
    ] = None,
    twins: Annotated[
        list[Path] | None,
        typer.Option("--twins", help="Scored run on the open-ended twins; may be given again."),
    ] = None,
    items: Annotated[int, typer.Option(min=0, help="Most items in the page's browser.")] = 120,
    seed: Annotated[int, typer.Option(help="Seed of the choice of these items.")] = 0,
) -> None:
    """Write tables (md, csv, tex), figures and a self-contained HTML page about runs."""
    from earthexam.evaluate.folder import Run
    from earthexam.report.collect import collect_report
    from earthexam.report.folder import PAGE_FILE, write_report

    collected = collect_report(runs, benchmark=benchmark)
    spoken = [Run.open(folder) for folder in twins or ()]
    written = write_report(collected, out, items=items, seed=seed, against=against, twins=spoken)
    say(f"{len(written.files)} files in {out}; open {out / PAGE_FILE}")
