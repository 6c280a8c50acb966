"""Decide open answers that a rule can decide: numbers, ranges, yes or no, closed sets of labels.

The tolerances are those of the OmniEarth-Bench judge (arXiv:2505.23522, appendix): 0.1 where the
golden value lies between -1 and 1, else 10 % of it below 100 and 5 % from 100 on. That judge leaves
*slightly outside* open; here it is up to twice the tolerance. An item's own tolerance goes first.
What no rule can decide (synonyms, places, details) is left to a judge: the answer is None.
"""

import math
import re
from collections.abc import Iterator, Sequence

from earthexam.answers.judge import Verdict
from earthexam.answers.markers import after_marker, last_markers
from earthexam.answers.reading import Interval, Number, Reading, Text
from earthexam.answers.truth import read_truth
from earthexam.core.item import Golden, Truth, normalise_text

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_SMALL_COUNT = 10
_SLACK = 1e-9
_WIDEST_RIGHT = 2.0
_WIDEST_PART = 4.0


def prejudge(
    golden: Golden,
    reading: Reading,
    *,
    labels: Sequence[str] = (),
    is_count: bool = False,
) -> Verdict | None:
    """Decide an open answer by rule, or return None where that takes a judge.

    Parameters
    ----------
    golden : Golden
        The true answer; ``value`` is a number, ``[low, high]``, a list of numbers or a truth value.
    reading : Reading
        What the reader made of the reply; only an outcome ``read`` is decided here.
    labels : sequence of str
        The closed set that a label comes from; empty where the set is open.
    is_count : bool
        The golden number counts things: below 10 only the exact count is right, one off is partly.
    """
    if reading.outcome != "read":
        return None
    match golden.kind:
        case "number":
            return _judge_number(golden, reading, is_count)
        case "interval":
            return _judge_interval(golden, reading)
        case "vector":
            return _judge_vector(golden, reading)
        case "yes_no":
            return _judge_yes_no(golden, reading)
        case "label" | "place" | "stage":
            return _judge_label(golden, reading, labels)


def tolerance_of(golden: float, own: float | None = None) -> float:
    """Return how far a number may lie from the golden one.

    Examples
    --------
    >>> tolerance_of(20.0), tolerance_of(100.0), tolerance_of(-0.4)
    (2.0, 5.0, 0.1)
    """
    if own is not None:
        return own
    size = abs(golden)
    if size < 1:
        return 0.1
    return size * (0.1 if size < 100 else 0.05)


def score_number(
    golden: float, said: float, *, own: float | None = None, is_count: bool = False
) -> float:
    """Score a number: 1 within the tolerance, 0.5 within twice the tolerance, else 0.

    A number of the other sign is wrong unless the item's own tolerance allows it: an absolute
    tolerance of 0.1 would else take -0.05 for 0.05.
    """
    if not math.isfinite(said):
        return 0.0
    gap = abs(said - golden)
    if own is None and is_count and 0 <= golden < _SMALL_COUNT and float(golden).is_integer():
        return 1.0 if gap == 0 else 0.5 if gap == 1 and said >= 0 else 0.0
    if own is None and golden * said < 0:
        return 0.0
    allowed = tolerance_of(golden, own)
    slack = _SLACK * max(1.0, abs(golden))
    return 1.0 if gap <= allowed + slack else 0.5 if gap <= 2 * allowed + slack else 0.0


def score_interval(golden: tuple[float, float], said: tuple[float, float]) -> float:
    """Score a point (low equals high) or a range against the golden range.

    A point inside is right, one at most half a golden width outside partly. A range is right if
    it shares at least half of the shorter of the two, and partly if it shares less, touches or lies
    at most half a golden width away. A range more than twice as wide as the golden one is at best
    partly right, one more than four times as wide is wrong: it says nothing.
    """
    (low, high), (said_low, said_high) = sorted(golden), sorted(said)
    if not (math.isfinite(said_low) and math.isfinite(said_high)):
        return 0.0
    width, said_width = high - low, said_high - said_low
    slack = _SLACK * max(1.0, abs(low), abs(high))
    gap = max(low - said_high, said_low - high)
    near = 0.5 if gap <= width / 2 + slack else 0.0
    if said_width <= slack:
        return 1.0 if gap <= slack else near
    if width > 0 and said_width > _WIDEST_PART * width + slack:
        return 0.0
    shared = min(high, said_high) - max(low, said_low)
    mostly = shared >= min(width, said_width) / 2 - slack and shared > -slack
    return 1.0 if mostly and gap < -slack and said_width <= _WIDEST_RIGHT * width + slack else near


