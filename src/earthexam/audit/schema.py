"""S1–S4, S7, S8: schema, keys, options, names and parallel versions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.subject import Subject
from earthexam.benchmark.checks import item_problems, key_indices, key_problems, repeated_options
from earthexam.benchmark.problem import Problem
from earthexam.core.item import LETTERS, Item

_CHOICES = frozenset({"single_choice", "multiple_choice", "chain_of_thought"})
_SHORTEST_NAME = 6  # codes such as CS and CSA are near each other on purpose
# "SeverityAssessment"; an abbreviation such as CoT or GeoTIFF is one word.
_GLUED = re.compile(r"[^\W\d_A-Z]{3}[A-Z][^\W\d_A-Z]{2}")


@check(
    "S1",
    title="Schema",
    definition="Every item has a known format, question type, view and role, a text, a task, a group "
    "and a source; items of one task carry the same private fields.",
    statistic="items that break it; kinds of private fields within a task",
    fix="One typed writer and no ad-hoc fields; keep private facts in the provenance.",
    key_sets=1,
)
def schema(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look at structure, then at the private fields of each task."""
    kinds = {"schema", "text", "view", "media"}
    faults = [p for item in subject.items for p in item_problems(item) if p.kind in kinds]
    yield from _problem_hit(faults, len(subject.items))
    sets: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for item in subject.items:
        sets[item.task][tuple(sorted(item.meta))] += 1
    common = {task: found.most_common(1)[0][0] for task, found in sets.items()}
    odd = [item for item in subject.items if tuple(sorted(item.meta)) != common[item.task]]
    n_sets = len({keys for found in sets.values() for keys in found})
    if odd and max(len(found) for found in sets.values()) > limits["key_sets"]:
        extra = ", ".join(sorted(set(odd[0].meta) ^ set(common[odd[0].task])))
        yield Hit(
            "warning", len(odd), len(subject.items),
            f"{n_sets} sets of private fields; {odd[0].id} differs from its task in: {extra}",
            tuple(item.id for item in odd), float(n_sets), limits["key_sets"],
        )  # fmt: skip


