"""D6 and D7: few templates carry the benchmark; a template has always the same answer."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits
from earthexam.audit.options import mask_numbers
from earthexam.audit.subject import Subject
from earthexam.benchmark.checks import key_indices
from earthexam.core.item import Item, answer_to_json, normalise_text, to_json
from earthexam.evaluate.clusters import effective_clusters


@check(
    "D6",
    title="Template concentration",
    definition="Questions with numbers masked, by task: the `top` commonest hold more than `share` of "
    "the items, or one holds more than `single`.",
    statistic="share of items in the commonest templates",
    fix="Cap the items of a template in a source; vary its parameters.",
    top=20,
    share=0.25,
    single=0.02,
)
def concentration(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Count templates."""
    stems = _stems(subject)
    n = len(subject.items)
    ranked = sorted(stems.items(), key=lambda pair: -len(pair[1]))
    top = ranked[: int(limits["top"])]
    share = sum(len(items) for _, items in top) / max(n, 1)
    large = [items for _, items in ranked if len(items) > limits["single"] * n]
    if share > limits["share"] or large:
        (task, stem), items = ranked[0]
        effective = effective_clusters([len(found) for found in stems.values()])
        example = (
            f"{len(stems)} templates count as {effective:.0f} equal ones; {len(large)} hold more than "
            f"{limits['single']:.0%} each; {task}, {len(items)} items: {stem}"
        )
        ids = tuple(item.id for items in large for item in items)
        yield Hit("warning", len(ids), n, example, ids, share, limits["share"])


@check(
    "D7",
    title="Constant answers",
    definition="A template with at least `least` items of which one answer holds at least `share`; an "
    "error where it holds all.",
    statistic="share of items in such templates",
    fix="Balance keys inside each template; drop it where the truth is constant.",
    least=20,
    share=0.95,
)
def constant(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look for templates that answer themselves."""
    n = len(subject.items)
    always: list[tuple[str, str, list[Item]]] = []
    mostly: list[tuple[str, str, list[Item]]] = []
    for (_, stem), items in _stems(subject).items():
        if len(items) < limits["least"]:
            continue
        answer, count = Counter(map(_answer_text, items)).most_common(1)[0]
        if count == len(items):
            always.append((stem, answer, items))
        elif count >= limits["share"] * len(items):
            mostly.append((stem, answer, items))
    if always:
        yield _constant_hit("error", always, n, 1.0)
    if mostly:
        yield _constant_hit("warning", mostly, n, limits["share"])


def _constant_hit(
    severity: str, found: list[tuple[str, str, list[Item]]], n: int, threshold: float
) -> Hit:
    stem, answer, items = max(found, key=lambda one: len(one[2]))
    ids = tuple(item.id for _, _, items in found for item in items)
    example = f"{len(found)} templates; {len(items)} items, answer {answer!r}: {stem}"
    return Hit(
        "error" if severity == "error" else "warning", len(ids), n, example, ids, len(ids) / n, threshold
    )  # fmt: skip


def _stems(subject: Subject) -> dict[tuple[str, str], list[Item]]:
    stems: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in subject.items:
        stems[item.task, mask_numbers(item.question)].append(item)
    return stems


def _answer_text(item: Item) -> str:
    keys = key_indices(item)
    if keys:
        return "; ".join(sorted(normalise_text(item.options[key]) for key in keys))
    return to_json(answer_to_json(item.answer))
