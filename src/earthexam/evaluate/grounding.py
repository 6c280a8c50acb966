"""Sum up the boxes of a run: mean IoU and the share of boxes above each threshold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Overlaps at which OmniEarth-Bench (arXiv:2505.23522) counts a box as found."""

_NO_BOX = ("unread", "refused", "truncated")


@dataclass(frozen=True, slots=True)
class GroundingSummary:
    """What a set of boxes came to; shares from 0 to 1, NaN for an empty set.

    Attributes
    ----------
    n : int
        Items that the model could take; a reply without a box counts with an overlap of 0.
    mean_iou : float
        Mean overlap, intersection over union.
    accuracy : tuple of (float, float)
        Threshold, and the share of items whose overlap reaches it.
    unread : float
        Share of replies that came and held no box.
    failed : float
        Share of items without a reply.
    """

    n: int
    mean_iou: float
    accuracy: tuple[tuple[float, float], ...]
    unread: float
    failed: float


def summarise_boxes(scores: pl.DataFrame) -> GroundingSummary:
    """Summarise the grounding rows of a score table.

    Parameters
    ----------
    scores : DataFrame
        Rows with the columns ``outcome`` and ``iou``; no overlap (null) counts 0.
    """
    counted = scores.filter(pl.col("outcome") != "unsupported")
    overlaps = counted["iou"].fill_null(0.0).to_list()
    outcomes = counted["outcome"].to_list()
    return GroundingSummary(
        n=len(overlaps),
        mean_iou=_mean(overlaps),
        accuracy=tuple((t, _mean([iou >= t for iou in overlaps])) for t in THRESHOLDS),
        unread=_mean([outcome in _NO_BOX for outcome in outcomes]),
        failed=_mean([outcome == "failed" for outcome in outcomes]),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
