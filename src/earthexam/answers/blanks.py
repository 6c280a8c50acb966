"""Read the texts of a fill-in reply."""

import json
import re

from earthexam.answers.reading import Reading, found, unread
from earthexam.answers.refusal import is_refusal
from earthexam.core.item import Blanks

_LABEL = re.compile(
    r"[\[({<]?\bblank[\s_#:\-]{0,2}(\d{1,2})\b\"?[\])}>]?(?:\s?(?:is\b|[:=\-–—.)])){0,2}\s{0,2}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|(?<=[\n;,. ]))[(\[]?(\d{1,2})[.):\]]\s{1,2}(?=\S)")
_TRAILING = " \n\t.;,。；，"
_QUOTED = re.compile(r"\"([^\"]{0,400})\"|'([^']{0,400})'")
_ANSWER_WORD = re.compile(
    r"(?:(?:final\s|the\s)?answers?(?:\sis|\sare)?\s?:\s?|the answer is\s)", re.I
)
_LONGEST_JSON = 20_000


def read_blanks(text: str, n_blanks: int, *, is_cut: bool) -> Reading:
    """Read `n_blanks` texts from a clean reply; a blank it leaves out is empty.

    Examples
    --------
    >>> read_blanks("BLANK2: lock", 2, is_cut=False).answer
    Blanks(texts=('', 'lock'))
    """
    if not text or (is_cut and text[-1] not in ".;]}\n。；"):
        return unread()
    texts, rule = _labelled(text, n_blanks)
    if texts is None and is_refusal(text):
        return Reading(None, "refused", "refusal")
    if texts is None and n_blanks == 1:
        texts, rule = (
            (_trim(_ANSWER_WORD.sub("", text, count=1) if _ANSWER_WORD.match(text) else text),),
            "whole",
        )
    if texts is None or not any(texts):
        return unread(rule)
    return found(Blanks(texts), rule)


def _labelled(text: str, n_blanks: int) -> tuple[tuple[str, ...] | None, str]:
    from_json = _from_json(text, n_blanks)
    if from_json:
        return from_json, "json"
    labels = list(_LABEL.finditer(text))
    if labels:
        return _between(text, labels, n_blanks), "label"
    numbered = list(_NUMBERED.finditer(text))
    in_order = [int(m[1]) for m in numbered] == list(range(1, n_blanks + 1))
    if in_order and not text[: numbered[0].start()].strip():
        return _between(text, numbered, n_blanks), "number"
    return None, ""


def _between(text: str, labels: list[re.Match[str]], n_blanks: int) -> tuple[str, ...]:
    """Cut the text at its labels; a label said twice counts as said last."""
    texts = [""] * n_blanks
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        place = int(label[1]) - 1
        first_line = text[label.end() : end].strip().partition("\n")[0]
        if 0 <= place < n_blanks and _trim(first_line):
            texts[place] = _trim(first_line)
    return tuple(texts)


def _from_json(text: str, n_blanks: int) -> tuple[str, ...] | None:
    """Read ``{"BLANK1": "kiln", …}`` or a list of as many texts as there are blanks."""
    if text[0] not in "[{" or len(text) > _LONGEST_JSON:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        held = {re.sub(r"[\W_]", "", str(key)).lower(): v for key, v in value.items()}
        if n_blanks == 1 and "answer" in held:
            return (_trim(str(held["answer"])),)
        if isinstance(held.get("answers", held.get("answer")), list):
            value = held.get("answers", held.get("answer"))
        elif any(f"blank{i + 1}" in held for i in range(n_blanks)):
            return tuple(_trim(str(held.get(f"blank{i + 1}", ""))) for i in range(n_blanks))
    if (
        isinstance(value, list)
        and len(value) == n_blanks
        and all(isinstance(v, str) for v in value)
    ):
        return tuple(_trim(v) for v in value)
    return None


def _trim(text: str) -> str:
    trimmed = text.strip(_TRAILING)
    quoted = _QUOTED.fullmatch(trimmed)
    return (quoted[1] or quoted[2] or "").strip(_TRAILING) if quoted else trimmed
