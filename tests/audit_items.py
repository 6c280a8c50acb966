"""Made-up items for the audit's tests: a sound set, into which flaws are planted."""

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.item import Box, Choice, Golden, Item, Media
from earthexam.published.tables import PublishedScore, load_taxonomy

CLASSES = ("water", "trees", "grass", "roads", "roofs", "soils", "crops", "shrub")
TASKS = ("SFR", "LCC", "CS", "OLR", "RD")
ADJECTIVES = ("nearest", "widest", "darkest", "longest", "oldest", "flattest", "wettest", "driest")
PLACES = ("corner", "border", "hill", "valley", "bank", "track", "slope", "ridge", "ditch", "basin",
          "meadow", "gravel pit", "harbour", "orchard", "clearing")  # fmt: skip
STEMS = [f"Which class is beside the {a} {p}" for a, p in product(ADJECTIVES, PLACES)]


def levels_of(task: str) -> tuple[str, ...]:
    return load_taxonomy("hm-bench").task(task).levels


def make_item(number: int, options: Sequence[str], key: int, **changes: Any) -> Item:
    """Make one single-choice item about a picture of its own block."""
    block = number // 6
    task = changes.get("task", TASKS[number % len(TASKS)])
    item = Item(
        id=f"{task}-{number:04d}",
        task=task,
        levels=levels_of(task),
        format="single_choice",
        question_type="choice",
        question=f"{STEMS[number % len(STEMS)]} at column {number % 37} and row {number % 41}?",
        options=tuple(options),
        answer=Choice((key,)),
        media=(Media("composite", f"media/{block:04d}.png", width=64, height=48),),
        group=f"scene{block % 6}/{block}",
        source=f"scene{block % 6}",
    )
    return replace(item, **changes)


def sound_items(n: int = 300, seed: int = 0) -> list[Item]:
    """Make items whose options are drawn alike and whose keys are drawn among them."""
    generator = np.random.default_rng(seed)
    return [
        make_item(i, generator.permutation(CLASSES)[:4].tolist(), int(generator.integers(4)))
        for i in range(n)
    ]


def sound_mixture(seed: int = 0) -> list[Item]:
    """Make a sound set of several formats: choices, yes/no, sets, numbers and boxes."""
    generator = np.random.default_rng(seed)
    items = sound_items(300, seed)
    for i in range(300, 360):
        asked = f"Is any {CLASSES[i % 8]} beside the {ADJECTIVES[i % 7]} {PLACES[i % 15]}?"
        items.append(make_item(i, ["Yes", "No"], i % 2, task="PD", question=asked))
    for i in range(360, 400):
        options = generator.permutation(CLASSES)[:5].tolist()
        right = generator.permutation(5)[: 1 + int(generator.integers(5))].tolist()
        items.append(make_item(
            i, options, 0, task="SU", format="multiple_choice",
            question=f"Select all classes beside the {ADJECTIVES[i % 8]} {PLACES[i % 13]}.",
            answer=Choice(tuple(sorted(right))),
        ))  # fmt: skip
    for i in range(400, 440):
        share = round(float(generator.uniform(1, 99)), 1) + 0.05
        items.append(make_item(
            i, [], 0, task="VH", format="open", question_type="number",
            question=f"Which share, in percent, does {CLASSES[i % 8]} hold beside the {PLACES[i % 11]}?",
            answer=Golden(f"{share} %", "number", share, "%"),
        ))  # fmt: skip
    for i in range(440, 480):
        x, y = generator.uniform(0, 44, 2)
        width, height = generator.uniform(4, 18, 2)
        items.append(make_item(
            i, [], 0, task="EPSA", format="grounding", question_type="box",
            question=f"Mark the {ADJECTIVES[i % 8]} patch of {CLASSES[i % 5]} by the {PLACES[i % 9]}.",
            answer=Box((x, y * 0.6, x + width, y * 0.6 + height)),
        ))  # fmt: skip
    return items


def write_items(root: Path, items: Sequence[Item], **info: Any) -> Benchmark:
    """Write items with one picture of noise a path, so that all media exist and differ."""
    with write_benchmark(root) as writer:
        stored = {
            path: writer.add_media(_noise(path), ".png")
            for path in {m.path for item in items for m in item.media}
        }
        writer.add_items(
            replace(item, media=tuple(
                replace(m, path=stored[m.path][0], sha256=stored[m.path][1]) for m in item.media
            ))
            for item in items
        )  # fmt: skip
        writer.finish(BenchmarkInfo(name="made-up", taxonomy="hm-bench", **info))
    return Benchmark.open(root)


def _noise(name: str) -> bytes:
    generator = np.random.default_rng(list(name.encode()))
    stream = io.BytesIO()
    pixels = generator.integers(0, 256, (48, 64), dtype=np.uint8)
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def table_of(
    items: Sequence[Item], rows: dict[str, Callable[[str, int], int]]
) -> list[PublishedScore]:
    """Make a published table from counts: ``rows[model](task, size)`` items are right."""
    sizes = {
        task: sum(i.task == task for i in items) for task in dict.fromkeys(i.task for i in items)
    }
    cells = []
    for model, count in rows.items():
        counts = {task: count(task, size) for task, size in sizes.items()}
        for task, size in sizes.items():
            cells.append(_cell(model, task, 100 * counts[task] / size))
        cells.append(_cell(model, "Overall", 100 * sum(counts.values()) / sum(sizes.values())))
    return cells


def _cell(model: str, task: str, percent: float) -> PublishedScore:
    printed = f"{percent:.2f}"
    return PublishedScore(model, "composite", task, float(printed), "1", printed)


def changed(items: Sequence[Item], change: Callable[[Item], Item], every: int = 1) -> list[Item]:
    """Return the items with `change` applied to every n-th single-choice one of four options."""
    n = -1
    result = []
    for item in items:
        chosen = item.format == "single_choice" and len(item.options) == 4
        n += chosen
        result.append(change(item) if chosen and n % every == 0 else item)
    return result


def key_of(item: Item) -> int:
    assert isinstance(item.answer, Choice)
    return item.answer.indices[0]


def with_key_text(item: Item, text: str) -> Item:
    """Return the item with the text of its right option replaced."""
    options = list(item.options)
    options[key_of(item)] = text
    return replace(item, options=tuple(options))


def with_key_at(item: Item, place: int) -> Item:
    """Return the item with its right option moved to a place."""
    options = list(item.options)
    options.insert(place, options.pop(key_of(item)))
    return replace(item, options=tuple(options), answer=Choice((place,)))
