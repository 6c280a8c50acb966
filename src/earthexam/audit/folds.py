"""Folds that keep groups whole."""

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError


def grouped_folds(
    groups: NDArray[np.str_], generator: np.random.Generator, n_folds: int = 5
) -> NDArray[np.intp]:
    """Deal whole groups into folds of nearly equal size.

    The largest group goes first, each to the fold with the fewest items; groups of one size come in
    random order.

    Parameters
    ----------
    groups : array of str, shape (n,)
        What must not be split: the location block or the source of each item.
    n_folds : int
        Fewer are made where there are fewer groups.

    Returns
    -------
    array of int, shape (n,)
        Fold of each item, from 0.

    Raises
    ------
    InputError
        There are fewer than two groups, so that nothing can be held out.
    """
    names, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < 2:
        message = f"{len(names)} group; cross-validation holds groups out and needs two or more"
        raise InputError(message)
    load = np.zeros(min(n_folds, len(names)))
    fold = np.zeros(len(names), dtype=np.intp)
    shuffled = generator.permutation(len(names))
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        fold[group] = int(load.argmin())
        load[fold[group]] += sizes[group]
    return fold[number]
