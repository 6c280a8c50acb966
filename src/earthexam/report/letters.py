"""Which letter was right against which letter was answered: a favourite letter shows as a column."""

import json
from collections import Counter
from dataclasses import dataclass

from earthexam.core.item import LETTERS, Choice, Item
from earthexam.evaluate.folder import Run
from earthexam.models.protocol import Key
from earthexam.report.collect import Report


@dataclass(frozen=True)
class Confusion:
    """Letters of single-choice items as they were shown, for one run and view.

    Attributes
    ----------
    letters : str
        Row letters: every letter that the widest item has.
    counts : tuple of tuple of int
        ``counts[key][answered]``; the last column counts replies without a readable letter.
    """

    run: int
    label: str
    view: str
    letters: str
    counts: tuple[tuple[int, ...], ...]

    @property
    def keys(self) -> tuple[int, ...]:
        """How often each letter was the key."""
        return tuple(sum(row) for row in self.counts)

    @property
    def answers(self) -> tuple[int, ...]:
        """How often each letter was answered, then how often none was read."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))

    def share(self, key: int, answered: int) -> float:
        """Return the share of a key's items that got an answer, 0 to 1; 0 for an unused key."""
        total = self.keys[key]
        return self.counts[key][answered] / total if total else 0.0


def confusions(report: Report) -> tuple[Confusion, ...]:
    """Count letters for every run and view that has single-choice items."""
    found = []
    for number, run in enumerate(report.runs):
        counts = _count(run, report.benchmark.by_id)
        for view in report.views:
            pairs = counts.get(view)
            if pairs:
                found.append(_table(number, report.labels[number], view, pairs))
    return tuple(found)


def read_indices(answer: str, item: Item) -> tuple[int, ...]:
    """Return the options that a stored answer names; empty where none was read.

    Parameters
    ----------
    answer : str
        As in `ScoreRecord.answer`: JSON text, letters in the item's own order.
    """
    value = json.loads(answer) if answer else None
    letters = value if isinstance(value, list) else [value]
    own = item.letters
    return tuple(own.index(letter) for letter in letters if isinstance(letter, str) and
                 len(letter) == 1 and letter in own)  # fmt: skip


def _count(run: Run, items: dict[str, Item]) -> dict[str, Counter[tuple[int, int]]]:
    """Count (key, answered) positions as shown, by view; answered is -1 where none was read."""
    shown = {record.key: record.option_order for record in run.replies()}
    counts: dict[str, Counter[tuple[int, int]]] = {}
    columns = ("id", "view", "epoch", "order", "answer", "outcome")
    for name, view, epoch, order, answer, outcome in run.scores().select(columns).iter_rows():
        item = items.get(name)
        if item is None or item.format != "single_choice" or outcome == "unsupported":
            continue
        if not isinstance(item.answer, Choice) or len(item.answer.indices) != 1:
            continue
        positions = shown.get(Key(name, view, epoch, order)) or tuple(range(len(item.options)))
        read = read_indices(answer, item)
        answered = positions.index(read[0]) if len(read) == 1 else -1
        key = positions.index(item.answer.indices[0])
        counts.setdefault(view, Counter())[key, answered] += 1
    return counts


def _table(run: int, label: str, view: str, pairs: Counter[tuple[int, int]]) -> Confusion:
    size = 1 + max(max(pair) for pair in pairs)
    columns = (*range(size), -1)
    counts = tuple(tuple(pairs[key, answered] for answered in columns) for key in range(size))
    return Confusion(run, label, view, LETTERS[:size], counts)
