"""Analytic intervals against the definition, scipy and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from earthexam.core.errors import ShapeError
from earthexam.evaluate.clusters import effective_clusters, sum_cells
from earthexam.evaluate.intervals import mean_interval, weighted_interval, wilson_bounds


def cr2_by_definition(scores, clusters, cells, weights):
    """Variance and Satterthwaite freedom from full matrices, as Bell and McCaffrey write them."""
    design = (cells[:, None] == np.arange(len(weights))).astype(float)
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residuals = scores - hat @ scores
    left = np.eye(len(scores)) - hat
    rows = []
    variance = 0.0
    for name in np.unique(clusters):
        own = clusters == name
        values, vectors = np.linalg.eigh(np.eye(own.sum()) - hat[np.ix_(own, own)])
        power = np.where(values > 1e-10, np.maximum(values, 1e-10) ** -0.5, 0.0)
        adjust = vectors @ np.diag(power) @ vectors.T
        load = adjust @ design[own] @ bread @ weights
        variance += float(load @ residuals[own]) ** 2
        rows.append(left[:, own] @ load)
    gram = np.array(rows) @ np.array(rows).T
    return variance, np.trace(gram) ** 2 / (gram**2).sum()


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.2, 0.3, 0.5], [1.0, 0.0, -1.0]])
def test_variance_and_freedom_equal_the_matrix_definition(weights):
    rng = np.random.default_rng(len(weights))
    clusters = rng.choice(9, size=120, p=np.arange(1, 10) / 45)
    cells = rng.integers(0, len(weights), size=120)
    scores = (rng.random(120) < 0.3 + 0.05 * clusters).astype(float)
    found = weighted_interval(sum_cells(scores, clusters, cells, len(weights)), weights)
    used = np.flatnonzero(weights)
    keep = np.isin(cells, used)
    variance, freedom = cr2_by_definition(
        scores[keep],
        clusters[keep],
        np.searchsorted(used, cells[keep]),
        np.array(weights)[used],
    )
    assert found.se**2 == pytest.approx(variance)
    assert found.freedom == pytest.approx(freedom)


def test_clusters_of_equal_size_give_the_t_interval_of_their_means():
    scores = np.random.default_rng(0).random((12, 5))
    expected = stats.ttest_1samp(scores.mean(axis=1), 0).confidence_interval(0.95)
    found = mean_interval(scores.ravel(), np.repeat(np.arange(12), 5))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.freedom == pytest.approx(11)
    assert found.few_clusters


def test_a_difference_of_cells_on_the_same_items_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    first, second = rng.random(25), rng.random(25)
    cells = sum_cells(
        np.concatenate([first, second]), [*range(25)] * 2, np.repeat([0, 1], 25), n_cells=2
    )
    expected = stats.ttest_rel(first, second)
    found = weighted_interval(cells, [1.0, -1.0])
    bounds = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))
    assert found.p == pytest.approx(expected.pvalue)


def test_independent_items_have_a_design_effect_of_one():
    scores = np.random.default_rng(2).random(50)
    found = mean_interval(scores, np.arange(50))
    assert found.design_effect == pytest.approx(1)
    assert found.effective_n == pytest.approx(50)


def test_copied_items_have_a_design_effect_of_the_number_of_copies():
    scores = np.random.default_rng(3).random(50)
    found = mean_interval(np.repeat(scores, 4), np.repeat(np.arange(50), 4))
    # 199/49 and not 4: the variance of 200 items as if independent divides by n - 1.
    assert found.design_effect == pytest.approx(199 / 49)


def test_wilson_bounds_equal_scipy():
    for right, n in [(0, 10), (3, 17), (17, 17), (400, 1000)]:
        expected = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
        found = wilson_bounds(right / n, n, stats.norm.ppf(0.975))
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_right_or_all_wrong_still_has_a_width(value):
    found = mean_interval(np.full(40, value), np.repeat(np.arange(8), 5))
    assert found.method == "Wilson"
    assert found.high - found.low == pytest.approx(
        np.ptp(wilson_bounds(value, 8, stats.t.ppf(0.975, 7)))
    )
    assert found.estimate == value


def test_a_share_near_one_keeps_its_interval_inside():
    scores = np.ones(60)
    scores[0] = 0
    found = mean_interval(scores, np.arange(60))
    assert found.method == "Wilson"
    assert 0.9 < found.low < found.estimate < found.high < 1


def test_one_cluster_has_an_estimate_and_no_interval():
    found = mean_interval([1, 0, 1], ["a"] * 3)
    assert found.estimate == pytest.approx(2 / 3)
    assert math.isnan(found.low)
    assert found.method == "none"
    assert math.isnan(found.p)


def test_no_items_give_nan():
    found = mean_interval([], [])
    assert math.isnan(found.estimate)
    assert found.n == found.clusters == 0


def test_chance_correction_moves_estimate_and_bounds_alike():
    found = mean_interval([1, 1, 0, 1, 0, 1, 1, 0], [*"aabbccdd"])
    above = found.above(0.25)
    for name in ("estimate", "low", "high"):
        assert getattr(above, name) == pytest.approx((getattr(found, name) - 0.25) / 0.75)
    assert above.p != found.p


def test_effective_clusters_count_equal_ones_fully():
    assert effective_clusters([7] * 5) == pytest.approx(5)
    assert effective_clusters([100, 1]) == pytest.approx(101**2 / 10001)
    assert effective_clusters([]) == 0


def test_arrays_of_different_length_are_refused():
    with pytest.raises(ShapeError, match="3 scores, 2 clusters"):
        sum_cells([1, 0, 1], ["a", "b"])


def simulated_scores(rng, sizes):
    """Scores whose chance of being right varies between clusters (beta, mean 0.4, ICC 0.2)."""
    share = np.repeat(rng.beta(1.6, 2.4, size=len(sizes)), sizes)
    return (rng.random(len(share)) < share).astype(float)


@pytest.mark.slow  # 4,000 simulated benchmarks for each shape
@pytest.mark.parametrize(
    "sizes", [[10] * 8, [2, 3, 5, 8, 13, 21, 34, 55, 5, 5, 5, 5], [*range(1, 81)]]
)
def test_intervals_cover_the_truth_as_often_as_they_say(sizes):
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    hits = 0
    for _ in range(4000):
        found = mean_interval(simulated_scores(rng, sizes), clusters)
        hits += found.low <= 0.4 <= found.high
    assert 0.93 <= hits / 4000 <= 0.975
