"""B1–B4 and B7: what place, length, habit, numbers and boxes give away."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from scipy import stats

from earthexam.audit import check
from earthexam.audit.blind import BlindResult, result_of
from earthexam.audit.check import Hit, Limits, Severity
from earthexam.audit.features import box_area, box_of, numeric_value, rank_in_item
from earthexam.audit.formats import box_overlap
from earthexam.audit.options import Booleans, Floats, Integers, OptionTable
from earthexam.audit.subject import Subject
from earthexam.core.item import LETTERS

_YES = ("yes", "true")
_ORDERED = frozenset({"count", "number", "range"})
_LEAST = 20
"""Fewer items say nothing about a distribution."""


@check(
    "B1",
    title="Key position",
    definition="By task and number of options, keys spread evenly over the places. A warning where "
    "the chi-square test (Benjamini–Hochberg over tasks) has p below `p` and the total variation "
    "distance is above `distance`; an error where one letter always is more than `excess` points "
    "above chance. Options in numeric order are exempt.",
    statistic="largest excess of a constant letter over chance in a task, in points",
    fix="Shuffle with a seed made from the item's id, and store the order.",
    p=0.01,
    distance=0.05,
    excess=5,
)
def position(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Test the keys' places task by task."""
    table = subject.options
    free = ~_in_numeric_order(table)
    skews = {
        task: _Skew.of(table, rows)
        for task in np.unique(table.tasks).tolist()
        if len(rows := np.flatnonzero((table.tasks == task) & free)) >= _LEAST
    }
    corrected = _false_discovery([skew.p for skew in skews.values()])
    flagged: dict[Severity, list[tuple[str, _Skew]]] = {"error": [], "warning": []}
    for (task, skew), p in zip(skews.items(), corrected, strict=True):
        if p < limits["p"] and skew.distance > limits["distance"]:
            flagged["error" if skew.excess > limits["excess"] else "warning"].append((task, skew))
    for severity, found in flagged.items():
        if not found:
            continue
        task, worst = max(found, key=lambda pair: pair[1].excess)
        example = (
            f"{', '.join(name for name, _ in found)}; in {task} always {LETTERS[worst.letter]} is "
            f"{worst.excess:.1f} points above chance, total variation {worst.distance:.2f}"
        )
        ids = tuple(table.items[n].id for _, skew in found for n in skew.at_letter)
        yield Hit(severity, len(ids), int(free.sum()), example, ids, worst.excess, limits["excess"])


