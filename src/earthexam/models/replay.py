"""Answer from the replies of an earlier run: score again, or test, without asking a model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.models import MODELS
from earthexam.models.options import ModelOptions
from earthexam.models.protocol import FaultError, Key, Model, Reply, Request, Resize, Usage


class ReplayModel:
    """Gives the stored reply of each key.

    Raises
    ------
    MissingFileError, FormatError
        `folder` is no run, or a line of it is no reply.
    """

    revision = ""
    endpoint_kind = "replay"

    def __init__(self, folder: Path) -> None:
        self.name = f"replay/{folder}"
        self._replies = _read(folder / "replies.jsonl")

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """None of its own."""
        return {}

    async def ask(self, request: Request) -> Reply:
        """Look the reply up."""
        if request.key not in self._replies:
            message = f"{self.name} holds no reply for {request.key}"
            raise FaultError(message, "permanent")
        return self._replies[request.key]

    async def close(self) -> None:
        """Hold nothing, free nothing."""


@MODELS.add("replay")
def open_replay(name: str, options: ModelOptions) -> Model:
    """Open ``replay/FOLDER``."""
    return ReplayModel(Path(name))


def _read(path: Path) -> dict[Key, Reply]:
    if not path.is_file():
        message = f"{path} does not exist; replay/RUN needs the folder of an earlier run"
        raise MissingFileError(message)
    replies: dict[Key, Reply] = {}
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                record = orjson.loads(line)
                if record["status"] == "replied":
                    key = Key(record["id"], record["view"], record["epoch"], record["order"])
                    replies[key] = _reply(record)
            except (orjson.JSONDecodeError, LookupError, TypeError) as error:
                message = f"{path}, line {number}: {error!r}; expected one reply as JSON a line"
                raise FormatError(message) from error
    return replies


def _reply(record: dict[str, Any]) -> Reply:
    """Make the reply again; its money was spent in the earlier run."""
    return Reply(
        text=record["text"],
        finish_reason=record["finish_reason"],
        usage=Usage(record["input_tokens"], record["output_tokens"]),
        model=record["model"],
        cached=True,
        resizes=tuple(Resize(*resize) for resize in record["resizes"]),
    )
