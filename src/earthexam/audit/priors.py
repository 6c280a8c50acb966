"""How often an option was right elsewhere: answer rates that never see the item they score."""

from collections.abc import Iterator, Mapping

import numpy as np

from earthexam.audit.options import Floats, Integers, OptionTable, codes_of

_WEIGHT = 4.0
"""Rows of pure chance mixed into each rate: a text seen once moves its rate by a fifth."""


class FoldedRates:
    """Smoothed rates of being right above chance, by context and by fold.

    A context is what the rows of one rate have in common: the task and the option's text, say. The
    rate of a row is the sum of (right − 1/options) over the rows of the same context in the folds it
    may learn from, over their number plus a weight of pure chance; 0 for a context never seen.

    Parameters
    ----------
    fold : array of int, shape (rows,)
        Fold of each row.
    """

    def __init__(self, table: OptionTable, codes: Integers, fold: Integers) -> None:
        self._codes = codes
        n_codes, n_folds = int(codes.max()) + 1, int(fold.max()) + 1
        place = codes * n_folds + fold
        shape = (n_codes, n_folds)
        excess = table.is_key - 1.0 / table.size
        size = n_codes * n_folds
        self._excess = np.bincount(place, weights=excess, minlength=size).reshape(shape)
        self._counts = np.bincount(place, minlength=size).reshape(shape).astype(np.float64)

    def without(self, folds: tuple[int, ...], rows: Integers) -> Floats:
        """Return the rates of `rows` learned from all folds but `folds`."""
        seen = [f for f in range(self._counts.shape[1]) if f not in folds]
        code = self._codes[rows]
        # Summed over what may be seen, never total minus hidden: the rounding of a difference
        # depends on the hidden keys, and trees split on the sixteenth digit.
        excess = self._excess[:, seen].sum(axis=1)
        counts = self._counts[:, seen].sum(axis=1)
        return np.asarray((excess / (counts + _WEIGHT))[code])


def contexts(table: OptionTable) -> Mapping[str, Integers]:
    """Number the contexts that rates are taken over, one code a row for each kind of context."""
    return {name: codes_of(list(keys)) for name, keys in _context_keys(table)}


def held_out_rates(table: OptionTable, codes: Integers, item_fold: Integers) -> Floats:
    """Return the rate of each row learned from the other folds, shape (rows,)."""
    fold = item_fold[table.item]
    rates = FoldedRates(table, codes, fold)
    result = np.zeros(len(codes))
    for number in range(int(fold.max()) + 1):
        rows = np.flatnonzero(fold == number)
        result[rows] = rates.without((number,), rows)
    return result


def _context_keys(table: OptionTable) -> Iterator[tuple[str, Iterator[object]]]:
    rows = range(len(table.texts))
    item, text = table.item, table.texts
    task, stem = table.tasks.tolist(), table.stems
    place = list(zip(table.position.tolist(), table.size.tolist(), strict=True))
    options = [tuple(sorted(table.options_of(n))) for n in range(len(table))]
    opening = [" ".join(words.split()[:4]) for words in stem]
    yield "task, text", ((task[item[r]], text[r]) for r in rows)
    yield "stem, text", ((stem[item[r]], text[r]) for r in rows)
    yield "options, text", ((options[item[r]], text[r]) for r in rows)
    yield "opening, text", ((opening[item[r]], text[r]) for r in rows)
    yield "task, place", ((task[item[r]], place[r]) for r in rows)
    yield "stem, place", ((stem[item[r]], place[r]) for r in rows)
