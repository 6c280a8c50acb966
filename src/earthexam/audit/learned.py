"""B5 and B6: the learned blind scorer against the best sighted score, and its self-test."""

from collections.abc import Iterator, Sequence

import numpy as np

from earthexam.audit import check
from earthexam.audit.blind import BlindResult, Grouping, Scorer
from earthexam.audit.check import Hit, Limits, Severity
from earthexam.audit.subject import Subject

SCORERS: tuple[Scorer, ...] = ("linear", "trees")
GROUPINGS: tuple[Grouping, ...] = ("source", "group")


@check(
    "B5",
    title="Learned blind scorer",
    definition="A linear model and boosted trees rate options from text alone, with whole blocks and "
    "whole sources held out. A warning where the lower bound is more than `excess` points above "
    "chance, an error where it reaches the best sighted score.",
    statistic="micro accuracy of the best scorer and grouping",
    fix="Filter items that blind scorers solve; print the sighted score beside the blind one.",
    excess=10,
)
def learned(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Run both scorers under both groupings and compare with what is known."""
    results = learned_results(subject)
    if not results:
        return
    best = max(results, key=lambda result: result.ci.low)
    sighted = subject.best_sighted
    reaches = sighted is not None and best.ci.low >= sighted[1]
    above = 100 * (best.ci.low - best.chance) > limits["excess"]
    severity: Severity = "error" if reaches else "warning" if above else "info"
    solved = np.flatnonzero(best.correct >= 1.0)
    yield Hit(
        severity,
        len(solved),
        len(best.ids),
        headline(results, sighted),
        tuple(best.ids[n] for n in solved),
        best.micro,
        sighted[1] if reaches and sighted else best.chance + limits["excess"] / 100,
    )


@check(
    "B6",
    title="Self-test of the blind scorer",
    definition="With the key of every item drawn anew the scorer must fall to chance: else its "
    "cross-validation leaks and B5 means nothing.",
    statistic="distance from chance, in standard errors",
    fix="This is a fault of the audit, not of the benchmark: report it.",
    errors=3,
)
def self_test(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Score redrawn keys with the trees, the stronger learner."""
    for grouping in GROUPINGS:
        result = (
            subject.blind("trees", grouping, redraw_keys=True) if len(subject.options) else None
        )
        if result is None:
            continue
        distance = abs(result.micro - result.chance) / result.ci.se if result.ci.se > 0 else 0.0
        if distance > limits["errors"]:
            n = len(result.ids)
            example = (
                f"by {grouping}: {result.micro:.2%} with redrawn keys, chance {result.chance:.2%}"
            )
            yield Hit("error", n, n, example, statistic=distance, threshold=limits["errors"])


def learned_results(subject: Subject) -> list[BlindResult]:
    """Return the results of both scorers under both groupings, as far as they can be had."""
    if not len(subject.options):
        return []
    results = [subject.blind(scorer, how) for how in GROUPINGS for scorer in SCORERS]
    return [result for result in results if result is not None]


def headline(results: Sequence[BlindResult], sighted: tuple[str, float] | None) -> str:
    """Say chance, blind by source and blind by block beside the best sighted score, in one line."""
    parts = [f"chance {results[0].chance:.1%}"]
    for grouping, name in (("source", "source"), ("group", "block")):
        own = [result for result in results if result.grouping == grouping]
        if own:
            best = max(own, key=lambda result: result.micro)
            interval = f"{best.ci.low:.1%} to {best.ci.high:.1%}"
            parts.append(f"blind by {name} {best.micro:.1%} ({interval})")
    known = f"best sighted {sighted[1]:.1%} ({sighted[0]})" if sighted else "no sighted score known"
    return f"{', '.join(parts)}; {known}"
