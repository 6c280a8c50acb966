import math

import polars as pl
import pytest

from earthexam.core.errors import FormatError
from earthexam.evaluate.metrics import (
    OUTCOME_NAMES,
    EmptyClassWarning,
    average_items,
    chance_corrected,
    is_circular,
    macro_average,
    measure,
    micro_average,
)
from score_tables import score_table

ONE_OF_EACH = score_table(
    {"id": name, "outcome": name, "score": 0.5 if name == "partial" else None}
    for name in OUTCOME_NAMES
)


def test_only_unsupported_items_leave_the_denominator():
    found = measure(average_items(ONE_OF_EACH))
    assert found.n == 8
    assert found.score == pytest.approx(1.5 / 8)
    assert found.outcomes.total == 9


def test_coverage_counts_every_reply_and_answered_score_every_answer():
    found = measure(average_items(ONE_OF_EACH))
    assert found.coverage == pytest.approx(7 / 8)
    assert found.answered_score == pytest.approx(0.5)  # right, wrong and partial: 1.5 of 3


def test_a_score_beside_a_failed_outcome_counts_nothing():
    table = score_table([{"outcome": "failed", "score": 1.0}, {"id": "q2"}])
    assert micro_average(average_items(table)) == 0.5


def test_micro_weighs_items_and_macro_weighs_tasks():
    table = score_table(
        [
            {"id": "a", "task": "SFR"},
            {"id": "b", "task": "SFR"},
            {"id": "c", "task": "SFR", "outcome": "wrong"},
            {"id": "d", "task": "CS", "outcome": "wrong"},
        ]
    )
    items = average_items(table)
    assert micro_average(items) == pytest.approx(2 / 4)
    assert macro_average(items) == pytest.approx((2 / 3 + 0) / 2)


def test_epochs_are_averaged_inside_the_item_first():
    asked_thrice = [
        {"id": "a", "epoch": epoch, "outcome": outcome}
        for epoch, outcome in enumerate(["right", "wrong", "wrong"])
    ]
    items = average_items(score_table([*asked_thrice, {"id": "b"}]))
    assert items["score"].to_list() == pytest.approx([1 / 3, 1.0])
    assert micro_average(items) == pytest.approx(2 / 3)


def test_an_unsupported_epoch_does_not_lower_the_others():
    rows = [{"epoch": 0}, {"epoch": 1, "outcome": "unsupported"}]
    assert micro_average(average_items(score_table(rows))) == 1.0


def test_circular_evaluation_wants_every_order_right():
    table = score_table(
        [
            *({"id": "steady", "order": order} for order in range(4)),
            *(
                {"id": "lucky", "order": order, "outcome": "right" if order < 3 else "wrong"}
                for order in range(4)
            ),
        ]
    )
    assert is_circular(table)
    items = average_items(table)
    assert items.select("id", "score").rows() == [("lucky", 0.0), ("steady", 1.0)]
    # Four guesses among four options, all of which must hit.
    assert items["chance"].to_list() == pytest.approx([0.25**4] * 2)
    assert items["right"].to_list() == [3, 4]


def test_one_rotated_order_an_item_is_not_circular():
    table = score_table([{"id": "a", "order": 1}, {"id": "b", "order": 3}])
    assert not is_circular(table)
    assert micro_average(average_items(table)) == 1.0


def test_views_of_an_item_stay_apart():
    items = average_items(score_table([{}, {"view": "report", "outcome": "wrong"}]))
    assert items.select("view", "score").rows() == [("composite", 1.0), ("report", 0.0)]


def test_an_empty_class_is_nan_and_warns():
    empty = average_items(score_table([{}])).filter(pl.col("task") == "CS")
    with pytest.warns(EmptyClassWarning, match="the task CS holds no items"):
        assert math.isnan(measure(empty, "the task CS").score)


def test_a_task_without_support_is_nan_without_a_warning():
    found = measure(average_items(score_table([{"outcome": "unsupported"}])))
    assert found.n == 0
    assert math.isnan(found.score)
    assert math.isnan(found.corrected)
    assert found.outcomes.unsupported == 1


def test_chance_correction_maps_guessing_to_zero_and_perfection_to_one():
    assert chance_corrected(0.2, 0.2) == 0
    assert chance_corrected(1.0, 0.2) == pytest.approx(1)
    assert chance_corrected(0.0, 0.5) == -1
    assert math.isnan(chance_corrected(1.0, 1.0))


def test_a_table_with_an_unknown_outcome_or_a_missing_column_is_refused():
    with pytest.raises(FormatError, match="'maybe'"):
        average_items(score_table([{"outcome": "maybe"}]))
    with pytest.raises(FormatError, match="lacks the columns group"):
        average_items(score_table([{}]).drop("group"))
