"""Small benchmarks for tests, made with the project's own writer."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from earthexam.benchmark.store import Benchmark, BenchmarkInfo, BenchmarkWriter, write_benchmark
from earthexam.core.item import Choice, Item, Media

OPTIONS = ("Water", "Corn", "Wood", "Grass pasture")


def png(colour: tuple[int, int, int], size: tuple[int, int] = (16, 12)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "PNG")
    return stream.getvalue()


def choice_item(
    number: int, media: tuple[Media, ...] = (), task: str = "LCC", right: int = 1
) -> Item:
    return Item(
        id=f"{task}-{number:05d}",
        task=task,
        levels=("Perception", task),
        format="single_choice",
        question_type="choice",
        question=f"Which class dominates item {task}-{number:05d}?",
        options=OPTIONS,
        answer=Choice((right,)),
        media=media,
        group=f"block-{number // 2}",
        source="made",
    )


def make_benchmark(
    folder: Path, make: Callable[[BenchmarkWriter], list[Item]] | int, name: str = "small"
) -> Benchmark:
    """Write a benchmark; a number makes so many single-choice items with a picture and a report."""
    with write_benchmark(folder) as writer:
        items = _usual(writer, make) if isinstance(make, int) else make(writer)
        writer.add_items(items)
        writer.finish(BenchmarkInfo(name=name))
    return Benchmark.open(folder)


def _usual(writer: BenchmarkWriter, count: int) -> list[Item]:
    items = []
    for number in range(count):
        colour = (number % 256, number // 256 % 256, 77)
        picture, picture_hash = writer.add_media(png(colour), ".png")
        report, report_hash = writer.add_media(f"Mean value {number}.".encode(), ".txt")
        media = (
            Media("composite", picture, width=16, height=12, sha256=picture_hash),
            Media("report", report, sha256=report_hash),
        )
        items.append(choice_item(number, media, task=("LCC", "PD")[number % 2]))
    return items


def cube_media(writer: BenchmarkWriter, seed: int) -> tuple[Media, ...]:
    """Store a block of 4 × 5 pixels and 6 bands, and the mask of its valid pixels."""
    block = np.random.default_rng(seed).random((4, 5, 6)).astype(np.float32)
    mask = np.ones((4, 5), dtype=bool)
    mask[0, 0] = False
    stored = []
    for array, role in ((block, "input"), (mask, "mask")):
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        path, digest = writer.add_media(stream.getvalue(), ".npy")
        stored.append(Media("cube", path, role=role, width=5, height=4, sha256=digest))
    return tuple(stored)
