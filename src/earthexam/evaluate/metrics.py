"""Point estimates: from score rows to one line an item, and from items to accuracy and coverage.

Every item but the ``unsupported`` ones stays in the denominator: an answer that could not be read,
a refusal, a cut or a missing reply count 0, as a wrong answer does. Coverage and the score on
answered items stand beside the headline number and say how much of it is about that.
"""

import math
import warnings
from dataclasses import dataclass, fields

import polars as pl

from earthexam.core.errors import FormatError

RANKED_COVERAGE = 0.98
"""Below this coverage a run gets no rank: too much of its score is about missing replies."""

_CREDITED = ("right", "partial")
_ANSWERED = ("right", "wrong", "partial")
_NEEDED = ("id", "view", "epoch", "order", "task", "group", "outcome", "score", "chance")


class EmptyClassWarning(UserWarning):
    """A number was asked for over no items at all; it is NaN."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many replies ended in each way."""

    right: int = 0
    wrong: int = 0
    partial: int = 0
    unread: int = 0
    refused: int = 0
    truncated: int = 0
    failed: int = 0
    unjudged: int = 0
    unsupported: int = 0

    @property
    def total(self) -> int:
        """All replies, unsupported ones too."""
        return sum(getattr(self, field.name) for field in fields(self))


OUTCOME_NAMES: tuple[str, ...] = tuple(field.name for field in fields(Outcomes))


@dataclass(frozen=True, slots=True)
class Measures:
    """What can be said of a set of items without an interval.

    Attributes
    ----------
    n : int
        Items in the denominator: all but the unsupported ones.
    score : float
        Mean score, 0 to 1, what is neither right nor partial counting 0; NaN without items.
    coverage : float
        Share of items to which a reply came.
    answered_score : float
        Mean score of the items whose answer could be read (right, wrong or partial).
    chance : float
        Expected score of a uniform guess.
    """

    n: int
    score: float
    coverage: float
    answered_score: float
    chance: float
    outcomes: Outcomes

    @property
    def corrected(self) -> float:
        """Score above chance: 0 for a uniform guess, 1 for all right, negative below chance."""
        return chance_corrected(self.score, self.chance)


def chance_corrected(score: float, chance: float) -> float:
    """Rescale a score so that a uniform guess has 0 and a perfect answer 1.

    Examples
    --------
    >>> chance_corrected(0.625, 0.25)
    0.5
    """
    return (score - chance) / (1 - chance) if chance < 1 else math.nan


def is_circular(scores: pl.DataFrame) -> bool:
    """Say whether any item was asked in several option orders (circular evaluation)."""
    if scores.is_empty():
        return False
    orders = scores.group_by("id", "view", "epoch").agg(pl.col("order").n_unique())
    return int(orders.get_column("order").max()) > 1  # type: ignore[arg-type]


def average_items(scores: pl.DataFrame) -> pl.DataFrame:
    """Reduce the score table to one row an item and view.

    An item asked in several option orders is right in an epoch only if it is right in every order
    (circular evaluation: Liu et al. 2023, MMBench, arXiv:2307.06281); its chance is the product of
    the chances. Epochs are averaged after that, so that repeating a question adds no weight.

    Parameters
    ----------
    scores : DataFrame
        Score table with the columns of ``evaluate.folder.SCORE_COLUMNS``.

    Returns
    -------
    DataFrame
        Sorted by view and id; columns ``view``, ``id``, ``task``, ``group``, ``score`` (null for an
        unsupported item), ``chance``, ``epochs`` (supported ones), ``replied`` and ``answered``
        (epochs), ``answered_score`` (their sum) and one count of replies for each outcome.

    Raises
    ------
    FormatError
        A column is missing, or an outcome has an unknown name.
    """
    _check_table(scores)
    supported = pl.col("supported")
    return (
        _join_orders(scores)
        .group_by("view", "id")
        .agg(
            pl.col("task", "group").first(),
            pl.col("credit").filter(supported).mean().alias("score"),
            pl.col("chance").mean(),
            supported.sum().alias("epochs"),
            (supported & pl.col("replied")).sum().alias("replied"),
            (supported & pl.col("answered")).sum().alias("answered"),
            pl.col("credit").filter(supported & pl.col("answered")).sum().alias("answered_score"),
            *(pl.col(name).sum() for name in OUTCOME_NAMES),
        )
        .sort("view", "id")
    )


def measure(items: pl.DataFrame, what: str = "the selection") -> Measures:
    """Compute the measures of a set of items, each item having the same weight.

    Parameters
    ----------
    items : DataFrame
        Rows of `average_items`.
    what : str
        What the set is called in the warning.

    Warns
    -----
    EmptyClassWarning
        There are no items: score, coverage and chance are NaN. They are NaN too where every item is
        unsupported, but then the outcomes say so.
    """
    counted = items.drop_nulls("score")
    outcomes = Outcomes(**{name: int(items[name].sum()) for name in OUTCOME_NAMES})
    if items.is_empty():
        message = f"{what} holds no items; its score is NaN"
        warnings.warn(message, EmptyClassWarning, stacklevel=2)
    if counted.is_empty():
        return Measures(0, math.nan, math.nan, math.nan, math.nan, outcomes)
    epochs, answered = int(counted["epochs"].sum()), int(counted["answered"].sum())
    return Measures(
        n=counted.height,
        score=_mean(counted["score"]),
        coverage=int(counted["replied"].sum()) / epochs,
        answered_score=float(counted["answered_score"].sum()) / answered if answered else math.nan,
        chance=_mean(counted["chance"]),
        outcomes=outcomes,
    )


def micro_average(items: pl.DataFrame) -> float:
    """Average the score over items: every item weighs the same."""
    return measure(items, "the micro average").score


def macro_average(items: pl.DataFrame) -> float:
    """Average the score over tasks: every task with supported items weighs the same."""
    counted = items.drop_nulls("score")
    if counted.is_empty():
        return measure(items, "the macro average").score
    return _mean(counted.group_by("task").agg(pl.col("score").mean())["score"])


def _check_table(scores: pl.DataFrame) -> None:
    missing = [name for name in _NEEDED if name not in scores.columns]
    if missing:
        message = f"the score table lacks the columns {', '.join(missing)}; score the run again"
        raise FormatError(message)
    unknown = set(scores["outcome"].unique().to_list()) - set(OUTCOME_NAMES)
    if unknown:
        message = (
            f"the score table has the outcome {sorted(map(str, unknown))[0]!r}; "
            f"expected one of {', '.join(OUTCOME_NAMES)}; score the run again"
        )
        raise FormatError(message)


def _join_orders(scores: pl.DataFrame) -> pl.DataFrame:
    outcome = pl.col("outcome")
    counted = pl.when(outcome.is_in(_CREDITED)).then(pl.col("score")).otherwise(0.0)
    return (
        scores.with_columns(counted.alias("credit"))
        .group_by("view", "id", "epoch")
        .agg(
            pl.col("task", "group").first(),
            pl.when(pl.len() == 1)
            .then(pl.col("credit").first())
            .otherwise((pl.col("credit") >= 1).all().cast(pl.Float64))
            .alias("credit"),
            pl.col("chance").product(),
            (outcome != "unsupported").all().alias("supported"),
            (outcome != "failed").all().alias("replied"),
            outcome.is_in(_ANSWERED).all().alias("answered"),
            *((outcome == name).sum().cast(pl.Int64).alias(name) for name in OUTCOME_NAMES),
        )
    )


def _mean(column: pl.Series) -> float:
    return float(column.mean())  # type: ignore[arg-type]
