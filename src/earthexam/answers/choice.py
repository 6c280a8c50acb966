"""Read the letters of a choice: seven rules, of which the first that fires decides."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from earthexam.answers.clean import unwrap_json
from earthexam.answers.markers import after_marker, is_denied, last_markers
from earthexam.answers.reading import Reading, found, unread
from earthexam.answers.refusal import is_refusal
from earthexam.answers.truth import read_truth, truth_word
from earthexam.core.item import LETTERS, Choice, Truth, normalise_text

_NOT_OFFERED = -1
_LONGEST_LIST = 60
# Mentions of one label that are checked for "not B" and "B is wrong".
_MOST_DISMISSALS = 30

_CONNECTIVE = r"(?:because|since|as|which|with|based|and|due|given|or)\b"
# What may follow a label or an option's text; "5.2", "C-band", "e.g." and "A's" are no ends.
_AFTER = re.compile(
    rf"$|\s?\n|[.](?![A-Za-z]\.|\d)|,(?!\d)|[;:!?)\]}}\"/>&+、。]|'(?![A-Za-z])|[-–—](?!\w)|[–—]"
    rf"|\s[-–—(\[=&+/]|\s?[⺀-鿿]|\s{_CONNECTIVE}",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[\s\"'(\[{<]{0,4}")
_CLOSING = re.compile(r"[\"')\]}>.:]{0,4}(?:\s?[-–—](?=\s))?\s?")
_ITEM = r"[\"'(\[{<]{0,3}([A-Za-z])[\"')\]}>.]{0,3}"
_AND = r"(?:\s?[,;/&+、]\s{0,2}(?:and\b\s{0,2}|&\s?)?|\s{1,2}and\s{1,2}|\s{0,2}[和与及]\s?)"
_SEPARATOR = re.compile(rf"{_AND}|(?P<line>\s?\n(?!\n))", re.IGNORECASE)
_OR = re.compile(r"\s?,?\s?\bor\b\s?", re.IGNORECASE)
_WORD = r"(?:(?:the\s)?(?:option|choice|answer)s?\b(?:\s(?:is|are)\b)?[\s:.\-]{0,3})?"
_END = r"\s?[.,:;!?。]{0,3}[\"')\]}>]{0,3}\s?"
_WHOLE = re.compile(rf"{_WORD}{_ITEM}{_END}", re.IGNORECASE)
_WHOLE_SET = re.compile(
    rf"{_WORD}[\[({{\"]{{0,2}}(?P<items>{_ITEM}(?:(?:{_AND}|\s{{1,2}}){_ITEM}){{0,25}}){_END}",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"[A-Z]{2,26}(?![A-Za-z0-9])")
_WHOLE_TOGETHER = re.compile(rf"{_WORD}[\"'(\[{{<]{{0,3}}(?P<run>(?-i:[A-Z]{{2,26}})){_END}", re.I)
_LONGEST_WHOLE = 240
_LEADING = re.compile(
    r"[\"'(\[{<]{0,3}([A-Za-z])[\"']?(?:[.):\]}>](?![A-Za-z]\.|\d)|\s?[-–—](?=\s)|[–—]|\s?\n)"
)
_LINE_LABEL = re.compile(r"^\s?[(\[]?([A-Z])[.):\]]", re.MULTILINE)
_BRACKETED = re.compile(r"(?<![A-Za-z])[(\[{<]\s?([A-Za-z])\s?[)\]}>]")
_LONE = re.compile(
    r"(?<![A-Za-z0-9À-ɏ_'°/\-])(?<!\b[A-Za-z]\.)([A-Z])"
    r"(?![A-Za-z0-9À-ɏ_/°]|'[A-Za-z]|-[A-Za-z0-9]|\.[A-Za-z]\b)"
)
_USED_AS_WORD = re.compile(r"\s(?!(?:because|since|due|based|given)\b)\w", re.IGNORECASE)
_DISMISSED = re.compile(
    r"[\"')\]}.:]{0,3}\s(?:is|are|was|seems?|looks?|can be|can|does|do|would be)"
    r"(?:n't|\snot|\swrong|\sincorrect|\sunlikely|\s(?:ruled|excluded|eliminated|false))",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"(?:\b(?:not|never|neither|nor|except|than|exclud\w{1,4}|rul\w{1,4} out|eliminat\w{1,4}|reject\w{0,3}|(?:wrong|incorrect) (?:answer|option|choice)s? (?:is|are)|(?:if|whether) (?:the )?(?:answer|class|option|it) (?:is|was|were))|n't)"
    r"\s(?:(?:be|likely|option|choice|answer|the)\s){0,3}[\"'(\[]{0,2}$|不选择?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Options:
    """Options ready for comparing: normalised texts, and places by first character."""

    texts: tuple[str, ...]
    by_first: dict[str, tuple[int, ...]]

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.texts)]

    @property
    def longest(self) -> int:
        return max(map(len, self.texts), default=0)

    def place(self, letter: str) -> int:
        """Return the 0-based place of a label of any case, or `_NOT_OFFERED`."""
        return self.letters.find(letter.upper())

    def equal_to(self, text: str) -> list[int]:
        """List the options whose text equals `text` but for case, spaces and closing marks."""
        if len(text) > 2 * self.longest + 40:
            return []
        wanted = normalise_text(text).replace(" ", "")
        return [
            i for i, option in enumerate(self.texts) if wanted and option.replace(" ", "") == wanted
        ]


@lru_cache(maxsize=1024)
def _options(options: tuple[str, ...]) -> _Options:
    texts = tuple(normalise_text(option) for option in options)
    longest_first = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    by_first: dict[str, tuple[int, ...]] = {}
    for i in longest_first:
        if len(texts[i]) > 1 or texts[i].isdigit():
            by_first[texts[i][0]] = (*by_first.get(texts[i][0], ()), i)
    return _Options(texts, by_first)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A clean reply beside the options it may name."""

    text: str
    low: str
    options: _Options
    is_set: bool
    is_cut: bool

    def label_at(self, position: int) -> int | None:
        """Return the place of the label at `position`, `_NOT_OFFERED`, or None if it is no label."""
        letter = self.text[position : position + 1]
        if not (letter.isascii() and letter.isalpha()):
            return None
        return self.options.place(letter) if _AFTER.match(self.text, position + 1) else None

    def option_text_at(self, position: int) -> tuple[int, int] | None:
        """Return (place, end) of the longest option text at `position`, if only one option has it."""
        for i in self.options.by_first.get(self.low[position : position + 1], ()):
            option = self.options.texts[i]
            end = position + len(option)
            if self.low.startswith(option, position) and _AFTER.match(self.text, end):
                return (i, end) if self.options.texts.count(option) == 1 else None
        return None

    def element_at(self, position: int) -> tuple[int, int] | None:
        """Return (place, end) of the option named at `position` by text or label."""
        named = self.option_text_at(position)
        if named:
            return None if self._may_go_on(position, named[1]) else named
        opening = _OPENING.match(self.text, position)
        begin = opening.end() if opening else position
        named = self.option_text_at(begin)
        if named:
            return None if self._may_go_on(begin, named[1]) else named
        place = self.label_at(begin)
        if place is None or self._may_go_on(begin, begin + 1):
            return None
        return place, self._behind_own_text(place, begin + 1)

    def list_at(self, position: int) -> list[int]:
        """List the options named one after the other from `position` on; void for "A or B"."""
        if self.is_set:
            together = self._together_at(position)
            if together:
                return together
        places: list[int] = []
        while len(places) < _LONGEST_LIST and (element := self.element_at(position)) is not None:
            places.append(element[0])
            alternative = _OR.match(self.text, element[1])
            if alternative:
                other = self.element_at(alternative.end())
                return places if other and other[0] == element[0] else [_NOT_OFFERED]
            separator = _SEPARATOR.match(self.text, element[1])
            if separator is None or (separator["line"] and not self.is_set):
                break
            position = separator.end()
        return places

    def _together_at(self, position: int) -> list[int]:
        opening = _OPENING.match(self.text, position)
        run = _TOGETHER.match(self.text, opening.end() if opening else position)
        if run is None or _AFTER.match(self.text, run.end()) is None:
            return []
        return self.places_of_run(run[0])

    def places_of_run(self, run: str) -> list[int]:
        """Return the places of capitals run together, or none unless all are different labels."""
        places = [self.options.place(letter) for letter in run]
        valid = _NOT_OFFERED not in places and len(set(places)) == len(places)
        return places if valid else []

    def _behind_own_text(self, place: int, end: int) -> int:
        """Return the end of "B", or of "B. Asphalt" if that is what option B says."""
        closing = _CLOSING.match(self.text, end)
        behind = closing.end() if closing else end
        if place != _NOT_OFFERED and self.options.texts[place]:
            own = self.options.texts[place]
            if self.low.startswith(own, behind):
                return behind + len(own)
        return behind if self.text[behind - 1 : behind] not in (" ", "\n") else behind - 1

    def _may_go_on(self, begin: int, end: int) -> bool:
        """Say whether the reply was cut where it may have been about to write a longer option."""
        if not self.is_cut or end < len(self.text):
            return False
        start = self.low[begin:]
        return any(option.startswith(start) and option != start for option in self.options.texts)


