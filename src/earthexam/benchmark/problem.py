"""The record of one thing that is wrong with a benchmark."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes
    ----------
    severity : str
        ``error`` makes items unusable or scores wrong; ``warning`` wants a look.
    kind : str
        What was checked: ``schema``, ``hash``, ``counts``, ``id``, ``taxonomy``, ``text``, ``view``,
        ``options``, ``key`` or ``media``.
    where : str
        The item id or the file; empty for the benchmark as a whole.
    """

    severity: Literal["error", "warning"]
    kind: str
    where: str
    message: str


def error(kind: str, where: str, message: str) -> Problem:
    """Make a problem that fails a check."""
    return Problem("error", kind, where, message)


def warning(kind: str, where: str, message: str) -> Problem:
    """Make a problem that does not fail a check."""
    return Problem("warning", kind, where, message)
