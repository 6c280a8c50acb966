"""How a model answers choice questions beside being right: abstaining, staying unread, one answer."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
import polars as pl

from earthexam.core.item import LETTERS, Item

_UNREAD = ("unread", "truncated")
_FEWEST_FOR_ONE_ANSWER = 5


@dataclass(frozen=True, slots=True)
class ChoiceRates:
    """Shares of a set of choice replies, 0 to 1; NaN for an empty set.

    Attributes
    ----------
    n : int
        Replies in the denominator: all but the unsupported ones.
    accuracy : float
        Share of right answers.
    unable : float
        Share that chose the option that abstains, or refused in words.
    unread : float
        Share of replies that came and gave no answer.
    failed : float
        Share without a reply.
    answered_accuracy : float
        Share of right answers among those that neither abstained nor stayed unread.
    """

    n: int
    accuracy: float
    unable: float
    unread: float
    failed: float
    answered_accuracy: float


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Signs that a model does not look: refusals, tasks without a hit, tasks with one answer.

    Attributes
    ----------
    abstained : int
        Replies that abstained or refused.
    zero_tasks : tuple of str
        Tasks without one right answer.
    one_answer_tasks : tuple of (str, str)
        Task and letters, where all readable answers (five or more) are the same though the keys are
        not.
    """

    abstained: int
    zero_tasks: tuple[str, ...]
    one_answer_tasks: tuple[tuple[str, str], ...]


def choice_scores(scores: pl.DataFrame, items: Mapping[str, Item]) -> pl.DataFrame:
    """Keep the supported rows of choice items, with the columns ``abstained`` and ``letters``."""
    own = [
        row
        for row in scores.iter_rows(named=True)
        if row["outcome"] != "unsupported"
        and items[row["id"]].format in ("single_choice", "multiple_choice")
    ]
    letters = ["".join(orjson.loads(row["answer"])) if row["answer"] else "" for row in own]
    abstained = [
        row["outcome"] == "refused" or (said != "" and said == _unable(items[row["id"]]))
        for row, said in zip(own, letters, strict=True)
    ]
    frame = pl.DataFrame(own, schema=scores.schema)
    return frame.with_columns(
        pl.Series("letters", letters, dtype=pl.String),
        pl.Series("abstained", abstained, dtype=pl.Boolean),
    )


def choice_rates(choices: pl.DataFrame) -> ChoiceRates:
    """Work out the rates of rows of `choice_scores`."""
    n = choices.height
    if not n:
        return ChoiceRates(0, math.nan, math.nan, math.nan, math.nan, math.nan)
    unread = choices["outcome"].is_in(_UNREAD)
    failed = choices["outcome"] == "failed"
    answered = choices.filter(~(choices["abstained"] | unread | failed))
    return ChoiceRates(
        n=n,
        accuracy=float(choices["score"].sum()) / n,
        unable=int(choices["abstained"].sum()) / n,
        unread=int(unread.sum()) / n,
        failed=int(failed.sum()) / n,
        answered_accuracy=float(answered["score"].sum()) / answered.height
        if answered.height
        else math.nan,
    )


def rates_by_task(choices: pl.DataFrame) -> dict[str, ChoiceRates]:
    """Work out the rates of every task, sorted by code."""
    tasks = sorted(choices["task"].unique().to_list())
    return {task: choice_rates(choices.filter(pl.col("task") == task)) for task in tasks}


def behaviour(choices: pl.DataFrame, items: Mapping[str, Item]) -> Behaviour:
    """Look for signs that a model answers without looking."""
    zero, one = [], []
    for task in sorted(choices["task"].unique().to_list()):
        own = choices.filter(pl.col("task") == task)
        if float(own["score"].sum()) == 0:
            zero.append(task)
        said = own.filter(pl.col("letters") != "")["letters"].to_list()
        if len(said) >= _FEWEST_FOR_ONE_ANSWER and len(set(said)) == 1 and _keys_vary(own, items):
            one.append((task, said[0]))
    return Behaviour(int(choices["abstained"].sum()), tuple(zero), tuple(one))


def _unable(item: Item) -> str:
    place = item.meta.get("unable")
    return LETTERS[place] if isinstance(place, int) else ""


def _keys_vary(own: pl.DataFrame, items: Mapping[str, Item]) -> bool:
    names: Sequence[str] = own["id"].to_list()
    return len({items[name].answer for name in names}) > 1