def read_choice(text: str, options: Sequence[str], *, is_set: bool, is_cut: bool) -> Reading:
    """Read which of the `options` a clean reply names.

    Parameters
    ----------
    text : str
        A reply from `clean_reply`.
    is_set : bool
        Several options may be right.
    is_cut : bool
        The server ended the reply; only explicit statements count then.

    Examples
    --------
    >>> read_choice("(A) is wrong; (B) is right", ["Soil", "Sand"], is_set=False, is_cut=False).rule
    'marker'
    """
    text = unwrap_json(text)
    reply = _Reply(text, _lower(text), _options(tuple(options)), is_set, is_cut)
    if not text:
        return unread()
    for rule, read in (("whole", _whole), ("marker", _marked), ("leading", _leading)):
        places = read(reply)
        if places:
            return _decide(places, rule, reply)
    places = [] if is_cut else _equal_text(reply)
    if places:
        return _decide(places, "text", reply)
    places = _verdict(reply)
    if places:
        return _decide(places, "verdict", reply)
    if is_cut:
        return unread()
    if is_refusal(text):
        return _refused(reply)
    for rule, read in (("bracket", _bracketed), ("lone", _lone)):
        places = read(reply)
        if places:
            return _decide(places, rule, reply)
    return unread()


def _decide(places: list[int], rule: str, reply: _Reply) -> Reading:
    distinct = tuple(sorted(set(places)))
    if _NOT_OFFERED in distinct or (len(distinct) > 1 and not reply.is_set):
        return unread(rule)
    return found(Choice(distinct), rule)


