"""Bring the chain-of-thought verdicts of a run to recall, precision and F1.

Two F1s exist and differ: MME-CoT (arXiv:2502.09621) and the OmniEarth-Bench tables take the harmonic
mean of the averaged precision and recall; the mean of the items' own F1s is another number and has
another name here. A verdict that failed is counted, and never silently leaves the denominator.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChainItem:
    """One judged chain; None where the judge gave no valid verdict.

    Attributes
    ----------
    answered : bool or None
        Whether the final answer is right; None where it was not asked for.
    """

    id: str
    task: str
    precision: float | None
    recall: float | None
    answered: bool | None = None


@dataclass(frozen=True, slots=True)
class ChainSummary:
    """What a set of chains came to, shares from 0 to 1; NaN where nothing could be averaged.

    Attributes
    ----------
    n : int
        Chains in all.
    n_precision, n_recall : int
        Those with a valid verdict; the published averages are over these alone.
    precision, recall : float
        Means over the valid verdicts.
    f1_of_averages : float
        Harmonic mean of `precision` and `recall`, the published F1.
    mean_item_f1 : float
        Mean of the F1s of the chains that have both verdicts.
    precision_all, recall_all, f1_of_averages_all : float
        The same over all chains, a failed verdict counting 0.
    accuracy : float
        Share of right final answers among the chains that have one to compare.
    """

    n: int
    n_precision: int
    n_recall: int
    precision: float
    recall: float
    f1_of_averages: float
    mean_item_f1: float
    precision_all: float
    recall_all: float
    f1_of_averages_all: float
    accuracy: float

    @property
    def failed(self) -> int:
        """Verdicts that failed, of two a chain."""
        return 2 * self.n - self.n_precision - self.n_recall


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both are 0.

    Examples
    --------
    >>> round(f1(0.75, 0.5), 4)
    0.6
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def summarise_chains(chains: Sequence[ChainItem]) -> ChainSummary:
    """Average the verdicts of a set of chains."""
    precisions = [chain.precision for chain in chains if chain.precision is not None]
    recalls = [chain.recall for chain in chains if chain.recall is not None]
    both = [
        f1(chain.precision, chain.recall)
        for chain in chains
        if chain.precision is not None and chain.recall is not None
    ]
    answered = [float(chain.answered) for chain in chains if chain.answered is not None]
    precision, recall = _mean(precisions), _mean(recalls)
    n = len(chains)
    precision_all, recall_all = _share(precisions, n), _share(recalls, n)
    return ChainSummary(
        n=n,
        n_precision=len(precisions),
        n_recall=len(recalls),
        precision=precision,
        recall=recall,
        f1_of_averages=f1(precision, recall),
        mean_item_f1=_mean(both),
        precision_all=precision_all,
        recall_all=recall_all,
        f1_of_averages_all=f1(precision_all, recall_all),
        accuracy=_mean(answered),
    )


def chains_by_task(chains: Sequence[ChainItem]) -> dict[str, ChainSummary]:
    """Summarise each task, in the order in which the tasks first occur."""
    tasks = dict.fromkeys(chain.task for chain in chains)
    return {task: summarise_chains([c for c in chains if c.task == task]) for task in tasks}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _share(values: Sequence[float], n: int) -> float:
    return math.fsum(values) / n if n else math.nan
