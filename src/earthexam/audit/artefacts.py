"""S6: what no writer meant: paths, file names, placeholders, foreign scripts, broken numbers."""

import re
import unicodedata
from collections.abc import Iterator

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, Severity, hit_items
from earthexam.audit.subject import Subject
from earthexam.core.item import Item

_PATH = re.compile(
    r"(?:^|[\s'\"(])(?:[A-Za-z]:\\|~?\.{0,2}/)?\w+[/\\]\w*_\w*"
    r"|\w+\.(?:png|jpe?g|tiff?|json|mat|npy|csv|txt|hdr|xml)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\{\w*\}|\{\{|\bNone\b(?! of)(?=\s*(?:$|[\])},]))|(?<![\w-])(?:nan|NaN)(?![\w-])|<\w+>|\bTODO\b"
)
# 9,00 and 1,234,5; a pair of coordinates such as (0,0) is none
_THOUSANDS = re.compile(r"(?<![\d.,(\[])\b\d{1,3}(?:,\d{3})*,\d{1,2}(?![\d,)\]])")
_WRITTEN_WITH = {
    "en": ("LATIN", "GREEK", "MICRO", "OHM", "ANGSTROM", "DEGREE", "FEMININE", "MASCULINE")
}


@check(
    "S6",
    title="Text artefacts",
    definition="Question or options hold a path, a file name or a placeholder (errors), control or "
    "foreign-script characters, or a number with misplaced separators (warnings).",
    statistic="share of items",
    fix="Fill templates from records; never search and replace in serialised text.",
)
def artefacts(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Search all that a model reads, and the names of private fields."""
    searches: tuple[tuple[Severity, str, re.Pattern[str]], ...] = (
        ("error", "a path or file name", _PATH),
        ("error", "a placeholder", _PLACEHOLDER),
        ("warning", "a malformed number", _THOUSANDS),
    )
    for severity, what, pattern in searches:
        hits = [
            (item, match[0])
            for item in subject.items
            if (match := next(filter(None, map(pattern.search, _texts(item))), None))
        ]
        example = f"{hits[0][0].id}: {what}, {hits[0][1].strip()!r}" if hits else ""
        yield from hit_items(severity, [item.id for item, _ in hits], len(subject.items), example)
    foreign = [(item, sign) for item in subject.items if (sign := _foreign(item))]
    example = f"{foreign[0][0].id}: the sign {foreign[0][1]!r}" if foreign else ""
    ids = [item.id for item, _ in foreign]
    yield from hit_items("warning", ids, len(subject.items), example)
    fields = [item for item in subject.items if any(map(_PATH.search, item.meta))]
    example = f"{fields[0].id}: a private field is named like a path" if fields else ""
    ids = [item.id for item in fields]
    yield from hit_items("warning", ids, len(subject.items), example)


def _texts(item: Item) -> Iterator[str]:
    yield item.question
    yield from item.question_by_view.values()
    # An option may well be “None”.
    yield from (option for option in item.options if option.strip().casefold() != "none")


def _foreign(item: Item) -> str:
    """Return the first control sign, or letter of a script the item's language is not written in."""
    scripts = _WRITTEN_WITH.get(item.language)
    for text in _texts(item):
        if text.isascii() and text.isprintable():
            continue
        for sign in text:
            if unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cn"} and sign not in "\n\t":
                return sign
            letter = sign.isalpha() and scripts is not None
            if letter and not unicodedata.name(sign, "").startswith(scripts or ()):
                return sign
    return ""
