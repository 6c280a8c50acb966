"""One released record, whatever file it came from, and the readers of its fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from earthexam.core.errors import FormatError
from earthexam.core.item import LETTERS

UNABLE = "unable to decide"
CAPTION_MARK = "is a photo"
_STEP = re.compile(r"\s*step\s*\d+\s*[:.)\-]*\s*", re.IGNORECASE)
_LABEL = re.compile(r"\s*[(\[]?([A-Z])(?:[)\]][.:]?|[.:])\s*")
_CORNER = re.compile(r"<\s*(-?(?:\d+\.?\d*|\.\d+))\s*>")
_LEAD = re.compile(
    r"(?:(?:next|in|after|lead(?: time)? of|within)\s+(\d{1,2})[\s-]months?"
    r"|(\d{1,2})[\s-]months?[\s-](?:ahead|later|lead|in advance|forecast))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a record: its released name, and its bytes where a shard holds them."""

    name: str
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """One released record.

    Attributes
    ----------
    where : str
        File and 1-based record, for messages.
    source_file : str
        Path below its tree without the ending, which also names the task.
    released_id : str
        The id as printed.
    number : int
        Unique in the file: the number in the id, or the place where those are no integers or repeat.
    truth : str or tuple of float
        Letters, words or ``<number>`` groups as printed; corners as fractions of the picture's
        width and height in a grounding shard.
    steps : tuple of str
        Chain-of-thought steps as printed, with their prefixes.
    is_open : bool
        It comes from the open-ended tree.
    is_shard : bool
        It comes from a shard, which holds one format only.
    """

    where: str
    source_file: str
    released_id: str
    number: int
    question_type: str
    text: str
    choices: tuple[str, ...]
    truth: str | tuple[float, ...]
    pictures: tuple[Picture, ...]
    levels: tuple[str, ...]
    dataset: str = ""
    steps: tuple[str, ...] = ()
    is_open: bool = False
    is_shard: bool = False


def plain_options(choices: Sequence[str]) -> tuple[str, ...]:
    """Return the option texts without the letters that the release prints before them.

    Raises
    ------
    FormatError
        Fewer than two or more than eight options, an empty one, or letters out of order.

    Examples
    --------
    >>> plain_options(["(A) Flooding", "(B) No flooding", "(C) Unable to decide"])
    ('Flooding', 'No flooding', 'Unable to decide')
    """
    if not 2 <= len(choices) <= 8:
        message = f"{len(choices)} options; expected 2 to 8"
        raise FormatError(message)
    matches = [_LABEL.match(choice) for choice in choices]
    if all(matches):
        letters = "".join(match[1] for match in matches if match)
        if letters != LETTERS[: len(choices)]:
            message = f"option letters {letters!r}; expected {LETTERS[: len(choices)]!r}"
            raise FormatError(message)
        choices = [
            choice[match.end() :] for choice, match in zip(choices, matches, strict=True) if match
        ]
    options = tuple(choice.strip() for choice in choices)
    if not all(options):
        message = "an option without text"
        raise FormatError(message)
    return options


def right_options(truth: str, n_options: int) -> tuple[int, ...]:
    """Return the 0-based right options that a key such as ``B``, ``ACD`` or ``A, C`` names.

    Raises
    ------
    FormatError
        No letter, a repeated one, or one beyond the options.
    """
    letters = re.sub(r"[\s,;.()\[\]]|\band\b", "", truth)
    known = LETTERS[:n_options]
    if not letters or set(letters) - set(known) or len(set(letters)) != len(letters):
        message = f"the key {truth!r} names no letters of {known!r}"
        raise FormatError(message)
    return tuple(sorted(known.index(letter) for letter in letters))


def unable_option(options: Sequence[str]) -> int | None:
    """Return the place of the option that abstains, wherever it stands; None without one."""
    for index, option in enumerate(options):
        if UNABLE in option.casefold():
            return index
    return None


def pixel_box(
    truth: str | tuple[float, ...], size: tuple[int, int] | None
) -> tuple[float, float, float, float]:
    """Return the true box in pixels.

    Parameters
    ----------
    truth : str or tuple of float
        Four ``<number>`` groups in pixels, or four fractions of the picture's width and height.
    size : (width, height) or None
        The picture in pixels; fractions need it.

    Raises
    ------
    FormatError
        Not four numbers, corners out of order, or a corner more than a pixel outside.
    """
    if isinstance(truth, str):
        corners = tuple(float(found) for found in _CORNER.findall(truth))
    elif size is None:
        message = "a box in fractions, and the picture that gives their scale is missing"
        raise FormatError(message)
    else:
        # Shards hold 32-bit fractions: a thousandth of a pixel is all they can tell.
        corners = tuple(round(value * size[i % 2], 3) for i, value in enumerate(truth))
    if len(corners) != 4:
        message = f"the key {truth!r} holds {len(corners)} box numbers; expected four"
        raise FormatError(message)
    x0, y0, x1, y1 = corners
    if not (x0 < x1 and y0 < y1):
        message = f"the box {list(corners)} has no area; expected x0 < x1 and y0 < y1"
        raise FormatError(message)
    if size is not None and (min(corners) < -1 or x1 > size[0] + 1 or y1 > size[1] + 1):
        message = f"the box {list(corners)} leaves the picture of {size[0]} x {size[1]} pixels"
        raise FormatError(message)
    return x0, y0, x1, y1


def split_steps(steps: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the key steps and the picture captions of a chain, without their prefixes.

    Examples
    --------
    >>> split_steps(["Step 1: It is a photo of a town.", "Step 10: Roofs are gone."])
    (('Roofs are gone.',), ('It is a photo of a town.',))
    """
    plain = [_STEP.sub("", step, count=1).strip() for step in steps]
    kept = [step for step in plain if step]
    return (
        tuple(step for step in kept if CAPTION_MARK not in step),
        tuple(step for step in kept if CAPTION_MARK in step),
    )


def numbers_of(ids: Sequence[str]) -> list[int]:
    """Return a number for every record of a file.

    It is the integer after the last slash of the id; where one id has none, or two are the same,
    all records of the file are counted from 0 instead.

    Examples
    --------
    >>> numbers_of(["Flood/7", "Flood/9"]), numbers_of(["a", "b"])
    ([7, 9], [0, 1])
    """
    ends = [name.rsplit("/", 1)[-1] for name in ids]
    if all(re.fullmatch(r"[0-9]{1,9}", end) for end in ends):
        numbers = [int(end) for end in ends]
        if len(set(numbers)) == len(numbers):
            return numbers
    return list(range(len(ids)))


def lead_months(text: str) -> int | None:
    """Return how many months ahead a forecast question asks; None where it does not say.

    Examples
    --------
    >>> lead_months("What will the ENSO state be in 3 months?")
    3
    """
    match = _LEAD.search(text)
    return int(match[1] or match[2]) if match else None
