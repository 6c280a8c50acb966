"""Statements that announce an answer: "the answer is", "final answer:", 答案, "(B) is right".

All repetitions are bounded, so that no reply, however long or odd, takes more than linear time.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

# More statements than this, none of them followed by an answer, will not get one.
_MOST_MARKERS = 100

_IS = r"(?:is|are|was|were|be|would be|should be|must be|will be|has to be)\b"
_FORWARD = re.compile(
    rf"""
      \b(?=[abcfimors])(?:
      answers?(?:\s(?:choice|option|letter|label)s?)?\b
        (?:\s(?:to|for|of|here|in)\b[^.\n:?!]{{0,40}}?)??
        "?\s{{0,2}}(?:\b{_IS}|:|=|-(?=\s)|–|—)
    | final\s(?:answer|choice|option)s?\b
    | (?:correct|right|best|chosen|selected|most\slikely)\s(?:answer|option|choice|label|letter)s?\b
        "?\s{{0,2}}(?:{_IS}|:|=|–|—)
    | (?:option|choice)"?\s{{0,2}}:
    | I(?:'d|'ll|\swould|\swill)?\s(?:choose|chose|pick|picked|select|selected|go\swith|opt\sfor)\b
      )
    | 答案(?:应该|應該|应|應)?[是为為:\s]{{0,3}}
    | 正确(?:选项|的)[是为:\s]{{0,3}}
    | (?<![不可])选(?!项)择?[是为:\s]{{0,3}}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BACKWARD = re.compile(
    rf"""
    \s{_IS}\s(?:both\s|all\s|therefore\s|thus\s|clearly\s|indeed\s)?
      (?: (?:the\s)?(?:only\s)?(?:right|correct)(?:\s(?:answer|option|choice|label|one)s?)?
        | the\s(?:final\s|best\s)?(?:answer|choice)s?
      )(?=$|[\s]?[.,;:!?)\n]|\s(?:because|since|as|which|based|and|due|given|here|for|to)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "the wrong answer is", "if the answer is", "neither A nor B is right" announce nothing.
_DENIED = re.compile(
    r"(?:\b(?:incorrect|wrong|if|whether|unless|not|nor|neither|never|no)|n't)"
    r"(?:\s(?:the|my|an?|that|option|choice|final|correct))?\s?[(\[\"']?$",
    re.IGNORECASE,
)
_GAP = re.compile(r"(?:[\s:=–—>]|-(?![\d.])){0,4}(?:(?:is|are|be)\b[\s:]{0,3})?", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:most likely|likely|probably|clearly|definitely|therefore|thus|simply|then|indeed|"
    r"obviously|still|just)\b[,:]?\s?)?"
    r"(?:(?:the|an?)\s)?(?:(?:correct|right|best|following)\s)?"
    r"(?:(?:option|choice|letter|answer|label)s?\b|选项)?(?:[\s:]|-(?![\d.])){0,3}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Marker:
    """One announcement.

    Attributes
    ----------
    start, end : int
        Where its words stand in the text.
    points_back : bool
        The answer stands before it, as in "B is correct".
    """

    start: int
    end: int
    points_back: bool = False


@lru_cache(maxsize=1)  # the readers of one reply ask again
def last_markers(text: str) -> tuple[Marker, ...]:
    """Give the announcements of `text`, the last first; denied ones are left out."""
    ahead = list(_FORWARD.finditer(text))[-_MOST_MARKERS:]
    behind = list(_BACKWARD.finditer(text))[-_MOST_MARKERS:]
    markers = [Marker(m.start(), m.end()) for m in ahead if not is_denied(text, m.start())]
    markers += [Marker(m.start(), m.end(), points_back=True) for m in behind]
    markers.sort(key=lambda marker: marker.start, reverse=True)
    return tuple(markers[:_MOST_MARKERS])


def is_denied(text: str, start: int) -> bool:
    """Say whether the words before `start` deny or only suppose what follows."""
    return _DENIED.search(text, max(0, start - 30), start) is not None


def after_marker(text: str, end: int) -> tuple[int, int]:
    """Say where an answer may start after a marker that ends at `end`.

    Returns
    -------
    tuple of int
        Behind colons and spaces; and behind "most likely", "the option" and the like as well.
    """
    near = _GAP.match(text, end)
    begin = near.end() if near else end
    far = _LEAD.match(text, begin)
    return begin, far.end() if far else begin
