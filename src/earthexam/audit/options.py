"""The options of all choice items as flat arrays, one row an option."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earthexam.benchmark.checks import key_indices
from earthexam.core.item import Item, Truth, normalise_text

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Booleans = NDArray[np.bool_]

_PUNCTUATION = re.compile(r"[^\w\s%.\-+<>=~/]")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class OptionTable:
    """Every option of every item that has exactly one right option.

    Attributes
    ----------
    items : tuple of Item, length n
        Single-choice, true/false (as the options *true* and *false*) and chain-of-thought items.
    texts : tuple of str, length rows
        Normalised option texts.
    item, position, size : array of int, shape (rows,)
        Number of the item, 0-based place of the option, number of options of the item.
    is_key : array of bool, shape (rows,)
    starts : array of int, shape (n,)
        First row of each item.
    """

    items: tuple[Item, ...]
    texts: tuple[str, ...]
    item: Integers
    position: Integers
    size: Integers
    is_key: Booleans
    starts: Integers

    @classmethod
    def of(cls, items: Iterable[Item]) -> "OptionTable":
        """Collect the options of the items that have exactly one right option among two or more."""
        chosen: list[Item] = []
        texts: list[str] = []
        keys: list[int] = []
        sizes: list[int] = []
        for item in items:
            options, key = _options_and_key(item)
            if key is None or not 0 <= key < len(options):
                continue
            chosen.append(item)
            texts.extend(normalise_text(option) for option in options)
            keys.append(key)
            sizes.append(len(options))
        size = np.array(sizes, dtype=np.intp)
        starts = np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.intp) if sizes else size
        number = np.repeat(np.arange(len(chosen)), size)
        position = np.arange(len(texts)) - starts[number] if texts else number
        is_key = position == np.array(keys, dtype=np.intp)[number] if texts else number == 1
        return cls(tuple(chosen), tuple(texts), number, position, size[number], is_key, starts)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    @cached_property
    def chance(self) -> Floats:
        """Expected score of a uniform guess on each item, shape (n,)."""
        return np.asarray(1.0 / self.size[self.starts])

    @cached_property
    def tasks(self) -> NDArray[np.str_]:
        """Task of each item, shape (n,)."""
        return np.array([item.task for item in self.items], dtype=np.str_)

    @cached_property
    def groups(self) -> NDArray[np.str_]:
        """Group of each item, shape (n,)."""
        return np.array([item.group for item in self.items], dtype=np.str_)

    @cached_property
    def sources(self) -> NDArray[np.str_]:
        """Source of each item, shape (n,)."""
        return np.array([item.source for item in self.items], dtype=np.str_)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Question of each item with numbers masked, length n."""
        return tuple(mask_numbers(item.question) for item in self.items)

    @cached_property
    def lengths(self) -> Floats:
        """Characters of the plain text of each option, shape (rows,)."""
        return np.array([len(plain_text(text)) for text in self.texts], dtype=np.float64)

    @cached_property
    def key_position(self) -> Integers:
        """0-based place of the right option of each item, shape (n,)."""
        return self.position[self.is_key]

    def key_text(self, number: int) -> str:
        """Return the normalised right option of an item."""
        return self.options_of(number)[int(self.key_position[number])]

    def options_of(self, number: int) -> tuple[str, ...]:
        """Return the normalised options of an item, in order."""
        start = self.starts[number]
        return self.texts[start : start + self.size[start]]

    def best(self, values: Floats) -> Floats:
        """Return the largest value among each item's options, shape (n,)."""
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def credit(self, values: Floats) -> Floats:
        """Score the guesser who picks the option with the largest value.

        Parameters
        ----------
        values : array, shape (rows,)
            Options within 1e-9 of the largest are tied: the guesser draws among them, so the credit
            of an item is the right ones' share of the tied ones.

        Returns
        -------
        array, shape (n,)
            0 to 1.
        """
        tied = values >= self.best(values)[self.item] - 1e-9
        right = np.add.reduceat((tied & self.is_key).astype(np.float64), self.starts)
        return np.asarray(right / np.add.reduceat(tied.astype(np.float64), self.starts))

    def picked(self, chosen: Floats) -> Floats:
        """Return 1 for each item whose right option is among the chosen ones, shape (n,)."""
        return np.asarray(np.add.reduceat(chosen * self.is_key, self.starts))

    def redrawn(self, generator: np.random.Generator) -> "OptionTable":
        """Return the table with the key of every item drawn anew among its options."""
        sizes = self.size[self.starts]
        keys = (generator.random(len(sizes)) * sizes).astype(np.intp)
        return OptionTable(
            self.items, self.texts, self.item, self.position, self.size,
            self.position == keys[self.item], self.starts,
        )  # fmt: skip


def plain_text(text: str) -> str:
    """Return a normalised text without the punctuation that carries no meaning.

    Lengths are counted on it: commas and brackets should not make an option the longest one.

    Examples
    --------
    >>> plain_text("No, (almost) none: < 5 %")
    'no almost none < 5 %'
    """
    return _PUNCTUATION.sub("", normalise_text(text))


def mask_numbers(text: str) -> str:
    """Return a normalised text with every number replaced by ``#``.

    Examples
    --------
    >>> mask_numbers("Which class is at pixel (3, 14) in 2015?")
    'which class is at pixel (#, #) in #'
    """
    return _DIGITS.sub("#", normalise_text(text))


def codes_of(names: Sequence[object]) -> Integers:
    """Number equal names alike, from 0, in the order of first appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


def _options_and_key(item: Item) -> tuple[tuple[str, ...], int | None]:
    if isinstance(item.answer, Truth):
        return ("true", "false"), 0 if item.answer.value else 1
    keys = key_indices(item)
    multiple = item.format == "multiple_choice"
    return item.options, keys[0] if len(keys) == 1 and not multiple else None