def score_vector(
    golden: Sequence[float], said: Sequence[float], *, own: float | None = None
) -> float | None:
    """Score several numbers, each by itself: all right 1, some right 0.5, none 0.

    None where their count differs from the golden one: the reply may name other numbers too.
    """
    if len(golden) != len(said):
        return None
    fits = [
        score_number(true, value, own=own) == 1 for true, value in zip(golden, said, strict=True)
    ]
    return 1.0 if all(fits) else 0.5 if any(fits) else 0.0


def numbers_in(text: str) -> tuple[float, ...]:
    """Return all numbers of a text, in order.

    Examples
    --------
    >>> numbers_in("lon -12.5, lat 3e1")
    (-12.5, 30.0)
    """
    return tuple(float(found) for found in _NUMBER.findall(text))


def _judge_number(golden: Golden, reading: Reading, is_count: bool) -> Verdict | None:
    true = golden.value
    if isinstance(true, bool) or not isinstance(true, int | float):
        return None
    match reading.answer:
        case Number(value, _) if "unit" not in reading.flags:
            score = score_number(float(true), value, own=golden.tolerance, is_count=is_count)
            return _by_rule(score, f"{value:g} against {true:g}")
        case _:
            return None


def _judge_interval(golden: Golden, reading: Reading) -> Verdict | None:
    true = _numbers(golden.value)
    if true is None or len(true) != 2 or "unit" in reading.flags:
        return None
    match reading.answer:
        case Number(value, _):
            said = (value, value)
        case Interval(low, high, _):
            said = (low, high)
        case _:
            return None
    score = score_interval((true[0], true[1]), said)
    return _by_rule(score, f"{said[0]:g} to {said[1]:g} against {true[0]:g} to {true[1]:g}")


def _judge_vector(golden: Golden, reading: Reading) -> Verdict | None:
    true = _numbers(golden.value)
    if true is None or not isinstance(reading.answer, Text):
        return None
    said = numbers_in(reading.answer.text)
    score = score_vector(true, said, own=golden.tolerance)
    if score is None:
        return None
    return _by_rule(score, f"{list(said)} against {list(true)}")


def _judge_yes_no(golden: Golden, reading: Reading) -> Verdict | None:
    true, answer = golden.value, reading.answer
    if isinstance(answer, Text):
        answer = read_truth(answer.text, is_cut=False).answer
    if not isinstance(true, bool) or not isinstance(answer, Truth):
        return None
    if answer.value != true:
        return _by_rule(0.0, f"said {_yes(answer.value)}, right is {_yes(true)}")
    plain = normalise_text(golden.text) in {"yes", "no", "true", "false"}
    return _by_rule(1.0, f"said {_yes(answer.value)}") if plain else None


def _judge_label(golden: Golden, reading: Reading, labels: Sequence[str]) -> Verdict | None:
    if not isinstance(reading.answer, Text):
        return None
    true = normalise_text(golden.text)
    closed = {normalise_text(label) for label in labels} if golden.kind == "label" else set()
    for said in _statements(reading.answer.text):
        if said == true:
            return _by_rule(1.0, "the golden words")
        if said in closed:
            return _by_rule(0.0, f"another label of the set: {said}")
    return None


def _statements(text: str) -> Iterator[str]:
    """Give what a reply states as its answer: all of it, what a marker announces, its last line."""
    yield normalise_text(text)
    marker = next(iter(last_markers(text)), None)
    if marker is not None:
        if not marker.points_back:
            for start in after_marker(text, marker.end):
                yield normalise_text(_SENTENCE_END.split(text[start:], maxsplit=1)[0])
        return
    yield normalise_text(text.rpartition("\n")[2])


def _by_rule(score: float, reason: str) -> Verdict:
    return Verdict(score, reason, by="rule")


def _numbers(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    if not all(isinstance(part, int | float) and not isinstance(part, bool) for part in value):
        return None
    return tuple(float(part) for part in value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
