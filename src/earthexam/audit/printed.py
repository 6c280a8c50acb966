"""D5 and B8: what the text itself tells: keys against printed numbers, and answers given away."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from scipy import stats

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.options import OptionTable
from earthexam.audit.subject import Subject, media_key
from earthexam.core.item import Item, normalise_text

_COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)\s*(?:pixels?|px)\b|\((\d+)\)")
_LARGEST = re.compile(
    r"\b(?:largest|most (?:common|abundant|frequent|prevalent|dominant)|predominant|dominant|highest|greatest|maximum)\b"
)
_SMALLEST = re.compile(
    r"\b(?:smallest|least (?:common|abundant|frequent|prevalent)|rarest|lowest|fewest|minimum)\b"
)
_ORDINAL = re.compile(r"\b(?:second|third|fourth|2nd|3rd|closest|nearest|difference|except|not)\b")
_ONLY_SHOWN = re.compile(r"\b(?:appearing|occurring|non-?zero|present)\b")
_QUALIFIED = re.compile(
    r"\b(?:more|less|fewer|at least|at most|over|under|above|below|coordinates?|range|quadrant"
    r"|corner|cent(?:re|er)|left|right|top|bottom|upper|lower|north|south|east|west|edge|pixels?)\b"
)
_VALUE = re.compile(
    r"(?:value|ndvi|ndwi|evi|savi|index|ratio|share|mean|fraction|proportion)[^\d<>+-]{0,12}([-+]?\d+(?:\.\d+)?)\s*%?"
)
_LIMIT = re.compile(
    r"(?:threshold|limit|cut-?off)[^\d<>=+-]{0,15}(?P<sign>[<>≤≥])?\s*(?P<value>[-+]?\d+(?:\.\d+)?)"
    r"|(?P<word>above|over|exceeds?|greater than|more than|at least|below|under|less than|at most)\s+"
    r"(?P<other>[-+]?\d+(?:\.\d+)?)"
)
_BELOW = frozenset({"<", "≤", "below", "under", "less than", "at most"})
_PRESENT = re.compile(
    r"(?:does|do|is|are)\s+(?:the\s+)?(?:(?:land cover )?(?:type|class|category|mineral|material)\s+)?'?(?P<name>[\w ./()-]+?)'?\s+"
    r"(?P<verb>exist|present|occur|absent|missing)\b"
)
_DEVOID = re.compile(r"(?:devoid|free) of '?(?P<name>[\w ./()-]+?)'?(?:\?|$)")
_ABSENT = frozenset({"absent", "missing", "devoid"})
_RELATION = re.compile(
    r"(?:location|position|direction) of (?P<first>.+?) (?:relative to|with respect to|from) (?P<second>.+)"
)
_OPPOSITE = {"north": "south", "east": "west", "northeast": "southwest", "northwest": "southeast"}
_OPPOSITE |= {second: first for first, second in _OPPOSITE.items()}


@check(
    "D5",
    title="Logical consistency",
    definition="Keys agree with each other and with the text: a class is not both present and absent, "
    "A is north of B where B is south of A, the largest of the printed counts is the key of “largest”.",
    statistic="share of the items such a rule applies to",
    fix="Derive all keys from one table of facts.",
)
def logic(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Check presence, reversed relations and printed counts."""
    for what, rule in (
        ("present and absent", _presence_conflicts),
        ("reversed relation", _relation_conflicts),
        ("printed counts", _count_conflicts),
    ):
        wrong, n = rule(subject.options)
        example = (
            f"{what}, {wrong[0].id}: {wrong[0].question} {list(wrong[0].options)}" if wrong else ""
        )
        yield from hit_items("error", [item.id for item in wrong], n, example)


