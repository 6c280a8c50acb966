"""Which of the 109 tasks a released folder or a record's four level names mean.

Names are compared without case, underscores and punctuation. What stays different is data: the old
name of a sphere, the two folder names for abilities, and the typing slips of single tasks.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from earthexam.core.item import Format
from earthexam.published.spheres import SphereTask, sphere_tasks

SPHERE_ALIASES = {
    "pedosphere": "human activity sphere",
    "human activities sphere": "human activity sphere",
    "human activity": "human activity sphere",
    "hydrosphere": "oceansphere",
    "ocean sphere": "oceansphere",
    "cross spheres": "cross sphere",
}
WORD_ALIASES = {
    "dissaster": "disaster",
    "groudning": "grounding",
    "destroyedbuilding": "destroyed building",
}
TASK_ALIASES = {
    "long term precipitation trend": "long term precipitation trend analysis",
    "long term temperature trend": "long term temperature trend identification",
    "visual localization of land types": "visual localization of land use types",
}
_QUESTION_TYPES: dict[str, Format] = {
    "single choice": "single_choice",
    "multiple choice": "multiple_choice",
    "visual grounding": "grounding",
    "chain of thought": "chain_of_thought",
    "caption": "caption",
    "image caption": "caption",
    "captioning": "caption",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record says it belongs, folded: sphere, scenario and task name."""

    sphere: str
    scenario: str
    task: str


def fold(name: str) -> str:
    """Fold a folder or level name: case, punctuation, known typing slips.

    Examples
    --------
    >>> fold("Visual_groudning_of_land_types")
    'visual grounding of land types'
    """
    words = re.sub(r"[\W_]+", " ", name.casefold()).split()
    return " ".join(WORD_ALIASES.get(word, word) for word in words)


def place_of(levels: Iterable[str]) -> Place | None:
    """Fold a path or the four level names; the ability in the third place does not matter.

    A path with other folders before it counts from its end; None where it has under four parts.
    """
    parts = [fold(level) for level in levels]
    if len(parts) < 4:
        return None
    sphere, scenario, _, task = parts[-4:]
    return Place(SPHERE_ALIASES.get(sphere, sphere), scenario, TASK_ALIASES.get(task, task))


def format_of(question_type: str) -> Format | None:
    """Return the format that a released ``Question Type`` means, None for an unknown one."""
    return _QUESTION_TYPES.get(fold(question_type))


def tasks_at(place: Place) -> tuple[SphereTask, ...]:
    """Return the tasks that stand at a place: none, one, or a choice task and its chain twin."""
    known = _by_place()
    if place in known:
        return known[place]
    # Scenarios are renamed between releases; a sphere's task name alone is often enough.
    loose = {
        task
        for other, tasks in known.items()
        if (other.sphere, other.task) == (place.sphere, place.task)
        for task in tasks
    }
    scenarios = {task.levels[1] for task in loose}
    return tuple(task for task in sphere_tasks() if task in loose) if len(scenarios) == 1 else ()


@cache
def _by_place() -> dict[Place, tuple[SphereTask, ...]]:
    found: dict[Place, tuple[SphereTask, ...]] = {}
    for task in sphere_tasks():
        paths = {place_of(task.levels)}
        if task.folder:
            paths.add(place_of(task.folder.split("/")))
        for place in paths:
            if place is not None:
                found[place] = (*found.get(place, ()), task)
    return found
