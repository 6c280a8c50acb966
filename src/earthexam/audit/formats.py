"""B9–B11: what guesses without a picture reach on sets, blanks and boxes."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.subject import Subject
from earthexam.core.item import Blanks, Box, Choice, Golden, Item, normalise_text

_LEAST = 20
_HAS_UNIT = re.compile(
    r"%|\b(?:percent|share|ratio|fraction|proportion|index|ndvi|ndwi|evi|savi|coefficient|score|degrees?"
    r"|metres?|meters?|pixels?|km|nm|m|ha|how many|number of|count|year)\b",
    re.IGNORECASE,
)
_Box = tuple[float, float, float, float]


@check(
    "B9",
    title="Multi-select",
    definition="On items with several right options a guess from text alone (all options; the commonest "
    "set size with the likeliest texts or places of other blocks) is more than `excess` points above "
    "what evenly drawn set sizes allow, as exact match or as Jaccard overlap.",
    statistic="largest excess, in points",
    fix="Draw the number of right options evenly, 1 and all of them included.",
    excess=10,
)
def sets(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure the guesses under both scores."""
    items = [i for i in subject.items if i.format == "multiple_choice" and i.options]
    if len(items) < _LEAST:
        return
    worst: tuple[float, str] = (-math.inf, "")
    for name, guess in _set_guesses(items).items():
        for score_name, score in (("exact", _exact), ("Jaccard", _jaccard)):
            reached = fmean(score(guess(item), _key_set(item)) for item in items)
            fair = fmean(_fair_score(item, score_name) for item in items)
            example = f"{name}, {score_name}: {reached:.1%}, with evenly drawn sets {fair:.1%}"
            worst = max(worst, (100 * (reached - fair), example))
    if worst[0] > limits["excess"]:
        ids = tuple(item.id for item in items)
        yield Hit("warning", len(ids), len(ids), worst[1], ids, worst[0], limits["excess"])


