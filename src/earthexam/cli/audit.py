"""``earthexam audit``: find what is wrong with a benchmark, its runs or a published table."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table, say


@app.command("audit")
def audit(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Benchmark folder.")],
    runs: Annotated[
        list[Path] | None, typer.Option("--runs", help="A scored run; may be given again.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(help="Published table, tidy CSV: model, view, task, accuracy.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSON file; a page is written beside it.")
    ] = None,
    write_subset: Annotated[
        Path | None, typer.Option(help="New benchmark of the items no blind scorer solves.")
    ] = None,
    limits: Annotated[Path | None, typer.Option(help="TOML file of thresholds.")] = None,
    skip: Annotated[str, typer.Option(help="Checks to leave out, as B5,B6.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of folds and learners.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run every check; exit 1 when one of severity error fires."""
    from earthexam.audit.report import audit_benchmark, load_limits, write_audit
    from earthexam.audit.subset import write_subset as write_items
    from earthexam.audit.table_file import read_table
    from earthexam.benchmark.store import Benchmark
    from earthexam.core.errors import InputError
    from earthexam.evaluate.folder import Run

    left_out = {name.strip() for name in skip.split(",") if name.strip()}
    if write_subset and "B5" in left_out:
        message = (
            "--write-subset needs the blind scorer B5, which --skip leaves out; drop one of the two"
        )
        raise InputError(message)
    benchmark = Benchmark.open(bench)
    report = audit_benchmark(
        benchmark,
        runs=[Run.open(path) for path in runs or ()],
        table=read_table(table) if table else None,
        limits=load_limits(limits) if limits else None,
        skip=left_out,
        seed=seed,
    )
    if as_json:
        typer.echo(report.to_json(), nl=False)
    else:
        rows = [
            (f.check_id, f.severity, str(f.n), str(f.denominator), f.example[:100])
            for f in report.findings
        ]
        print_table(rows, ("check", "severity", "n", "of", "example"))
    if report.headline:
        say(report.headline)
    if out:
        for path in write_audit(report, out):
            say(f"wrote {path}")
    if write_subset:
        info = write_items(benchmark, report.unsolved, write_subset, how="debiased")
        say(f"wrote {write_subset}: {info.counts['items']} of {report.n_items} items")
    say(f"{bench}: {report.count('error')} errors, {report.count('warning')} warnings")
    report.raise_for_errors()
