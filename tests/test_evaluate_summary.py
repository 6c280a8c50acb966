import math

import pytest

from earthexam.evaluate.intervals import mean_interval
from earthexam.evaluate.metrics import average_items
from earthexam.evaluate.summary import summarise
from earthexam.published.tables import load_taxonomy
from score_tables import random_scores, score_table

HM_BENCH = load_taxonomy("hm-bench")


def test_tasks_stand_in_the_order_of_the_taxonomy_and_unknown_ones_last():
    table = random_scores(1, tasks=("zzz", "CSA", "SFR", "LCC"))
    (view,) = summarise(table, HM_BENCH).views
    assert [row.name for row in view.tasks] == ["SFR", "LCC", "CSA", "zzz"]
    assert view.tasks[0].title == "Spectral Feature Recognition"
    assert view.tasks[0].path == (
        "Perception",
        "Feature Recognition",
        "Spectral Feature Recognition",
    )


def test_levels_have_a_micro_and_a_macro_row():
    (view,) = summarise(random_scores(1, tasks=("SFR", "LCC", "SU")), HM_BENCH).views
    assert [(row.level, row.name, row.average, row.tasks) for row in view.levels] == [
        ("dimension", "Perception", "micro", ("SFR", "LCC")),
        ("dimension", "Perception", "macro", ("SFR", "LCC")),
        ("dimension", "Reasoning", "micro", ("SU",)),
        ("dimension", "Reasoning", "macro", ("SU",)),
        ("capability", "Feature Recognition", "micro", ("SFR", "LCC")),
        ("capability", "Feature Recognition", "macro", ("SFR", "LCC")),
        ("capability", "Composition Interpretation", "micro", ("SU",)),
        ("capability", "Composition Interpretation", "macro", ("SU",)),
    ]


def test_the_micro_interval_is_that_of_all_items():
    table = random_scores(2)
    items = average_items(table)
    (view,) = summarise(table, HM_BENCH).views
    assert view.micro.score == mean_interval(items["score"], items["group"])


def test_micro_and_macro_weigh_as_their_names_say():
    rows = [
        *({"id": f"a{i}", "task": "SFR", "group": f"g{i}", "chance": 0.2} for i in range(30)),
        *(
            {"id": f"b{i}", "task": "CS", "group": f"g{i}", "outcome": "wrong", "chance": 0.5}
            for i in range(10)
        ),
    ]
    (view,) = summarise(score_table(rows), HM_BENCH).views
    assert (view.micro.score.estimate, view.macro.score.estimate) == pytest.approx((0.75, 0.5))
    assert view.micro.chance == pytest.approx(0.275)
    assert view.macro.chance == pytest.approx(0.35)
    assert view.macro.corrected.estimate == pytest.approx((0.5 - 0.35) / 0.65)
    assert view.micro.n == view.macro.n == 40


def test_a_task_without_support_is_shown_and_left_out_of_the_averages():
    rows = [{"id": f"a{i}", "group": f"g{i}"} for i in range(5)]
    rows += [{"id": f"b{i}", "task": "CSA", "outcome": "unsupported"} for i in range(5)]
    (view,) = summarise(score_table(rows), HM_BENCH).views
    change = view.task("CSA")
    assert change is not None
    assert not change.supported
    assert math.isnan(change.score.estimate)
    assert change.outcomes.unsupported == 5
    assert view.micro.score.estimate == view.macro.score.estimate == 1.0
    reasoning = next(
        row for row in view.levels if row.name == "Reasoning" and row.average == "macro"
    )
    assert math.isnan(reasoning.score.estimate)


def test_below_98_percent_coverage_there_is_no_rank():
    def coverage(failed):
        rows = [
            {"id": str(i), "group": str(i), "outcome": "failed" if i < failed else "right"}
            for i in range(100)
        ]
        return summarise(score_table(rows)).views[0]

    assert coverage(2).ranked
    assert not coverage(3).ranked


def test_a_run_is_described_by_its_views_orders_and_epochs():
    rows = [
        {"view": view, "epoch": epoch, "order": order}
        for view in ("composite", "report")
        for epoch in range(3)
        for order in range(2)
    ]
    found = summarise(score_table(rows), HM_BENCH, label="model")
    assert (found.label, found.taxonomy, found.circular, found.epochs) == (
        "model", "hm-bench", True, 3,
    )  # fmt: skip
    assert [view.view for view in found.views] == ["composite", "report"]
    assert found.view("cube") is None
    assert found.view("report").micro.outcomes.right == 6


def test_without_a_taxonomy_tasks_have_no_levels():
    (view,) = summarise(random_scores(1)).views
    assert view.levels == ()
    assert [row.name for row in view.tasks] == ["CS", "SFR"]
