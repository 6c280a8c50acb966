import polars as pl
import pytest
from scipy import stats

from earthexam.core.errors import InputError, UnknownNameError
from earthexam.evaluate.contrasts import (
    ProfiledRun,
    group_contrasts,
    level_contrasts,
    size_contrasts,
    view_contrasts,
)
from earthexam.evaluate.metrics import average_items
from earthexam.published.tables import load_taxonomy
from score_tables import random_scores, score_table

HM_BENCH = load_taxonomy("hm-bench")


def profiled(label, seed, right, **profile):
    return ProfiledRun(
        label, "composite", average_items(random_scores(seed, right=right)), **profile
    )


def test_views_are_contrasted_on_the_items_that_have_both():
    table = pl.concat([random_scores(1, n=200), random_scores(2, n=150, view="report")])
    (found,) = view_contrasts(average_items(table))
    assert (found.first, found.second) == ("composite", "report")
    shared = random_scores(1, n=200)["score"].to_numpy()[:150]
    other = random_scores(2, n=150)["score"].to_numpy()
    assert found.difference.estimate == pytest.approx(shared.mean() - other.mean())
    assert found.first_score == pytest.approx(shared.mean())


def test_pairing_narrows_the_contrast_of_views_that_agree():
    same = pl.concat([random_scores(1), random_scores(1, view="report")])
    unlike = pl.concat([random_scores(1), random_scores(2, view="report")])
    (agree,), (differ,) = view_contrasts(average_items(same)), view_contrasts(average_items(unlike))
    assert agree.difference.high - agree.difference.low == 0
    assert differ.difference.high - differ.difference.low > 0.1


def test_perception_is_contrasted_with_reasoning_also_above_chance():
    table = score_table(
        {
            "id": f"q{i}",
            "group": f"g{i % 40}",
            "task": "SFR" if i < 100 else "SAD",
            "chance": 0.2 if i < 100 else 0.5,
            "outcome": "right" if i % 4 else "wrong",
        }
        for i in range(200)
    )
    (found,) = level_contrasts(average_items(table), HM_BENCH, "dimension")
    assert (found.first, found.second) == ("Perception", "Reasoning")
    assert found.difference.estimate == pytest.approx(0)
    # 0.75 is 0.6875 above a chance of 0.2, and 0.5 above a chance of 0.5.
    assert found.corrected.estimate == pytest.approx(0.6875 - 0.5)


def test_every_pair_of_capabilities_is_contrasted_and_corrected_as_one_family():
    tasks = ("SFR", "CS", "RD", "SU")
    found = level_contrasts(average_items(random_scores(1, tasks=tasks)), HM_BENCH, "capability")
    assert len(found) == 6
    raw = [one.difference.p for one in found]
    assert [one.adjusted for one in found] == pytest.approx(
        list(stats.false_discovery_control(raw))
    )


def test_a_level_the_taxonomy_lacks_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean capability"):
        level_contrasts(average_items(random_scores(1)), HM_BENCH, "capabilities")


def test_the_smallest_of_a_family_is_contrasted_with_the_largest():
    runs = [
        profiled("qwen-32b", 1, 0.9, family="qwen", parameters_billion=32),
        profiled("qwen-4b", 2, 0.4, family="qwen", parameters_billion=4),
        profiled("qwen-8b", 3, 0.5, family="qwen", parameters_billion=8),
        profiled("alone-7b", 4, 0.5, family="alone", parameters_billion=7),
        profiled("gpt", 5, 0.5, family="gpt"),
    ]
    (found,) = size_contrasts(runs)
    assert (found.first, found.second) == ("qwen-4b", "qwen-32b")
    assert found.difference.high < 0


def test_group_means_weigh_every_model_equally():
    runs = [
        profiled("a", 1, 0.9, weights="open", domain="general"),
        profiled("b", 2, 0.5, weights="open", domain="remote-sensing"),
        profiled("c", 3, 0.3, weights="closed", domain="general"),
    ]
    by = {one.family: one for one in group_contrasts(runs)}
    means = [run.items["score"].to_numpy().mean() for run in runs]
    assert by["weights"].first_score == pytest.approx((means[0] + means[1]) / 2)
    assert by["weights"].second_score == pytest.approx(means[2])
    assert by["domain"].difference.estimate == pytest.approx((means[0] + means[2]) / 2 - means[1])


def test_models_without_a_profile_form_no_group():
    assert group_contrasts([profiled("a", 1, 0.5), profiled("b", 2, 0.5)]) == ()
    assert group_contrasts([profiled("a", 1, 0.5, weights="open")]) == ()


def test_runs_of_different_benchmarks_are_refused():
    other = average_items(score_table([{"id": "another"}]))
    runs = [
        profiled("small", 1, 0.5, family="f", parameters_billion=1),
        ProfiledRun("large", "composite", other, family="f", parameters_billion=9),
    ]
    with pytest.raises(InputError, match="small, large share no items"):
        size_contrasts(runs)
