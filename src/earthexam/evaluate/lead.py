"""Accuracy against how far ahead a forecast question asks."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from earthexam.core.item import Item


@dataclass(frozen=True, slots=True)
class LeadRow:
    """Score of one forecast task at one lead.

    Attributes
    ----------
    months : int
        Lead of the forecast.
    score, chance : float
        Means over the questions, 0 to 1.
    """

    task: str
    months: int
    n: int
    score: float
    chance: float


def scores_by_lead(scores: pl.DataFrame, items: Mapping[str, Item]) -> tuple[LeadRow, ...]:
    """Average the supported rows whose item says its lead (``meta.lead_months``), by task and lead."""
    leads = [items[name].meta.get("lead_months") for name in scores["id"].to_list()]
    frame = (
        scores.with_columns(pl.Series("months", leads, dtype=pl.Int64, strict=False))
        .filter((pl.col("outcome") != "unsupported") & pl.col("months").is_not_null())
        .group_by("task", "months")
        .agg(pl.len().alias("n"), pl.col("score").mean(), pl.col("chance").mean())
        .sort("task", "months")
    )
    return tuple(LeadRow(**row) for row in frame.iter_rows(named=True))
