import dataclasses
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from earthexam.core.errors import InputError
from earthexam.evaluate.paired import (
    adjust_family,
    compare_scores,
    detectable_difference,
    exact_mcnemar,
)
from earthexam.published.tables import load_taxonomy
from score_tables import random_scores, score_table

HM_BENCH = load_taxonomy("hm-bench")


def only(comparisons):
    (found,) = comparisons
    return found


def test_the_difference_is_that_of_the_shared_items():
    first = score_table([{"id": "a"}, {"id": "b", "group": "scene/2"}, {"id": "only here"}])
    second = score_table([{"id": "a", "outcome": "wrong"}, {"id": "b", "group": "scene/2"}])
    found = only(compare_scores(first, second))
    assert (found.first_only, found.second_only) == (1, 0)
    assert found.overall.n == 2
    assert (found.overall.first, found.overall.second) == (1.0, 0.5)
    assert found.overall.difference.estimate == 0.5
    assert (found.overall.first_better, found.overall.second_better) == (1, 0)


def test_with_items_as_their_own_groups_it_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    scores = rng.random((2, 40))
    first, second = (
        score_table(
            {"id": f"q{i}", "group": f"g{i}", "outcome": "partial", "score": float(value)}
            for i, value in enumerate(row)
        )
        for row in scores
    )
    found = only(compare_scores(first, second)).overall
    expected = stats.ttest_rel(*scores)
    assert found.difference.p == pytest.approx(expected.pvalue)
    bounds = expected.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((bounds.low, bounds.high))
    assert found.p == pytest.approx(expected.pvalue, abs=0.03)


def test_a_run_against_itself_differs_by_nothing():
    table = random_scores(1)
    for row in only(compare_scores(table, table, HM_BENCH)).rows:
        assert row.difference.estimate == 0
        assert (row.interval.low, row.interval.high) == (0, 0)
        assert row.p == row.adjusted == row.mcnemar == 1


def test_rows_are_tasks_then_levels_then_both_averages():
    first, second = random_scores(1), random_scores(2)
    found = only(compare_scores(first, second, HM_BENCH))
    assert [(row.kind, row.average, row.name) for row in found.rows] == [
        ("task", "", "SFR"),
        ("task", "", "CS"),
        ("level", "micro", "Perception"),
        ("level", "micro", "Feature Recognition"),
        ("level", "micro", "Target Quantification"),
        ("overall", "micro", "Overall"),
        ("overall", "macro", "Overall"),
    ]


def test_macro_difference_weighs_tasks_equally():
    first = score_table(
        {"id": f"q{i}", "group": f"g{i}", "task": "SFR" if i < 30 else "CS"} for i in range(40)
    )
    second = first.with_columns(
        outcome=pl.when(pl.col("task") == "SFR").then(pl.lit("wrong")).otherwise("outcome")
    )
    rows = only(compare_scores(first, second)).rows
    assert rows[-2].difference.estimate == pytest.approx(0.75)
    assert rows[-1].difference.estimate == pytest.approx(0.5)
    assert (rows[-1].first, rows[-1].second) == pytest.approx((1, 0.5))


def test_p_is_corrected_within_tasks_and_not_for_the_overall_rows():
    tasks = ("SFR", "LCC", "PD", "CS")
    first, second = (random_scores(s, right=0.4 + 0.1 * s, tasks=tasks, n=400) for s in (0, 1))
    rows = only(compare_scores(first, second)).rows
    own = [row for row in rows if row.kind == "task"]
    expected = stats.false_discovery_control([row.p for row in own])
    assert [row.adjusted for row in own] == pytest.approx(list(expected))
    assert all(row.adjusted == row.p for row in rows if row.kind == "overall")


def test_the_same_seed_gives_the_same_comparison():
    first, second = random_scores(3), random_scores(4)
    assert compare_scores(first, second, seed=5) == compare_scores(first, second, seed=5)


def test_a_blind_run_is_compared_with_every_view_for_the_gain_from_looking():
    sighted = pl.concat([random_scores(1, right=0.9), random_scores(2, right=0.5, view="report")])
    blind = random_scores(3, right=0.5, view="")
    composite, report = compare_scores(sighted, blind, HM_BENCH)
    assert (composite.first_view, composite.second_view) == ("composite", "")
    assert report.first_view == "report"
    assert composite.overall.interval.low > 0.2
    assert report.overall.interval.low < 0 < report.overall.interval.high


def test_runs_of_one_view_each_are_compared_across_views():
    found = only(compare_scores(random_scores(1), random_scores(1, view="report")))
    assert (found.first_view, found.second_view) == ("composite", "report")
    assert found.overall.difference.estimate == 0


def test_runs_without_a_common_view_or_item_are_refused():
    two = pl.concat([random_scores(1), random_scores(1, view="report")])
    with pytest.raises(InputError, match="share no view: composite, report and cube"):
        compare_scores(two, random_scores(1, view="cube"))
    with pytest.raises(InputError, match="share no items"):
        compare_scores(score_table([{"id": "a"}]), score_table([{"id": "b"}]))


def test_low_coverage_is_said():
    table = random_scores(1)
    failing = table.with_columns(
        outcome=pl.when(pl.int_range(pl.len()) < 10).then(pl.lit("failed")).otherwise("outcome")
    )
    found = only(compare_scores(table, failing))
    assert found.second_coverage == pytest.approx(0.95)
    assert not found.covered


def test_few_clusters_print_the_analytic_interval_and_its_p():
    first, second = random_scores(1, groups=9), random_scores(2, groups=9)
    row = only(compare_scores(first, second)).overall
    assert row.difference.few_clusters
    assert row.interval == row.difference
    assert row.p == row.difference.p


def test_mcnemar_equals_the_binomial_tail_worked_by_hand():
    # 1 of 10 or fewer, both sides: 2 × (1 + 10) / 1024.
    assert exact_mcnemar(9, 1) == pytest.approx(22 / 1024)
    assert exact_mcnemar(0, 0) == 1
    assert exact_mcnemar(4, 4) == 1


def test_adjustment_gives_the_four_rejections_of_the_paper():
    # The 15 p values of Benjamini & Hochberg (1995), section 4.1: four are rejected at 5 %.
    published = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0,
    ]  # fmt: skip
    assert (adjust_family(published) <= 0.05).sum() == 4


def test_adjustment_leaves_missing_values_out_of_the_family():
    found = adjust_family([0.02, math.nan, 0.04])
    assert found[[0, 2]] == pytest.approx([0.04, 0.04])
    assert math.isnan(found[1])


def test_detectable_difference_is_found_with_the_power_it_names():
    se = 0.02
    effect = detectable_difference(se)
    critical = stats.norm.isf(0.025) * se
    assert stats.norm.sf(critical, loc=effect, scale=se) == pytest.approx(0.8, abs=1e-4)
    assert detectable_difference(se, 5) > effect


@pytest.mark.slow  # 400 simulated pairs of runs
def test_no_difference_is_rarely_called_one():
    rejected = [
        only(compare_scores(random_scores(2 * s), random_scores(2 * s + 1), resamples=1000))
        .overall.p < 0.05
        for s in range(400)
    ]  # fmt: skip
    assert 0.02 < np.mean(rejected) < 0.085


def test_records_are_frozen():
    row = only(compare_scores(random_scores(1), random_scores(2))).overall
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.n = 3
