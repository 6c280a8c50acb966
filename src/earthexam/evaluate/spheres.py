"""Averages over spheres and abilities: macro over tasks, as the OmniEarth-Bench tables, and micro."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from earthexam.evaluate.summary import SummaryRow, ViewSummary

SPHERE, ABILITY = 0, 2


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Average score of the tasks under one name, 0 to 1.

    Attributes
    ----------
    n, tasks : int
        Items and tasks with supported items.
    macro : float
        Unweighted mean over the tasks, never over sub-means.
    micro : float
        Mean over the items.
    """

    name: str
    n: int
    tasks: int
    macro: float
    micro: float


@dataclass(frozen=True, slots=True)
class SphereScores:
    """What one view of a run came to on a taxonomy of spheres.

    Attributes
    ----------
    spheres, abilities : tuple of GroupScore
        By the first and by the third level, in the order of the taxonomy.
    average_over_spheres : float
        Unweighted mean of the spheres' macro averages: the last column of the published table.
    overall : GroupScore
        All tasks.
    """

    spheres: tuple[GroupScore, ...]
    abilities: tuple[GroupScore, ...]
    average_over_spheres: float
    overall: GroupScore


def sphere_scores(view: ViewSummary) -> SphereScores:
    """Average the tasks of a view by sphere and by ability.

    Tasks without levels and tasks that the model cannot take are left out.
    """
    rows = [row for row in view.tasks if row.supported and len(row.path) > ABILITY]
    spheres = _groups(rows, SPHERE)
    return SphereScores(
        spheres=spheres,
        abilities=_groups(rows, ABILITY),
        average_over_spheres=_mean([group.macro for group in spheres]),
        overall=_group("Overall", rows),
    )


def _groups(rows: Sequence[SummaryRow], level: int) -> tuple[GroupScore, ...]:
    names = dict.fromkeys(row.path[level] for row in rows)
    return tuple(_group(name, [row for row in rows if row.path[level] == name]) for name in names)


def _group(name: str, rows: Sequence[SummaryRow]) -> GroupScore:
    n = sum(row.n for row in rows)
    total = math.fsum(row.n * row.score.estimate for row in rows)
    return GroupScore(
        name=name,
        n=n,
        tasks=len(rows),
        macro=_mean([row.score.estimate for row in rows]),
        micro=total / n if n else math.nan,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
