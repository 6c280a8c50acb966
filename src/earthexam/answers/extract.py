"""Read a reply: the front door of all readers.

A reader never guesses, never looks at the right answer, and knows only the letters that were
offered. Its outcomes are ``read``, ``unread`` (no answer found), ``refused`` (the model says that it
can't or won't tell) and ``truncated`` (the reply was cut before it gave one).

An answer stands at the beginning of a reply or near its end. Of a reply longer than `LONGEST_READ`
characters (some 8,000 tokens: a model that repeats itself until it is cut) only both ends are read,
and a label merely mentioned there says nothing. Captions, texts and blanks are kept whole.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from earthexam.answers.blanks import read_blanks
from earthexam.answers.boxes import read_box
from earthexam.answers.choice import read_choice
from earthexam.answers.clean import clean_reply
from earthexam.answers.markers import last_markers
from earthexam.answers.number import read_interval, read_number
from earthexam.answers.reading import (
    Expected,
    Interval,
    Number,
    Reading,
    Text,
    answer_as_json,
    found,
    unread,
)
from earthexam.answers.refusal import is_refusal
from earthexam.answers.truth import read_truth
from earthexam.core.item import Chain, Choice, Format

__all__ = [
    "Expected",
    "Interval",
    "Number",
    "Reading",
    "Text",
    "answer_as_json",
    "read_reply",
]

# From this length on a caption that mentions something unknowable is still a caption.
_LONGEST_REFUSAL = 400
_WEAK_RULES = frozenset({"bracket", "lone"})
LONGEST_READ = 32_000
_HEAD = 2_000
_LEFT_OUT = "\n\n…\n\n"  # nothing that is announced before it can stand behind it
_STEP = re.compile(r"(?:step\s?\d{1,3}\s?[.:)\-]?|\(?\d{1,3}[.)]|[-•*])\s{1,2}", re.IGNORECASE)


def read_reply(reply: str, expected: Expected) -> Reading:
    """Read the answer that a reply gives to a question.

    Parameters
    ----------
    reply : str
        Whatever a model said, of any length.
    expected : Expected
        What the question asks for.

    Returns
    -------
    Reading
        ``answer`` is a `Choice` (also of several), `Truth`, `Blanks`, `Box`, `Number`, `Interval`,
        `Text` or, for a chain of thought, a `Chain`; None unless the outcome is ``read``.

    Examples
    --------
    >>> read_reply("The answer is B.", Expected("single_choice", options=("Soil", "Sand"))).answer
    Choice(indices=(1,))
    """
    clean = clean_reply(reply)
    if clean.open_thought:  # the cut fell inside the thought: what stands outside is whole
        expected = replace(expected, finish_reason="")
    reading = _READERS[expected.format](clean.text, expected)
    was_cut = clean.open_thought or expected.is_cut
    if was_cut and reading.outcome != "read":
        return Reading(None, "truncated", "cut")
    return reading


def _ends(text: str) -> str:
    """Leave out the middle of a text that is longer than `LONGEST_READ`, between words if any."""
    if len(text) <= LONGEST_READ:
        return text
    head, _, _ = text[:_HEAD].rpartition(" ")
    tail = text[_HEAD - LONGEST_READ :]
    return f"{head}{_LEFT_OUT}{tail.partition(' ')[2] or tail}"


def _read_single(text: str, expected: Expected) -> Reading:
    return _read_choice(text, expected, is_set=False)


def _read_several(text: str, expected: Expected) -> Reading:
    return _read_choice(text, expected, is_set=True)


def _read_choice(text: str, expected: Expected, *, is_set: bool) -> Reading:
    ends = _ends(text)
    reading = read_choice(ends, expected.options, is_set=is_set, is_cut=expected.is_cut)
    # Whether a label is the only one in the reply can't be told without its middle.
    if ends != text and reading.rule in _WEAK_RULES:
        return unread(reading.rule)
    return reading


def _read_truth(text: str, expected: Expected) -> Reading:
    return read_truth(_ends(text), is_cut=expected.is_cut)


def _read_box(text: str, expected: Expected) -> Reading:
    return read_box(_ends(text), expected)


def _read_blanks(text: str, expected: Expected) -> Reading:
    return read_blanks(text, expected.n_blanks, is_cut=expected.is_cut)


def _read_open(text: str, expected: Expected) -> Reading:
    match expected.kind:
        case "number":
            return read_number(_ends(text), expected.unit, is_cut=expected.is_cut)
        case "interval":
            return read_interval(_ends(text), expected.unit, is_cut=expected.is_cut)
        case None:
            number = read_number(_ends(text), expected.unit, is_cut=expected.is_cut)
            return number if number.outcome == "read" else _read_text(text, expected)
        case _:
            return _read_text(text, expected)


def _read_text(text: str, expected: Expected) -> Reading:
    if not text or expected.is_cut:
        return unread()
    if len(text) <= _LONGEST_REFUSAL and is_refusal(text):
        return Reading(None, "refused", "refusal")
    return found(Text(text), "whole")


def _read_chain(text: str, expected: Expected) -> Reading:
    """Read the final choice, and keep the steps that stand before it."""
    reading = _read_several(text, expected)
    if not isinstance(reading.answer, Choice):
        return reading
    if reading.rule in _WEAK_RULES:  # a label in the middle of reasoning concludes nothing
        return unread(reading.rule)
    return replace(reading, answer=Chain(reading.answer.indices, _steps(_ends(text))))


def _steps(text: str) -> tuple[str, ...]:
    """Cut the reasoning before the last statement of an answer into its lines."""
    last = next(iter(last_markers(text)), None)
    reasoning = text[: last.start] if last and not last.points_back else text
    lines = (line.strip() for line in reasoning.split("\n"))
    steps = (line[m.end() :] if (m := _STEP.match(line)) else line for line in lines)
    return tuple(step for step in steps if len(step) > 1)


_READERS: Mapping[Format, Callable[[str, Expected], Reading]] = {
    "single_choice": _read_single,
    "multiple_choice": _read_several,
    "true_false": _read_truth,
    "fill_blank": _read_blanks,
    "open": _read_open,
    "grounding": _read_box,
    "caption": _read_text,
    "chain_of_thought": _read_chain,
}
