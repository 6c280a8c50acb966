"""S5: options that differ in writing only: word order, number format, synonyms, overlapping ranges."""

import math
import re
from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, Severity, hit_items
from earthexam.audit.subject import Subject
from earthexam.benchmark.checks import key_indices
from earthexam.core.item import Item, normalise_text

_Span: TypeAlias = tuple[float, float, str]

_SYNONYMS = {
    "center": "centre", "middle": "centre", "central": "centre",
    "upper": "top", "lower": "bottom", "percent": "%", "gray": "grey", "meters": "m", "metres": "m",
    "northern": "north", "southern": "south", "eastern": "east", "western": "west",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+|[-+]?\d+(?:\.\d+)?|\S")
_JOIN = re.compile(r"\s+(?:and|&)\s+|\s*\+\s*")
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_SPAN = re.compile(rf"({_NUMBER})\s*%?\s*(?:-|–|to)\s*({_NUMBER})\s*(%?[a-z ]*)\Z")
_BOUND = re.compile(
    rf"([<>≤≥]|less than|more than|below|above|over|under)\s*({_NUMBER})\s*(%?[a-z ]*)\Z"
)
_FROM_BELOW = frozenset({"<", "≤", "less than", "below", "under"})


@check(
    "S5",
    title="Equivalent options",
    definition="Two options say the same: the parts of “X and Y” in another order, equal numbers, "
    "synonyms; or they are ranges that overlap.",
    statistic="share of choice items; an error where the key is one of the two",
    fix="Bring options to one form before drawing; ranges must part the axis.",
)
def equivalent(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare the options of each item in pairs."""
    found: dict[Severity, list[tuple[Item, str]]] = {"error": [], "warning": []}
    n = 0
    for item in subject.items:
        n += bool(item.options)
        pairs = list(equivalent_pairs(item.options))
        if not pairs:
            continue
        key = set(key_indices(item))
        hurt = [pair for pair in pairs if key & set(pair)]
        i, j = (hurt or pairs)[0]
        example = f"{item.id}: {item.options[i]!r} and {item.options[j]!r}"
        found["error" if hurt else "warning"].append((item, example))
    for severity, hits in found.items():
        ids = [item.id for item, _ in hits]
        yield from hit_items(severity, ids, n, hits[0][1] if hits else "")


def equivalent_pairs(options: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Give the places of options that differ in writing only, or overlap as ranges."""
    texts = [normalise_text(option) for option in options]
    forms = [canonical(text) for text in texts]
    spans = [span_of(text) for text in texts]
    for i, j in combinations(range(len(texts)), 2):
        if texts[i] != texts[j] and (forms[i] == forms[j] or _overlap(spans[i], spans[j])):
            yield i, j


def canonical(text: str) -> tuple[str, ...]:
    """Return a normalised option as its sorted parts, numbers and synonyms written one way.

    Examples
    --------
    >>> canonical("water and 5.0 percent") == canonical("5 % and water")
    True
    """
    return tuple(sorted(" ".join(map(_one_way, _WORD.findall(part))) for part in _JOIN.split(text)))


def span_of(text: str) -> _Span | None:
    """Return (low, high, unit) of an option that is a range or a bound; None for other options."""
    if match := _SPAN.match(text):
        low, high = float(match[1]), float(match[2])
        return (low, high, match[3].strip()) if low <= high else None
    if match := _BOUND.match(text):
        value, unit = float(match[2]), match[3].strip()
        below = match[1] in _FROM_BELOW
        return (-math.inf, value, unit) if below else (value, math.inf, unit)
    return None


def _overlap(first: _Span | None, second: _Span | None) -> bool:
    if first is None or second is None or first[2] != second[2]:
        return False
    return max(first[0], second[0]) < min(first[1], second[1])


def _one_way(word: str) -> str:
    try:
        return f"{float(word):g}"
    except ValueError:
        return _SYNONYMS.get(word, word)