def _refused(reply: _Reply) -> Reading:
    """Read a refusal as the option that offers just that, where the reply says its words."""
    said = reply.low
    stated = [
        i
        for i, option in enumerate(reply.options.texts)
        if option and is_refusal(option) and option in said
    ]
    if len(stated) == 1:
        return found(Choice((stated[0],)), "text")
    return Reading(None, "refused", "refusal")


def _whole(reply: _Reply) -> list[int]:
    if len(reply.text) > _LONGEST_WHOLE:
        return []
    single = _WHOLE.fullmatch(reply.text)
    if single:
        position = single.start(1)
        return [] if reply._may_go_on(position, position + 1) else [reply.options.place(single[1])]
    if not reply.is_set:
        return []
    several = _WHOLE_SET.fullmatch(reply.text)
    if several:
        letters = re.findall(r"\b[A-Za-z]\b", several["items"])
        return [reply.options.place(letter) for letter in letters]
    together = _WHOLE_TOGETHER.fullmatch(reply.text)
    return reply.places_of_run(together["run"]) if together else []


def _marked(reply: _Reply) -> list[int]:
    for marker in last_markers(reply.text):
        if marker.points_back:
            places = _places_before(reply, marker.start)
        else:
            near, far = after_marker(reply.text, marker.end)
            places = reply.list_at(near) or (reply.list_at(far) if far > near else [])
        if places:
            return places
    return []


