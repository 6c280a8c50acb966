"""Progress bars of named steps, on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def step_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Give a function (step, done, total) that shows one bar a step; redrawn ten times a second."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        refresh_per_second=10,
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def show(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            bar.update(tasks[step], completed=done, total=total)

        yield show
