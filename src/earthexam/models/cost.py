"""Estimate tokens and money before anything is asked."""

from collections.abc import Iterable
from dataclasses import dataclass

from earthexam.core.errors import MissingFileError
from earthexam.core.files import inside
from earthexam.models.pictures import picture_size
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Request, Usage

BYTES_PER_TOKEN = 3.5
"""English prose has 4 to 4.5 bytes a token in current vocabularies, numbers and tables fewer."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will ask, and at most cost.

    Attributes
    ----------
    most_output_tokens : int
        Every reply as long as allowed.
    most_usd : float
        0 where the profile has no price.
    """

    requests: int = 0
    pictures: int = 0
    input_tokens: int = 0
    most_output_tokens: int = 0
    most_usd: float = 0.0


def estimate(request: Request, profile: Profile) -> Usage:
    """Estimate the tokens of one request and the most it may cost."""
    tokens = len(request.prompt.system.encode()) / BYTES_PER_TOKEN
    for part in request.prompt.parts:
        if part.kind == "picture":
            tokens += profile.picture_tokens(*_size(request, part.path))
        elif part.kind == "file_text":
            tokens += _bytes_of(request, part.path) / BYTES_PER_TOKEN
        elif part.kind == "text":
            tokens += len(part.text.encode()) / BYTES_PER_TOKEN
    output = profile.reply_tokens or request.prompt.max_tokens
    return Usage(round(tokens), output, profile.usd(tokens, output))


def estimate_all(requests: Iterable[Request], profile: Profile) -> Estimate:
    """Add up the estimates of many requests, one in memory at a time."""
    total = Estimate()
    for request in requests:
        one = estimate(request, profile)
        pictures = sum(part.kind == "picture" for part in request.prompt.parts)
        total = Estimate(
            requests=total.requests + 1,
            pictures=total.pictures + pictures,
            input_tokens=total.input_tokens + one.input_tokens,
            most_output_tokens=total.most_output_tokens + one.output_tokens,
            most_usd=total.most_usd + one.usd,
        )
    return total


def _bytes_of(request: Request, path: str) -> int:
    file = inside(request.root, path)
    if not file.is_file():
        message = f"{file} does not exist; the benchmark lacks media, copy or import it again"
        raise MissingFileError(message)
    return file.stat().st_size


def _size(request: Request, path: str) -> tuple[int, int]:
    for media in request.item.media:
        if media.path == path and media.width and media.height:
            return media.width, media.height
    return picture_size(inside(request.root, path))
