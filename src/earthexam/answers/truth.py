"""Read whether a reply calls a statement true or false."""

import re

from earthexam.answers.clean import unwrap_json
from earthexam.answers.markers import after_marker, last_markers
from earthexam.answers.reading import Reading, found, unread
from earthexam.answers.refusal import is_refusal
from earthexam.core.item import Truth

_TRUE = {"true", "yes", "correct", "right", "正确", "对", "是"}
_FALSE = {"false", "no", "incorrect", "wrong", "untrue", "错误", "错", "否"}
_WORDS = r"true|false|yes|no|correct|incorrect|right|wrong|untrue|正确|错误|对|错|是|否"
_VERDICT = rf"(?P<not>not\s|不)?(?P<word>{_WORDS})"
_NOT_A_CHOICE = r"(?!\s?(?:/|or\b|and\b|或))"
_END = rf"(?![A-Za-z0-9_\-]){_NOT_A_CHOICE}"
_WHOLE = re.compile(rf"[\"'(\[{{<]{{0,3}}{_VERDICT}[\"')\]}}>.,:;!。]{{0,4}}", re.IGNORECASE)
_FIRST = re.compile(
    rf"[\"'(\[]{{0,2}}{_VERDICT}[\"')\]]{{0,2}}\s?(?:[.,:;!。\n]|[-–—]\s|[–—])"
    r"(?!\s?(?:or\b|或))",
    re.IGNORECASE,
)
_AT = re.compile(rf"[\"'(\[{{<]{{0,3}}{_VERDICT}{_END}", re.IGNORECASE)
_STATEMENT = re.compile(
    r"\b(?:statement|claim|assertion|proposition)\b[^.\n]{0,120}?"
    r"(?:\s(?:is|was)(?P<never>n't|\snot)?\s|\s?:\s?)"
    r"(?:(?:therefore|thus|clearly|definitely|indeed|likely|most likely|probably|actually)\s)?"
    rf"(?:(?:a\s)?{_VERDICT}){_END}",
    re.IGNORECASE,
)
_DOUBTED = re.compile(r"\b(?:if|whether|unless|neither)\b[^.\n]{0,40}$", re.IGNORECASE)


def read_truth(text: str, *, is_cut: bool) -> Reading:
    """Read true or false from a clean reply.

    Examples
    --------
    >>> read_truth("Not true.", is_cut=False).answer
    Truth(value=False)
    """
    text = unwrap_json(text)
    whole = _WHOLE.fullmatch(text)
    if whole:
        return found(_truth(whole), "whole")
    marked = _marked(text)
    if marked:
        return found(marked, "marker")
    first = _FIRST.match(text)
    if first:
        return found(_truth(first), "leading")
    if not is_cut:
        last_line = _WHOLE.fullmatch(text.rpartition("\n")[2].strip())
        if last_line:
            return found(_truth(last_line), "text")
    return Reading(None, "refused", "refusal") if is_refusal(text) else unread()


def truth_word(text: str) -> bool | None:
    """Say what a word means as an answer, None if it is neither of the two.

    Examples
    --------
    >>> truth_word("yes"), truth_word("water")
    (True, None)
    """
    folded = text.lower()
    return folded in _TRUE if folded in _TRUE | _FALSE else None


def _marked(text: str) -> Truth | None:
    statements = [
        m for m in _STATEMENT.finditer(text) if not _DOUBTED.search(text[: m.start()][-50:])
    ]
    last = statements[-1] if statements else None
    for marker in last_markers(text):
        if marker.points_back or (last and marker.start < last.start()):
            continue
        for position in after_marker(text, marker.end):
            verdict = _AT.match(text, position)
            if verdict:
                return _truth(verdict)
    return _truth(last) if last else None


def _truth(match: re.Match[str]) -> Truth:
    value = match["word"].lower() in _TRUE
    denied = bool(match["not"]) != bool(match.groupdict().get("never"))
    return Truth(value != denied)
