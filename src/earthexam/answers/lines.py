"""Read replies from JSON lines, and give JSON lines back."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from earthexam.answers.extract import Expected, answer_as_json, read_reply
from earthexam.core.errors import InputError
from earthexam.core.item import FORMATS, OPEN_KINDS

_CONVENTIONS = ("pixels", "unit", "0-100", "0-1000")
_ORDERS = ("xyxy", "yxyx")


def read_lines(lines: Iterable[str]) -> Iterator[str]:
    """Read the reply on every line.

    Parameters
    ----------
    lines : iterable of str
        JSON objects with ``id``, ``reply`` and ``format``, and where the format needs them
        ``options``, ``n_blanks``, ``convention``, ``order``, ``width``, ``height``,
        ``finish_reason``, ``kind`` and ``unit``; other fields are left alone. Empty lines are
        skipped.

    Yields
    ------
    str
        ``{"id", "answer", "outcome", "rule"}`` as JSON without a line break.

    Raises
    ------
    InputError
        A line is no such object; the message names its number.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            name, reply, expected = _parse(line)
        except (InputError, TypeError, ValueError) as error:
            message = f"line {number} of the replies: {error}"
            raise InputError(message) from error
        reading = read_reply(reply, expected)
        yield orjson.dumps(
            {
                "id": name,
                "answer": answer_as_json(reading),
                "outcome": reading.outcome,
                "rule": reading.rule,
            }
        ).decode()


def _parse(line: str) -> tuple[str, str, Expected]:
    fields = orjson.loads(line)
    if not isinstance(fields, dict):
        message = f"expected a JSON object with id, reply and format, got {type(fields).__name__}"
        raise InputError(message)
    expected = Expected(
        format=_one_of(fields, "format", FORMATS, None),
        options=_texts(fields),
        n_blanks=_whole_number(fields, "n_blanks") or 1,
        convention=_one_of(fields, "convention", _CONVENTIONS, "pixels"),
        order=_one_of(fields, "order", _ORDERS, "xyxy"),
        width=_whole_number(fields, "width"),
        height=_whole_number(fields, "height"),
        finish_reason=_text(fields, "finish_reason", ""),
        kind=_one_of(fields, "kind", OPEN_KINDS, None) if fields.get("kind") else None,
        unit=_text(fields, "unit", ""),
    )
    return _text(fields, "id", None), _text(fields, "reply", None), expected


def _one_of(fields: dict[str, Any], key: str, known: tuple[str, ...], default: str | None) -> Any:
    value = fields.get(key) or default
    if value not in known:
        message = f"{key} is {value!r}; expected one of {', '.join(known)}"
        raise InputError(message)
    return value


def _text(fields: dict[str, Any], key: str, default: str | None) -> str:
    value = fields.get(key, default)
    value = default if value is None else value
    if not isinstance(value, str):
        message = f"{key} is {value!r}; expected a text"
        raise InputError(message)
    return value


def _texts(fields: dict[str, Any]) -> tuple[str, ...]:
    value = fields.get("options") or []
    if not isinstance(value, list) or not all(isinstance(option, str) for option in value):
        message = f"options are {value!r}; expected a list of texts"
        raise InputError(message)
    return tuple(value)


def _whole_number(fields: dict[str, Any], key: str) -> int | None:
    value = fields.get(key)
    if value is not None and (type(value) is not int or value < 1):
        message = f"{key} is {value!r}; expected a whole number of at least 1"
        raise InputError(message)
    return value
