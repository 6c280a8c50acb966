"""Map a box from where the model counts its coordinates back to the stored picture."""

from dataclasses import dataclass
from typing import TypeAlias

from earthexam.benchmark.store import Benchmark
from earthexam.core.files import inside
from earthexam.core.item import Item
from earthexam.evaluate.folder import ReplyRecord
from earthexam.models.pictures import picture_size
from earthexam.models.profiles import Profile

Corners: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a model counts, and how that lies over the stored picture.

    Attributes
    ----------
    size : (float, float)
        Width and height of the frame the convention counts on, in pixels.
    offset : (float, float)
        Left and upper padding of the picture in the frame, in frame pixels.
    scale : (float, float)
        Frame pixels for one stored pixel, across and down.
    """

    size: tuple[int, int]
    offset: tuple[float, float]
    scale: tuple[float, float]

    @classmethod
    def of(cls, item: Item, record: ReplyRecord, profile: Profile, benchmark: Benchmark) -> "Frame":
        """Find the frame of the first picture that was shown: stored, sent, then as the model sees it."""
        path = record.shown[0]
        width, height = _stored_size(item, path, benchmark)
        across, down = next(((x, y) for name, x, y in record.resizes if name == path), (1.0, 1.0))
        sent = round(width * across), round(height * down)
        if profile.frame == "square":
            side = max(sent)
            padding = (side - sent[0]) / 2, (side - sent[1]) / 2
            return cls((side, side), padding, (sent[0] / width, sent[1] / height))
        if profile.side_multiple is not None:
            sent = (
                _rounded(sent[0], profile.side_multiple),
                _rounded(sent[1], profile.side_multiple),
            )
        return cls(sent, (0.0, 0.0), (sent[0] / width, sent[1] / height))

    def to_stored(self, box: Corners) -> Corners:
        """Turn a box in frame pixels into one in pixels of the stored picture."""
        left, top, right, bottom = box
        return (
            (left - self.offset[0]) / self.scale[0],
            (top - self.offset[1]) / self.scale[1],
            (right - self.offset[0]) / self.scale[0],
            (bottom - self.offset[1]) / self.scale[1],
        )


def _rounded(side: int, multiple: int) -> int:
    return max(multiple, round(side / multiple) * multiple)


def _stored_size(item: Item, path: str, benchmark: Benchmark) -> tuple[int, int]:
    for media in item.media:
        if media.path == path and media.width and media.height:
            return media.width, media.height
    return picture_size(inside(benchmark.root, path))
