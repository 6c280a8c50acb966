"""Check a benchmark folder: tables, ids, taxonomy, keys, options and media."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from earthexam.benchmark.media import media_problems
from earthexam.benchmark.problem import Problem, error, warning
from earthexam.benchmark.store import INFO_FILE, ITEMS_FILE, Benchmark, media_digest
from earthexam.core.errors import FormatError
from earthexam.core.files import sha256_file
from earthexam.core.item import (
    FORMATS,
    LETTERS,
    OPEN_KINDS,
    QUESTION_TYPES,
    VIEWS,
    Blanks,
    Box,
    Chain,
    Choice,
    Golden,
    Item,
    References,
    Truth,
    normalise_text,
)
from earthexam.core.taxonomy import Taxonomy
from earthexam.published.tables import load_taxonomy, taxonomy_names

_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*\Z")
_OPTION_FORMATS = frozenset({"single_choice", "multiple_choice", "chain_of_thought"})


def check_folder(root: Path) -> tuple[Problem, ...]:
    """Check the benchmark in a folder; tables that cannot be read are problems too.

    Raises
    ------
    MissingFileError
        The folder holds no benchmark.
    """
    try:
        benchmark = Benchmark.open(root)
    except FormatError as fault:
        return (error("schema", "", str(fault)),)
    return check_benchmark(benchmark)


def check_benchmark(benchmark: Benchmark) -> tuple[Problem, ...]:
    """List everything that is wrong with a benchmark, errors before warnings.

    An *error* makes items unusable or scores wrong; a *warning* wants a look. Missing media are
    warnings where ``benchmark.json`` says that the benchmark was made without media.
    """
    problems = [
        *_table_problems(benchmark),
        *_id_problems(benchmark.items),
        *_taxonomy_problems(benchmark),
        *(problem for item in benchmark.items for problem in item_problems(item)),
        *media_problems(benchmark),
    ]
    return tuple(sorted(problems, key=lambda problem: problem.severity != "error"))


def item_problems(item: Item) -> Iterator[Problem]:
    """Check one item on its own: its text, its names, its options and its key."""
    yield from _name_problems(item)
    if not item.question.strip():
        yield error("text", item.id, "the question is empty")
    for view, wording in item.question_by_view.items():
        if view not in VIEWS:
            yield error("view", item.id, f"question_by_view names the view {view!r}, unknown")
        if not wording.strip():
            yield error("text", item.id, f"the question for the view {view!r} is empty")
    yield from _option_problems(item)
    yield from key_problems(item)


def key_problems(item: Item) -> Iterator[Problem]:
    """Check that the key is one that its format allows and its options hold."""
    expected, inspect = _KEY_RULES.get(item.format, (None, None))
    if expected is None or inspect is None:
        return
    if not isinstance(item.answer, expected):
        kind = type(item.answer).__name__
        yield error("key", item.id, f"a {item.format} item has a key of the kind {kind}")
        return
    for message in inspect(item):
        yield error("key", item.id, message)


def repeated_options(item: Item) -> dict[str, list[int]]:
    """Return the option texts that occur more than once after normalisation, with their places."""
    places: dict[str, list[int]] = {}
    for number, option in enumerate(item.options):
        places.setdefault(normalise_text(option), []).append(number)
    return {text: numbers for text, numbers in places.items() if len(numbers) > 1}


def key_indices(item: Item) -> tuple[int, ...]:
    """Return the right options of a choice or chain item; empty for other formats."""
    match item.answer:
        case Choice(indices):
            return indices
        case Chain(options, _):
            return options
        case _:
            return ()


def _table_problems(benchmark: Benchmark) -> Iterator[Problem]:
    recorded = benchmark.info.sha256
    actual = sha256_file(benchmark.root / ITEMS_FILE)
    if recorded.get("items") != actual:
        yield error(
            "hash",
            "",
            f"{ITEMS_FILE} has sha256 {actual[:12]}…, {INFO_FILE} says "
            f"{recorded.get('items', 'nothing')[:12]}…; the table was changed after it was written",
        )
    files = {media.path: media.sha256 for item in benchmark.items for media in item.media}
    if recorded.get("media") != media_digest(files.items()):
        yield error("hash", "", f"the media hashes do not add up to the digest in {INFO_FILE}")
    counted = benchmark.info.counts.get("items")
    if counted != len(benchmark.items):
        yield error(
            "counts", "", f"{INFO_FILE} counts {counted} items, {len(benchmark.items)} lie here"
        )
    if not benchmark.items:
        yield error("counts", "", f"{ITEMS_FILE} holds no items")


def _id_problems(items: Iterable[Item]) -> Iterator[Problem]:
    seen = Counter(item.id for item in items)
    for name, count in seen.items():
        if count > 1:
            yield error("id", name, f"the id occurs {count} times; ids must be unique")
        if not _SAFE_ID.match(name):
            yield error("id", name, "an id holds letters, digits and . _ : - and starts with one")


def _taxonomy_problems(benchmark: Benchmark) -> Iterator[Problem]:
    name = benchmark.info.taxonomy
    if not name:
        return
    if name not in taxonomy_names():
        yield warning(
            "taxonomy",
            "",
            f"the taxonomy {name!r} does not ship; known: {', '.join(taxonomy_names())}",
        )
        return
    taxonomy = load_taxonomy(name)
    for item in benchmark.items:
        yield from _level_problems(item, taxonomy)


def _level_problems(item: Item, taxonomy: Taxonomy) -> Iterator[Problem]:
    if item.task not in taxonomy:
        yield error("taxonomy", item.id, f"the task {item.task!r} is not in {taxonomy.name}")
    elif item.levels != (levels := taxonomy.task(item.task).levels):
        yield error(
            "taxonomy",
            item.id,
            f"the levels are {' › '.join(item.levels) or 'empty'}, {taxonomy.name} has {' › '.join(levels)}",
        )


def _name_problems(item: Item) -> Iterator[Problem]:
    for kind, name, known in (
        ("format", item.format, FORMATS),
        ("question type", item.question_type, QUESTION_TYPES),
    ):
        if name not in known:
            yield error("schema", item.id, f"unknown {kind} {name!r}; known: {', '.join(known)}")
    for kind, text in (("task", item.task), ("group", item.group), ("source", item.source)):
        if not text:
            yield error("schema", item.id, f"the {kind} is empty")


def _option_problems(item: Item) -> Iterator[Problem]:
    if item.format not in _OPTION_FORMATS:
        if item.options and item.format != "true_false":
            yield warning("options", item.id, f"a {item.format} item has options nobody is shown")
        return
    if not 2 <= len(item.options) <= len(LETTERS):
        yield error(
            "options", item.id, f"{len(item.options)} options; expected 2 to {len(LETTERS)}"
        )
    for number, option in enumerate(item.options):
        if not option.strip():
            yield error("options", item.id, f"option {LETTERS[number % 26]} is empty")
    key = set(key_indices(item))
    for text, numbers in repeated_options(item).items():
        letters = ", ".join(LETTERS[n] for n in numbers if n < len(LETTERS))
        if key & set(numbers):
            yield error("options", item.id, f"the key {text!r} stands under {letters}")
        else:
            yield warning("options", item.id, f"the option {text!r} stands under {letters}")


def _index_faults(item: Item) -> Iterator[str]:
    indices = key_indices(item)
    count = len(item.options)
    if not indices:
        yield "no right option is given"
    if len(set(indices)) != len(indices):
        yield f"the key {list(indices)} repeats an option"
    wrong = [number for number in indices if not 0 <= number < count]
    if wrong:
        yield f"the key {wrong} is out of range; the item has {count} options, numbered from 0"
    if item.format == "single_choice" and len(indices) > 1:
        yield f"a single-choice item has {len(indices)} right options"


def _truth_faults(item: Item) -> Iterator[str]:
    if len(item.options) not in {0, 2}:
        yield f"a true/false item has {len(item.options)} options; expected none or two"


def _blank_faults(item: Item) -> Iterator[str]:
    texts = item.answer.texts if isinstance(item.answer, Blanks) else ()
    if not texts:
        yield "no text is given for any blank"
    if any(not text.strip() for text in texts):
        yield "the text of a blank is empty"


def _golden_faults(item: Item) -> Iterator[str]:
    if not isinstance(item.answer, Golden):
        return
    answer = item.answer
    if not answer.text.strip():
        yield "the golden answer is empty"
    if answer.kind not in OPEN_KINDS:
        yield f"unknown kind {answer.kind!r} of answer; known: {', '.join(OPEN_KINDS)}"
    if answer.kind == "number" and not isinstance(answer.value, int | float):
        yield f"a number is asked and the value is {answer.value!r}"
    if answer.tolerance is not None and not answer.tolerance >= 0:
        yield f"the tolerance {answer.tolerance} is negative"


def _box_faults(item: Item) -> Iterator[str]:
    if not isinstance(item.answer, Box):
        return
    x0, y0, x1, y1 = item.answer.box
    if not (0 <= x0 < x1 and 0 <= y0 < y1):
        yield f"the box {list(item.answer.box)} is empty or leaves the picture; expected 0 <= x0 < x1"
    for media in item.media:
        if media.role == "input" and media.width and media.height:
            if x1 > media.width or y1 > media.height:
                yield (
                    f"the box {list(item.answer.box)} leaves the picture {media.path} of "
                    f"{media.width}×{media.height} pixels"
                )
            return


def _reference_faults(item: Item) -> Iterator[str]:
    texts = item.answer.references if isinstance(item.answer, References) else ()
    if not any(text.strip() for text in texts):
        yield "no reference caption is given"


def _chain_faults(item: Item) -> Iterator[str]:
    yield from _index_faults(item)
    if isinstance(item.answer, Chain) and not item.answer.steps:
        yield "a chain-of-thought item has no steps"


_KEY_RULES: dict[str, tuple[type, Callable[[Item], Iterator[str]]]] = {
    "single_choice": (Choice, _index_faults),
    "multiple_choice": (Choice, _index_faults),
    "true_false": (Truth, _truth_faults),
    "fill_blank": (Blanks, _blank_faults),
    "open": (Golden, _golden_faults),
    "grounding": (Box, _box_faults),
    "caption": (References, _reference_faults),
    "chain_of_thought": (Chain, _chain_faults),
}
