"""Put a question to a model: parts of text and pictures in order, worded by a style."""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from earthexam.answers.reading import Convention, CornerOrder
from earthexam.answers.style import PartKind, Style, load_style, style_names
from earthexam.core.errors import InputError
from earthexam.core.item import LETTERS, Blanks, Golden, Item, Media, View

__all__ = ["Part", "Prompt", "Style", "build_prompt", "load_style", "style_names"]

_TEXT_SUFFIXES = ("txt", "md")
_ARRAY_SUFFIXES = ("npy",)

Kind: TypeAlias = Literal["text"] | PartKind


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a prompt.

    Attributes
    ----------
    kind : {"text", "picture", "file_text", "array"}
        ``file_text`` stands for what the file says; ``array`` for a block of values, which only
        models that read cubes can take.
    text : str
        The words of a ``text`` part, else empty.
    media : Media or None
        The file of every other kind.
    """

    kind: Kind
    text: str = ""
    media: Media | None = None

    @property
    def path(self) -> str:
        """Path of the file below the benchmark folder; empty for text."""
        return self.media.path if self.media else ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked.

    Attributes
    ----------
    option_order : tuple of int
        ``option_order[i]`` is the index in ``item.options`` of the option shown at place i.
    """

    system: str
    parts: tuple[Part, ...]
    option_order: tuple[int, ...]
    max_tokens: int
    temperature: float


def build_prompt(
    item: Item,
    view: View | None,
    style: Style,
    *,
    option_order: Sequence[int] | None = None,
    blind: bool = False,
    convention: Convention = "pixels",
    order: CornerOrder = "xyxy",
) -> Prompt:
    """Word the question of `item` for one view.

    Files come first, each named in the text before it (``Image 1 (2017-09):``), then the question,
    the options and one instruction for the format.

    Parameters
    ----------
    view : View or None
        What is shown; None where the item has no media.
    option_order : sequence of int or None
        Order in which the options are shown; None keeps the item's own.
    blind : bool
        Show no media and say nothing of any.
    convention, order
        How the model is asked to write a box.

    Raises
    ------
    InputError
        `option_order` is no order of the item's options, or the item has nothing in `view`.
    """
    shown = _shown_order(item, option_order)
    parts: list[Part] = []
    if view is not None and not blind:
        parts = _media_parts(item, view, style)
    question = item.question if view is None else item.question_for(view)
    options = [f"{LETTERS[place]}. {item.options[index]}" for place, index in enumerate(shown)]
    instruction = _instruction(item, style, convention, order)
    blocks = [question, "\n".join(options), instruction]
    parts.append(Part("text", "\n\n".join(block for block in blocks if block)))
    return Prompt(style.system, tuple(parts), shown, style.limit(item.format), style.temperature)


def _shown_order(item: Item, option_order: Sequence[int] | None) -> tuple[int, ...]:
    own = tuple(range(len(item.options)))
    shown = own if option_order is None else tuple(option_order)
    if tuple(sorted(shown)) != own:
        message = (
            f"item {item.id}: option order {shown} does not name each of the {len(own)} options "
            f"once; expected an order of {own}"
        )
        raise InputError(message)
    return shown


def _media_parts(item: Item, view: View, style: Style) -> list[Part]:
    files = item.media_of(view)
    if not files:
        message = (
            f"item {item.id} has no view {view!r}; it has {', '.join(item.views()) or 'no media'}"
        )
        raise InputError(message)
    parts = [Part("text", style.notes[view])] if view in style.notes else []
    for number, media in enumerate(files, start=1):
        kind = _kind(media)
        parts += [Part("text", _name(number, media, style.heading[kind])), Part(kind, media=media)]
    return parts


def _kind(media: Media) -> PartKind:
    suffix = media.path.rpartition(".")[2].lower()
    if suffix in _TEXT_SUFFIXES:
        return "file_text"
    return "array" if suffix in _ARRAY_SUFFIXES else "picture"


def _name(number: int, media: Media, heading: str) -> str:
    known = ", ".join(text for text in (media.label, media.time) if text)
    return f"{heading} {number} ({known}):" if known else f"{heading} {number}:"


def _instruction(item: Item, style: Style, convention: Convention, order: CornerOrder) -> str:
    golden = item.answer if isinstance(item.answer, Golden) else None
    name: str = item.format
    if golden is not None and golden.kind in style.instructions:
        name = golden.kind
    n_blanks = len(item.answer.texts) if isinstance(item.answer, Blanks) else 1
    fields = {
        "letters": _letters(item.letters),
        "blanks": "; ".join(f"BLANK{i + 1}: …" for i in range(n_blanks)),
        "n_blanks": str(n_blanks),
        "unit": f" in {golden.unit}" if golden and golden.unit else "",
        "box": style.box[convention].format(corners=style.box[order]),
    }
    return string.Formatter().vformat(style.instructions[name], (), fields)


def _letters(letters: str) -> str:
    """Spell the letters of the options: "A, B or C"."""
    if len(letters) < 2:
        return letters
    return f"{', '.join(letters[:-1])} or {letters[-1]}"
