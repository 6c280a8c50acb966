"""Turn a prompt into the messages of the chat-completions form."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from earthexam.answers.prompt import Prompt
from earthexam.core.errors import MissingFileError
from earthexam.core.files import inside
from earthexam.models.pictures import Fitted, fit_pictures
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Resize, UnsupportedItemError


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, or a picture in its place."""

    text: str = ""
    picture: Fitted | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What the model is told, files read and pictures fitted.

    Attributes
    ----------
    system : str
        Empty where there is none or the model takes none; then it opens the first piece.
    """

    system: str
    pieces: tuple[Piece, ...]

    @property
    def resizes(self) -> tuple[Resize, ...]:
        """The pictures that were made smaller."""
        fitted = (piece.picture for piece in self.pieces)
        return tuple(one.resize for one in fitted if one is not None and one.resize is not None)

    @property
    def text(self) -> str:
        """All text in order, pictures left out."""
        return "\n".join(filter(None, [self.system, *(piece.text for piece in self.pieces)]))


def compose(prompt: Prompt, root: Path, profile: Profile) -> Message:
    """Read the files that `prompt` names and fit its pictures to `profile`.

    Raises
    ------
    UnsupportedItemError
        The prompt holds an array, or more pictures than the model takes.
    """
    array = next((part.media for part in prompt.parts if part.kind == "array"), None)
    if array is not None:
        message = (
            f"the view {array.view!r} is an array of values, and the model takes text and "
            "pictures; ask other --views, or a python: model"
        )
        raise UnsupportedItemError(message)
    paths = [part.path for part in prompt.parts if part.kind == "picture"]
    pictures = iter(fit_pictures(root, paths, profile))
    pieces: list[Piece] = []
    for part in prompt.parts:
        if part.kind == "picture":
            pieces.append(Piece(picture=next(pictures)))
            continue
        text = read_text(root, part.path) if part.kind == "file_text" else part.text
        if pieces and pieces[-1].picture is None:
            pieces[-1] = Piece(text=f"{pieces[-1].text}\n{text}")
        else:
            pieces.append(Piece(text=text))
    if profile.system_message or not prompt.system:
        return Message(prompt.system, tuple(pieces))
    return Message("", (Piece(text=prompt.system), *pieces))


def chat_messages(message: Message) -> list[dict[str, Any]]:
    """Give the messages as the chat-completions form wants them; plain text without pictures.

    Pictures are fragments that only `orjson.dumps` can write: base64 needs no escaping, so their
    text is neither decoded nor searched.
    """
    system = [{"role": "system", "content": message.system}] if message.system else []
    if all(piece.picture is None for piece in message.pieces):
        text = "\n".join(piece.text for piece in message.pieces)
        return [*system, {"role": "user", "content": text}]
    content: list[dict[str, Any]] = [
        {"type": "text", "text": piece.text}
        if piece.picture is None
        else {
            "type": "image_url",
            "image_url": {"url": orjson.Fragment(b'"%b"' % piece.picture.data_url())},
        }
        for piece in message.pieces
    ]
    return [*system, {"role": "user", "content": content}]


def read_text(root: Path, path: str) -> str:
    """Read a text file of the benchmark."""
    try:
        return inside(root, path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        message = (
            f"{root / path} does not exist; the benchmark lacks media, copy or import it again"
        )
        raise MissingFileError(message) from error
