"""Scores summed by cluster and cell: all that means, variances and resampling need.

A *cell* is a set of items whose mean score is of interest: a task in a view, the items of a run.
Items of one location block share the picture, so they are not independent; the *cluster* (the
item's ``group``) is the unit that is. Micro and macro averages, differences of views or runs and
contrasts of levels are all weighted sums of cell means, so one formula serves them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earthexam.core.errors import ShapeError

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class CellSums:
    """Sums of scores by cluster and cell.

    Attributes
    ----------
    sums, counts : array, shape (clusters, cells)
        Sum of scores and number of items.
    squares : array, shape (cells,)
        Sum of squared scores, for the variance that independent items would have.
    """

    sums: Matrix
    counts: Matrix
    squares: Matrix

    @property
    def n(self) -> Matrix:
        """Items of each cell, shape (cells,)."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def means(self) -> Matrix:
        """Mean score of each cell, shape (cells,); NaN where a cell is empty."""
        return divide(self.sums.sum(axis=0), self.n)

    def pool(self, members: Sequence[Sequence[int]]) -> "CellSums":
        """Merge cells: cell j of the result holds the items of the cells ``members[j]``."""
        join = np.zeros((self.sums.shape[1], len(members)))
        for column, cells in enumerate(members):
            join[list(cells), column] = 1.0
        return CellSums(self.sums @ join, self.counts @ join, self.squares @ join)

    def above(self, chance: ArrayLike) -> "CellSums":
        """Return the sums of chance-corrected scores; one chance below 1 a cell, shape (cells,)."""
        level = np.asarray(chance, dtype=np.float64)
        squares = self.squares - 2 * level * self.sums.sum(axis=0) + level**2 * self.n
        return CellSums(
            (self.sums - level * self.counts) / (1 - level),
            self.counts,
            squares / (1 - level) ** 2,
        )


def sum_cells(
    scores: ArrayLike, clusters: ArrayLike, cells: ArrayLike | None = None, n_cells: int = 1
) -> CellSums:
    """Sum scores by cluster and cell.

    Parameters
    ----------
    scores : array, shape (n,)
        One score an item.
    clusters : array, shape (n,)
        Name of the cluster of each item: strings or integers.
    cells : array of int, shape (n,), optional
        Cell of each item, 0 to ``n_cells - 1``; all in cell 0 when left out.

    Raises
    ------
    ShapeError
        The arrays differ in length.
    """
    values = np.asarray(scores, dtype=np.float64)
    names, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    cell = np.zeros(len(values), dtype=np.intp) if cells is None else np.asarray(cells, np.intp)
    if not len(values) == len(cluster) == len(cell):
        message = (
            f"{len(values)} scores, {len(cluster)} clusters and {len(cell)} cells do not fit; "
            "give one of each for every item"
        )
        raise ShapeError(message)
    shape = (len(names), n_cells)
    place = cluster * n_cells + cell
    size = shape[0] * shape[1]
    return CellSums(
        sums=_floats(np.bincount(place, weights=values, minlength=size)).reshape(shape),
        counts=_floats(np.bincount(place, minlength=size)).reshape(shape),
        squares=_floats(np.bincount(cell, weights=values**2, minlength=n_cells)),
    )


def effective_clusters(sizes: ArrayLike) -> float:
    """Count how many clusters of equal size weigh as much as these (Kish 1965, Survey Sampling).

    Examples
    --------
    >>> effective_clusters([10, 10, 10, 10])
    4.0
    >>> round(effective_clusters([97, 1, 1, 1]), 2)
    1.06
    """
    size = np.asarray(sizes, dtype=np.float64)
    return float(size.sum() ** 2 / (size**2).sum()) if size.sum() > 0 else 0.0


def divide(numerator: Matrix, denominator: Matrix) -> Matrix:
    """Divide, giving NaN without a warning where the denominator is 0."""
    result: Matrix = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result


def _floats(values: ArrayLike) -> Matrix:
    return np.asarray(values, dtype=np.float64)
