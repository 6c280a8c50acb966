"""``earthexam check``: validate a benchmark folder."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table, say


@app.command("check")
def check(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Benchmark folder.")],
    limit: Annotated[int, typer.Option(help="Most problems of one kind to print.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the problems as JSON.")] = False,
) -> None:
    """Validate schema, ids, taxonomy, keys, options and media; exit 1 on errors."""
    from collections import Counter

    from earthexam.benchmark.checks import check_folder
    from earthexam.core.errors import CheckFailedError

    problems = check_folder(benchmark)
    kinds: Counter[tuple[str, str]] = Counter()
    rows = []
    for problem in problems:
        kinds[problem.severity, problem.kind] += 1
        if as_json or kinds[problem.severity, problem.kind] <= limit:
            rows.append((problem.severity, problem.kind, problem.where, problem.message))
    if rows or as_json:
        print_table(rows, ("severity", "kind", "where", "problem"), as_json=as_json)
    for (severity, kind), count in kinds.items():
        if count > limit and not as_json:
            say(f"… {count - limit} more {kind} {severity}s; see all with --json")
    n_errors = sum(problem.severity == "error" for problem in problems)
    verdict = f"{benchmark}: {n_errors} errors, {len(problems) - n_errors} warnings"
    if n_errors:
        raise CheckFailedError(verdict)
    say(verdict)
