"""The learned blind scorer: how far question and option text alone carry.

Two scorers rate every option without seeing a picture: a linear model on hashed words, and boosted
trees on surface features and on how often an option was right elsewhere. They learn from other
items' keys, under cross-validation that holds whole location blocks or whole sources out. What they
reach is what a benchmark gives away, and the floor that a sighted score must be seen against.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from earthexam.audit.features import best_of_others, number_features, word_features
from earthexam.audit.folds import grouped_folds
from earthexam.audit.options import Floats, Integers, OptionTable
from earthexam.audit.priors import FoldedRates, contexts
from earthexam.core.errors import InputError
from earthexam.core.item import Item
from earthexam.evaluate.intervals import Interval, mean_interval

Grouping: TypeAlias = Literal["group", "source"]
Scorer: TypeAlias = Literal["linear", "trees"]


@dataclass(frozen=True)
class BlindResult:
    """What one blind guesser reaches.

    Attributes
    ----------
    name : str
        The guesser, for example ``trees``.
    grouping : str
        What cross-validation holds out: ``group`` (location blocks), ``source``, or ``none`` for a
        guesser that learns nothing.
    micro, macro : float
        Mean over items, and mean of the task means, 0 to 1.
    chance : float
        Expected mean over items of a uniform guess.
    by_task : mapping
        Task code to mean.
    ci : Interval
        Of `micro`, clustered by group.
    ids : tuple of str
        The items scored: those with exactly one right option.
    correct : array, shape (n,)
        Credit of each item, 0 to 1.
    """

    name: str
    grouping: str
    micro: float
    macro: float
    chance: float
    by_task: Mapping[str, float]
    ci: Interval
    ids: tuple[str, ...]
    correct: Floats


def blind_scores(
    items: Iterable[Item],
    *,
    group: Grouping = "group",
    scorer: Scorer = "trees",
    seed: int = 0,
    redraw_keys: bool = False,
) -> BlindResult:
    """Score the items with a learned blind scorer under grouped five-fold cross-validation.

    Parameters
    ----------
    items : iterable of Item
        Items without exactly one right option are left out.
    group : str
        Hold out whole location blocks (``group``) or whole data sets (``source``).
    seed : int
        Deals the groups into folds and seeds the learners; same seed, same result.
    redraw_keys : bool
        Draw every key anew first: the self-test, whose result must be chance.

    Raises
    ------
    InputError
        There are fewer than two groups.
    """
    bench = BlindBench.of(OptionTable.of(items))
    return bench.score(scorer, group, seed=seed, redraw_keys=redraw_keys)


def result_of(table: OptionTable, name: str, grouping: str, correct: Floats) -> BlindResult:
    """Sum up the credit that a guesser earned on each item of a table."""
    tasks, place = np.unique(table.tasks, return_inverse=True)
    means = np.bincount(place, weights=correct) / np.bincount(place)
    return BlindResult(
        name=name,
        grouping=grouping,
        micro=float(correct.mean()),
        macro=float(means.mean()),
        chance=float(table.chance.mean()),
        by_task=dict(zip(tasks.tolist(), means.tolist(), strict=True)),
        ci=mean_interval(correct, table.groups),
        ids=tuple(item.id for item in table.items),
        correct=correct,
    )


@dataclass(frozen=True)
class BlindBench:
    """A table with the features that do not depend on folds or keys, computed once."""

    table: OptionTable
    numbers: Floats
    contexts: Mapping[str, Integers]

    @classmethod
    def of(cls, table: OptionTable) -> "BlindBench":
        """Compute the features of a table."""
        if not len(table):
            message = "no item has exactly one right option; a blind scorer has nothing to guess"
            raise InputError(message)
        return cls(table, number_features(table), contexts(table))

    def score(
        self, scorer: Scorer, grouping: Grouping, *, seed: int = 0, redraw_keys: bool = False
    ) -> BlindResult:
        """Run one scorer; arguments as for `blind_scores`."""
        generator = np.random.default_rng(seed)
        names = self.table.groups if grouping == "group" else self.table.sources
        fold = grouped_folds(names, generator)[self.table.item]
        table = self.table.redrawn(generator) if redraw_keys else self.table
        rate: Callable[[OptionTable, Integers, int], Floats]
        rate = self._rate_by_words if scorer == "linear" else self._rate_by_trees
        # Waiting threads of busy machines cost more than a second core gives.
        with threadpool_limits(limits=1, user_api="openmp"):
            rating = rate(table, fold, seed)
        name = f"{scorer}, keys redrawn" if redraw_keys else scorer
        return result_of(table, name, grouping, table.credit(rating))

    def _rate_by_words(self, table: OptionTable, fold: Integers, seed: int) -> Floats:
        words = word_features(table)
        rating = np.zeros(len(fold))
        for number in range(int(fold.max()) + 1):
            learn, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            model = SGDClassifier(
                loss="log_loss", alpha=1e-5, max_iter=5, tol=None, average=True, random_state=seed
            )
            model.fit(words[learn], table.is_key[learn])
            rating[test] = model.decision_function(words[test])
        return rating

    def _rate_by_trees(self, table: OptionTable, fold: Integers, seed: int) -> Floats:
        rates = [FoldedRates(table, codes, fold) for codes in self.contexts.values()]
        rating = np.zeros(len(fold))
        for number in range(int(fold.max()) + 1):
            features = np.hstack([self.numbers, _nested_rates(table, rates, fold, number)])
            learn, test = fold != number, fold == number
            model = HistGradientBoostingClassifier(
                max_iter=100, max_bins=63, early_stopping=False, random_state=seed
            )
            model.fit(features[learn], table.is_key[learn])
            rating[test] = model.predict_proba(features[test])[:, 1]
        return rating


def _nested_rates(
    table: OptionTable, rates: list[FoldedRates], fold: Integers, held_out: int
) -> Floats:
    """Return answer rates of all rows, and how far each is ahead of the item's other options.

    The rates of a row come neither from its own fold nor from the fold held out, so that the
    learner sees in training what it will see in the test.
    """
    values = np.zeros((len(fold), 2 * len(rates)))
    for number in range(int(fold.max()) + 1):
        rows = np.flatnonzero(fold == number)
        for column, rate in enumerate(rates):
            values[rows, column] = rate.without((number, held_out), rows)
    for column in range(len(rates)):
        own = values[:, column]
        values[:, len(rates) + column] = own - best_of_others(table, own)
    return values
