"""Taxonomies: which tasks a benchmark has and under which levels they stand."""

from collections.abc import Iterator
from dataclasses import dataclass

from earthexam.core.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a taxonomy.

    Attributes
    ----------
    code : str
        Unique in the taxonomy, for example ``"SFR"``.
    name : str
        What people call it.
    levels : tuple of str
        Names from the widest level down to the task itself.
    size : int or None
        Questions in the published benchmark, where it is known.
    """

    code: str
    name: str
    levels: tuple[str, ...]
    size: int | None = None


@dataclass(frozen=True)
class Taxonomy:
    """A named, ordered set of tasks.

    Attributes
    ----------
    level_names : tuple of str
        What the levels are called, widest first, for example ``("dimension", "capability", "task")``.
    """

    name: str
    title: str
    level_names: tuple[str, ...]
    tasks: tuple[Task, ...]

    def __iter__(self) -> Iterator[Task]:
        """Give the tasks in their published order."""
        return iter(self.tasks)

    def __contains__(self, code: object) -> bool:
        """Say whether a task has this code."""
        return any(task.code == code for task in self.tasks)

    def task(self, code: str) -> Task:
        """Return the task with this code, or say which codes come nearest."""
        for task in self.tasks:
            if task.code == code:
                return task
        kind = f"task of {self.name}"
        raise UnknownNameError.of(kind, code, (t.code for t in self.tasks))

    def codes_at(self, level: int, name: str) -> tuple[str, ...]:
        """Return the codes of all tasks whose level number `level` is called `name`."""
        return tuple(task.code for task in self.tasks if task.levels[level] == name)
