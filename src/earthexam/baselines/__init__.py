"""Models that are no LLM: what guessing, habits and plain signal processing reach."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from earthexam.core.registry import Registry

if TYPE_CHECKING:
    from earthexam.benchmark.store import Benchmark
    from earthexam.models.protocol import Model

BaselineFactory: TypeAlias = "Callable[[Benchmark, int], Model]"

BASELINES: Registry[BaselineFactory] = Registry("baseline", "earthexam.baselines")
"""Factory of each baseline by name; it is given the benchmark and a seed."""
