"""The record of one question: what is asked, what is shown, what is right and why."""

import json
import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from earthexam.core.errors import FormatError

JsonValue: TypeAlias = (
    bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None
)

Format: TypeAlias = Literal[
    "single_choice", "multiple_choice", "true_false", "fill_blank",
    "open", "grounding", "caption", "chain_of_thought",
]  # fmt: skip
QuestionType: TypeAlias = Literal["judgement", "choice", "count", "number", "range", "box", "text"]
View: TypeAlias = Literal[
    "composite", "report", "true_colour", "colour_infrared", "bands", "spectra", "image", "cube"
]
Role: TypeAlias = Literal["input", "mask", "wavelengths", "labels", "data"]
OpenKind: TypeAlias = Literal["label", "number", "interval", "vector", "place", "stage", "yes_no"]

FORMATS: tuple[Format, ...] = get_args(Format)
QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)
VIEWS: tuple[View, ...] = get_args(View)
ROLES: tuple[Role, ...] = get_args(Role)
OPEN_KINDS: tuple[OpenKind, ...] = get_args(OpenKind)
LETTERS = string.ascii_uppercase


@dataclass(frozen=True, slots=True)
class Choice:
    """The right options of a choice item: one 0-based index, or several for a set."""

    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether the statement of a true/false item holds."""

    value: bool


@dataclass(frozen=True, slots=True)
class Blanks:
    """The right texts of a fill-in item, in order."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Golden:
    """The golden answer of an open item; `value` holds what a rule can compare."""

    text: str
    kind: OpenKind
    value: JsonValue = None
    unit: str = ""
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A box ``(x0, y0, x1, y1)``; x to the right, y down, x1 and y1 exclusive."""

    box: tuple[float, float, float, float]
    frame: Literal["pixels"] = "pixels"


@dataclass(frozen=True, slots=True)
class References:
    """The reference captions of an image."""

    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """The right options of a chain-of-thought item and the key steps that lead there."""

    options: tuple[int, ...]
    steps: tuple[str, ...]


Answer: TypeAlias = Choice | Truth | Blanks | Golden | Box | References | Chain


@dataclass(frozen=True, slots=True)
class Media:
    """One file that belongs to an item.

    Attributes
    ----------
    view : View
        The representation it belongs to; one view of an item may hold several files, in order.
    path : str
        Relative to the benchmark folder, with forward slashes.
    role : Role
        ``input`` is shown to the model. ``mask`` (which pixels count) and ``wavelengths`` (nm) go
        only to models that read cubes. ``labels`` and ``data`` (a report's JSON) are never shown.
    label, time : str
        What the file is called in the prompt, and its date, either may be empty.
    width, height : int or None
        Pixels of a picture; columns and rows of an array; None for text.
    """

    view: View
    path: str
    role: Role = "input"
    label: str = ""
    time: str = ""
    width: int | None = None
    height: int | None = None
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a rule-made answer came about, enough to compute it again from the source.

    Attributes
    ----------
    rule : str
        Name of the question family, for example ``lcc.class_at_pixel``.
    parameters : mapping
        What the family was asked with (a pixel, a class, a threshold, the block).
    evidence : mapping
        The measured values that decide the answer, floats rounded to 6 digits.
    sources : mapping
        Source file name to its sha256.
    seed : int
        Seed of the random choices (wording, distractors, order).
    """

    rule: str
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    evidence: Mapping[str, JsonValue] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One question. Fields as in the columns of ``items.parquet``.

    Attributes
    ----------
    levels : tuple of str
        Path in the taxonomy, from the widest level to the task.
    question_by_view : mapping
        Wording for single views, usually empty.
    options : tuple of str
        Texts without letters, in the order A, B, C…
    group : str
        What clusters items: the location block, all dates together.
    source : str
        Data set the item comes from.
    meta : mapping
        Anything else; never shown to a model.
    provenance : Provenance or None
        None where no rule made the answer.
    """

    id: str
    task: str
    levels: tuple[str, ...]
    format: Format
    question_type: QuestionType
    question: str
    options: tuple[str, ...]
    answer: Answer
    media: tuple[Media, ...]
    group: str
    source: str
    question_by_view: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    meta: Mapping[str, JsonValue] = field(default_factory=dict)
    provenance: Provenance | None = None

    def question_for(self, view: View) -> str:
        """Return the wording that holds for `view`."""
        return self.question_by_view.get(view, self.question)

    def media_of(self, view: View, role: Role = "input") -> tuple[Media, ...]:
        """Return the files of one view and role, in order."""
        return tuple(m for m in self.media if m.view == view and m.role == role)

    def views(self) -> tuple[View, ...]:
        """List the views this item can be shown in, in the order of `VIEWS`."""
        own = {m.view for m in self.media if m.role == "input"}
        return tuple(view for view in VIEWS if view in own)

    @property
    def letters(self) -> str:
        """The letters of the options: ``"ABCD"`` for four."""
        return LETTERS[: len(self.options)]

    def with_sources(self, sources: Mapping[str, str]) -> "Item":
        """Return the item with the hashes of its sources recorded."""
        if self.provenance is None:
            return self
        return replace(self, provenance=replace(self.provenance, sources=sources))


def normalise_text(text: str) -> str:
    """Fold case, width, spaces and closing punctuation, so that equal options compare equal.

    Signs that change the meaning (``< > = % . -`` inside the text) stay.

    Examples
    --------
    >>> normalise_text("  Grass   Healthy. ")
    'grass healthy'
    """
    folded = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return folded.strip(" .,;:!?\"'`。，；：！？")


def to_json(value: JsonValue) -> str:
    """Write JSON text with sorted keys and no spaces, the form stored in the tables."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def answer_to_json(answer: Answer) -> JsonValue:
    """Return the answer in the form stored in the ``answer`` column."""
    match answer:
        case Choice(indices):
            return list(indices)
        case Truth(value):
            return value
        case Blanks(texts):
            return list(texts)
        case Golden(text, kind, value, unit, tolerance):
            return {
                "text": text,
                "kind": kind,
                "value": value,
                "unit": unit,
                "tolerance": tolerance,
            }
        case Box(box, frame):
            return {"box": list(box), "frame": frame}
        case References(references):
            return {"references": list(references)}
        case Chain(options, steps):
            return {"options": list(options), "steps": list(steps)}


def answer_from_json(value: Any, item_format: Format) -> Answer:
    """Make the answer of an item of `item_format` from its stored form.

    Raises
    ------
    FormatError
        The value has not the form that the format asks for.
    """
    try:
        return _parse_answer(value, item_format)
    except (KeyError, TypeError, ValueError) as error:
        message = f"answer {value!r} does not fit the format {item_format!r} ({error})"
        raise FormatError(message) from error


def _parse_answer(value: Any, item_format: Format) -> Answer:
    match item_format:
        case "single_choice" | "multiple_choice":
            return Choice(_indices(value))
        case "true_false":
            if not isinstance(value, bool):
                message = "expected true or false"
                raise TypeError(message)
            return Truth(value)
        case "fill_blank":
            return Blanks(_texts(value))
        case "open":
            tolerance = value.get("tolerance")
            return Golden(
                str(value["text"]), value["kind"], value.get("value"), str(value.get("unit") or ""),
                None if tolerance is None else float(tolerance),
            )  # fmt: skip
        case "grounding":
            x0, y0, x1, y1 = (float(v) for v in value["box"])
            return Box((x0, y0, x1, y1), value.get("frame", "pixels"))
        case "caption":
            return References(_texts(value["references"]))
        case "chain_of_thought":
            return Chain(_indices(value["options"]), _texts(value["steps"]))


def _indices(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(v) is int and v >= 0 for v in value):
        message = "expected a list of 0-based option indices"
        raise TypeError(message)
    return tuple(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        message = "expected a list of texts"
        raise TypeError(message)
    return tuple(value)
