"""Clustered resampling against enumeration, scipy and a plain loop."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from earthexam.core.errors import InputError
from earthexam.evaluate.bootstrap import bootstrap_interval, resampled_means, two_sided_p
from earthexam.evaluate.clusters import sum_cells
from earthexam.evaluate.intervals import mean_interval


def test_two_clusters_give_the_three_possible_means_at_their_rates():
    cells = sum_cells([1, 1, 0], ["a", "a", "b"])
    means = resampled_means(cells, np.random.default_rng(0), 20_000)[:, 0]
    values, counts = np.unique(means, return_counts=True)
    assert values == pytest.approx([0, 2 / 3, 1])
    assert counts / 20_000 == pytest.approx([0.25, 0.5, 0.25], abs=0.015)


def test_resamples_have_the_mean_and_spread_of_full_enumeration():
    scores, clusters = [1, 0, 1, 1, 0, 0, 1], [0, 0, 1, 2, 2, 2, 3]
    cells = sum_cells(scores, clusters)
    every = [
        cells.sums[list(drawn)].sum() / cells.counts[list(drawn)].sum()
        for drawn in itertools.product(range(4), repeat=4)
    ]
    drawn = resampled_means(cells, np.random.default_rng(1), 50_000)[:, 0]
    assert drawn.mean() == pytest.approx(np.mean(every), abs=0.005)
    assert drawn.std() == pytest.approx(np.std(every), abs=0.005)


def test_the_interval_equals_scipy_bootstrap_of_cluster_sums():
    rng = np.random.default_rng(2)
    clusters = rng.integers(0, 60, size=500)
    scores = (rng.random(500) < 0.2 + clusters / 120).astype(float)
    cells = sum_cells(scores, clusters)
    expected = stats.bootstrap(
        (cells.sums[:, 0], cells.counts[:, 0]),
        lambda sums, counts, axis: sums.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(3),
    )
    found = bootstrap_interval(cells, [1.0], np.random.default_rng(4), resamples=20_000)
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=0.002)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=0.002)
    assert found.se == pytest.approx(expected.standard_error, rel=0.03)


def test_with_many_clusters_bootstrap_and_variance_formula_agree():
    rng = np.random.default_rng(5)
    clusters = rng.integers(0, 400, size=3000)
    share = rng.random(400)
    scores = (rng.random(3000) < share[clusters]).astype(float)
    analytic = mean_interval(scores, clusters)
    found = bootstrap_interval(sum_cells(scores, clusters), [1.0], np.random.default_rng(6))
    assert (found.low, found.high) == pytest.approx((analytic.low, analytic.high), abs=0.002)


def test_the_same_seed_gives_the_same_resamples():
    cells = sum_cells([1, 0, 1, 0], [0, 0, 1, 2])
    first, second = (resampled_means(cells, np.random.default_rng(7), 1500) for _ in range(2))
    assert np.array_equal(first, second, equal_nan=True)


def test_cells_of_one_resample_come_from_one_draw():
    scores = np.random.default_rng(8).random(30)
    cells = sum_cells(
        np.concatenate([scores, scores]), [*range(30)] * 2, np.repeat([0, 1], 30), n_cells=2
    )
    means = resampled_means(cells, np.random.default_rng(9), 100)
    assert np.array_equal(means[:, 0], means[:, 1])


def test_resamples_without_the_cell_are_left_out():
    # The second cell lies in two of three clusters; (1/3)³ of the resamples draw neither.
    cells = sum_cells([1, 0, 0, 1], [0, 0, 1, 2], [0, 1, 1, 0], n_cells=2)
    means = resampled_means(cells, np.random.default_rng(10), 4000)
    assert np.isnan(means[:, 1]).mean() == pytest.approx(1 / 27, abs=0.012)
    found = bootstrap_interval(cells, [0.0, 1.0], np.random.default_rng(10))
    assert (found.estimate, found.low, found.high) == (0, 0, 0)


def test_one_cluster_has_no_bootstrap_interval():
    found = bootstrap_interval(sum_cells([1, 0], [0, 0]), [1.0], np.random.default_rng(0))
    assert math.isnan(found.low)


def test_p_counts_resamples_at_least_as_far_from_their_centre():
    draws = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    # Moved to the centre they lie at -0.2, -0.1, 0, 0.1, 0.2: two of five are as far as 0.2.
    assert two_sided_p(0.2, draws) == pytest.approx((1 + 2) / (1 + 5))


def test_no_resamples_is_refused():
    with pytest.raises(InputError, match="0 resamples"):
        resampled_means(sum_cells([1], [0]), np.random.default_rng(0), 0)
