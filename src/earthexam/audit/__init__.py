"""Find what is wrong with a benchmark, its published table or a run."""

from collections.abc import Callable

from earthexam.audit.check import Check, Inspect
from earthexam.core.registry import Registry

CHECKS: Registry[Check] = Registry("audit check", "earthexam.audit")


def check(
    name: str, *, title: str, definition: str, statistic: str, fix: str, **limits: float
) -> Callable[[Inspect], Inspect]:
    """Register the decorated function as the check called `name`; see `Check` for the fields."""

    def register(inspect: Inspect) -> Inspect:
        CHECKS.add(name)(Check(name, title, definition, statistic, fix, limits, inspect))
        return inspect

    return register