@check(
    "B2",
    title="Binary balance",
    definition="Yes/no and true/false items of a task are true in `low` to `high` of the cases "
    "(binomial test, Benjamini–Hochberg over tasks, p below `p`).",
    statistic="share of true furthest from one half",
    fix="Draw positives and negatives one to one for each class.",
    low=0.4,
    high=0.6,
    p=0.01,
)
def binary(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Count how often yes is right."""
    table = subject.options
    truths: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for number, item in enumerate(table.items):
        options = table.options_of(number)
        if len(options) == 2 and any(text.startswith(_YES) for text in options):
            truths[item.task].append((item.id, table.key_text(number).startswith(_YES)))
    asked = {task: found for task, found in truths.items() if len(found) >= _LEAST}
    shares = {task: sum(t for _, t in found) / len(found) for task, found in asked.items()}
    corrected = _false_discovery(
        [
            float(stats.binomtest(sum(t for _, t in found), len(found)).pvalue)
            for found in asked.values()
        ]
    )
    odd = [
        task
        for (task, share), p in zip(shares.items(), corrected, strict=True)
        if p < limits["p"] and not limits["low"] <= share <= limits["high"]
    ]
    if odd:
        worst = max(odd, key=lambda task: abs(shares[task] - 0.5))
        ids = tuple(name for task in odd for name, _ in asked[task])
        example = ", ".join(f"{task} {shares[task]:.1%} true of {len(asked[task])}" for task in odd)
        nearest = limits["low"] if shares[worst] < 0.5 else limits["high"]
        n = sum(len(found) for found in asked.values())
        yield Hit("warning", len(ids), n, example, ids, shares[worst], nearest)


@check(
    "B3",
    title="Length cue",
    definition="Always taking the longest, or the shortest, option (characters of the plain text, "
    "ties shared) is more than `excess` points above chance, an error above `gross`; the clustered "
    "interval must lie above chance.",
    statistic="larger excess of the two, in points",
    fix="Ask for distractors of equal length; refuse items whose key is the only longest too often.",
    excess=5,
    gross=10,
)
def length(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure both guessers."""
    results = subject.guesser("longest", "shortest")
    yield from _excess_hits(subject.options, results, limits["excess"], limits["gross"])


@check(
    "B4",
    title="Answer prior",
    definition="A table of how often each option text was right in its task, learned from other "
    "location blocks, is more than `excess` points above chance.",
    statistic="excess over chance, in points",
    fix="Draw distractors from the distribution of keys, so that each text is right as often as any.",
    excess=10,
)
def prior(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure the look-up table."""
    results = subject.guesser("text prior", "letter prior")
    yield from _excess_hits(subject.options, results, limits["excess"], None)


@check(
    "B7",
    title="Numeric and box cues",
    definition="Among numeric options or boxes one rule (smallest, second smallest, middle, largest) "
    "is more than `excess` points above chance, an error above `gross`; or more than `share` of the "
    "box items have a distractor that overlaps the key by more than `overlap` (IoU).",
    statistic="excess over chance, in points; share of box items",
    fix="Spread the key's rank evenly; let box distractors overlap the key by 0.2 to 0.7.",
    excess=10,
    gross=20,
    overlap=0.9,
    share=0.05,
)
def numeric(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure rules on ranks, then the overlap of boxes."""
    for what, read in (("number", numeric_value), ("box", box_area)):
        table = _only_valued(subject, read)
        if len(table) < _LEAST:
            continue
        values = np.array([read(text) for text in table.texts])
        results = [
            result_of(table, f"{name} {what}", "none", table.credit(rating))
            for name, rating in _rank_ratings(table, values).items()
        ]
        yield from _excess_hits(table, results, limits["excess"], limits["gross"])
        if what == "box":
            yield from _overlapping(table, limits)


def _excess_hits(
    table: OptionTable, results: Sequence[BlindResult], excess: float, gross: float | None
) -> Iterator[Hit]:
    """Give a hit for the best of the guessers when it is far and surely above chance."""
    if not results:
        return
    best = max(results, key=lambda result: result.micro - result.chance)
    points = 100 * (best.micro - best.chance)
    if points <= excess or not best.ci.low > best.chance:
        return
    severity: Severity = "error" if gross is not None and points > gross else "warning"
    solved = np.flatnonzero(best.correct >= 1.0)
    ids = tuple(table.items[n].id for n in solved)
    task = max(best.by_task, key=lambda code: best.by_task[code])
    example = (
        f"{best.name}: {best.micro:.1%} ({best.ci.low:.1%} to {best.ci.high:.1%}), chance "
        f"{best.chance:.1%}; {task} {best.by_task[task]:.1%}"
    )
    limit = gross if severity == "error" else excess
    yield Hit(severity, len(ids), len(table), example, ids, points, limit)


class _Skew:
    """How unevenly the keys of a task lie over the places."""

    def __init__(
        self, p: float, distance: float, letter: int, excess: float, at: list[int]
    ) -> None:
        self.p, self.distance, self.letter, self.excess = p, distance, letter, excess
        self.at_letter = at

    @classmethod
    def of(cls, table: OptionTable, rows: Integers) -> "_Skew":
        """Measure the items `rows`, stratified by number of options."""
        sizes, places = table.size[table.starts][rows], table.key_position[rows]
        statistic, freedom, moved = 0.0, 0, 0.0
        for size in np.unique(sizes).tolist():
            counts = np.bincount(places[sizes == size], minlength=size)
            expected = counts.sum() / size
            moved += np.abs(counts - expected).sum() / 2
            # Five expected a cell: below that the chi-square tail is not to be trusted.
            if expected >= 5:
                statistic += float(((counts - expected) ** 2 / expected).sum())
                freedom += size - 1
        p = float(stats.chi2.sf(statistic, freedom)) if freedom else 1.0
        hits = np.bincount(places, minlength=1)
        letter = int(hits.argmax())
        excess = 100 * (hits[letter] / len(rows) - float(table.chance[rows].mean()))
        at = rows[places == letter].tolist()
        return cls(p, moved / len(rows), letter, excess, at)


def _false_discovery(p_values: Sequence[float]) -> list[float]:
    if not p_values:
        return []
    return [float(p) for p in stats.false_discovery_control(p_values)]


def _in_numeric_order(table: OptionTable) -> Booleans:
    """Say of each item whether its options stand in numeric order."""
    ordered = np.zeros(len(table), dtype=bool)
    for number, item in enumerate(table.items):
        if item.question_type in _ORDERED:
            values = np.array([numeric_value(text) for text in table.options_of(number)])
            steps = np.diff(values)
            ordered[number] = bool((steps > 0).all() or (steps < 0).all())
    return ordered


def _only_valued(subject: Subject, read: Callable[[str], float]) -> OptionTable:
    """Return the table of the items with a value in every option."""
    table = subject.options
    return OptionTable.of(
        item
        for number, item in enumerate(table.items)
        if len(table.options_of(number)) > 2
        and not any(np.isnan(read(text)) for text in table.options_of(number))
    )


def _rank_ratings(table: OptionTable, values: Floats) -> Mapping[str, Floats]:
    rank = rank_in_item(table, values)
    step = 1.0 / (table.size - 1)
    return {
        "smallest": -rank,
        "second smallest": -np.abs(rank - step),
        "middle": -np.abs(rank - 0.5),
        "largest": rank,
    }


def _overlapping(table: OptionTable, limits: Limits) -> Iterator[Hit]:
    near: list[tuple[int, float]] = []
    for number in range(len(table)):
        boxes = [box_of(text) for text in table.options_of(number)]
        key = boxes.pop(int(table.key_position[number]))
        closest = max(box_overlap(key, box) for box in boxes if box is not None) if key else 0.0
        if closest > limits["overlap"]:
            near.append((number, closest))
    share = len(near) / len(table)
    if share > limits["share"]:
        number, closest = near[0]
        item = table.items[number]
        example = f"{item.id}: a distractor overlaps the key by {closest:.2f}: {list(item.options)}"
        ids = tuple(table.items[n].id for n, _ in near)
        yield Hit("warning", len(near), len(table), example, ids, share, limits["share"])
