"""What a reader is told about a question, and what it hands back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from earthexam.core.errors import InputError
from earthexam.core.item import (
    LETTERS,
    Blanks,
    Box,
    Chain,
    Choice,
    Format,
    Golden,
    Item,
    JsonValue,
    OpenKind,
    Truth,
)

Convention: TypeAlias = Literal["pixels", "unit", "0-100", "0-1000"]
CornerOrder: TypeAlias = Literal["xyxy", "yxyx"]
ReadingOutcome: TypeAlias = Literal["read", "unread", "refused", "truncated"]

CUT_REASONS = frozenset({"length", "max_tokens"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number read from a reply, in `unit`; empty where the reply named none."""

    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range read from a reply, ``low <= high``."""

    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Words that no rule takes apart: a caption, a name, a place."""

    text: str


ReadAnswer: TypeAlias = Choice | Truth | Blanks | Number | Interval | Text | Box | Chain


@dataclass(frozen=True, slots=True)
class Expected:
    """All that a reader may know of a question; the right answer is not among it.

    Attributes
    ----------
    options : tuple of str
        Texts in the order shown, A first; at most 26.
    n_blanks : int
        Blanks of a fill-in question.
    convention : Convention
        What one unit of a box coordinate is: a pixel of the picture sent, or its width and height
        divided by 1, 100 or 1000. Declared by the model's profile.
    order : CornerOrder
        Whether a corner is written x first or y first.
    width, height : int or None
        Pixels of the picture sent; needed for every convention but ``pixels``.
    finish_reason : str
        ``length`` (or ``max_tokens``) says that the server cut the reply.
    kind : OpenKind or None
        What an open question asks for; None reads a number where there is one, else text.
    unit : str
        The unit an open question asks for; numbers in another known unit are converted.
    """

    format: Format
    options: tuple[str, ...] = ()
    n_blanks: int = 1
    convention: Convention = "pixels"
    order: CornerOrder = "xyxy"
    width: int | None = None
    height: int | None = None
    finish_reason: str = ""
    kind: OpenKind | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if len(self.options) > len(LETTERS):
            message = (
                f"{len(self.options)} options, but there are {len(LETTERS)} letters; drop some"
            )
            raise InputError(message)
        if self.format == "grounding" and self.convention != "pixels" and not self.has_size:
            message = (
                f"boxes in the convention {self.convention!r} need the width and height "
                f"of the picture, got {self.width} × {self.height}"
            )
            raise InputError(message)

    @property
    def has_size(self) -> bool:
        """Whether the size of the picture is known."""
        return bool(self.width and self.height)

    @property
    def is_cut(self) -> bool:
        """Whether the server ended the reply before the model did."""
        return self.finish_reason.lower() in CUT_REASONS

    @classmethod
    def of(
        cls,
        item: Item,
        *,
        option_order: Sequence[int] | None = None,
        convention: Convention = "pixels",
        order: CornerOrder = "xyxy",
        size: tuple[int, int] | None = None,
        finish_reason: str = "",
    ) -> "Expected":
        """Say what to expect from a reply to `item`.

        Parameters
        ----------
        option_order : sequence of int or None
            ``option_order[i]`` is the index in ``item.options`` of the option shown at place i.
        size : (width, height) or None
            The picture as it was sent; None takes the size of the item's first picture.
        """
        shown = range(len(item.options)) if option_order is None else option_order
        golden = item.answer if isinstance(item.answer, Golden) else None
        width, height = size or _size_of(item)
        return cls(
            format=item.format,
            options=tuple(item.options[i] for i in shown),
            n_blanks=len(item.answer.texts) if isinstance(item.answer, Blanks) else 1,
            convention=convention,
            order=order,
            width=width,
            height=height,
            finish_reason=finish_reason,
            kind=golden.kind if golden else None,
            unit=golden.unit if golden else "",
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a reply.

    Attributes
    ----------
    answer : ReadAnswer or None
        None unless `outcome` is ``read``. Options count in the order shown.
    rule : str
        The rule that decided, also where it decided that there is no answer; empty where none did.
    flags : tuple of str
        What was odd: ``corners`` (a box with corners out of order), ``outside`` (coordinates beyond
        the declared range), ``rotated``, ``unit`` (a unit that could not be converted).
    """

    answer: ReadAnswer | None
    outcome: ReadingOutcome
    rule: str = ""
    flags: tuple[str, ...] = ()


def found(answer: ReadAnswer, rule: str, flags: tuple[str, ...] = ()) -> Reading:
    """Make the reading of a reply that `rule` read."""
    return Reading(answer, "read", rule, flags)


def unread(rule: str = "") -> Reading:
    """Make the reading of a reply without an answer; `rule` is the one that found it void."""
    return Reading(None, "unread", rule)


def answer_as_json(reading: Reading) -> JsonValue:
    """Give the answer as ``earthexam read`` prints it: letters, a truth, texts or numbers.

    Examples
    --------
    >>> answer_as_json(found(Choice((0, 2)), "whole"))
    ['A', 'C']
    """
    match reading.answer:
        case None:
            return None
        case Choice(indices) | Chain(indices, _):
            return [LETTERS[index] for index in indices]
        case Truth(value):
            return value
        case Blanks(texts):
            return list(texts)
        case Number(value, _):
            return _plain(value)
        case Interval(low, high, _):
            return [_plain(low), _plain(high)]
        case Text(text):
            return text
        case Box(box, _):
            return [_plain(value) for value in box]


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _size_of(item: Item) -> tuple[int | None, int | None]:
    for media in item.media:
        if media.role == "input" and media.width and media.height:
            return media.width, media.height
    return None, None
