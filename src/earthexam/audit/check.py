"""What a check of the audit is, and what it finds."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from earthexam.audit.subject import Subject

_THRESHOLD = re.compile(r"`(\w+)`")

Severity: TypeAlias = Literal["error", "warning", "info"]
Limits: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a check saw.

    Attributes
    ----------
    severity : str
        ``error``: items or tables are wrong or unusable. ``warning``: needs a written reason.
        ``info``: good to know.
    n, denominator : int
        How many of how many are concerned: items, rows or cells of a table, replies.
    example : str
        One case, in words.
    item_ids : tuple of str
        The items to look at; empty where the finding is about a table or a distribution.
    statistic, threshold : float or None
        The measured value and the limit it passed; None where any single case counts.
    """

    severity: Severity
    n: int
    denominator: int
    example: str
    item_ids: tuple[str, ...] = ()
    statistic: float | None = None
    threshold: float | None = None


Inspect: TypeAlias = Callable[[Subject, Limits], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class Check:
    """One registered check.

    Attributes
    ----------
    id : str
        Letter of the family and a number: S schema, M media, D duplicates, B blind, R results.
    definition, statistic : str
        What counts, and what is measured; thresholds stand in the definition as `name`.
    fix : str
        How a builder prevents it.
    limits : mapping
        Names and default values of the thresholds.
    inspect : callable
        Looks at the subject and gives what it sees; nothing where all is well.
    """

    id: str
    title: str
    definition: str
    statistic: str
    fix: str
    limits: Limits
    inspect: Inspect

    @property
    def told(self) -> str:
        """The definition with the thresholds filled in."""
        return _THRESHOLD.sub(lambda match: f"{self.limits[match[1]]:g}", self.definition)


def hit_items(
    severity: Severity, ids: Sequence[str], denominator: int, example: str
) -> Iterator[Hit]:
    """Give one hit about a list of items, or none when the list is empty."""
    if ids:
        share = len(ids) / denominator
        yield Hit(severity, len(ids), denominator, example, tuple(ids), share, 0.0)
