"""Open any model by name: one that is asked, or a baseline that is computed."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from earthexam.benchmark.store import Benchmark
    from earthexam.models.options import ModelOptions
    from earthexam.models.protocol import Model


def open_any_model(
    spec: str,
    options: "ModelOptions",
    benchmark: "Benchmark",
    seed: int = 0,
    cache: Path | None = None,
) -> "Model":
    """Open `spec`, a baseline of `benchmark` included, with a reply cache in front if wanted."""
    from earthexam.baselines import BASELINES
    from earthexam.models.cache import CachedModel
    from earthexam.models.opening import open_model, split_spec

    kind, name = split_spec(spec)
    if kind == "baseline":
        return BASELINES.get(name)(benchmark, seed)
    model = open_model(spec, options)
    return CachedModel(model, cache) if cache is not None else model
