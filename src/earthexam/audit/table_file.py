"""Read a published table from a tidy CSV: one line a cell."""

import csv
from pathlib import Path

from earthexam.audit.tables import OVERALL
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.published.tables import PublishedScore

_NAMES = {
    "model": ("model",),
    "view": ("view", "input"),
    "task": ("task",),
    "accuracy": ("accuracy", "score"),
    "printed": ("printed", "printed_text"),
    "table": ("table",),
}
_NEEDED = ("model", "task", "accuracy")


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
        A column is missing, an accuracy is no number from 0 to 100, or all are fractions.
    """
    if not path.is_file():
        message = f"{path} does not exist; give a CSV with the columns {', '.join(_NEEDED)}"
        raise MissingFileError(message)
    with path.open(newline="", encoding="utf-8-sig") as stream:
        reader = csv.DictReader(stream)
        columns = {
            name: next((c for c in names if c in (reader.fieldnames or ())), None)
            for name, names in _NAMES.items()
        }
        missing = [name for name in _NEEDED if columns[name] is None]
        if missing:
            message = (
                f"{path} lacks the columns {', '.join(missing)}; expected {', '.join(_NEEDED)}"
            )
            raise FormatError(message)
        cells = tuple(
            _cell({name: (row.get(c) or "") if c else "" for name, c in columns.items()}, path, n)
            for n, row in enumerate(reader, 2)
        )
    if cells and max(cell.accuracy for cell in cells) <= 1:
        message = f"{path}: no accuracy is above 1; expected percent, multiply by 100"
        raise FormatError(message)
    return cells


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
