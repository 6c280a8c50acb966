"""Turn the words of a right answer into a golden answer that a rule can compare."""

import re

from earthexam.core.item import Golden, JsonValue, OpenKind
from earthexam.published.spheres import OpenType

_PLAIN = r"[-+−]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_GROUPED = r"[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_VALUE = rf"(?:{_GROUPED}|{_PLAIN})"
_UNIT_PART = r"[^\W\d_]{1,12}(?:\^?[-−]?\d|[⁻¹²³]{1,2})?"
_UNIT = rf"(?:%|°[CFKNSEW]?|{_UNIT_PART}(?:[\s/·*]+{_UNIT_PART}){{0,3}})"
_NUMBER = re.compile(
    rf"(?:(?:about|approximately|around|~|≈)\s*)?(?P<value>{_VALUE})"
    rf"(?:\s*[×x*]?\s*10\^(?P<power>[-−]?\d{{1,2}}))?\s*(?P<unit>{_UNIT})?\s*\.?",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    rf"(?:(?:between|from)\s+)?[\[(]?\s*(?P<low>{_VALUE})\s*(?P<unit1>{_UNIT})?\s*"
    rf"(?:-|–|—|~|to|and|,)\s*(?P<high>{_VALUE})\s*[\])]?\s*(?P<unit2>{_UNIT})?\s*[\])]?\.?",
    re.IGNORECASE,
)
_VECTOR = re.compile(rf"[\[({{<]*\s*{_PLAIN}°?(?:\s*[,;<>\s()\[\]]+\s*{_PLAIN}°?)+\s*[\])}}>]*\.?")
_YES_NO = re.compile(r"(yes|no)\b", re.IGNORECASE)
_STAGE = re.compile(r"\b(stage|phase|period)\b", re.IGNORECASE)


def golden_from_text(text: str, open_type: OpenType, *, place: bool = False) -> Golden:
    """Make the golden answer that a text means.

    Parameters
    ----------
    text : str
        The right answer in words, as an option or an answer file prints it.
    open_type : OpenType
        Whether the task asks for a label, a value or a range; it decides what ``(3, 7)`` is.
    place : bool
        The labels are regions of the Earth, which only a judge can compare.

    Examples
    --------
    >>> golden_from_text("980 hPa", "exact_regression").value
    980.0
    >>> golden_from_text("[0.25, 0.5)", "interval_regression").value
    [0.25, 0.5]
    >>> golden_from_text("(12.5, -3)", "exact_regression").kind
    'vector'
    >>> golden_from_text("Yes", "small_label_set").value
    True
    """
    words = " ".join(text.split())
    if open_type == "interval_regression":
        made = _interval(words) or _number(words)
    elif open_type == "exact_regression":
        made = _vector(words) or _number(words) or _interval(words)
    else:
        made = _yes_no(words)
    return made or Golden(words, _label_kind(words, place))


def _number(text: str) -> Golden | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    value = _float(match["value"]) * 10 ** _float(match["power"] or "0")
    return Golden(text, "number", value, _clean_unit(match["unit"]))


def _interval(text: str) -> Golden | None:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        return None
    low, high = _float(match["low"]), _float(match["high"])
    if low > high:
        return None
    value: JsonValue = [low, high]
    return Golden(text, "interval", value, _clean_unit(match["unit2"] or match["unit1"]))


def _vector(text: str) -> Golden | None:
    if not _VECTOR.fullmatch(text):
        return None
    values = [_float(found) for found in re.findall(_PLAIN, text)]
    return Golden(text, "vector", values) if len(values) > 1 else None


def _yes_no(text: str) -> Golden | None:
    match = _YES_NO.match(text)
    return Golden(text, "yes_no", match[1].lower() == "yes") if match else None


def _label_kind(text: str, place: bool) -> OpenKind:
    if place:
        return "place"
    return "stage" if _STAGE.search(text) else "label"


def _float(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def _clean_unit(unit: str | None) -> str:
    return (unit or "").strip(" .")