@check(
    "S2",
    title="Key resolvable",
    definition="The key exists and lies in what the item offers: an option, a set without repeats, a "
    "box inside the picture, a text.",
    statistic="share of items whose key does not resolve",
    fix="Generate the key as an option, and assign letters last.",
)
def key_resolvable(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Apply the rules of the benchmark format."""
    faults = [problem for item in subject.items for problem in key_problems(item)]
    yield from _problem_hit(faults, len(subject.items))


@check(
    "S3",
    title="Option count",
    definition="A choice item has 2 to 26 options.",
    statistic="share of choice items with another number",
    fix="Give the template a least number of distractors and drop what cannot reach it.",
)
def option_count(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Count options."""
    asked = [item for item in subject.items if item.format in _CHOICES]
    odd = [item for item in asked if not 2 <= len(item.options) <= len(LETTERS)]
    example = f"{odd[0].id} has {len(odd[0].options)} options" if odd else ""
    yield from hit_items("error", [item.id for item in odd], len(asked), example)


@check(
    "S4",
    title="Repeated options",
    definition="Two options of an item are equal after normalisation (width, case, spaces, closing "
    "punctuation); signs such as < > = % . - are kept.",
    statistic="share of choice items; an error where the key is one of the equal options",
    fix="Draw distractors without replacement after normalising.",
)
def repeated(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Find repeated options, and those that touch the key."""
    asked = [item for item in subject.items if item.format in _CHOICES]
    found = [(item, places) for item in asked if (places := repeated_options(item))]
    touching = [
        (item, places)
        for item, places in found
        if any(set(key_indices(item)) & set(numbers) for numbers in places.values())
    ]
    for severity, hits in (("error", touching), ("warning", found)):
        example = f"{hits[0][0].id}: {next(iter(hits[0][1]))!r} more than once" if hits else ""
        ids = [item.id for item, _ in hits]
        yield from hit_items(
            "error" if severity == "error" else "warning", ids, len(asked), example
        )


@check(
    "S7",
    title="Ids and names",
    definition="Ids are unique; a task has one path of levels; no two names are two letters or fewer "
    "apart, and none is glued from two words.",
    statistic="ids, tasks or names concerned",
    fix="Take names from one enumeration and ids from content hashes.",
    distance=2,
)
def names(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look at ids, then at the names of tasks and levels."""
    counts = Counter(item.id for item in subject.items)
    doubled = [name for name, count in counts.items() if count > 1]
    example = f"{doubled[0]} occurs {counts[doubled[0]]} times" if doubled else ""
    yield from hit_items("error", doubled, len(counts), example)
    paths: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for item in subject.items:
        paths[item.task].add(item.levels)
    split = sorted(task for task, found in paths.items() if len(found) > 1)
    if split:
        ids = tuple(item.id for item in subject.items if item.task in split)
        example = f"{split[0]} stands under {len(paths[split[0]])} paths of levels"
        yield Hit("error", len(split), len(paths), example, ids, len(split) / len(paths), 0.0)
    written = {str(item.meta["task_type"]) for item in subject.items if "task_type" in item.meta}
    written |= {level for found in paths.values() for path in found for level in path}
    odd = sorted(_odd_names(written, int(limits["distance"])))
    if odd:
        yield Hit(
            "warning", len(odd), len(written), "; ".join(odd),
            statistic=float(len(odd)), threshold=0.0,
        )  # fmt: skip


@check(
    "S8",
    title="Parallel versions",
    definition="The versions of an item for different views ask the same question with the same "
    "options; wording that a builder's rule made for a view is reported as information.",
    statistic="share of items whose versions differ",
    fix="Keep one source text, with the media path as the only difference.",
)
def parallel_versions(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Find items with different wording by view."""
    differing = [
        item
        for item in subject.items
        if "options_by_view" in item.meta
        or any(text != item.question for text in item.question_by_view.values())
    ]
    for severity, made in (("error", False), ("info", True)):
        chosen = [item for item in differing if (item.provenance is not None) == made]
        example = f"{chosen[0].id}: {_difference(chosen[0])}" if chosen else ""
        ids = [item.id for item in chosen]
        yield from hit_items(
            "error" if severity == "error" else "info", ids, len(subject.items), example
        )


def edit_distance(first: str, second: str, most: int) -> int:
    """Count the insertions, deletions and substitutions between two texts, up to ``most + 1``.

    Examples
    --------
    >>> edit_distance("identification", "ldentification", 2)
    1
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return min(row[-1], most + 1)


@dataclass(frozen=True, slots=True)
class _Name:
    text: str
    glued: bool

    @classmethod
    def of(cls, text: str) -> "_Name":
        return cls(text, _GLUED.search(text) is not None)


def _odd_names(written: Iterable[str], most: int) -> Iterator[str]:
    named = [_Name.of(text) for text in sorted(written)]
    for name in named:
        if name.glued:
            yield f"{name.text!r} is glued from two words"
    long = [n.text for n in named if len(n.text) >= _SHORTEST_NAME and not n.glued]
    for first, second in combinations(long, 2):
        if edit_distance(first.casefold(), second.casefold(), most) <= most:
            yield f"{first!r} and {second!r} are nearly one name"


def _difference(item: Item) -> str:
    for view, text in item.question_by_view.items():
        if text != item.question:
            return f"{item.question!r}, in the view {view} {text!r}"
    return f"options of another view: {item.meta['options_by_view']}"


def _problem_hit(faults: list[Problem], n_items: int) -> Iterator[Hit]:
    ids = list(dict.fromkeys(problem.where for problem in faults))
    example = f"{faults[0].where}: {faults[0].message}" if faults else ""
    yield from hit_items("error", ids, n_items, example)