_LIST_BEFORE = re.compile(
    rf"(?:^|(?<![A-Za-z0-9'\-]))(?P<items>{_ITEM}(?:(?:{_AND}|\sor\s){_ITEM}){{0,25}})$",
    re.IGNORECASE,
)


def _places_before(reply: _Reply, end: int) -> list[int]:
    items = _LIST_BEFORE.search(reply.text, max(0, end - 120), end)
    if items is None or is_denied(reply.text, items.start("items")):
        return []
    letters = re.findall(r"\b[A-Za-z]\b", items["items"])
    return [reply.options.place(letter) for letter in letters]


def _leading(reply: _Reply) -> list[int]:
    if _LEADING.match(reply.text) is None:
        return []
    labels = "".join(m[1] for m in _LINE_LABEL.finditer(reply.text))
    if not reply.is_set and len(labels) > 1 and labels == reply.options.letters:
        return [_NOT_OFFERED]  # the list of options said again is no answer
    return reply.list_at(0)


def _equal_text(reply: _Reply) -> list[int]:
    for candidate in (reply.text, reply.text.rpartition("\n")[2]):
        places = reply.options.equal_to(candidate)
        if len(places) == 1:
            return places
    return []


def _verdict(reply: _Reply) -> list[int]:
    """Read "Yes, there is water." where the options are just Yes and No, or words like these."""
    meanings = [truth_word(option) for option in reply.options.texts]
    if reply.is_set or len(meanings) != 2 or set(meanings) != {True, False}:
        return []
    answer = read_truth(reply.text, is_cut=reply.is_cut).answer
    return [meanings.index(answer.value)] if isinstance(answer, Truth) else []


def _bracketed(reply: _Reply) -> list[int]:
    return _only_one(reply, _BRACKETED.finditer(reply.text))


def _lone(reply: _Reply) -> list[int]:
    mentions = [m for m in _LONE.finditer(reply.text) if _is_label(reply, m)]
    if reply.is_set and len(mentions) > 1:
        places = reply.list_at(mentions[0].start())
        one_list = len(places) == len(mentions) and not _is_dismissed(reply, mentions[0])
        return places if one_list else []
    return _only_one(reply, mentions)


def _is_label(reply: _Reply, match: re.Match[str]) -> bool:
    if match[1] not in "AI" or not _USED_AS_WORD.match(reply.text, match.end()):
        return True
    place = reply.options.place(match[1])
    return place != _NOT_OFFERED and reply.low.startswith(
        reply.options.texts[place], match.end() + 1
    )


def _only_one(reply: _Reply, mentions: Iterable[re.Match[str]]) -> list[int]:
    """Return the one label mentioned, unless there are others or it is dismissed."""
    seen: set[int] = set()
    for count, mention in enumerate(mentions):
        place = reply.options.place(mention[1])
        if place == _NOT_OFFERED:
            continue
        seen.add(place)
        checked = count < _MOST_DISMISSALS
        if len(seen) > 1 or (checked and _is_dismissed(reply, mention)):
            return []
    return list(seen)


def _is_dismissed(reply: _Reply, mention: re.Match[str]) -> bool:
    start = mention.start()
    before = _RULED_OUT.search(reply.text, max(0, start - 50), start)
    return before is not None or _DISMISSED.match(reply.text, mention.end()) is not None


def _lower(text: str) -> str:
    """Fold case without moving any character."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
