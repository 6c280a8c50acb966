"""Time the clustered bootstrap against a plain NumPy loop and ``scipy.stats.bootstrap``.

The case has the size of the largest published set: 19,337 items of 13 tasks in 1,512 location
blocks of very unequal size. Three questions:

* How long do 10,000 clustered resamples of all 13 tasks take? (under 2 s on two cores)
* How many times faster is that than resampling item indices in a loop, or than SciPy's bootstrap of
  the blocks' sums?
* Do all three find the same standard errors? (within 5 %)

Run ``python benchmarks/bootstrap.py``; it exits 1 where a goal is missed.
"""

import platform
import sys
import time
from collections.abc import Callable

import numpy as np
import scipy
from scipy import stats

from earthexam.evaluate.bootstrap import resampled_means
from earthexam.evaluate.clusters import CellSums, sum_cells

TASKS = (2328, 1629, 2970, 1429, 1909, 1869, 1329, 1353, 1766, 1296, 751, 588, 120)
BLOCKS = 1512
RESAMPLES = 10_000
LOOPED = 200  # the loop is timed on these and scaled up
GOAL_S = 2.0


def make_case(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw scores, blocks and tasks; a few blocks hold most items, and blocks differ in difficulty."""
    task = np.repeat(np.arange(len(TASKS)), TASKS)
    weight = 1 / np.arange(1, BLOCKS + 1)
    block = generator.choice(BLOCKS, size=len(task), p=weight / weight.sum())
    share = generator.beta(2, 3, size=BLOCKS)
    score = (generator.random(len(task)) < share[block]).astype(float)
    return score, block, task


def plain_loop(
    score: np.ndarray, block: np.ndarray, task: np.ndarray, generator: np.random.Generator, n: int
) -> np.ndarray:
    """Resample blocks one draw at a time and average their items task by task."""
    names = np.unique(block)
    items = [np.flatnonzero(block == name) for name in names]
    means = np.empty((n, len(TASKS)))
    for row in range(n):
        drawn = np.concatenate([items[i] for i in generator.integers(0, len(names), len(names))])
        for column in range(len(TASKS)):
            means[row, column] = score[drawn[task[drawn] == column]].mean()
    return means


def scipy_errors(cells: CellSums, generator: np.random.Generator) -> np.ndarray:
    """Return the standard errors of SciPy's paired bootstrap of the blocks' sums, task by task."""

    def ratio(sums: np.ndarray, counts: np.ndarray, axis: int) -> np.ndarray:
        return sums.sum(axis=axis) / counts.sum(axis=axis)

    errors = [
        stats.bootstrap(
            (cells.sums[:, column], cells.counts[:, column]),
            ratio,
            paired=True,
            vectorized=True,
            method="percentile",
            n_resamples=RESAMPLES,
            batch=500,
            rng=generator,
        ).standard_error
        for column in range(len(TASKS))
    ]
    return np.array(errors)


def timed(work: Callable[[], np.ndarray], repeats: int) -> tuple[float, np.ndarray]:
    """Return the shortest of several times in seconds, and the last result."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> int:
    generator = np.random.default_rng(0)
    score, block, task = make_case(generator)

    def ours() -> np.ndarray:
        cells = sum_cells(score, block, task, len(TASKS))
        return resampled_means(cells, np.random.default_rng(1), RESAMPLES).std(axis=0, ddof=1)

    own_s, own = timed(ours, 5)
    loop_s, looped = timed(lambda: plain_loop(score, block, task, generator, LOOPED), 1)
    loop_s *= RESAMPLES / LOOPED
    cells = sum_cells(score, block, task, len(TASKS))
    scipy_s, peer = timed(lambda: scipy_errors(cells, generator), 1)

    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, "
          f"SciPy {scipy.__version__}")  # fmt: skip
    print("| way | seconds | times slower | standard errors differ by at most |")
    print("|---|---|---|---|")
    print(f"| clusters' sums times multinomial weights (ours) | {own_s:.2f} | 1 | – |")
    for name, seconds, errors in (
        ("`scipy.stats.bootstrap` of clusters' sums", scipy_s, peer),
        (
            f"loop over item indices ({LOOPED} resamples, scaled)",
            loop_s,
            looped.std(axis=0, ddof=1),
        ),
    ):
        apart = np.abs(errors / own - 1).max()
        print(f"| {name} | {seconds:.1f} | {seconds / own_s:.0f} | {100 * apart:.1f} % |")
    agree = np.abs(peer / own - 1).max() < 0.05
    print(f"under {GOAL_S} s: {own_s < GOAL_S}; same standard errors: {agree}")
    return 0 if own_s < GOAL_S and agree else 1


if __name__ == "__main__":
    sys.exit(main())
