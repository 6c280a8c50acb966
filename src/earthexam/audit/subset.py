"""Write a choice of a benchmark's items as a benchmark of its own."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Item, Media


def write_subset(
    benchmark: Benchmark, items: Iterable[Item], out: Path, *, how: str
) -> BenchmarkInfo:
    """Write items with their media as a new benchmark folder.

    Parameters
    ----------
    items : iterable of Item
        Items of `benchmark`; ids stay.
    how : str
        How they were chosen, recorded in ``benchmark.json``; also the last part of the name.

    Raises
    ------
    InputError
        No item is left, or `out` exists.
    """
    chosen = tuple(items)
    if not chosen:
        message = f"no item of {benchmark.root} is left to write; the subset would be empty"
        raise InputError(message)
    with write_benchmark(out) as writer:
        moved: dict[str, str] = {}
        for media in {m.path: m for item in chosen for m in item.media}.values():
            path = benchmark.path(media)
            # What is known to be absent stays named, as in the benchmark it came from.
            if path.is_file():
                moved[media.path], _ = writer.add_media(path.read_bytes(), path.suffix)
        writer.add_items(
            replace(item, media=tuple(_moved(media, moved) for media in item.media))
            for item in chosen
        )
        info = benchmark.info
        built = {**info.built, "subset_of": benchmark.sha256, "subset": how}
        return writer.finish(info.model_copy(update={"name": f"{info.name}-{how}", "built": built}))


def _moved(media: Media, moved: dict[str, str]) -> Media:
    return replace(media, path=moved.get(media.path, media.path))
