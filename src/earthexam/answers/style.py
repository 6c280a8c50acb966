"""Prompt styles: all words a model sees besides the item's own, as data."""

import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias

from earthexam.core.errors import FormatError, MissingFileError, UnknownNameError
from earthexam.core.item import FORMATS, OPEN_KINDS, VIEWS, Format

PartKind: TypeAlias = Literal["picture", "file_text", "array"]

_PART_KINDS = ("picture", "file_text", "array")
_BOX_KEYS = ("xyxy", "yxyx", "pixels", "unit", "0-100", "0-1000")
_TABLES: Mapping[str, tuple[str, ...]] = {
    "heading": _PART_KINDS,
    "notes": VIEWS,
    "instructions": (*FORMATS, *OPEN_KINDS),
    "box": _BOX_KEYS,
}
_FIELDS = {
    "instructions": {"letters", "blanks", "n_blanks", "unit", "box"},
    "box": {"corners"},
}
_DEFAULT = "default"


@dataclass(frozen=True)
class Style:
    """How questions are worded.

    Attributes
    ----------
    system : str
        The system message; may be empty.
    max_tokens : int
        Most tokens of a reply.
    tokens : mapping of format to int
        Most tokens of a reply in a format, where it is not `max_tokens`.
    heading : mapping of part kind to str
        What a file is called: ``Image``.
    notes : mapping of view to str
        A sentence that names the input of a view.
    instructions : mapping of format or open kind to str
        What to reply; the fields ``{letters}``, ``{blanks}``, ``{n_blanks}``, ``{unit}`` and
        ``{box}`` are filled in.
    box : mapping of convention or corner order to str
        What ``{box}`` says; ``{corners}`` is filled in with the corner order.
    """

    name: str
    system: str
    temperature: float
    max_tokens: int
    tokens: Mapping[str, int]
    heading: Mapping[str, str]
    notes: Mapping[str, str]
    instructions: Mapping[str, str]
    box: Mapping[str, str]

    def limit(self, item_format: Format) -> int:
        """Return the most tokens of a reply in a format."""
        return self.tokens.get(item_format, self.max_tokens)


def style_names() -> tuple[str, ...]:
    """List the styles that come with the package."""
    folder = resources.files("earthexam.answers") / "styles"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_style(name_or_path: str | Path) -> Style:
    """Load a style by the name of a shipped one, or from a TOML file.

    A style says only what differs from ``default``.

    Raises
    ------
    UnknownNameError
        No style has this name.
    MissingFileError
        The TOML file does not exist.
    FormatError
        The file is no TOML, or a key, a value or a field in braces is none a style can have.
    """
    name = str(name_or_path)
    own = _read(name)
    merged = _shipped(_DEFAULT)
    for key, value in own.items():
        merged[key] = merged[key] | value if isinstance(value, dict) else value
    return Style(**merged)


def _read(name: str) -> dict[str, Any]:
    if not name.endswith(".toml"):
        known = style_names()
        if name not in known:
            kind = "prompt style"
            raise UnknownNameError.of(kind, name, known)
        return _shipped(name)
    path = Path(name)
    if not path.is_file():
        message = f"prompt style {name} does not exist; shipped styles: {', '.join(style_names())}"
        raise MissingFileError(message)
    return {"name": path.stem} | _parse(path.read_text(encoding="utf-8"), name)


def _shipped(name: str) -> dict[str, Any]:
    file = resources.files("earthexam.answers") / "styles" / f"{name}.toml"
    return _parse(file.read_text(encoding="utf-8"), f"{name}.toml")


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"prompt style {where} is not valid TOML: {error}"
        raise FormatError(message) from error
    for key, value in fields.items():
        _check(key, value, where)
    return fields


def _check(key: str, value: object, where: str) -> None:
    match key, value:
        case (("name" | "system"), str()):
            return
        case "temperature", float() | int():
            return
        case "max_tokens", int() if value > 0:
            return
        case "tokens", dict():
            for name, most in value.items():
                _check_tokens(name, most, where)
            return
        case _, dict() if key in _TABLES:
            for name, text in value.items():
                _check_text(key, name, text, where)
            return
    known = ["name", "system", "temperature", "max_tokens", "tokens", *_TABLES]
    message = f"prompt style {where}: {key} = {value!r} is no setting; known: {', '.join(known)}"
    raise FormatError(message)


def _check_tokens(name: str, most: object, where: str) -> None:
    if name not in FORMATS or not isinstance(most, int) or isinstance(most, bool) or most < 1:
        message = (
            f"prompt style {where}: [tokens] {name} = {most!r}; expected a number from 1 on under one "
            f"of {', '.join(FORMATS)}"
        )
        raise FormatError(message)


def _check_text(table: str, name: str, text: object, where: str) -> None:
    if name not in _TABLES[table] or not isinstance(text, str):
        message = (
            f"prompt style {where}: [{table}] {name} = {text!r}; expected a text under one of "
            f"{', '.join(_TABLES[table])}"
        )
        raise FormatError(message)
    known = _FIELDS.get(table)
    if known is None:
        return
    try:
        used = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    except ValueError as error:
        message = f"prompt style {where}: [{table}] {name}: {error}; write a brace twice"
        raise FormatError(message) from error
    if used - known:
        message = (
            f"prompt style {where}: [{table}] {name} has the field {sorted(used - known)[0]!r}; "
            f"known: {', '.join(sorted(known))}"
        )
        raise FormatError(message)
