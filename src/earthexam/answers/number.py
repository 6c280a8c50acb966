"""Read the number or the range of an open reply."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from earthexam.answers.clean import unwrap_json
from earthexam.answers.markers import after_marker, last_markers
from earthexam.answers.reading import Interval, Number, Reading, found, unread
from earthexam.answers.refusal import is_refusal
from earthexam.answers.units import UNIT_PATTERN, convert, unit_key

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_POWER = r"(?:[eE][-+]?\d{1,3}(?!\d)|\s?[×x*]\s?10\s?\^?\s?\{?[-+]?\d{1,3}\}?)?"
_SIGN = r"(?<![\w.,\-])[-+]"
_NUMBER = re.compile(rf"(?P<sign>{_SIGN}\s?)?(?<![\w.])(?P<digits>{_DIGITS})(?P<power>{_POWER})")
_UNIT = re.compile(rf"\s?(?P<unit>{UNIT_PATTERN})")
_ABOUT = re.compile(
    r"(?:\s|:|~|≈|=|<|>|\$|(?:about|approximately|approx\.?|roughly|around|nearly|circa|some|exactly)\b){0,6}",
    re.IGNORECASE,
)
_ARITHMETIC = re.compile(r"\s?(?:[+*/×÷^=≈]|-\s?\d)")
_TO = re.compile(r"\s?(?:-|–|—|~|\.\.\.?|to|and|until)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from|within|ranges?|range of)\b[\s:\[(]{0,3}", re.IGNORECASE)
_EQUALS = re.compile(r"(?<![<>!=])[=≈](?!=)")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n|。|;")
_MOST_STATEMENTS = 50
_MOST_NUMBERS = 200
_LAST_WORD = re.compile(r"[\w.,]{1,40}$")


def read_number(text: str, unit: str, *, is_cut: bool) -> Reading:
    """Read the last value stated in a clean reply, in `unit` where it names a known other one.

    Examples
    --------
    >>> read_number("Answer: m+n = 256+37 = 293", "", is_cut=False).answer
    Number(value=293.0, unit='')
    """
    text = _settled(text, is_cut)
    if _NUMBER.search(text):
        for start in _statements(text):
            match = _value_at(text, start)
            if match:
                return _number(text, match, unit, "marker")
        rest = text if len(text) < 4000 else ""
        numbers = list(_NUMBER.finditer(rest))
        if len(numbers) == 1 and not is_cut:
            rule = "whole" if numbers[0].start() == 0 else "lone"
            return _number(text, numbers[0], unit, rule)
    return Reading(None, "refused", "refusal") if is_refusal(text) else unread()


def read_interval(text: str, unit: str, *, is_cut: bool) -> Reading:
    """Read the last range stated in a clean reply: "between a and b", "a–b", "a to b", "[a, b]".

    Examples
    --------
    >>> read_interval("It lies between 2 and 5 km.", "km", is_cut=False).answer
    Interval(low=2.0, high=5.0, unit='km')
    """
    text = _settled(text, is_cut)
    ranges = list(_ranges(text))
    if not ranges:
        return read_number(text, unit, is_cut=is_cut)
    low, high = ranges[-1]
    low_value, _, _ = _converted(text, low, unit)
    high_value, high_unit, flags = _converted(text, high, unit)
    written = _unit_behind(text, low)
    if not written and _unit_behind(text, high):
        low_value = convert(_value(low), _unit_behind(text, high), unit) or low_value
    rule = "marker" if _BETWEEN.search(text) else "range"
    return found(
        Interval(min(low_value, high_value), max(low_value, high_value), high_unit), rule, flags
    )


def _settled(text: str, is_cut: bool) -> str:
    """Unwrap a reply; the last word of a cut one may be the beginning of another."""
    text = unwrap_json(text)
    return text[:-40] + _LAST_WORD.sub("", text[-40:]) if is_cut else text


def _statements(text: str) -> Iterator[int]:
    """Give the places where a value is announced, the last first."""
    places = [m.end() for m in list(_EQUALS.finditer(text))[-_MOST_STATEMENTS:]]
    announced = islice(last_markers(text), _MOST_STATEMENTS)
    places += [after_marker(text, m.end)[1] for m in announced if not m.points_back]
    return iter(sorted(set(places), reverse=True))


def _value_at(text: str, start: int) -> re.Match[str] | None:
    """Return the value announced at `start`: the one that follows, or the sentence's only one."""
    about = _ABOUT.match(text, start)
    match = _NUMBER.match(text, about.end() if about else start)
    if match and not _ARITHMETIC.match(text, match.end()):
        return match
    end = _SENTENCE_END.search(text, start, start + 200)
    numbers = list(_NUMBER.finditer(text, start, end.start() if end else start + 200))
    return numbers[0] if len(numbers) == 1 else None


def _ranges(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Give the pairs of numbers that a reply joins to a range."""
    numbers = list(_NUMBER.finditer(text))[-_MOST_NUMBERS:]
    for low, high in pairwise(numbers):
        unit = _UNIT.match(text, low.end())
        known = unit and unit_key(unit["unit"])
        gap = text[unit.end() if known and unit else low.end() : high.start()]
        joined = _TO.fullmatch(gap)
        before = text[max(0, low.start() - 2) : low.start()].rstrip()
        listed = gap.strip() == "," and (before[-1:] in ("[", "(") or low.start() == 0)
        if listed or (joined and (gap.strip() != "and" or _opens_range(text, low))):
            yield low, high


def _opens_range(text: str, low: re.Match[str]) -> bool:
    before = list(_BETWEEN.finditer(text, max(0, low.start() - 30), low.start()))
    return bool(before) and before[-1].end() >= low.start() - 1


def _number(text: str, match: re.Match[str], wanted: str, rule: str) -> Reading:
    value, unit, flags = _converted(text, match, wanted)
    return found(Number(value, unit), rule, flags)


def _converted(text: str, match: re.Match[str], wanted: str) -> tuple[float, str, tuple[str, ...]]:
    value, unit = _value(match), _unit_behind(text, match)
    if not unit or not wanted:
        return value, unit or wanted, ()
    converted = convert(value, unit, wanted)
    if converted is None:
        return value, unit, ("unit",) if unit_key(unit) != unit_key(wanted) else ()
    return converted, wanted, ()


def _unit_behind(text: str, match: re.Match[str]) -> str:
    unit = _UNIT.match(text, match.end())
    return unit["unit"] if unit and unit_key(unit["unit"]) else ""


def _value(match: re.Match[str]) -> float:
    value = float(match["digits"].replace(",", ""))
    power = re.search(r"[-+]?\d+(?=\}?$)", match["power"])
    if power:
        value = float(f"{match['digits'].replace(',', '')}e{int(power[0])}")
    return -value if (match["sign"] or "").startswith("-") else value
