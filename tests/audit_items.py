"""Made-up items for the audit's tests: a sound set, into which flaws are planted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from earthexam.core.item import Choice, Item, Media

CLASSES = ("water", "trees", "grass", "roads", "roofs", "soils", "crops", "shrub")


def make_item(number: int, options: Sequence[str], key: int, **changes: Any) -> Item:
    """Make one single-choice item about a picture of its own block."""
    block = number // 3
    item = Item(
        id=f"LCC-{number:04d}",
        task="LCC",
        levels=("Perception", "Feature Recognition", "Land Cover Classification"),
        format="single_choice",
        question_type="choice",
        question=f"Which class lies at column {number % 17} and row {number % 13}?",
        options=tuple(options),
        answer=Choice((key,)),
        media=(Media("composite", f"media/{block:04d}.png", width=64, height=64, sha256="0" * 64),),
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


def changed(items: Sequence[Item], change: Callable[[Item], Item], every: int = 1) -> list[Item]:
    """Return the items with `change` applied to every n-th one."""
    return [change(item) if n % every == 0 else item for n, item in enumerate(items)]


def with_key_text(item: Item, text: str) -> Item:
    """Return the item with the text of its right option replaced."""
    assert isinstance(item.answer, Choice)
    (key,) = item.answer.indices
    options = list(item.options)
    options[key] = text
    return replace(item, options=tuple(options))


def with_key_at(item: Item, place: int) -> Item:
    """Return the item with its right option moved to a place."""
    assert isinstance(item.answer, Choice)
    (key,) = item.answer.indices
    options = list(item.options)
    options.insert(place, options.pop(key))
    return replace(item, options=tuple(options), answer=Choice((place,)))
