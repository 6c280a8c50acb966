"""Find the published table of a benchmark: the one that ships, or a tidy CSV, one line a cell."""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from earthexam.audit.tables import OVERALL
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import FormatError, InputError, MissingFileError
from earthexam.published.tables import (
    PublishedScore,
    load_results,
    load_taxonomy,
    result_names,
    taxonomy_names,
)

_NAMES = {
    "model": ("model",),
    "view": ("view", "input"),
    "task": ("task",),
    "accuracy": ("accuracy", "score"),
    "printed": ("printed", "printed_text"),
    "table": ("table",),
}
_NEEDED = ("model", "task", "accuracy")


def shipped_table(benchmark: Benchmark) -> tuple[PublishedScore, ...]:
    """Return the accuracies that were published for a benchmark, as far as they concern it.

    Only tasks count that have as many items here as were published: the cells of the others rest on
    other questions. An overall counts only where all tasks do.
    """
    name = benchmark.info.name
    if name not in result_names() or name not in taxonomy_names():
        return ()
    own = Counter(item.task for item in benchmark.items)
    taxonomy = load_taxonomy(name)
    whole = {task.code for task in taxonomy if task.size == own[task.code]}
    if len(whole) == len(taxonomy.tasks):
        whole.add(OVERALL)
    return tuple(
        cell for cell in load_results(name) if cell.metric == "accuracy" and cell.task in whole
    )


def refuse_other_tasks(cells: Iterable[PublishedScore], benchmark: Benchmark) -> None:
    """Raise where a table speaks of tasks that the benchmark has not: its sizes would not fit.

    Raises
    ------
    InputError
        A task is neither one of the benchmark, nor a level of it, nor the overall.
    """
    tasks = {item.task for item in benchmark.items}
    known = tasks | {name for item in benchmark.items for name in item.levels} | {OVERALL}
    unknown = sorted({cell.task for cell in cells} - known)
    if unknown:
        message = (
            f"the table has the task {unknown[0]!r} ({len(unknown)} unknown in all), "
            f"{benchmark.root} has {', '.join(sorted(tasks)[:20])}; name tasks by these codes, "
            f"averages {OVERALL!r} or by their level"
        )
        raise InputError(message)


def read_table(path: Path) -> tuple[PublishedScore, ...]:
    """Read the cells of a published table.

    Parameters
    ----------
    path : Path
        CSV with the columns ``model``, ``task`` and ``accuracy`` (in percent); ``view`` (or
        ``input``), ``printed`` (the digits as printed) and ``table`` may be there. The average of a row
        stands under the task ``Overall``.

    Raises
    ------
    MissingFileError
        The file does not exist.
    FormatError
        No UTF-8 text, a column is missing, an accuracy is no number from 0 to 100, all are fractions,
        or a cell stands there twice.
    """
    if not path.is_file():
        message = f"{path} does not exist; give a CSV with the columns {', '.join(_NEEDED)}"
        raise MissingFileError(message)
    reader = csv.DictReader(io.StringIO(_text(path), newline=""))
    columns = {
        name: next((c for c in names if c in (reader.fieldnames or ())), None)
        for name, names in _NAMES.items()
    }
    missing = [name for name in _NEEDED if columns[name] is None]
    if missing:
        message = f"{path} lacks the columns {', '.join(missing)}; expected {', '.join(_NEEDED)}"
        raise FormatError(message)
    cells = tuple(
        _cell({name: (row.get(c) or "") if c else "" for name, c in columns.items()}, path, n)
        for n, row in enumerate(reader, 2)
    )
    _refuse_twice(cells, path)
    if cells and max(cell.accuracy for cell in cells) <= 1:
        message = f"{path}: no accuracy is above 1; expected percent, multiply by 100"
        raise FormatError(message)
    return cells


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path} is no UTF-8 text ({error.reason}, byte {error.start}); save it as CSV"
        raise FormatError(message) from error


def _refuse_twice(cells: Iterable[PublishedScore], path: Path) -> None:
    counts = Counter((cell.model, cell.view, cell.task, cell.table) for cell in cells)
    twice = [key for key, count in counts.items() if count > 1]
    if twice:
        model, view, task, _ = twice[0]
        message = (
            f"{path} has {model!r}, view {view!r}, task {task!r} more than once; keep one, or tell "
            "tables apart in the column table"
        )
        raise FormatError(message)


def _cell(row: dict[str, str], path: Path, line: int) -> PublishedScore:
    try:
        accuracy = float(row["accuracy"])
    except ValueError:
        accuracy = -1.0
    if not 0 <= accuracy <= 100:
        message = f"{path}, line {line}: accuracy {row['accuracy']!r}; expected percent, 0 to 100"
        raise FormatError(message)
    task = OVERALL if row["task"].casefold() == OVERALL.casefold() else row["task"]
    printed = (row["printed"] or row["accuracy"]).strip().rstrip("%")
    return PublishedScore(row["model"], row["view"], task, accuracy, row["table"], printed)
