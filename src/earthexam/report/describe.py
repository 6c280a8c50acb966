"""Describe a benchmark in numbers: the statistics table of a benchmark paper."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import UnknownNameError
from earthexam.core.item import Chain, Item, References
from earthexam.published.tables import load_taxonomy

_CHOICE = ("single_choice", "multiple_choice")
_SENTENCE_END = re.compile(r"[.!?。！？](?:\s|$)")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words of a set of texts; NaN where there is none."""

    n: int
    mean: float
    longest: int


@dataclass(frozen=True, slots=True)
class Description:
    """What a benchmark holds.

    Attributes
    ----------
    by_level : mapping of str to mapping
        Name of a level to its names and their items, in the order of first occurrence.
    by_format, by_question_type, by_source, by_language, by_view : mapping of str to int
        Items; an item with several views counts in each.
    choice_by_pictures : mapping of str to int
        Choice questions with no picture, one, or several.
    choice_by_options : mapping of int to int
        Choice questions by their number of options.
    questions, chain_questions : Lengths
        Words of all questions, and of chain-of-thought questions.
    key_steps, steps_per_chain : int and float
        Key steps in all, and their mean number.
    step_words, caption_words : Lengths
        Words of a key step and of a reference caption.
    caption_sentences : float
        Mean sentences of a reference caption.
    """

    items: int
    tasks: int
    groups: int
    media: int
    by_level: Mapping[str, Mapping[str, int]]
    by_format: Mapping[str, int]
    by_question_type: Mapping[str, int]
    by_source: Mapping[str, int]
    by_language: Mapping[str, int]
    by_view: Mapping[str, int]
    choice_by_pictures: Mapping[str, int]
    choice_by_options: Mapping[int, int]
    questions: Lengths
    chain_questions: Lengths
    key_steps: int
    steps_per_chain: float
    step_words: Lengths
    caption_words: Lengths
    caption_sentences: float


def describe(benchmark: Benchmark) -> Description:
    """Count a benchmark's items and measure its texts, in words between spaces."""
    items = benchmark.items
    chains = [item for item in items if isinstance(item.answer, Chain)]
    steps = [item.answer.steps for item in chains if isinstance(item.answer, Chain)]
    captions = [
        text
        for item in items
        if isinstance(item.answer, References)
        for text in item.answer.references
    ]
    choices = [item for item in items if item.format in _CHOICE]
    return Description(
        items=len(items),
        tasks=len({item.task for item in items}),
        groups=len({item.group for item in items}),
        media=len({media.path for item in items for media in item.media}),
        by_level=_by_level(benchmark),
        by_format=_counts(item.format for item in items),
        by_question_type=_counts(item.question_type for item in items),
        by_source=_counts(item.source for item in items),
        by_language=_counts(item.language for item in items),
        by_view=_counts(view for item in items for view in item.views()),
        choice_by_pictures=_counts(_pictures(item) for item in choices),
        choice_by_options=dict(sorted(Counter(len(item.options) for item in choices).items())),
        questions=_lengths(item.question for item in items),
        chain_questions=_lengths(item.question for item in chains),
        key_steps=sum(len(own) for own in steps),
        steps_per_chain=_mean([len(own) for own in steps]),
        step_words=_lengths(step for own in steps for step in own),
        caption_words=_lengths(captions),
        caption_sentences=_mean([_sentences(text) for text in captions]),
    )


def description_rows(description: Description) -> list[tuple[str, str, str]]:
    """Lay a description out as rows: what is counted, under which name, and the number."""
    return [row for row in _rows(description) if row[2] not in ("", "nan")]


def _rows(made: Description) -> Iterator[tuple[str, str, str]]:
    for name in ("items", "tasks", "groups", "media"):
        yield name, "", str(getattr(made, name))
    for level, counts in made.by_level.items():
        yield from ((level, name, str(n)) for name, n in counts.items())
    for what in ("format", "question_type", "view", "source", "language"):
        counts = getattr(made, f"by_{what}")
        yield from ((what.replace("_", " "), name, str(n)) for name, n in counts.items())
    yield from (("choice, pictures", name, str(n)) for name, n in made.choice_by_pictures.items())
    yield from (("choice, options", str(k), str(n)) for k, n in made.choice_by_options.items())
    yield from _length_rows("question words", made.questions)
    yield from _length_rows("chain question words", made.chain_questions)
    if made.key_steps:
        yield "key steps", "in all", str(made.key_steps)
        yield "key steps", "mean a chain", f"{made.steps_per_chain:.1f}"
        yield from _length_rows("key step words", made.step_words)
    yield from _length_rows("caption words", made.caption_words)
    yield "caption sentences", "mean", f"{made.caption_sentences:.1f}"


def _length_rows(what: str, lengths: Lengths) -> Iterator[tuple[str, str, str]]:
    if lengths.n:
        yield what, "longest", str(lengths.longest)
        yield what, "mean", f"{lengths.mean:.1f}"


def _by_level(benchmark: Benchmark) -> dict[str, dict[str, int]]:
    depth = max((len(item.levels) for item in benchmark.items), default=0)
    names = _level_names(benchmark.info.taxonomy, depth)
    return {
        name: _counts(item.levels[level] for item in benchmark.items if len(item.levels) > level)
        for level, name in enumerate(names)
    }


def _level_names(taxonomy: str, depth: int) -> Sequence[str]:
    try:
        names = load_taxonomy(taxonomy).level_names if taxonomy else ()
    except UnknownNameError:  # a user's own taxonomy
        names = ()
    return names if len(names) == depth else [f"level {n}" for n in range(1, depth + 1)]


def _pictures(item: Item) -> str:
    shown = max((len(item.media_of(view)) for view in item.views()), default=0)
    return {0: "none", 1: "one"}.get(shown, "several")


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names))


def _lengths(texts: Iterable[str]) -> Lengths:
    words = [len(text.split()) for text in texts]
    return Lengths(len(words), _mean(words), max(words, default=0))


def _sentences(text: str) -> int:
    return max(len(_SENTENCE_END.findall(text)), 1)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
