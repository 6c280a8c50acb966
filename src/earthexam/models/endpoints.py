"""Several servers side by side: the least busy living one is asked, a dead one rests."""

import time
from dataclasses import dataclass

_FIRST_REST_S = 1.0
_LONGEST_REST_S = 60.0


@dataclass(slots=True)
class Endpoint:
    """One server and how it does."""

    url: str
    under_way: int = 0
    served: int = 0
    failures: int = 0
    rests_until: float = 0.0

    def failed(self) -> None:
        """Let the server rest, twice as long after each failure in a row."""
        self.failures += 1
        rest = min(_LONGEST_REST_S, _FIRST_REST_S * 2.0 ** (self.failures - 1))
        self.rests_until = time.monotonic() + rest

    def replied(self) -> None:
        """Note that the server lives."""
        self.served += 1
        self.failures = 0
        self.rests_until = 0.0


class Endpoints:
    """Chooses the server for each request.

    Parameters
    ----------
    urls : tuple of str
        Base URLs, at least one.
    """

    def __init__(self, urls: tuple[str, ...]) -> None:
        self._all = [Endpoint(url) for url in urls]

    def choose(self) -> Endpoint:
        """Return the living server with the fewest requests under way, equals in turn.

        When all rest, the one whose rest ends first is asked again.
        """
        now = time.monotonic()
        living = [endpoint for endpoint in self._all if endpoint.rests_until <= now]
        if not living:
            return min(self._all, key=lambda endpoint: endpoint.rests_until)
        return min(living, key=lambda endpoint: (endpoint.under_way, endpoint.served))
