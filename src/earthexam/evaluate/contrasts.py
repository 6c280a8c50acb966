"""Planned contrasts: views of a run, levels of a taxonomy, sizes of a family, groups of models.

All are differences of weighted cell means on the same clusters, so the location blocks carry the
pairing. A contrast between groups of models speaks of these models on other items of the kind, not of
other models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from earthexam.core.errors import InputError, UnknownNameError
from earthexam.core.taxonomy import Taxonomy
from earthexam.evaluate.clusters import CellSums, Matrix, sum_cells
from earthexam.evaluate.folder import Run
from earthexam.evaluate.intervals import Interval, weighted_interval
from earthexam.evaluate.metrics import average_items
from earthexam.evaluate.paired import adjust_family
from earthexam.evaluate.summary import level_groups, task_cells, tasks_of
from earthexam.models.profiles import Profile


@dataclass(frozen=True, slots=True)
class Contrast:
    """One planned difference.

    Attributes
    ----------
    family : str
        What is contrasted: ``view``, a level of the taxonomy, ``size``, ``weights``, ``domain``.
    view : str
        View it holds in; empty for a contrast of views and for blind runs.
    first, second : str
        What stands on each side.
    first_score, second_score : float
        Mean scores, 0 to 1.
    difference : Interval
        First minus second, clustered.
    corrected : Interval
        Difference of the chance-corrected scores; the one to read where the sides hold different
        questions.
    adjusted : float
        p of `difference` corrected for the family (Benjamini–Hochberg).
    """

    family: str
    view: str
    first: str
    second: str
    first_score: float
    second_score: float
    difference: Interval
    corrected: Interval
    adjusted: float


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """One view of a run with what its model's profile says; empty or None where it says nothing.

    Attributes
    ----------
    items : DataFrame
        `average_items` of the view.
    parameters_billion : float or None
        Size of the model.
    weights : str
        ``open`` or ``closed``.
    domain : str
        ``general`` or ``remote-sensing``.
    """

    label: str
    view: str
    items: pl.DataFrame
    family: str = ""
    parameters_billion: float | None = None
    weights: str = ""
    domain: str = ""

    @classmethod
    def views_of(cls, run: Run, label: str = "") -> tuple["ProfiledRun", ...]:
        """Read a scored run: one record a view, groups from the profile in its ``run.json``."""
        items, profile = average_items(run.scores()), run.info.profile
        size = profile.get("parameters_billion")
        # A run records what differs from the profile of a model that nobody described.
        usual = Profile().domain if profile.get("name") else ""
        return tuple(
            cls(
                label=label or run.label,
                view=view,
                items=items.filter(pl.col("view") == view),
                family=str(profile.get("family") or ""),
                parameters_billion=None if size is None else float(size),
                weights=str(profile.get("weights") or ""),
                domain=str(profile.get("domain") or usual),
            )
            for view in items["view"].unique(maintain_order=True)
        )


def view_contrasts(items: pl.DataFrame) -> tuple[Contrast, ...]:
    """Contrast each pair of views of one run on the items that have both.

    Parameters
    ----------
    items : DataFrame
        `average_items` of the run, all views.
    """
    counted = items.drop_nulls("score")
    parts = counted.partition_by("view", maintain_order=True)
    found = []
    for first, second in combinations(parts, 2):
        cells, chance = _stack_shared([first, second])
        if cells.n.all():
            names = str(first["view"][0]), str(second["view"][0])
            found.append(_contrast("view", "", names, cells, chance, np.array([1.0, -1.0])))
    return _adjust(found)


def level_contrasts(items: pl.DataFrame, taxonomy: Taxonomy, level: str) -> tuple[Contrast, ...]:
    """Contrast each pair of names of a level in every view: perception and reasoning, say.

    Parameters
    ----------
    items : DataFrame
        `average_items` of the run.
    level : str
        One of the taxonomy's level names but the last, for example ``"capability"``.

    Raises
    ------
    UnknownNameError
        The taxonomy has no such level above the task.
    """
    if level not in taxonomy.level_names[:-1]:
        raise UnknownNameError.of(kind="level", name=level, known=taxonomy.level_names[:-1])
    found = []
    for part in items.partition_by("view", maintain_order=True):
        tasks = tasks_of(part, taxonomy)
        groups = [group for group in level_groups(tasks, taxonomy) if group.level == level]
        codes = [task.code for task in tasks]
        members = [group.members for group in groups]
        cells = task_cells(part, codes).pool(members)
        chance = (
            task_cells(
                part.with_columns(score=pl.when(pl.col("score").is_not_null()).then("chance")),
                codes,
            )
            .pool(members)
            .means
        )
        for one, other in combinations(range(len(groups)), 2):
            if cells.n[one] and cells.n[other]:
                weights = np.zeros(len(groups))
                weights[[one, other]] = 1.0, -1.0
                names = groups[one].path[-1], groups[other].path[-1]
                found.append(_contrast(level, str(part["view"][0]), names, cells, chance, weights))
    return _adjust(found)


def size_contrasts(runs: Sequence[ProfiledRun]) -> tuple[Contrast, ...]:
    """Contrast the smallest with the largest model of every family, view by view.

    Runs whose profile gives no family or size are left out, as are families of one size.
    """
    found = []
    known = [run for run in runs if run.family and run.parameters_billion is not None]
    for view, family in dict.fromkeys((run.view, run.family) for run in known):
        own = [run for run in known if (run.view, run.family) == (view, family)]
        own.sort(key=lambda run: run.parameters_billion or 0.0)
        if own[0].parameters_billion == own[-1].parameters_billion:
            continue
        small, large = own[0], own[-1]
        cells, chance = _stack_shared([small.items, large.items])
        _refuse_empty(cells, [small.label, large.label])
        names = small.label, large.label
        found.append(_contrast("size", view, names, cells, chance, np.array([1.0, -1.0])))
    return _adjust(found)


def group_contrasts(runs: Sequence[ProfiledRun]) -> tuple[Contrast, ...]:
    """Contrast group means: open and closed weights, general and remote-sensing models.

    Every model of a group weighs the same; all are taken on the items that every one of them could take.
    """
    by: list[tuple[str, Callable[[ProfiledRun], str], tuple[str, str]]] = [
        ("weights", lambda run: run.weights, ("open", "closed")),
        ("domain", lambda run: run.domain, ("general", "remote-sensing")),
    ]
    found = []
    for family, group_of, names in by:
        for view in dict.fromkeys(run.view for run in runs):
            own = [run for run in runs if run.view == view and group_of(run) in names]
            side = np.array([1.0 if group_of(run) == names[0] else -1.0 for run in own])
            if len(set(side)) < 2:
                continue
            cells, chance = _stack_shared([run.items for run in own])
            _refuse_empty(cells, [run.label for run in own])
            weights = side / np.where(side > 0, (side > 0).sum(), (side < 0).sum())
            found.append(_contrast(family, view, names, cells, chance, weights))
    return _adjust(found)


def _stack_shared(tables: Sequence[pl.DataFrame]) -> tuple[CellSums, Matrix]:
    """Sum the items supported in all tables by group, one cell a table, with each cell's chance."""
    counted = [table.drop_nulls("score") for table in tables]
    shared = counted[0].select("id")
    for table in counted[1:]:
        shared = shared.join(table.select("id"), on="id", how="semi")
    stacked = pl.concat(
        table.join(shared, on="id", how="semi")
        .select("group", "score", "chance")
        .with_columns(cell=pl.lit(index))
        for index, table in enumerate(counted)
    )
    args = stacked["group"], stacked["cell"], len(tables)
    return sum_cells(stacked["score"], *args), sum_cells(stacked["chance"], *args).means


