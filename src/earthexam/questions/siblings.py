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
    """Items by place, how often each text is shown there, and what that tells by task."""

    def __init__(self, items: Sequence[Drawn[BlockT, ContextT]]) -> None:
        self.items = list(items)
        self.at: dict[str, set[int]] = defaultdict(set)
        self.shown: Counter[tuple[str, str]] = Counter()
        self.tell: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(2))
        for number, item in enumerate(self.items):
            self._put(number, item)
        for number, item in enumerate(self.items):
            self.tell[item.case.family.task] += self._tell(number)

    def try_move(self, number: int, case: Case[BlockT, ContextT]) -> bool:
        """Move an item to the place of another case if that tells less; return whether it did."""
        old = self.items[number]
        touched = self.at[old.case.place] | self.at[case.place]
        before = self._tells(touched)
        self._take(number)
        self._put(number, Drawn(case, old.options))
        after = self._tells(touched)
        gain = sum(
            float(
                (self.tell[task] ** 2).sum()
                - ((self.tell[task] + after[task] - before[task]) ** 2).sum()
            )
            for task in after
        )
        if gain > 1e-9:
            for task, tells in after.items():
                self.tell[task] += tells - before[task]
            return True
        self._take(number)
        self._put(number, old)
        return False

    def _put(self, number: int, item: Drawn[BlockT, ContextT]) -> None:
        self.items[number] = item
        self.at[item.case.place].add(number)
        self.shown.update((item.case.place, text) for text in item.options)

    def _take(self, number: int) -> None:
        item = self.items[number]
        self.at[item.case.place].remove(number)
        self.shown.subtract((item.case.place, text) for text in item.options)

    def _tells(self, numbers: set[int]) -> dict[str, np.ndarray]:
        tells: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(2))
        for number in numbers:
            tells[self.items[number].case.family.task] += self._tell(number)
        return tells

    def _tell(self, number: int) -> Tell:
        """How much oftener than by chance the key is the most, and the least frequent option."""
        item = self.items[number]
        counts = [self.shown[item.case.place, text] for text in item.options]
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