@check(
    "B10",
    title="Fill-in",
    definition="One answer holds more than `modal` of a task's fill-in or open items (at least 20); or "
    "a number is asked for, is not whole, and neither key nor question gives its unit (error).",
    statistic="share of the commonest answer",
    fix="Balance the answers in bins; state unit and tolerance.",
    modal=0.2,
)
def blanks(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Count answers by task, then look for units."""
    answers: dict[str, list[tuple[str, Item]]] = defaultdict(list)
    for item in subject.items:
        if isinstance(item.answer, Blanks):
            text = "; ".join(normalise_text(text) for text in item.answer.texts)
            answers[item.task].append((text, item))
        elif isinstance(item.answer, Golden):
            answers[item.task].append((normalise_text(item.answer.text), item))
    for task, found in sorted(answers.items()):
        text, count = Counter(text for text, _ in found).most_common(1)[0]
        share = count / len(found)
        if len(found) >= _LEAST and share > limits["modal"]:
            ids = tuple(item.id for own, item in found if own == text)
            example = f"{task}: {text!r} is right {count} times"
            yield Hit("warning", count, len(found), example, ids, share, limits["modal"])
    numbers = [item for found in answers.values() for _, item in found if _is_fraction(item)]
    bare = [item for item in numbers if not _states_unit(item)]
    example = f"{bare[0].id}: {bare[0].question}" if bare else ""
    yield from hit_items("error", [item.id for item in bare], max(len(numbers), 1), example)


@check(
    "B11",
    title="Grounding",
    definition="One box for all (the whole picture, its middle, the mean box of the task) has an IoU of "
    "0.5 or more on over `hits` of the items; or over `full` of the targets fill 90 % of the picture.",
    statistic="share of items",
    fix="Drop targets that are nearly all or nearly nothing of the picture; vary the crop.",
    hits=0.2,
    full=0.05,
)
def grounding(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure boxes in shares of the picture's width and height."""
    targets = [target for item in subject.items if (target := _Target.of(item)) is not None]
    if len(targets) < _LEAST:
        return
    means = {
        task: _mean_box([t.box for t in targets if t.item.task == task])
        for task in {t.item.task for t in targets}
    }
    guesses: Mapping[str, Callable[[_Target], _Box]] = {
        "the whole picture": lambda target: (0.0, 0.0, 1.0, 1.0),
        "the middle": lambda target: (0.25, 0.25, 0.75, 0.75),
        "the task's mean box": lambda target: means[target.item.task],
    }
    n = len(targets)
    for name, guess in guesses.items():
        hit = [t.item.id for t in targets if box_overlap(guess(t), t.box) >= 0.5]
        if len(hit) > limits["hits"] * n:
            example = f"{name} is right {len(hit)} times at IoU 0.5"
            yield Hit("warning", len(hit), n, example, tuple(hit), len(hit) / n, limits["hits"])
    full = [t.item.id for t in targets if (t.box[2] - t.box[0]) * (t.box[3] - t.box[1]) > 0.9]
    if len(full) > limits["full"] * n:
        example = f"{full[0]}: the target fills the picture"
        yield Hit("warning", len(full), n, example, tuple(full), len(full) / n, limits["full"])


def box_overlap(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the intersection over union of two boxes ``(x0, y0, x1, y1)``.

    Examples
    --------
    >>> round(box_overlap((0, 0, 2, 1), (1, 0, 3, 1)), 4)
    0.3333
    """
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0.0) * max(height, 0.0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    union = sum(areas) - shared
    return shared / union if union > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Target:
    """A grounding item with its box in shares of the picture."""

    item: Item
    box: _Box

    @classmethod
    def of(cls, item: Item) -> "_Target | None":
        if not isinstance(item.answer, Box):
            return None
        for media in item.media:
            if media.role == "input" and media.width and media.height:
                x0, y0, x1, y1 = item.answer.box
                w, h = media.width, media.height
                return cls(item, (x0 / w, y0 / h, x1 / w, y1 / h))
        return None


def _mean_box(boxes: Sequence[_Box]) -> _Box:
    x0, y0, x1, y1 = (fmean(box[side] for box in boxes) for side in range(4))
    return (x0, y0, x1, y1)


def _key_set(item: Item) -> frozenset[int]:
    return frozenset(item.answer.indices) if isinstance(item.answer, Choice) else frozenset()


def _exact(guess: frozenset[int], key: frozenset[int]) -> float:
    return float(guess == key)


def _jaccard(guess: frozenset[int], key: frozenset[int]) -> float:
    return len(guess & key) / max(len(guess | key), 1)


def _fair_score(item: Item, score: str) -> float:
    """Return what the best uninformed guess, all options, reaches where set sizes are drawn evenly.

    Of n options all are right in one set size of n, and (n + 1) / 2 are right on average.
    """
    n = len(item.options)
    return 1 / n if score == "exact" else (n + 1) / (2 * n)


def _set_guesses(items: Sequence[Item]) -> Mapping[str, Callable[[Item], frozenset[int]]]:
    """Make guessers; those that learn leave out all items of the guessed item's group."""
    sizes: dict[str, Counter[int]] = defaultdict(Counter)
    by_text, by_place = _Rates(), _Rates()
    for item in items:
        key = _key_set(item)
        sizes[item.group][len(key)] += 1
        for number, option in enumerate(item.options):
            by_text.add(item.group, (item.task, normalise_text(option)), number in key)
            by_place.add(item.group, (item.task, number), number in key)
    all_sizes = sum(sizes.values(), Counter[int]())

    def usual_size(item: Item) -> int:
        others = all_sizes - sizes[item.group]
        return others.most_common(1)[0][0] if others else 1

    def best(item: Item, rate: Callable[[int], float]) -> frozenset[int]:
        ranked = sorted(range(len(item.options)), key=rate, reverse=True)
        return frozenset(ranked[: usual_size(item)])

    return {
        "all options": lambda item: frozenset(range(len(item.options))),
        "usual size, likeliest texts": lambda item: best(
            item,
            lambda n: by_text.without(item.group, (item.task, normalise_text(item.options[n]))),
        ),
        "usual size, likeliest places": lambda item: best(
            item, lambda n: by_place.without(item.group, (item.task, n))
        ),
    }


class _Rates:
    """How often an option was right, by context, with one group left out."""

    def __init__(self) -> None:
        self._counts: dict[object, Counter[tuple[str, bool]]] = defaultdict(Counter)
        self._totals: dict[object, Counter[bool]] = defaultdict(Counter)

    def add(self, group: str, context: object, right: bool) -> None:
        """Count one option."""
        self._counts[context][group, right] += 1
        self._totals[context][right] += 1

    def without(self, group: str, context: object) -> float:
        """Return the share of right in other groups, drawn towards a half."""
        own, total = self._counts[context], self._totals[context]
        right = total[True] - own[group, True]
        wrong = total[False] - own[group, False]
        return (right + 1) / (right + wrong + 2)


def _is_fraction(item: Item) -> bool:
    answer = item.answer
    if not isinstance(answer, Golden) or answer.kind != "number":
        return False
    return isinstance(answer.value, float) and not answer.value.is_integer()


def _states_unit(item: Item) -> bool:
    unit = item.answer.unit if isinstance(item.answer, Golden) else ""
    return bool(unit) or bool(_HAS_UNIT.search(item.question))
