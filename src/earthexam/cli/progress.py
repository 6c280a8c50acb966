"""The progress line of a run, on stderr."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from earthexam.evaluate.folder import ReplyRecord
    from earthexam.evaluate.reply_log import Tally

_REFRESH_S = 0.1


class Display:
    """Shows done, rate, tokens, money, time left, and what is waited for and why."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._waiting = ""
        self._waits_until = 0.0
        self._drawn = 0.0

    def began(self, total: int, tally: "Tally") -> None:
        """Show the bar, with what an earlier run already has."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=total, rate="", note="")
        self._bar.update(self._task, completed=len(tally.finished))
        self._bar.start()

    def replied(self, record: "ReplyRecord", tally: "Tally") -> None:
        """Count one more, drawn at most ten times a second."""
        now = time.monotonic()
        if now - self._drawn >= _REFRESH_S:
            self._drawn = now
            self._draw(tally)

    def waits(self, seconds: float, reason: str) -> None:
        """Show that a request waits, and why."""
        self._waits_until = max(self._waits_until, time.monotonic() + seconds)
        self._waiting = f"waiting {seconds:.0f} s ({reason[:80]})"

    def ended(self, tally: "Tally") -> None:
        """Draw the last state and leave it standing."""
        if self._bar is not None:
            self._draw(tally)
            self._bar.stop()

    def _draw(self, tally: "Tally") -> None:
        if self._bar is None or self._task is None:
            return
        done = len(tally.finished) + len(tally.failed)
        notes = [f"{(tally.input_tokens + tally.output_tokens) / 1000:.0f}k tokens"]
        if tally.usd:
            notes.append(f"{tally.usd:.2f} USD")
        if tally.failed:
            notes.append(f"{len(tally.failed)} failed")
        if time.monotonic() < self._waits_until:
            notes.append(self._waiting)
        speed = self._bar.tasks[0].speed
        self._bar.update(
            self._task,
            completed=done,
            rate=f"{speed:.1f}/s" if speed else "",
            note=" · ".join(notes),
        )
