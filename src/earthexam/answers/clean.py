"""Make a reply plain: one width of letters, no thoughts, no wrapping.

Every pattern here runs in time linear in the length of the reply.
"""

import json
import re
import unicodedata
from dataclasses import dataclass

_THOUGHT_NAMES = "think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad"
_THOUGHT_TAG = re.compile(
    rf"<(?P<end1>/?)(?:\w+:)?(?:{_THOUGHT_NAMES})\s*>"
    rf"|[\[◁](?P<end2>/?)(?:{_THOUGHT_NAMES})[\]▷]"
    r"|<\|(?P<end3>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
# A chat format that names the channel of every message; only the final one is the reply.
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>")

_SPECIAL_TOKEN = re.compile(r"<\|/?\w{1,40}\|>|</?s>|\[/?INST\]")
_MARKUP = re.compile(
    r"</?(?:b|i|u|em|strong|p|span|code|div|final|response|output)\s*>|<br\s*/?>", re.IGNORECASE
)
_ANSWER_TAG = re.compile(r"<(/?)(?:final[_ -]?)?answer\s*>", re.IGNORECASE)
_LATEX = re.compile(
    r"\\(?:boxed|fbox|text(?:bf|it|rm|tt|sf)?|math(?:rm|bf|it|tt|sf)|mbox|operatorname)"
    r"\s{0,3}\{"
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{")
_LATEX_MARK = re.compile(r"\\(?=[()\[\]%$_{}])|\\[,;:! ]|\$")
_EMPHASIS = re.compile(
    r"\*{2,}|`+(?:json\b|text\b)?|(?<![\w)*])\*(?=\w)|(?<=[\w.)])\*(?![\w(*])|__+"
)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r"(?: ?\n){2,} ?")
# What NFKC leaves apart: dashes and quotes. Two ligatures that it makes 18 letters of are dropped.
_PLAIN = str.maketrans(
    {"−": "-", "﹣": "-", "‐": "-", "‑": "-", "\r": "\n"}
    | {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "「": '"', "」": '"'}
)
_WORD = re.compile(r"[\x21-\x7f]?[^\x00-\x7f\ufdfa\ufdfb]{1,40}|[\ufdfa\ufdfb]+")

_JSON_KEYS = (
    "final_answer", "finalanswer", "final answer", "answer", "answers", "choice", "choices",
    "option", "options", "label", "prediction", "result", "value",
)  # fmt: skip
_LONGEST_JSON = 20_000
_SHORT = 500


@dataclass(frozen=True, slots=True)
class CleanReply:
    """A reply without thoughts and wrapping; `open_thought` says that a thought never ended."""

    text: str
    open_thought: bool


def clean_reply(reply: str) -> CleanReply:
    r"""Take thoughts and wrapping off a reply.

    Examples
    --------
    >>> clean_reply("<think>A or D?</think> **Ｂ**").text
    'B'
    >>> clean_reply(r"\boxed{C}").text
    'C'
    """
    text, open_thought = _without_thoughts(_normalise(reply).replace("\0", " "))
    return CleanReply(_unwrap(text).strip(), open_thought)


def unwrap_json(text: str) -> str:
    """Return what the answer key of a JSON reply holds, or the text itself if it is no JSON.

    Examples
    --------
    >>> unwrap_json('{"reason": "dark in the infrared", "answer": ["A", "C"]}')
    'A, C'
    """
    if text[:1] not in ("{", "[", '"') or len(text) > _LONGEST_JSON:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        folded = {str(key).casefold(): held for key, held in value.items()}
        keys = [key for key in _JSON_KEYS if key in folded]
        if not keys:
            return text
        value = folded[keys[0]]
    return _spell(value, text)


def _spell(value: object, text: str) -> str:
    match value:
        case bool():
            return str(value)
        case str() | int() | float():
            return str(value).strip()
        case list() if all(isinstance(v, str | int | float) for v in value):
            return ", ".join(str(v) for v in value)
        case _:
            return text


def _normalise(reply: str) -> str:
    """Apply NFKC, in long replies word by word: its reordering of combining marks takes quadratic time otherwise."""
    if reply.isascii():
        return reply.replace("\r", "\n")
    if len(reply) <= _SHORT:
        text = unicodedata.normalize("NFKC", reply)
    else:
        text = _WORD.sub(_normalise_word, reply)
    return text.translate(_PLAIN)


def _normalise_word(word: re.Match[str]) -> str:
    return "" if word[0][0] in "\ufdfa\ufdfb" else unicodedata.normalize("NFKC", word[0])


def _without_thoughts(text: str) -> tuple[str, bool]:
    if "<|channel|>" in text:
        return _final_channel(text)
    kept: list[str] = []
    depth, start = 0, 0
    for tag in _THOUGHT_TAG.finditer(text):
        closing = tag["end1"] == "/" or tag["end2"] == "/" or tag["end3"] == "end"
        if closing:
            if depth == 0:  # the opening tag stood in the prompt: all before it is thought
                kept.clear()
            depth = max(depth - 1, 0)
            start = tag.end()
        else:
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
    if depth == 0:
        kept.append(text[start:])
    return "\n".join(kept), depth > 0


def _final_channel(text: str) -> tuple[str, bool]:
    messages = list(_CHANNEL.finditer(text))
    final = [message for message in messages if message[1].lower() == "final"]
    if not final:
        return "", bool(messages)
    body = text[final[-1].end() :]
    end = _CHANNEL_END.search(body)
    return (body[: end.start()] if end else body), False


def _unwrap(text: str) -> str:
    if "<" in text:
        text = _SPECIAL_TOKEN.sub("", text)
        text = _MARKUP.sub(" ", text)
        text = _unwrap_answer_tag(text)
    if "\\" in text or "$" in text:
        text = _unwrap_latex(text)
    if "*" in text or "`" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    if "#" in text:
        text = _HEADING.sub("", text)
    return _BREAKS.sub("\n\n", _BLANKS.sub(" ", text))


def _unwrap_answer_tag(text: str) -> str:
    """Turn ``<answer>B</answer>`` into B, and, inside a longer reply, into a line that says so."""
    if not _ANSWER_TAG.search(text):
        return text
    outside = _ANSWER_TAG.split(text)
    if not outside[0].strip() and len(outside) <= 5 and not outside[-1].strip():
        return _ANSWER_TAG.sub(" ", text)
    return _ANSWER_TAG.sub(lambda tag: "\n" if tag[1] else "\nAnswer: ", text)


def _unwrap_latex(text: str) -> str:
    r"""Drop commands around a word; ``\boxed{B}`` inside a longer reply becomes a statement."""
    if not _LATEX.search(text):
        return _LATEX_MARK.sub("", text)
    alone = text.lstrip(" \n$").startswith(("\\boxed", "\\fbox", "\\text", "\\math"))
    if not alone or text.rstrip(" \n$.")[-1:] != "}":
        text = _BOXED.sub("\nAnswer: {", text)
    parts: list[str] = []
    open_braces, start = 0, 0
    for mark in re.finditer(rf"{_LATEX.pattern}|Answer: \{{|[{{}}]", text):
        token = mark[0]
        if len(token) > 1:
            parts.append(text[start : mark.start()])
            parts.append("Answer: " if token.startswith("Answer") else "")
            open_braces, start = open_braces + 1, mark.end()
        elif token == "}" and open_braces:
            parts.append(text[start : mark.start()])
            open_braces, start = open_braces - 1, mark.end()
    parts.append(text[start:])
    return _LATEX_MARK.sub("", "".join(parts))
