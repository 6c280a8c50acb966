"""What a model is: something that takes a request and gives a reply, or says why not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from earthexam.answers.prompt import Prompt
from earthexam.core.errors import ModelError
from earthexam.core.item import Item, View

FaultKind: TypeAlias = Literal["retryable", "permanent", "fatal"]


@dataclass(frozen=True, slots=True)
class Key:
    """What names one reply of a run.

    Attributes
    ----------
    view : View or ""
        The view shown; empty in a blind run.
    epoch : int
        0-based repetition of the same request.
    order : int
        Number of the option order: 0 is the item's own, k rotates the options by k places.
    """

    id: str
    view: View | Literal[""]
    epoch: int = 0
    order: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one model.

    Attributes
    ----------
    item : Item
        As a model may see it (`benchmark.store.redacted`): no key, no evidence, no labels.
    prompt : Prompt
        The text and pictures in order, for models that read prompts.
    root : Path
        Benchmark folder that the media paths of `item` and `prompt` start from.
    """

    key: Key
    item: Item
    prompt: Prompt
    root: Path


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply and what they cost, 0 where nobody said."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Resize:
    """A picture that was shown smaller than it is: shown size divided by own size."""

    path: str
    factor_x: float
    factor_y: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes
    ----------
    finish_reason : str
        As the server gave it; ``length`` means that it cut the reply.
    model : str
        Name that the server answered under; empty where it gave none.
    resizes : tuple of Resize
        Pictures shown at another size than stored; boxes are mapped back with them.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: int = 1
    model: str = ""
    cached: bool = False
    resizes: tuple[Resize, ...] = ()


class FaultError(ModelError):
    """No reply came.

    ``retryable`` faults may pass (429, 408, 5xx, connection, time-out), ``permanent`` ones concern
    this request only, ``fatal`` ones concern every request (a wrong key, an unknown model) and stop
    the run.
    """

    def __init__(
        self,
        message: str,
        kind: FaultKind,
        *,
        retry_after_s: float | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.attempts = attempts


class UnsupportedItemError(ModelError):
    """The model cannot take this item (no cube, too many pictures); outcome ``unsupported``."""


class Model(Protocol):
    """Anything that answers requests.

    Attributes
    ----------
    name : str
        As given on the command line, for example ``openai/gpt-5``.
    revision : str
        Version of the weights or the served model; empty where unknown.
    endpoint_kind : str
        ``local``, ``http``, ``baseline``, ``python`` or ``replay``.
    parameters : mapping
        What shapes its replies (temperature, most tokens…), recorded in the run.
    """

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def revision(self) -> str:
        """Version of the weights or the served model."""

    @property
    def endpoint_kind(self) -> str:
        """How it is reached."""

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """What shapes the replies, recorded in the run."""

    async def ask(self, request: Request) -> Reply:
        """Answer one request.

        Raises
        ------
        FaultError
            No reply came.
        UnsupportedItemError
            The model cannot take the item.
        """

    async def close(self) -> None:
        """Free what the model holds."""