@check(
    "B8",
    title="Printed answer",
    definition="A rule answers from the text alone: value and threshold both stand in the question, "
    "counts stand in the options, one option only stands in the question; or a private field holds "
    "the key. An error from `excess` points above chance on, with `least` items or more and a binomial "
    "p below `p`.",
    statistic="accuracy of the rule minus chance, in points",
    fix="Do not print derived quantities; keep private fields out of prompts.",
    excess=20,
    least=5,
    p=0.01,
)
def printed(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Try each rule on the items it applies to."""
    table = subject.options
    for what, rule in _RULES.items():
        guesses = {
            number: guess
            for number, item in enumerate(table.items)
            if (guess := rule(item, table.options_of(number))) is not None
        }
        if len(guesses) < limits["least"]:
            continue
        right = [n for n, guess in guesses.items() if guess == table.key_position[n]]
        chance = float(table.chance[list(guesses)].mean())
        excess = 100 * (len(right) / len(guesses) - chance)
        p = stats.binomtest(len(right), len(guesses), chance, alternative="greater").pvalue
        if excess > limits["excess"] and p < limits["p"]:
            item = table.items[right[0]]
            example = (
                f"{what}: right {len(right)} times of {len(guesses)}; {item.id}: {item.question}"
            )
            ids = tuple(table.items[n].id for n in right)
            yield Hit("error", len(right), len(guesses), example, ids, excess, limits["excess"])


def counts_in(options: tuple[str, ...]) -> list[float | None]:
    """Return the pixel count printed in each option, None where there is none."""
    found = [_COUNT.search(option) for option in options]
    return [float((m[1] or m[2]).replace(",", "")) if m else None for m in found]


def _extreme_count(item: Item, options: tuple[str, ...]) -> int | None:
    """Return the option whose printed count is the extreme that the question asks for."""
    counts = counts_in(options)
    question = normalise_text(item.question)
    if None in counts or _ORDINAL.search(question):
        return None
    known = [count for count in counts if count is not None]
    if _ONLY_SHOWN.search(question):
        known = [count or math.inf for count in known]
    if _LARGEST.search(question):
        wanted = max(known)
    elif _SMALLEST.search(question):
        wanted = min(known)
    else:
        return None
    return known.index(wanted)


def _by_threshold(item: Item, options: tuple[str, ...]) -> int | None:
    """Compare the value in a yes/no question with the threshold beside it."""
    question = normalise_text(item.question)
    limit = _LIMIT.search(question)
    if limit is None or len(options) != 2 or not options[0].startswith("yes"):
        return None
    # “a share below 5 %” is a limit alone: the value must stand elsewhere.
    value = _VALUE.search(f"{question[: limit.start()]};{question[limit.end() :]}")
    if value is None:
        return None
    number = float(limit["value"] or limit["other"])
    below = (limit["sign"] or limit["word"] or "") in _BELOW
    holds = float(value[1]) < number if below else float(value[1]) > number
    return 0 if holds else 1


def _in_question(item: Item, options: tuple[str, ...]) -> int | None:
    """Return the only option whose text stands in the question."""
    question = f" {normalise_text(item.question)} "
    named = [n for n, text in enumerate(options) if len(text) > 1 and f" {text} " in question]
    return named[0] if len(named) == 1 else None


def _in_private_field(item: Item, options: tuple[str, ...]) -> int | None:
    """Return the only option that a private field spells out."""
    fields = {normalise_text(value) for value in item.meta.values() if isinstance(value, str)}
    fields -= {normalise_text(level) for level in item.levels}
    named = [n for n, text in enumerate(options) if text in fields]
    return named[0] if len(named) == 1 else None


_RULES: Mapping[str, Callable[[Item, tuple[str, ...]], int | None]] = {
    "value against threshold": _by_threshold,
    "extreme of the printed counts": _extreme_count,
    "the only option named in the question": _in_question,
    "a private field": _in_private_field,
}


def _count_conflicts(table: OptionTable) -> tuple[list[Item], int]:
    wrong, n = [], 0
    for number, item in enumerate(table.items):
        guess = _extreme_count(item, table.options_of(number))
        if guess is not None:
            n += 1
            counts = counts_in(table.options_of(number))
            if counts[guess] != counts[int(table.key_position[number])]:
                wrong.append(item)
    return wrong, n


def _presence_conflicts(table: OptionTable) -> tuple[list[Item], int]:
    facts: dict[tuple[object, ...], dict[bool, list[Item]]] = defaultdict(lambda: defaultdict(list))
    n = 0
    for number, item in enumerate(table.items):
        key = table.key_text(number)
        question = normalise_text(item.question)
        match = _PRESENT.search(question) or _DEVOID.search(question)
        if match is None or not key.startswith(("yes", "no")) or _QUALIFIED.search(question):
            continue
        absent = match.groupdict().get("verb", "devoid") in _ABSENT
        n += 1
        facts[media_key(item), match["name"].strip()][key.startswith("yes") != absent].append(item)
    wrong = [
        item
        for sides in facts.values()
        if len(sides) > 1
        for items in sides.values()
        for item in items
    ]
    return wrong, n


def _relation_conflicts(table: OptionTable) -> tuple[list[Item], int]:
    facts: dict[tuple[object, ...], list[tuple[str, Item]]] = defaultdict(list)
    for number, item in enumerate(table.items):
        match = _RELATION.search(normalise_text(item.question))
        direction = re.sub(r"[\s-]", "", table.key_text(number))
        if match is not None and direction in _OPPOSITE:
            facts[media_key(item), match["first"], match["second"]].append((direction, item))
    wrong, n = [], 0
    for (media, first, second), found in facts.items():
        back = [direction for direction, _ in facts.get((media, second, first), [])]
        if back:
            n += len(found)
            wrong += [item for direction, item in found if _OPPOSITE[direction] not in back]
    return wrong, n
