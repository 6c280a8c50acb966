"""How fast to ask: fewer requests at once when the server complains, more when it copes."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_LEAST = 1.0
_SLOWER = 0.7
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0


class Pace:
    """A limit on requests under way that falls by 30 % on overload and grows back by one a round.

    Additive increase, multiplicative decrease, as in TCP congestion control (Jacobson 1988). A
    burst of complaints counts once: after a fall, as many replies as were then under way must end
    before the next fall.
    """

    def __init__(self, most: int) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._under_way = 0
        self._grace = 0
        self._turn = asyncio.Condition()

    @property
    def limit(self) -> int:
        """Requests that may be under way at once."""
        return int(self._limit)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until another request may start, and count it until the block ends."""
        async with self._turn:
            while self._under_way >= self.limit:
                await self._turn.wait()
            self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            async with self._turn:
                self._turn.notify(2)  # two, so that a limit that has grown is also filled

    def overloaded(self) -> None:
        """Note that the server said it is asked too fast."""
        if self._grace > 0:
            self._grace -= 1
            return
        self._grace = self._under_way
        self._limit = max(_LEAST, self._limit * _SLOWER)

    def went_well(self) -> None:
        """Note that a reply came."""
        self._grace = max(0, self._grace - 1)
        self._limit = min(self._most, self._limit + 1.0 / self._limit)


def wait_before_retry(attempt: int, asked_for_s: float | None, chance: random.Random) -> float:
    """Return the seconds to wait before the next try.

    The server's own wish (Retry-After) is a lower bound, with up to 10 % more so that many clients
    do not come back together; without one, a full-jitter exponential time, 0.5 s doubling to 60 s.

    Parameters
    ----------
    attempt : int
        Tries made so far, from 1.
    """
    if asked_for_s is not None:
        return asked_for_s * (1.0 + 0.1 * chance.random())
    ceiling = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (attempt - 1))
    return ceiling * (0.1 + 0.9 * chance.random())