def _refuse_empty(cells: CellSums, labels: list[str]) -> None:
    if not cells.n.all():
        message = f"{', '.join(labels)} share no items; contrast runs of one benchmark"
        raise InputError(message)


def _contrast(
    family: str,
    view: str,
    names: tuple[str, str],
    cells: CellSums,
    chance: Matrix,
    weights: Matrix,
) -> Contrast:
    used = np.flatnonzero(weights).tolist()
    cells, chance, weights = cells.pool([[cell] for cell in used]), chance[used], weights[used]
    means = cells.means
    difference = weighted_interval(cells, weights)
    return Contrast(
        family=family,
        view=view,
        first=names[0],
        second=names[1],
        first_score=float(means[weights > 0] @ weights[weights > 0]),
        second_score=float(means[weights < 0] @ -weights[weights < 0]),
        difference=difference,
        corrected=weighted_interval(cells.above(chance), weights),
        adjusted=difference.p,
    )


def _adjust(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Correct p over the contrasts of one family name."""
    families = [contrast.family for contrast in contrasts]
    values = np.empty(len(contrasts))
    for family in dict.fromkeys(families):
        own = [index for index, other in enumerate(families) if other == family]
        values[own] = adjust_family([contrasts[index].adjusted for index in own])
    return tuple(
        replace(contrast, adjusted=float(value))
        for contrast, value in zip(contrasts, values, strict=True)
    )
