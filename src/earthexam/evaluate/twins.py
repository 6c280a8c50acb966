"""Put choice questions and their open-ended twins side by side."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Item
from earthexam.evaluate.folder import Run


@dataclass(frozen=True, slots=True)
class TwinRow:
    """One task asked both ways; shares from 0 to 1.

    Attributes
    ----------
    n : int
        Pairs, or open questions where no twin names its parent.
    choice, chance : float
        Accuracy on the choice questions and of a uniform guess.
    open_mean, open_strict : float
        Mean score of the open questions, and share with score 1.
    unjudged : float
        Share of open replies that nobody decided; they count 0.
    """

    task: str
    n: int
    choice: float
    chance: float
    open_mean: float
    open_strict: float
    unjudged: float


def compare_twins(
    choice: tuple[Run, Benchmark], spoken: tuple[Run, Benchmark]
) -> tuple[TwinRow, ...]:
    """Compare a run on choice questions with one on their open-ended twins, task by task.

    Twins that name their parent are paired with it; others are compared by task alone. The last row,
    with an empty task, is the mean over tasks.

    Raises
    ------
    InputError
        The two share no task.
    """
    first, second = _rows(*choice, "choice"), _rows(*spoken, "open")
    parents = _parents(spoken[1].by_id)
    if parents:
        second = second.with_columns(
            pl.col("id").replace_strict(parents, default=None, return_dtype=pl.String).alias("pair")
        )
        both = set(second["pair"].drop_nulls()) & set(first["id"])
        first = first.filter(pl.col("id").is_in(both))
        second = second.filter(pl.col("pair").is_in(both))
    tasks = sorted(set(first["task"]) & set(second["task"]))
    if not tasks:
        message = (
            f"{choice[0].root} and {spoken[0].root} share no question; expected a run on choice "
            "questions and one on their open-ended twins"
        )
        raise InputError(message)
    rows = [_row(task, first.filter(task=task), second.filter(task=task)) for task in tasks]
    return (*rows, _mean_row(rows))


def _rows(run: Run, benchmark: Benchmark, kind: str) -> pl.DataFrame:
    formats = ("open",) if kind == "open" else ("single_choice", "multiple_choice")
    ids = [item.id for item in benchmark.items if item.format in formats]
    return run.scores().filter(pl.col("id").is_in(ids) & (pl.col("outcome") != "unsupported"))


def _parents(items: Mapping[str, Item]) -> dict[str, str]:
    return {name: str(item.meta["parent"]) for name, item in items.items() if "parent" in item.meta}


def _row(task: str, choice: pl.DataFrame, spoken: pl.DataFrame) -> TwinRow:
    n = spoken.height
    return TwinRow(
        task=task,
        n=n,
        choice=_share(choice, pl.col("score")),
        chance=_share(choice, pl.col("chance")),
        open_mean=_share(spoken, pl.col("score")),
        open_strict=_share(spoken, pl.col("score") >= 1),
        unjudged=_share(spoken, pl.col("outcome") == "unjudged"),
    )


def _share(rows: pl.DataFrame, value: pl.Expr) -> float:
    return float(rows.select(value.cast(pl.Float64).mean()).item())


def _mean_row(rows: list[TwinRow]) -> TwinRow:
    def mean(name: str) -> float:
        return math.fsum(getattr(row, name) for row in rows) / len(rows)

    names = ("choice", "chance", "open_mean", "open_strict", "unjudged")
    return TwinRow("", sum(row.n for row in rows), *(mean(name) for name in names))
