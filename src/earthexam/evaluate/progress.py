"""What a run tells whoever watches it."""

from typing import Protocol

from earthexam.evaluate.folder import ReplyRecord
from earthexam.evaluate.reply_log import Tally


class Progress(Protocol):
    """Watches a run."""

    def began(self, total: int, tally: Tally) -> None:
        """Hear how many requests there are and what an earlier run already has."""

    def replied(self, record: ReplyRecord, tally: Tally) -> None:
        """Hear of one more reply or failure."""

    def ended(self, tally: Tally) -> None:
        """Hear that no more comes."""


class Silence:
    """Watches and says nothing."""

    def began(self, total: int, tally: Tally) -> None:
        """Take no notice."""

    def replied(self, record: ReplyRecord, tally: Tally) -> None:
        """Take no notice."""

    def ended(self, tally: Tally) -> None:
        """Take no notice."""
