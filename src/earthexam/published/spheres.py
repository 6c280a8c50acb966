"""The 109 tasks over six spheres and the cross-sphere, with their formats and released folders."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias, cast

from earthexam.core.item import Format

OpenType: TypeAlias = Literal[
    "small_label_set", "large_label_set", "exact_regression", "interval_regression", ""
]


@dataclass(frozen=True, slots=True)
class SphereTask:
    """One task and how its questions are put.

    Attributes
    ----------
    levels : tuple of str
        Sphere, scenario, ability, task.
    format : Format
        The format of the released questions.
    open_type : OpenType
        How a choice question of this task becomes an open-ended one; empty for other formats.
    folder : str
        Path of the released question file below ``jsons``, without ``.json``; empty where unknown.
    """

    code: str
    levels: tuple[str, str, str, str]
    format: Format
    open_type: OpenType
    folder: str


@cache
def sphere_tasks() -> tuple[SphereTask, ...]:
    """Return all tasks in the order of the published tables."""
    path = files("earthexam.published") / "taxonomies" / "omniearth.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return tuple(
        SphereTask(
            code=row["code"],
            levels=(row["sphere"], row["scenario"], row["ability"], row["task"]),
            format=cast("Format", row["format"]),
            open_type=cast("OpenType", row["open_type"]),
            folder=row["folder"],
        )
        for row in rows
    )
