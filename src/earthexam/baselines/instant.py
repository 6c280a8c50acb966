"""A model that answers from the request alone, at once and for nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from earthexam.models.protocol import Reply, Request


@dataclass(frozen=True, slots=True)
class InstantModel:
    """Wraps a function from request to reply text.

    Attributes
    ----------
    decide : callable
        Raises `UnsupportedItemError` for items it has no answer to.
    seed : int
        Recorded in the run.
    """

    name: str
    decide: Callable[[Request], str]
    seed: int
    revision: str = ""
    endpoint_kind: str = "baseline"

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """The seed."""
        return {"seed": self.seed}

    async def ask(self, request: Request) -> Reply:
        """Answer at once."""
        return Reply(text=self.decide(request))

    async def close(self) -> None:
        """Hold nothing, free nothing."""


def option_at(request: Request, place: int) -> str:
    """Return the text of the option shown at `place`, 0-based."""
    return request.item.options[request.prompt.option_order[place]]
