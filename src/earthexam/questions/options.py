"""Draw which cases become items and which options they show, so that nothing tells the answer.

The set of options is settled first, from texts that can all still be right; then a coin decides
which of them is, and only then a case is looked up where that one is right and the others are
certainly wrong. So each text is right in one of k of the items that show it, whatever the
distribution of keys in the data, and the draws are independent: exact quotas would not be, since
who knows the other keys could then tell the last one. For the same reason texts that few places can
answer are left out, and drawing stops long before the cases run out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from earthexam.questions.family import (
    LEAST_OVERLAP,
    MOST_OVERLAP,
    BlockT,
    ContextT,
    Family,
    Judgement,
    Parameters,
    Region,
    area,
    overlap,
    parse_region,
    region_text,
)

TRIES = 40
BOX_TRIES = 400
# A text used up is a quota met. On a scene of 43 blocks a learned blind scorer gained 4.7 points over
# chance without these limits, 1.3 with them (means over seeds and folds).
FEWEST_PLACES = 4
MOST_USED = 0.4


@dataclass(frozen=True)
class Case(Generic[BlockT, ContextT]):
    """A family asked of one block with certain parameters, and what is true there."""

    family: Family[BlockT, ContextT]
    place: str
    parameters: Parameters
    judgement: Judgement

    @cached_property
    def balance(self) -> tuple[str, ...]:
        """The parameters that stay the same inside one draw of the answer."""
        return tuple(str(self.parameters.get(name)) for name in self.family.balance)

    def refutes_rest(self, options: Iterable[str]) -> bool:
        """Say whether every option but the answer is certainly wrong."""
        judged = self.judgement
        return all(text == judged.answer or judged.refutes(text) for text in options)

    @cached_property
    def fact(self) -> tuple[str, str]:
        """What the case is about: the same fact is asked once, whatever the family."""
        return (
            self.place,
            self.judgement.fact or f"{self.family.name} {sorted(self.parameters.items())}",
        )


@dataclass(frozen=True)
class Drawn(Generic[BlockT, ContextT]):
    """A case with the options it shows; `options` are in natural order, the key by text."""

    case: Case[BlockT, ContextT]
    options: tuple[str, ...]

    @property
    def shuffled(self) -> bool:
        """Whether the options may stand in any order."""
        return self.case.family.layout in {"pick", "boxes"}


class Ledger:
    """What has been asked so far, over all families.

    Attributes
    ----------
    taken : set
        Facts already asked.
    load : Counter
        Items by place.
    shown : Counter
        How often each option text stands in items of a place. A text that is shown there more often
        than others gives itself away as being there, so draws even this out.
    """

    def __init__(self) -> None:
        self.taken: set[tuple[str, str]] = set()
        self.load: Counter[str] = Counter()
        self.shown: Counter[tuple[str, str]] = Counter()
        self._lead: dict[str, float] = defaultdict(float)

    def enter(self, drawn: "Drawn[BlockT, ContextT]") -> None:
        """Record an item."""
        place = drawn.case.place
        self._lead[drawn.case.family.task] += self.lead(drawn.case, drawn.options)
        self.taken.add(drawn.case.fact)
        self.load[place] += 1
        self.shown.update((place, text) for text in drawn.options)

    def lead(self, case: Case[BlockT, ContextT], options: Sequence[str]) -> float:
        """Say how much oftener the place shows the key than the other options, in items."""
        key = case.judgement.answer
        others = [self.shown[case.place, text] for text in options if text != key]
        return self.shown[case.place, key] - sum(others) / len(others)

    def cost(self, case: Case[BlockT, ContextT], options: Sequence[str]) -> float:
        """Say how badly a case fits: the lead it would leave over its task, then its load."""
        return (
            abs(self._lead[case.family.task] + self.lead(case, options))
            + 0.1 * self.load[case.place]
        )


class Drawer(Generic[BlockT, ContextT]):
    """Draws items of one family from its cases.

    Parameters
    ----------
    cases : sequence of Case
        Clear cases of one family.
    rng : Generator
        Seeded from the family and the builder version.
    """

    def __init__(self, cases: Sequence[Case[BlockT, ContextT]], rng: np.random.Generator) -> None:
        self._rng = rng
        places: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for case in cases:
            places[_draw_key(case)].add(case.place)
        self._left = [case for case in cases if len(places[_draw_key(case)]) >= FEWEST_PLACES]
        self._used_in: Counter[str] = Counter()
        self._most = int(MOST_USED * _supply(self._left))
        self._wanted_rank = int(rng.integers(len(_SPLITS)))

    def draw(self, ledger: Ledger) -> Drawn[BlockT, ContextT] | None:
        """Draw one item, or None where no set of options is left that could go either way."""
        self._left = [
            case
            for case in self._left
            if case.fact not in ledger.taken and self._used_in[case.place] < case.family.per_block
        ]
        if not self._left or self._used_in.total() >= self._most:
            return None
        for _ in range(BOX_TRIES if self._left[0].family.layout == "boxes" else TRIES):
            start = self._left[int(self._rng.integers(len(self._left)))]
            peers = self._peers(start)
            if start.family.layout == "boxes":
                drawn = self._draw_boxes(start, peers)
            else:
                drawn = self._draw_texts(start, peers, ledger)
            if drawn is not None:
                self._used_in[drawn.case.place] += 1
                return drawn
        return None

    def _peers(self, start: Case[BlockT, ContextT]) -> list[Case[BlockT, ContextT]]:
        return [case for case in self._left if case.balance == start.balance]

    def _draw_texts(
        self,
        start: Case[BlockT, ContextT],
        peers: Sequence[Case[BlockT, ContextT]],
        ledger: Ledger,
    ) -> Drawn[BlockT, ContextT] | None:
        by_answer: dict[str, list[Case[BlockT, ContextT]]] = defaultdict(list)
        for case in peers:
            by_answer[case.judgement.answer].append(case)
        for options in self._option_sets(start, by_answer, ledger):
            fitting = [
                [case for case in by_answer[text] if case.refutes_rest(options)] for text in options
            ]
            if all(fitting):
                chosen = fitting[int(self._rng.integers(len(options)))]
                return Drawn(self._best_fitting(chosen, options, ledger), options)
        return None

    def _option_sets(
        self,
        start: Case[BlockT, ContextT],
        by_answer: dict[str, list[Case[BlockT, ContextT]]],
        ledger: Ledger,
    ) -> Iterator[tuple[str, ...]]:
        answer = start.judgement.answer
        most, least = start.family.n_options, start.family.least_options
        match start.family.layout:
            case "scale":
                options = tuple(text for text in start.judgement.scores if text in by_answer)
                if len(options) >= 2:
                    yield options
            case "window":
                yield from self._windows(int(answer), (least, most), by_answer)
            case _:
                others = sorted(set(by_answer) & start.judgement.false)
                weights = np.array(
                    [
                        len(by_answer[text]) * (1.0 + ledger.shown[start.place, text])
                        for text in others
                    ]
                )
                for size in range(min(most, len(others) + 1), least - 1, -1):
                    picked = self._rng.choice(
                        len(others), size - 1, replace=False, p=weights / weights.sum()
                    )
                    yield tuple(sorted([answer, *(others[i] for i in picked)]))

    def _windows(
        self, value: int, sizes: tuple[int, int], by_answer: dict[str, list[Case[BlockT, ContextT]]]
    ) -> Iterator[tuple[str, ...]]:
        for size in range(sizes[1], sizes[0] - 1, -1):
            starts = range(max(0, value - size + 1), value + 1)
            for first in self._rng.permutation(np.array(starts)):
                window = tuple(str(first + step) for step in range(size))
                if all(text in by_answer for text in window):
                    yield window

    def _best_fitting(
        self,
        cases: Sequence[Case[BlockT, ContextT]],
        options: Sequence[str],
        ledger: Ledger,
    ) -> Case[BlockT, ContextT]:
        costs = [ledger.cost(case, options) for case in cases]
        least = min(costs)
        best = [case for case, cost in zip(cases, costs, strict=True) if cost == least]
        return best[int(self._rng.integers(len(best)))]

    def _draw_boxes(
        self, start: Case[BlockT, ContextT], peers: Sequence[Case[BlockT, ContextT]]
    ) -> Drawn[BlockT, ContextT] | None:
        other = peers[int(self._rng.integers(len(peers)))]
        one, two = start.judgement.region, other.judgement.region
        if one is None or two is None or other.place == start.place:
            return None
        design = [int(axis) for axis in self._rng.permutation(4)]
        sets = [crossed_boxes(one, two, design), crossed_boxes(two, one, design)]
        if not all(_mutually_distinct(boxes) for boxes in sets):
            return None
        side = int(self._rng.integers(2))
        if not self._has_wanted_rank(sets[side]):
            return None
        return Drawn((start, other)[side], tuple(region_text(box) for box in sets[side]))

    def _has_wanted_rank(self, boxes: Sequence[Region]) -> bool:
        """Say whether the first box has the rank by area that the next item must have.

        Crossing makes extreme boxes out of usual ones, so that the true box would seldom be the
        smallest or the largest. Its rank is drawn beforehand and kept until a box has it.
        """
        rank = sum(area(box) < area(boxes[0]) for box in boxes[1:])
        if rank != self._wanted_rank:
            return False
        self._wanted_rank = int(self._rng.integers(len(boxes)))
        return True


# Which of the four options share a coordinate with the first: each coordinate of a box takes each
# of two values in two of four options, so no option agrees with the others more than the rest do.
_SPLITS = ((0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (0, 0, 1, 1))


def crossed_boxes(one: Region, two: Region, design: Sequence[int]) -> tuple[Region, ...]:
    """Cross two true boxes into four options of which the first is `one`.

    Parameters
    ----------
    one, two : Region
        Two boxes that occur as truths.
    design : permutation of 0..3
        Which split each coordinate follows.
    """
    pair = (one, two)
    return tuple(
        tuple(pair[_SPLITS[design[axis]][option]][axis] for axis in range(4))  # type: ignore[misc]
        for option in range(4)
    )


def assign_letters(
    drawn: Sequence[Drawn[BlockT, ContextT]], rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """Order the options of each item: ordered ones stay, others are shuffled.

    Of 64 random assignments the one is kept whose letters spread best, by number of options:
    even enough that a constant letter gains nothing, yet not so exact that keys tell one another.
    """
    best: tuple[float, list[tuple[str, ...]]] | None = None
    for _ in range(64):
        orders = [
            tuple(rng.permutation(np.array(item.options, dtype=object)))
            if item.shuffled
            else item.options
            for item in drawn
        ]
        spread = _letter_excess(drawn, orders)
        if best is None or spread < best[0]:
            best = (spread, orders)
    return best[1] if best else []


def _letter_excess(
    drawn: Sequence[Drawn[BlockT, ContextT]], orders: Sequence[tuple[str, ...]]
) -> float:
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for item, order in zip(drawn, orders, strict=True):
        counts[len(order)][order.index(item.case.judgement.answer)] += 1
    return sum(
        sum((counter[letter] - counter.total() / size) ** 2 for letter in range(size))
        for size, counter in counts.items()
    )


def _draw_key(case: Case[BlockT, ContextT]) -> tuple[str, ...]:
    """What must be answerable in several places: the text, or any box, under the same balance."""
    text = "" if case.family.layout == "boxes" else case.judgement.answer
    return (*case.balance, text)


def _supply(cases: Sequence[Case[BlockT, ContextT]]) -> int:
    """Return how many items the cases allow, with the most that a family may take of a place."""
    by_place = Counter(case.place for case in cases)
    return sum(min(count, cases[0].family.per_block) for count in by_place.values())


def _mutually_distinct(boxes: Sequence[Region]) -> bool:
    texts = [parse_region(region_text(box)) for box in boxes]
    if any(text is None or area(text) <= 0 for text in texts):
        return False
    regions = [text for text in texts if text is not None]
    return all(
        LEAST_OVERLAP <= overlap(a, b) <= MOST_OVERLAP
        for number, a in enumerate(regions)
        for b in regions[number + 1 :]
    )
