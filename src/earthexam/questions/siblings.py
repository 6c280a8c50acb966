"""Even out what the items of one place tell about one another.

What is in a place is asked about more often there than what is not: the key of one item stands among
the options of its siblings, the distractors hardly do, and who reads all questions about a place
knows what it shows. Which place answers a drawn set of options is free, as long as the key stays;
so items move between places until the key is neither the most nor the least frequent option of its
place more often than chance.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Generic

import numpy as np

from earthexam.questions.family import BlockT, ContextT
from earthexam.questions.options import Case, Drawn

SWEEPS = 3
MOST_ALTERNATIVES = 6

Tell = tuple[float, float]


class _Places(Generic[BlockT, ContextT]):
    """Items by place and option, and what they tell by task: see `_tell`."""

    def __init__(self, items: Sequence[Drawn[BlockT, ContextT]]) -> None:
        self.items = list(items)
        self._showing: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._told: dict[int, Tell] = {}
        self._by_task: dict[str, Tell] = defaultdict(lambda: (0.0, 0.0))
        for number, item in enumerate(self.items):
            self._put(number, item)
        self._learn({number: self._tell(number) for number in range(len(self.items))})

    def try_move(self, number: int, case: Case[BlockT, ContextT]) -> bool:
        """Move an item to the place of another case if that tells less; return whether it did."""
        old = self.items[number]
        touched = self._sharing(old.case.place, old.options)
        touched |= self._sharing(case.place, old.options)
        self._take(number)
        self._put(number, Drawn(case, old.options))
        told = {one: self._tell(one) for one in touched}
        if self._loss(told) < self._loss({}) - 1e-9:
            self._learn(told)
            return True
        self._take(number)
        self._put(number, old)
        return False

    def _put(self, number: int, item: Drawn[BlockT, ContextT]) -> None:
        self.items[number] = item
        for text in item.options:
            self._showing[item.case.place, text].add(number)

    def _take(self, number: int) -> None:
        item = self.items[number]
        for text in item.options:
            self._showing[item.case.place, text].remove(number)

    def _sharing(self, place: str, options: Sequence[str]) -> set[int]:
        """Items of a place that show one of the options: the only ones a move there can touch."""
        return set().union(*(self._showing[place, text] for text in options))

    def _learn(self, told: Mapping[int, Tell]) -> None:
        self._by_task.update(self._sums(told))
        self._told.update(told)

    def _loss(self, told: Mapping[int, Tell]) -> float:
        """Sum of squares over the tasks, with the items in `told` telling that instead."""
        changed = self._sums(told)
        return sum(
            most * most + least * least for most, least in {**self._by_task, **changed}.values()
        )

    def _sums(self, told: Mapping[int, Tell]) -> dict[str, Tell]:
        sums: dict[str, Tell] = {}
        for number, (most, least) in told.items():
            task = self.items[number].case.family.task
            was_most, was_least = self._told.get(number, (0.0, 0.0))
            own = sums.get(task) or self._by_task[task]
            sums[task] = (own[0] + most - was_most, own[1] + least - was_least)
        return sums

    def _tell(self, number: int) -> Tell:
        """How much oftener than by chance the key is the most, and the least frequent option."""
        item = self.items[number]
        counts = [len(self._showing[item.case.place, text]) for text in item.options]
        key = counts[item.options.index(item.case.judgement.answer)]
        chance = 1 / len(counts)
        most, least = max(counts), min(counts)
        return (
            (key == most) / counts.count(most) - chance,
            (key == least) / counts.count(least) - chance,
        )


def even_out(
    drawn: Sequence[Drawn[BlockT, ContextT]],
    cases: Mapping[str, Sequence[Case[BlockT, ContextT]]],
    rng: np.random.Generator,
) -> list[Drawn[BlockT, ContextT]]:
    """Move items to other cases with the same key, options and balance until siblings tell little.

    Parameters
    ----------
    drawn : sequence of Drawn
    cases : mapping of str to sequence of Case
        All clear cases by family.
    rng : Generator
        Order in which moves are tried.

    Returns
    -------
    list of Drawn
        In the order given; a fact is still asked once, a family's most items of a place still hold.
    """
    places = _Places(drawn)
    taken = {item.case.fact for item in drawn}
    used = Counter((item.case.family.name, item.case.place) for item in drawn)
    others = [_alternatives(item, cases[item.case.family.name]) for item in drawn]
    for _ in range(SWEEPS):
        for number in rng.permutation(len(drawn)).tolist():
            old = places.items[number].case
            free = [
                case
                for case in others[number]
                if case.fact not in taken
                and used[case.family.name, case.place] < case.family.per_block
            ]
            for index in rng.permutation(len(free))[:MOST_ALTERNATIVES]:
                case = free[int(index)]
                if places.try_move(number, case):
                    taken.remove(old.fact)
                    taken.add(case.fact)
                    used[old.family.name, old.place] -= 1
                    used[case.family.name, case.place] += 1
                    break
    return places.items


def _alternatives(
    item: Drawn[BlockT, ContextT], cases: Sequence[Case[BlockT, ContextT]]
) -> list[Case[BlockT, ContextT]]:
    """Other cases in which the same option is right and the others are wrong; none for boxes."""
    family = item.case.family
    if family.layout == "boxes":
        return []
    return [
        case
        for case in cases
        if case.judgement.answer == item.case.judgement.answer
        and case.place != item.case.place
        and case.balance == item.case.balance
        and case.refutes_rest(item.options)
    ]
