"""How the user wants a model to be asked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from earthexam.models.profiles import Profile

WaitListener: TypeAlias = Callable[[float, str], None]


def ignore_wait(seconds: float, reason: str) -> None:
    """Take no notice that a request waits."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What `open_model` needs besides the name.

    Attributes
    ----------
    profile : Profile
        What the model can take and how it counts coordinates.
    base_urls : tuple of str
        Servers used side by side; empty takes the preset's own.
    concurrency : int
        Most requests on their way at once.
    timeout_s : float
        Longest wait for one reply.
    patience_s : float
        Longest time spent on one request with all its repetitions; then it has failed.
    temperature, max_tokens : float, int or None
        Override what the prompt style asks for.
    seed : int or None
        Seed of the waiting times between tries; None draws them anew every time.
    remote_code : bool
        Let code that comes with the weights run.
    dtype, device_map, batch_size : str, str, int
        For local weights.
    on_wait : callable
        Told the seconds and the reason whenever a request has to wait.
    """

    profile: Profile = field(default_factory=Profile)
    base_urls: tuple[str, ...] = ()
    concurrency: int = 16
    timeout_s: float = 300.0
    patience_s: float = 900.0
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    remote_code: bool = False
    dtype: str = "auto"
    device_map: str = "auto"
    batch_size: int = 1
    on_wait: WaitListener = ignore_wait
