"""Comparisons of two runs as rows to print and records to store."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from earthexam.evaluate.intervals import FEW_CLUSTERS
from earthexam.evaluate.metrics import RANKED_COVERAGE
from earthexam.evaluate.paired import Comparison, PairedRow
from earthexam.report.collect import VIEW_TITLES
from earthexam.report.tables import p_value, percent, points_interval, signed_points

PAIR_HEADER = (
    "View", "Task", "n", "Groups", "First", "Second", "Difference", "95 % interval", "p",
    "p adjusted", "McNemar p", "Detectable",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PairRecord:
    """One row of a comparison with plain numbers: shares and differences from −1 to 1.

    `low`, `high` and `p` come from the clustered paired bootstrap, `analytic_low` and
    `analytic_high` from the clustered variance. None stands where there is no number.
    """

    first: str
    second: str
    first_view: str
    second_view: str
    kind: str
    average: str
    name: str
    n: int
    groups: int
    first_score: float | None
    second_score: float | None
    difference: float | None
    low: float | None
    high: float | None
    analytic_low: float | None
    analytic_high: float | None
    p: float | None
    p_adjusted: float | None
    first_better: int
    second_better: int
    mcnemar_p: float | None
    detectable: float | None


def pair_rows(comparisons: Sequence[Comparison]) -> list[tuple[str, ...]]:
    """Return the comparisons as rows of text under `PAIR_HEADER`, shares in percent."""
    return [_text(one, row) for one in comparisons for row in one.rows]


def pair_records(comparisons: Sequence[Comparison]) -> list[PairRecord]:
    """Return the comparisons as flat records."""
    return [_record(one, row) for one in comparisons for row in one.rows]


def pair_notes(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Say what is compared, how, and what limits it, one line each."""
    found = []
    for one in comparisons:
        found.append(f"first: {one.first}, second: {one.second}; {_views(one)}")
        if not one.covered:
            found.append(
                f"replies came to {percent(one.first_coverage)} % and "
                f"{percent(one.second_coverage)} % of the items, below "
                f"{100 * RANKED_COVERAGE:.0f} %: missing replies count 0, the difference is no ranking"
            )
        if one.first_only or one.second_only:
            found.append(
                f"{one.first_only} items of the first and {one.second_only} of the second run have "
                "no counterpart and are left out"
            )
    found.append(
        "differences in points, first minus second; intervals and p from a paired bootstrap "
        "clustered by group, p adjusted by Benjamini–Hochberg within tasks and within each level; "
        "McNemar takes items as independent; detectable: 80 % power at the 5 % level"
    )
    if any(row.difference.few_clusters for one in comparisons for row in one.rows):
        found.append(
            f"* fewer than {FEW_CLUSTERS} groups: the interval is the analytic one with its "
            "small-sample correction, its p that of the t test"
        )
    return tuple(found)


def _views(one: Comparison) -> str:
    titles = VIEW_TITLES[one.first_view], VIEW_TITLES[one.second_view]
    return titles[0] if titles[0] == titles[1] else f"{titles[0]} against {titles[1]}"


def _text(one: Comparison, row: PairedRow) -> tuple[str, ...]:
    name = f"{row.name}, {row.average}" if row.average else row.name
    return (
        _views(one),
        name,
        str(row.n),
        f"{row.difference.clusters}{'*' if row.difference.few_clusters else ''}",
        percent(row.first),
        percent(row.second),
        signed_points(row.difference.estimate),
        points_interval(row.interval),
        p_value(row.p),
        p_value(row.adjusted),
        p_value(row.mcnemar),
        percent(row.detectable),
    )


def _record(one: Comparison, row: PairedRow) -> PairRecord:
    return PairRecord(
        first=one.first,
        second=one.second,
        first_view=one.first_view,
        second_view=one.second_view,
        kind=row.kind,
        average=row.average,
        name=row.name,
        n=row.n,
        groups=row.difference.clusters,
        first_score=_known(row.first),
        second_score=_known(row.second),
        difference=_known(row.difference.estimate),
        low=_known(row.interval.low),
        high=_known(row.interval.high),
        analytic_low=_known(row.difference.low),
        analytic_high=_known(row.difference.high),
        p=_known(row.p),
        p_adjusted=_known(row.adjusted),
        first_better=row.first_better,
        second_better=row.second_better,
        mcnemar_p=_known(row.mcnemar),
        detectable=_known(row.detectable),
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
