"""Bins, boxes and leads, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.questions.family import (
    Asked,
    Families,
    area,
    choose,
    clearly_first,
    judge_bins,
    judge_number,
    judge_region,
    judge_yes_no,
    overlap,
    parse_region,
    region_text,
)

NAMES = ("low", "middle", "high")


@pytest.mark.parametrize(
    ("value", "answer", "clear"),
    [
        (0.0, "low", True),
        (0.189, "low", True),
        (0.191, "low", False),  # 0.2 less 5 % is 0.19
        (0.2, "middle", False),  # an edge belongs to the bin above
        (0.209, "middle", False),
        (0.211, "middle", True),
        (0.474, "middle", True),
        (0.476, "middle", False),
        (0.5, "high", False),
        (0.526, "high", True),
        (1.0, "high", True),
    ],
)
def test_a_value_near_an_edge_is_unclear(value, answer, clear):
    judged = judge_bins(value, (0.2, 0.5), NAMES, evidence={})
    assert (judged.answer, judged.clear) == (answer, clear)
    assert judged.false == set(NAMES) - {answer}


def test_options_of_a_scale_keep_their_order_and_the_nearer_bin_fits_better():
    judged = judge_bins(0.9, (0.2, 0.5), NAMES, evidence={})
    assert tuple(judged.scores) == NAMES
    assert judged.fit("high") > judged.fit("middle") > judged.fit("low") > judged.fit("unheard of")


def test_edges_below_zero_have_margins_too():
    edges, names = (-0.10, 0.10), ("fell", "stayed", "rose")
    judged = [judge_bins(v, edges, names, evidence={}, margin=0.1) for v in (-0.12, -0.105, -0.08)]
    assert [(one.answer, one.clear) for one in judged] == [
        ("fell", True),
        ("fell", False),
        ("stayed", True),
    ]


def test_the_options_of_a_count_reach_the_count_wherever_it_lies():
    assert tuple(judge_number(3, least=1, most=5, evidence={}).scores) == ("1", "2", "3", "4", "5")
    beyond = judge_number(7, least=1, most=5, evidence={})
    assert beyond.answer == "7"
    assert "7" in beyond.scores
    assert beyond.fit("6") > beyond.fit("4")


@pytest.mark.parametrize(("holds", "answer", "other"), [(True, "Yes", "No"), (False, "No", "Yes")])
def test_yes_and_no_refute_each_other(holds, answer, other):
    judged = judge_yes_no(holds, clear=True, evidence={"n": 1})
    assert judged.answer == answer
    assert judged.refutes(other)
    assert not judged.refutes(answer)
    assert tuple(judged.scores) == ("Yes", "No")


def test_only_what_is_said_to_be_false_is_refuted_and_never_the_answer():
    judged = choose({"a": 3, "b": 2, "c": 1}, "a", clear=True, evidence={}, false=["a", "c"])
    assert [judged.refutes(option) for option in "abcd"] == [False, False, True, False]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({}, None),
        ({"a": 1.0}, ("a", True)),
        ({"a": 0.0}, ("a", False)),
        ({"a": 2.0, "b": 3.0}, ("b", True)),
        ({"a": 2.01, "b": 3.0}, ("b", False)),
        ({"b": 1.0, "a": 1.0}, ("a", False)),
        ({"a": 0.0, "b": 0.0}, ("a", False)),
        ({"a": 5.0, "b": 0.0}, ("a", True)),
    ],
)
def test_a_lead_is_clear_from_half_as_much_again(scores, expected):
    assert clearly_first(scores) == expected


hundredths = st.integers(0, 100).map(lambda n: n / 100)
boxes = st.tuples(hundredths, hundredths, hundredths, hundredths)


@given(boxes)
def test_a_box_reads_back_from_its_text(box):
    assert parse_region(region_text(box)) == box


@pytest.mark.parametrize(
    "text", ["", "Corn", "[1, 2, 3]", "[1, 2, 3, 4, 5]", "[a, b, c, d]", "[,,,]"]
)
def test_a_text_that_is_no_box_reads_as_none(text):
    assert parse_region(text) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((0, 0, 1, 1), (0, 0, 1, 1), 1.0),
        ((0, 0, 2, 2), (1, 1, 3, 3), 1 / 7),  # shared 1, together 4 + 4 - 1
        ((0, 0, 1, 1), (1, 0, 2, 1), 0.0),  # they touch
        ((0, 0, 1, 1), (5, 5, 6, 6), 0.0),
        ((0, 0, 4, 4), (1, 1, 3, 3), 0.25),
        ((0, 0, 0, 0), (0, 0, 0, 0), 0.0),
        ((1, 1, 0, 0), (0, 0, 1, 1), 0.0),  # corners out of order hold nothing
    ],
)
def test_overlap_is_shared_area_over_all_area(one, other, expected):
    assert overlap(one, other) == pytest.approx(expected)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_a_share(one, other):
    assert overlap(one, other) == pytest.approx(overlap(other, one))
    assert 0.0 <= overlap(one, other) <= 1.0


def test_the_area_of_a_box_out_of_order_is_none():
    assert area((0.25, 0.5, 0.75, 1.0)) == 0.25
    assert area((0.75, 0.5, 0.25, 1.0)) == 0.0


def test_a_box_refutes_only_boxes_that_differ_enough():
    judged = judge_region((0.0, 0.0, 0.5, 0.5), clear=True, evidence={})
    assert judged.answer == "[0.00, 0.00, 0.50, 0.50]"
    assert judged.refutes("[0.00, 0.00, 0.80, 0.50]")  # overlap 5/8
    assert not judged.refutes("[0.00, 0.00, 0.70, 0.50]")  # overlap 5/7
    assert not judged.refutes("no box")
    assert judged.fit("[0.00, 0.00, 0.60, 0.50]") > judged.fit("[0.00, 0.00, 0.90, 0.90]")
    assert judged.fit("no box") < 0


def test_parameters_are_read_by_type():
    asked = Asked({"name": "Corn", "row": 3, "edges": [0.2, 1], "share": "0.5"})
    assert asked.text("name") == "Corn"
    assert asked.text("_name", "Oats") == "Oats"
    assert asked.whole("row") == 3
    assert asked.numbers("edges") == [0.2, 1.0]
    assert asked.number("share") == 0.5
    assert asked["row"] == 3
    with pytest.raises(KeyError):
        asked.number("absent")


def test_a_family_is_registered_under_its_task_and_once():
    families: Families[int, None] = Families()
    options = {
        "question_type": "judgement",
        "layout": "scale",
        "wordings": ("Is it so?",),
        "cases": lambda _block, _context: ({},),
    }

    @families.add("lcc.odd", **options)
    def odd(block: int, _asked: Asked):
        return judge_yes_no(block % 2 == 1, clear=True, evidence={"n": block})

    family = families.by_name["lcc.odd"]
    assert family.task == "LCC"
    assert family.judge(3, Asked({})).answer == "Yes"
    with pytest.raises(ValueError, match=r"two question families are called 'lcc\.odd'"):
        families.add("lcc.odd", **options)(odd)
