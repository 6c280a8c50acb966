"""Find out whether a model sees pictures in the order sent, and how it counts coordinates."""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from PIL import Image, ImageDraw

from earthexam.answers.extract import Expected, read_reply
from earthexam.answers.prompt import Style, build_prompt
from earthexam.answers.reading import Convention, CornerOrder
from earthexam.answers.score import box_iou
from earthexam.core.item import Box, Choice, Item, Media
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Key, Model, Request

_RED, _BLUE, _GREY = (220, 30, 30), (30, 60, 220), (200, 200, 200)
_SIZE = (640, 480)
# Off centre and off the diagonal, so that no two conventions or corner orders fit it alike.
_TARGET: Final = (352.0, 60.0, 608.0, 180.0)
_HOLDS = 0.5


@dataclass(frozen=True, slots=True)
class OrderFinding:
    """Whether the model named the red one of two pictures, red first and red second.

    Attributes
    ----------
    replies : tuple of str
        What it said to each.
    """

    right: tuple[bool, ...]
    replies: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Both were right: a model that always says the same is not."""
        return all(self.right)


@dataclass(frozen=True, slots=True)
class BoxFinding:
    """How well the box in the reply fits the red rectangle under each convention.

    Attributes
    ----------
    overlaps : tuple of (convention, corner order, IoU)
        Best first; empty where no box could be read.
    """

    declared: tuple[Convention, CornerOrder]
    overlaps: tuple[tuple[Convention, CornerOrder, float], ...]
    reply: str

    @property
    def overlap(self) -> float:
        """The overlap under the declared convention."""
        return next((iou for *names, iou in self.overlaps if tuple(names) == self.declared), 0.0)

    @property
    def holds(self) -> bool:
        """The declared convention gives an overlap of at least 0.5."""
        return self.overlap >= _HOLDS


async def probe_order(model: Model, style: Style, profile: Profile) -> OrderFinding:
    """Show a red and a blue picture in both orders and ask which one is red."""
    right, replies = [], []
    for place in (0, 1):
        with _shown([_BLUE if place else _RED, _RED if place else _BLUE]) as (root, media):
            item = _item("Which image is red?", ("Image 1", "Image 2"), Choice((place,)), media)
            reply = await model.ask(_request(item, root, style, profile))
        reading = read_reply(reply.text, Expected.of(item, finish_reason=reply.finish_reason))
        right.append(reading.answer == item.answer)
        replies.append(reply.text)
    return OrderFinding(tuple(right), tuple(replies))


async def probe_box(model: Model, style: Style, profile: Profile) -> BoxFinding:
    """Show a red rectangle on grey, ask for its box, and try every convention on the reply."""
    with _shown([None]) as (root, media):
        item = _item("Where is the red rectangle?", (), Box(_TARGET), media)
        reply = await model.ask(_request(item, root, style, profile))
    found = []
    for convention in get_args(Convention):
        for order in get_args(CornerOrder):
            expected = Expected.of(item, convention=convention, order=order, size=_SIZE)
            answer = read_reply(reply.text, expected).answer
            if isinstance(answer, Box):
                found.append((convention, order, box_iou(answer.box, _TARGET)))
    found.sort(key=lambda entry: -entry[2])
    return BoxFinding((profile.convention, profile.order), tuple(found), reply.text)


def _item(
    question: str, options: tuple[str, ...], answer: Choice | Box, media: tuple[Media, ...]
) -> Item:
    return Item(
        id="probe",
        task="probe",
        levels=(),
        format="single_choice" if options else "grounding",
        question_type="choice" if options else "box",
        question=question,
        options=options,
        answer=answer,
        media=media,
        group="probe",
        source="probe",
    )


def _request(item: Item, root: Path, style: Style, profile: Profile) -> Request:
    prompt = build_prompt(item, "image", style, convention=profile.convention, order=profile.order)
    return Request(Key(item.id, "image"), item, prompt, root)


@contextmanager
def _shown(
    colours: list[tuple[int, int, int] | None],
) -> Iterator[tuple[Path, tuple[Media, ...]]]:
    """Write one picture a colour; None is the grey one with the red rectangle."""
    with tempfile.TemporaryDirectory() as folder:
        media = []
        for number, colour in enumerate(colours):
            path = Path(folder) / f"{number}.png"
            path.write_bytes(_picture(colour))
            media.append(Media("image", path.name, width=_SIZE[0], height=_SIZE[1]))
        yield Path(folder), tuple(media)


def _picture(colour: tuple[int, int, int] | None) -> bytes:
    picture = Image.new("RGB", _SIZE, colour or _GREY)
    if colour is None:
        x0, y0, x1, y1 = _TARGET
        ImageDraw.Draw(picture).rectangle((x0, y0, x1 - 1, y1 - 1), fill=_RED)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()
