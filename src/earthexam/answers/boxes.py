"""Read a box from a reply and bring it to pixels of the picture that was sent."""

import math
import re
from collections.abc import Iterator

from earthexam.answers.reading import Expected, Reading, found, unread
from earthexam.answers.refusal import is_refusal
from earthexam.core.item import Box

_N = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?"
_COMMA = r"(?:\s{0,2}[,;、]\s{0,2}|\s{1,2})"
_GROUP = re.compile(rf"[\[({{<]\s{{0,2}}({_N}(?:{_COMMA}{_N}){{0,7}})\s{{0,2}}[\])}}>]")
_BARE = re.compile(rf"{_N}(?:{_COMMA}{_N}){{3}}\.?")
_NUMBER = re.compile(_N)
_BETWEEN_GROUPS = re.compile(r"[\s,;]{0,3}(?:(?:and|to|-|–)[\s,;]{0,3})?")
_ANGLE = re.compile(r"\s?\|\s?<?\s?[-+]?\d")
_MOST_GROUPS = 100
_LAST_WORD = re.compile(r"[\w.,\-]{1,40}$")
_BOX_TAG = re.compile(r"</?(?:box|bbox|loc|ref)>", re.IGNORECASE)
_ANSWER_WORD = re.compile(
    r"(?:the\s)?(?:final\s)?(?:answer|box|bounding box|bbox)(?:\sis)?\s?:?\s{0,2}", re.I
)
_KEYED = re.compile(
    rf"(?<![A-Za-z])(x_?min|y_?min|x_?max|y_?max|x_?[012]|y_?[012]|left|top|right|bottom)"
    rf"[\"']?\s?[:=]\s?[\"']?({_N})",
    re.IGNORECASE,
)
_SIDES = {"xmin": 0, "left": 0, "ymin": 1, "top": 1, "xmax": 2, "right": 2, "ymax": 3, "bottom": 3}
_FULL = {"pixels": 0.0, "unit": 1.0, "0-100": 100.0, "0-1000": 1000.0}

_Four = tuple[float, float, float, float]


def read_box(text: str, expected: Expected) -> Reading:
    """Read the last box of a clean reply, in pixels of the picture sent.

    Corners out of order are sorted and flagged ``corners``; coordinates beyond the declared range
    are kept and flagged ``outside``; a box given with an angle is read without it and flagged
    ``rotated``.

    Examples
    --------
    >>> read_box("{<25><50><75><100>}", Expected("grounding", convention="0-100", width=8, height=4))
    Reading(answer=Box(box=(2.0, 2.0, 6.0, 4.0), frame='pixels'), outcome='read', rule='box', flags=())
    """
    if expected.is_cut:
        text = text[:-40] + _LAST_WORD.sub("", text[-40:])
    text = _BOX_TAG.sub(lambda tag: "]" if tag[0][1] == "/" else "[", text)
    candidates = list(_candidates(text))
    if candidates:
        _, four, rule, flags = max(candidates, key=lambda candidate: candidate[0])
        named = rule == "keys"
        if all(math.isfinite(value) for value in four):
            return _to_pixels(four, expected, rule, flags, named=named)
        return unread(rule)
    if is_refusal(text):
        return Reading(None, "refused", "refusal")
    return unread()


_Candidate = tuple[int, _Four, str, tuple[str, ...]]


def _candidates(text: str) -> Iterator[_Candidate]:
    """Give every box with the place where it ends."""
    groups: list[tuple[int, int, list[float]]] = []
    for match in list(_GROUP.finditer(text))[-_MOST_GROUPS:]:
        numbers = [float(n) for n in _NUMBER.findall(match[1])]
        groups.append((match.start(), match.end(), numbers))
    yield from _from_groups(text, groups)
    keyed = _from_keys(text)
    if keyed:
        yield keyed
    word = _ANSWER_WORD.match(text)
    bare = _BARE.fullmatch(text, word.end() if word else 0)
    if bare:
        numbers = [float(n) for n in _NUMBER.findall(bare[0].removesuffix("."))]
        yield bare.end(), _four(numbers), "whole", ()


def _from_groups(text: str, groups: list[tuple[int, int, list[float]]]) -> Iterator[_Candidate]:
    """Join bracketed groups that touch: one of four, two of two or four of one make a box."""
    chain: list[tuple[int, int, list[float]]] = []
    for group in [*groups, None]:
        if group and chain and _touch(text, chain[-1], group):
            chain.append(group)
            continue
        if chain and [len(chain), len(chain[0][2])] in ([2, 2], [4, 1]):
            numbers = [n for _, _, held in chain for n in held]
            end = chain[-1][1]
            yield end, _four(numbers), "box", ("rotated",) if _ANGLE.match(text, end) else ()
        chain = [group] if group else []
    for _, end, numbers in groups:
        if len(numbers) == 4:
            yield end, _four(numbers), "box", ()


def _touch(
    text: str, last: tuple[int, int, list[float]], group: tuple[int, int, list[float]]
) -> bool:
    alike = len(last[2]) == len(group[2]) <= 2
    return alike and _BETWEEN_GROUPS.fullmatch(text, last[1], group[0]) is not None


def _from_keys(text: str) -> _Candidate | None:
    """Read ``x1=…, y1=…, x2=…, y2=…`` and its kin; the last value of each side counts."""
    named = [(m[1].lower().replace("_", ""), float(m[2]), m.end()) for m in _KEYED.finditer(text)]
    if len(named) < 4:
        return None
    from_zero = any(name in ("x0", "y0") for name, _, _ in named)
    low, high = ("0", "1") if from_zero else ("1", "2")
    places = _SIDES | {f"x{low}": 0, f"y{low}": 1, f"x{high}": 2, f"y{high}": 3}
    sides = {places[name]: value for name, value, _ in named if name in places}
    if len(sides) < 4:
        return None
    return named[-1][2], (sides[0], sides[1], sides[2], sides[3]), "keys", ()


def _four(numbers: list[float]) -> _Four:
    a, b, c, d = numbers
    return a, b, c, d


def _to_pixels(
    four: _Four, expected: Expected, rule: str, flags: tuple[str, ...], *, named: bool
) -> Reading:
    a, b, c, d = four
    x0, y0, x1, y1 = (b, a, d, c) if expected.order == "yxyx" and not named else four
    full = _FULL[expected.convention]
    if full:
        x_scale, y_scale = (expected.width or 0) / full, (expected.height or 0) / full
        x0, y0, x1, y1 = x0 * x_scale, y0 * y_scale, x1 * x_scale, y1 * y_scale
    if x1 < x0 or y1 < y0:
        flags = (*flags, "corners")
    left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    if _is_outside(left, top, right, bottom, expected):
        flags = (*flags, "outside")
    return found(Box((left, top, right, bottom)), rule, flags)


def _is_outside(left: float, top: float, right: float, bottom: float, expected: Expected) -> bool:
    if left < 0 or top < 0:
        return True
    slack = 1e-6
    wide = expected.width is not None and right > expected.width * (1 + slack)
    high = expected.height is not None and bottom > expected.height * (1 + slack)
    return wide or high
