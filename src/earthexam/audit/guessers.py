"""Guessers that need no learner: one letter always, the longest option, a table of past answers."""

from collections.abc import Iterator

import numpy as np

from earthexam.audit.blind import BlindResult, result_of
from earthexam.audit.folds import grouped_folds
from earthexam.audit.options import Integers, OptionTable, codes_of
from earthexam.audit.priors import held_out_rates
from earthexam.core.item import LETTERS

_CONSTANTS = 5  # letters beyond E are rare and say nothing


def simple_guessers(table: OptionTable) -> Iterator[BlindResult]:
    """Score the guessers that learn nothing: uniform, constant letters, last, longest, shortest."""
    place, lengths = table.position.astype(np.float64), table.lengths
    yield result_of(table, "uniform", "none", table.chance)
    for number in range(min(_CONSTANTS, int(table.size.max()))):
        picked = table.picked((place == number).astype(np.float64))
        yield result_of(table, f"constant {LETTERS[number]}", "none", picked)
    for name, rating in (("last", place), ("longest", lengths), ("shortest", -lengths)):
        yield result_of(table, name, "none", table.credit(rating))


def prior_guessers(table: OptionTable, seed: int) -> Iterator[BlindResult]:
    """Score the guessers who know how often each text, or place, was right in its task.

    They learn from other location blocks; nothing is given where there is one block only.
    """
    if len(set(table.groups.tolist())) < 2:
        return
    folds = grouped_folds(table.groups, np.random.default_rng(seed))
    task = table.tasks.tolist()
    numbers = table.item.tolist()
    places = zip(numbers, table.position.tolist(), table.size.tolist(), strict=True)
    contexts: dict[str, Integers] = {
        "text prior": codes_of([(task[n], t) for n, t in zip(numbers, table.texts, strict=True)]),
        "letter prior": codes_of([(task[n], place, size) for n, place, size in places]),
    }
    for name, codes in contexts.items():
        yield result_of(table, name, "group", table.credit(held_out_rates(table, codes, folds)))
