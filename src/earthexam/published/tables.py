"""Load the taxonomies and published results that ship as CSV."""

import csv
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from earthexam.core.errors import UnknownNameError
from earthexam.core.taxonomy import Task, Taxonomy

_FOLDER = files("earthexam.published")

NOT_MODELS = ("Random", "Experts", "Gen. Avg", "RS Avg", "All-model Avg")
"""Rows of published tables that are there for orientation: no models, no rank."""

HEADLINE_METRICS = ("accuracy", "score")
"""What the score of a run may be compared with: shares of right items, means with half points."""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One cell of a published table: a model's result, in percent, on a task in a view.

    Attributes
    ----------
    task : str
        Task code, a level's name for an average over it, or ``Overall`` for the table's own.
    printed : str
        The cell as printed, which keeps the number of decimals.
    metric : str
        What `accuracy` measures where a table prints something else: ``recall``, or ``score`` for
        a mean of items that may be half right.
    """

    model: str
    view: str
    task: str
    accuracy: float
    table: str
    printed: str
    metric: str = "accuracy"


def taxonomy_names() -> list[str]:
    """List the taxonomies that ship."""
    return sorted(_sources()["taxonomies"])


def result_names() -> list[str]:
    """List the published result tables that ship."""
    return sorted(_sources()["results"])


@cache
def load_taxonomy(name: str) -> Taxonomy:
    """Load a taxonomy by name, for example ``hm-bench``."""
    known = _sources()["taxonomies"]
    if name not in known:
        raise UnknownNameError.of(kind="taxonomy", name=name, known=known)
    entry = known[name]
    levels = tuple(entry["levels"])
    tasks = tuple(
        Task(
            code=row["code"],
            name=row[levels[-1]],
            levels=tuple(row[level] for level in levels),
            size=int(row["size"]) if row.get("size") else None,
        )
        for row in _rows("taxonomies", name)
    )
    return Taxonomy(name=name, title=entry["title"], level_names=levels, tasks=tasks)


@cache
def load_results(name: str) -> tuple[PublishedScore, ...]:
    """Load a published result table by name, for example ``hm-bench``."""
    known = _sources()["results"]
    if name not in known:
        raise UnknownNameError.of(kind="published result table", name=name, known=known)
    return tuple(
        PublishedScore(
            model=row["model"],
            view=row["view"],
            task=row["task"],
            accuracy=float(row["accuracy"]),
            table=row["table"],
            printed=row["printed"],
            metric=row.get("metric", "accuracy"),
        )
        for row in _rows("results", name)
    )


def source_note(kind: str, name: str) -> str:
    """Say in one line where a table (`kind` is ``taxonomies`` or ``results``) comes from."""
    entry = _sources()[kind][name]
    return f"{entry['title']}. Source: {entry['paper']}. {entry['note']}"


def contradictions(name: str) -> tuple[str, ...]:
    """List what is known to be wrong in a published result table, one sentence each."""
    return tuple(_sources()["results"][name].get("contradictions", ()))


@cache
def _sources() -> dict[str, Any]:
    return tomllib.loads((_FOLDER / "sources.toml").read_text(encoding="utf-8"))


def _rows(kind: str, name: str) -> Iterator[dict[str, str]]:
    text = (_FOLDER / kind / f"{name}.csv").read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
