"""D1–D4: the same item twice, keys that disagree, near-copies, and one fact asked in two tasks."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from sklearn.feature_extraction.text import TfidfVectorizer

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.subject import Subject, media_key
from earthexam.benchmark.checks import key_indices
from earthexam.core.item import Item, answer_to_json, normalise_text, to_json

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# A block's number and a year say where, not what.
_PLACE = re.compile(r"\bblocks?[ _]?\d+|\b(?:19|20)\d\d\b", re.IGNORECASE)


@check(
    "D1",
    title="Exact duplicates",
    definition="Items with the same format, normalised question, media and set of options; all but the "
    "first are surplus.",
    statistic="share of surplus items",
    fix="Keep a key of question, media and options, and refuse what is there already.",
)
def exact(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Group items by all that is shown."""
    alike: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in subject.items:
        question = normalise_text(item.question)
        alike[item.format, question, media_key(item), _option_set(item)].append(item)
    groups = [items for items in alike.values() if len(items) > 1]
    surplus = [item.id for items in groups for item in items[1:]]
    example = ""
    if groups:
        largest = max(groups, key=len)
        n_keys = len({to_json(answer_to_json(item.answer)) for item in largest})
        example = (
            f"{len(groups)} groups; {len(largest)} times with {n_keys} keys, "
            f"{', '.join(item.id for item in largest[:4])}: {largest[0].question}"
        )
    yield from hit_items("error", surplus, len(subject.items), example)


@check(
    "D2",
    title="Conflicting keys",
    definition="Items with the same question and media have different keys, and the key of one is "
    "offered by the other as a wrong option.",
    statistic="share of items with more than one defensible key",
    fix="Draw distractors from what is known to be false; ask for sets where several are true.",
)
def conflicting(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare the items of each question and picture in pairs."""
    two_sided: set[str] = set()
    one_sided: set[str] = set()
    for items in subject.same_question:
        for first, second in combinations(items, 2):
            a, b = _key_text(first), _key_text(second)
            if a == b:
                continue
            hurts_first, hurts_second = b in _option_set(first), a in _option_set(second)
            if hurts_first and hurts_second:
                two_sided |= {first.id, second.id}
            elif hurts_first or hurts_second:
                one_sided.add(first.id if hurts_first else second.id)
    hurt = two_sided | one_sided
    ids = [item.id for item in subject.items if item.id in hurt]
    example = ""
    if ids:
        item = subject.benchmark.by_id[ids[0]]
        example = (
            f"{len(two_sided)} items disagree in both directions, {len(one_sided)} in one; "
            f"{item.id}: {item.question}"
        )
    yield from hit_items("error", ids, len(subject.items), example)


@check(
    "D3",
    title="Near duplicates",
    definition="Items about the same media with the same numbers and the same options whose questions "
    "have a cosine of at least `cosine` over weighted character 3- to 5-grams of words.",
    statistic="share of items in such pairs",
    fix="Set a quota of wordings for one fact.",
    cosine=0.85,
    share=0.01,
)
def near(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare questions within groups of equal media, numbers and options."""
    alike: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in subject.items:
        numbers = tuple(_NUMBER.findall(item.question))
        alike[media_key(item), numbers, _option_set(item)].append(item)
    pairs = list(_near_pairs([g for g in alike.values() if len(g) > 1], limits["cosine"]))
    ids = sorted({item.id for pair in pairs for item in pair})
    share = len(ids) / len(subject.items) if subject.items else 0.0
    if share > limits["share"]:
        first, second = pairs[0]
        example = (
            f"{len(pairs)} pairs; {first.id} {first.question!r} and {second.id} {second.question!r}"
        )
        yield Hit(
            "warning", len(ids), len(subject.items), example, tuple(ids), share, limits["share"]
        )


@check(
    "D4",
    title="One fact in several tasks",
    definition="Items of different tasks with the same media, the same numbers in the question and "
    "the same key.",
    statistic="share of items",
    fix="Keep a ledger of facts: one fact, one task.",
    share=0.01,
)
def reused(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Group items by media, numbers and key."""
    facts: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in subject.items:
        numbers = tuple(sorted(_NUMBER.findall(_PLACE.sub(" ", item.question))))
        if numbers and key_indices(item):
            facts[media_key(item), numbers, _key_text(item)].append(item)
    shared = [items for items in facts.values() if len({item.task for item in items}) > 1]
    ids = [item.id for items in shared for item in items]
    share = len(ids) / len(subject.items) if subject.items else 0.0
    if share > limits["share"]:
        example = "; ".join(f"{item.id} {item.question!r}" for item in shared[0][:2])
        yield Hit(
            "warning", len(ids), len(subject.items), example, tuple(ids), share, limits["share"]
        )


def _option_set(item: Item) -> tuple[str, ...]:
    return tuple(sorted(normalise_text(option) for option in item.options))


def _key_text(item: Item) -> tuple[str, ...] | str:
    texts = tuple(sorted(normalise_text(item.options[n]) for n in key_indices(item)))
    return texts[0] if len(texts) == 1 else texts


def _near_pairs(groups: Sequence[Sequence[Item]], least: float) -> Iterator[tuple[Item, Item]]:
    questions = sorted({normalise_text(item.question) for items in groups for item in items})
    if not questions:
        return
    row = {question: number for number, question in enumerate(questions)}
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit_transform(questions)
    for items in groups:
        rows = [row[normalise_text(item.question)] for item in items]
        cosines = (vectors[rows] @ vectors[rows].T).toarray()
        for i, j in combinations(range(len(items)), 2):
            if rows[i] != rows[j] and cosines[i, j] >= least:
                yield items[i], items[j]
