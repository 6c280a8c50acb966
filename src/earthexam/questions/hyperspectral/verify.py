"""Compute the answers of a hyperspectral benchmark again from its scenes."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.questions.builder import BUILDER_VERSION
from earthexam.questions.hyperspectral.families import all_families
from earthexam.questions.hyperspectral.scenes import LabelledScene, SceneFiles, Screening
from earthexam.questions.verify import Mismatch, compare, locate_sources


def verify_hyperspectral(
    benchmark: Benchmark,
    sources: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Mismatch]:
    """Judge every item anew from the recorded sources.

    Parameters
    ----------
    sources : Path or None
        Folder with the source files; None for the recorded paths.

    Returns
    -------
    list of Mismatch
        Empty where every stored answer and its evidence follow from the sources.

    Raises
    ------
    InputError
        The benchmark was not built from scenes, or the sources are missing or others.
    """
    built = benchmark.info.built
    if built.get("builder") != "hyperspectral":
        message = (
            f"{benchmark.root} was not made by `earthexam build hyperspectral` (builder "
            f"{built.get('builder')!r}); only answers made by rule can be computed again"
        )
        raise InputError(message)
    if built.get("builder_version") != BUILDER_VERSION:
        message = (
            f"{benchmark.root} was built by builder version {built.get('builder_version')!r}, this "
            f"is {BUILDER_VERSION!r}; install the EarthExam that built it ({built.get('earthexam')})"
        )
        raise InputError(message)
    found = locate_sources(benchmark, sources)
    families = all_families()
    items = benchmark.items
    waiting: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        waiting[item.group].append(number)
    mismatches: dict[int, list[Mismatch]] = {}
    for record in built["scenes"]:
        scene = _open(benchmark, record, found)
        for plan in scene.kept:
            asked = waiting.pop(plan.place, [])
            if asked:
                block = scene.block(plan)
                mismatches |= {n: list(compare(items[n], block, families)) for n in asked}
            if progress is not None:
                progress(len(mismatches), len(items))
    for number in chain.from_iterable(waiting.values()):
        problem = f"the sources have no block {items[number].group!r}"
        mismatches[number] = [Mismatch(items[number].id, problem)]
    return [one for number in range(len(items)) for one in mismatches[number]]


def _open(
    benchmark: Benchmark, record: Mapping[str, Any], found: Mapping[str, Path]
) -> LabelledScene:
    built = benchmark.info.built
    paths = {
        source.role: found[source.path]
        for source in benchmark.info.sources
        if source.scene == record["name"]
    }
    files = SceneFiles(
        scene=paths["scene"],
        labels=paths["labels"],
        later=paths.get("later"),
        later_labels=paths.get("later_labels"),
        classes=paths.get("classes"),
        profile=paths.get("profile") or record["profile"] or None,
        variable=record["variable"] or None,
        labels_variable=record["labels_variable"] or None,
    )
    return LabelledScene(
        files, tile=built["tile"], screening=Screening(**built["screening"]), fill=built["fill"]
    )
