"""Score a reading against the right answer of its item; a pure function of the two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from earthexam.answers.prejudge import prejudge
from earthexam.answers.reading import Reading
from earthexam.core.item import (
    LETTERS,
    Answer,
    Blanks,
    Box,
    Chain,
    Choice,
    Golden,
    Item,
    Truth,
    normalise_text,
)

Outcome: TypeAlias = Literal[
    "right", "wrong", "partial", "unread", "refused", "truncated", "failed", "unjudged",
    "unsupported",
]  # fmt: skip

RIGHT_FROM_IOU = 0.5
_ARTICLES = ("the ", "a ", "an ")


@dataclass(frozen=True, slots=True)
class Score:
    """What a reply is worth.

    Attributes
    ----------
    value : float
        0 to 1; 0 unless the outcome is ``right`` or ``partial``.
    detail : str
        Why, in a few words, for the browser of items; may be empty.
    iou : float or None
        Overlap of the read and the right box, for grounding.
    """

    outcome: Outcome
    value: float
    detail: str = ""
    iou: float | None = None


def score_reading(item: Item, reading: Reading, option_order: Sequence[int] | None = None) -> Score:
    """Score what was read from a reply to `item`.

    Choices count as sets, and a set is right as a whole. True or false counts as a whole. Fill-in
    texts are compared after normalising; some right is ``partial`` with their share. Open answers
    are scored where a rule can decide, else they are ``unjudged``, as captions are. A box is right
    from an IoU of 0.5 on.

    Parameters
    ----------
    option_order : sequence of int or None
        The order in which the options were shown, as in `Prompt`; letters are mapped back.
    """
    if reading.answer is None:
        outcome: Outcome = "unread" if reading.outcome == "read" else reading.outcome
        return Score(outcome, 0.0)
    match item.answer, reading.answer:
        case ((Choice(right) | Chain(right, _)), (Choice(read) | Chain(read, _))):
            return _score_choice(right, read, option_order)
        case Truth(true), Truth(said):
            return _whole(true == said, f"said {said}")
        case Blanks(right_texts), Blanks(said_texts):
            return _score_blanks(right_texts, said_texts)
        case Box(right_box, _), Box(said_box, _):
            return _score_box(right_box, said_box)
        case Golden() as golden, _:
            return _score_open(item, golden, reading)
        case _:
            return Score("unjudged", 0.0, _unscored(item.answer))


def box_iou(
    first: tuple[float, float, float, float], second: tuple[float, float, float, float]
) -> float:
    """Return the intersection over union of two boxes with exclusive upper corners.

    Areas are products of differences, with no pixel added: on boxes from 0 to 1 an added pixel
    would make disjoint boxes overlap. Two boxes without area have an IoU of 0.

    Examples
    --------
    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = _area(first) + _area(second) - shared
    return shared / union if union > 0 else 0.0


def normalise_blank(text: str) -> str:
    """Fold a fill-in text as options are folded, and drop an article before it.

    Examples
    --------
    >>> normalise_blank("The Lock gate.")
    'lock gate'
    """
    folded = normalise_text(text)
    for article in _ARTICLES:
        if folded.startswith(article):
            return folded[len(article) :]
    return folded


def _whole(is_right: bool, detail: str) -> Score:
    return Score("right", 1.0, detail) if is_right else Score("wrong", 0.0, detail)


def _score_choice(
    right: tuple[int, ...], read: tuple[int, ...], option_order: Sequence[int] | None
) -> Score:
    own = read if option_order is None else tuple(option_order[place] for place in read)
    letters = ", ".join(LETTERS[index] for index in sorted(own))
    return _whole(set(own) == set(right), letters)


def _score_blanks(right: tuple[str, ...], said: tuple[str, ...]) -> Score:
    padded = (*said, *("" for _ in range(len(right) - len(said))))
    hits = sum(
        normalise_blank(true) == normalise_blank(text)
        for true, text in zip(right, padded, strict=False)
    )
    detail = f"{hits} of {len(right)} blanks"
    if 0 < hits < len(right):
        return Score("partial", hits / len(right), detail)
    return _whole(hits == len(right), detail)


def _score_box(
    right: tuple[float, float, float, float], said: tuple[float, float, float, float]
) -> Score:
    iou = box_iou(right, said)
    outcome: Outcome = "right" if iou >= RIGHT_FROM_IOU else "wrong"
    return Score(outcome, 1.0 if outcome == "right" else 0.0, f"IoU {iou:.3f}", iou)


def _score_open(item: Item, golden: Golden, reading: Reading) -> Score:
    is_count = item.question_type == "count"
    closed = item.meta.get("labels")
    labels = [str(label) for label in closed] if isinstance(closed, list) else item.options
    verdict = prejudge(golden, reading, labels=labels, is_count=is_count)
    if verdict is None:
        return Score("unjudged", 0.0, "no rule can decide")
    if 0 < verdict.score < 1:
        return Score("partial", verdict.score, verdict.reason)
    return _whole(verdict.score == 1, verdict.reason)


def _unscored(answer: Answer) -> str:
    return f"{type(answer).__name__.lower()} are not compared here"


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
