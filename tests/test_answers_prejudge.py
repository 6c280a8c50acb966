"""Rules decide numbers, ranges, yes or no and closed label sets as the published table says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.answers.judge import Verdict
from earthexam.answers.prejudge import (
    numbers_in,
    prejudge,
    score_interval,
    score_number,
    score_vector,
)
from earthexam.answers.reading import Interval, Number, Reading, Text, found, unread
from earthexam.core.item import Golden, Truth

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("golden", "said", "score"),
    [
        (5, 5, 1), (5, 6, 0.5), (20, 22, 1), (20, 23, 0.5), (99, 109, 0.5), (100, 105, 1),
        (100, 106, 0.5), (0.4, 0.5, 1), (0.4, 0.55, 0.5), (0, 0.1, 1), (0, 1, 0),
        (-3.0, -3.3, 1), (-3.0, 3.0, 0),
    ],
)  # fmt: skip
def test_numbers_follow_the_published_tolerances(golden: float, said: float, score: float) -> None:
    assert score_number(golden, said) == score


@pytest.mark.parametrize(
    ("said", "score"),
    [((0.3, 0.3), 1), ((0.4, 0.6), 1), ((0.5, 0.75), 0.5), ((0.9, 0.9), 0), ((0.5, 0.5), 1)],
)
def test_ranges_follow_the_published_cases(said: tuple[float, float], score: float) -> None:
    assert score_interval((0.25, 0.5), said) == score


@pytest.mark.parametrize(("said", "score"), [((0, 1), 0.5), ((0, 100), 0), ((0.2, 0.6), 1)])
def test_a_range_that_covers_everything_is_not_right(
    said: tuple[float, float], score: float
) -> None:
    assert score_interval((0.25, 0.5), said) == score


def test_small_counts_are_exact_or_one_off() -> None:
    scores = [score_number(3, said, is_count=True) for said in (3, 4, 2, 5, 3.2)]
    assert scores == [1, 0.5, 0.5, 0, 0]
    assert score_number(0, -1, is_count=True) == 0


def test_a_flipped_sign_is_wrong_even_inside_the_absolute_tolerance() -> None:
    assert score_number(0.05, -0.04) == 0
    assert score_number(0.05, -0.04, own=0.1) == 1


def test_the_tolerance_of_the_item_goes_first() -> None:
    assert score_number(100, 101, own=0.5) == 0.5
    assert score_number(100, 102, own=0.5) == 0


def test_a_vector_is_right_in_whole_in_part_or_not_at_all() -> None:
    assert score_vector((10, -50), (10.5, -48)) == 1
    assert score_vector((10, -50), (10.5, 48)) == 0.5
    assert score_vector((10, -50), (20, 48)) == 0
    assert score_vector((10, -50), (10,)) is None


def test_numbers_in_words_like_sentinel_2_are_not_values() -> None:
    assert numbers_in("B12 of S2 at lon -12.5, lat .5e1") == (-12.5, 5.0)


def decide(golden: Golden, reading: Reading, labels: tuple[str, ...] = ()) -> Verdict | None:
    return prejudge(golden, reading, labels=labels)


def score_of(verdict: Verdict | None) -> float | None:
    return None if verdict is None else verdict.score


def test_a_closed_label_set_needs_no_judge_and_a_synonym_does() -> None:
    golden = Golden("Strong El Niño", "label")
    labels = ("Strong El Niño", "Weak El Niño", "Neutral")
    assert score_of(decide(golden, found(Text("strong el niño."), "text"), labels)) == 1
    assert score_of(decide(golden, found(Text("Neutral"), "text"), labels)) == 0
    assert decide(golden, found(Text("a powerful warm phase"), "text"), labels) is None
    assert decide(golden, found(Text("Neutral"), "text")) is None


def test_a_label_is_found_where_the_reply_states_it() -> None:
    golden = Golden("North", "label")
    labels = ("North", "North-east", "South")
    said = {
        "The frames shift upwards.\nThe answer is North.": 1,
        "It could be North, but the answer is: South. That is all.": 0,
        "It moves up.\nNorth-east": 0,
        "North, or perhaps South": None,
        "The wrong answer is South.": None,
    }
    for text, score in said.items():
        assert score_of(decide(golden, found(Text(text), "whole"), labels)) == score, text


def test_yes_or_no_is_read_from_words() -> None:
    golden = Golden("Yes", "yes_no", True)
    assert score_of(decide(golden, found(Text("Yes, it will flood."), "whole"))) == 1
    assert score_of(decide(golden, found(Text("No."), "whole"))) == 0
    assert decide(golden, found(Text("It depends on the rain."), "whole")) is None


def test_yes_or_no_with_a_detail_goes_to_the_judge_only_when_the_first_part_is_right() -> None:
    detailed = Golden("Yes, three palms", "yes_no", True)
    assert decide(detailed, found(Truth(True), "whole")) is None
    assert score_of(decide(detailed, found(Truth(False), "whole"))) == 0
    assert score_of(decide(Golden("no", "yes_no", False), found(Truth(False), "whole"))) == 1


def test_a_range_golden_takes_points_and_ranges() -> None:
    golden = Golden("0.25-0.5", "interval", [0.25, 0.5])
    assert score_of(decide(golden, found(Number(0.3), "whole"))) == 1
    assert score_of(decide(golden, found(Interval(0.5, 0.75), "whole"))) == 0.5


def test_what_could_not_be_read_or_converted_is_not_decided() -> None:
    golden = Golden("12 m", "number", 12, "m")
    assert decide(golden, unread()) is None
    assert decide(golden, found(Number(12, "kt"), "whole", ("unit",))) is None
    assert decide(Golden("12", "number"), found(Number(12), "whole")) is None


@given(finite, finite)
def test_scores_are_one_of_three_and_fall_with_distance(golden: float, step: float) -> None:
    near, far = score_number(golden, golden + step), score_number(golden, golden + 3 * step)
    assert {near, far} <= {0.0, 0.5, 1.0}
    assert far <= near
    assert score_number(golden, golden) == 1


@given(finite)
def test_no_infinite_answer_is_right(golden: float) -> None:
    assert score_number(golden, math.inf) == 0
    assert score_interval((golden, golden + 1), (-math.inf, math.inf)) == 0
