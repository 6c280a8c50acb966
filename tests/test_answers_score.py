import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.answers.extract import Expected, Number, Reading, Text, read_reply
from earthexam.answers.released import read_paper, read_released
from earthexam.answers.score import Score, box_iou, score_reading
from earthexam.core.item import Blanks, Box, Choice, Golden
from factories import make_item


def score_of(item, reply, **settings):
    reading = read_reply(reply, Expected.of(item, **settings))
    return score_reading(item, reading, settings.get("option_order"))


@pytest.mark.parametrize(
    ("form", "reply", "outcome", "value"),
    [
        ("single_choice", "B", "right", 1),
        ("single_choice", "C", "wrong", 0),
        ("single_choice", "B or C", "unread", 0),
        ("single_choice", "I can't tell.", "refused", 0),
        ("single_choice", "<think>B", "truncated", 0),
        ("multiple_choice", "C, A", "right", 1),
        ("multiple_choice", "A", "wrong", 0),
        ("multiple_choice", "A, B, C", "wrong", 0),
        ("true_false", "Yes.", "right", 1),
        ("true_false", "Not true", "wrong", 0),
        ("fill_blank", "BLANK1: The kiln.; BLANK2: YARD", "right", 1),
        ("fill_blank", "BLANK1: kiln; BLANK2: dock", "partial", 0.5),
        ("fill_blank", "BLANK2: dock", "wrong", 0),
        ("open", "12", "right", 1),
        ("open", "Answer: 300", "wrong", 0),
        ("grounding", "[10, 20, 30, 40]", "right", 1),
        ("grounding", "[30, 40, 50, 60]", "wrong", 0),
        ("caption", "A river.", "unjudged", 0),
        ("chain_of_thought", "1. Dark.\nAnswer: B", "right", 1),
    ],
)
def test_each_format_is_scored_by_its_rule(form, reply, outcome, value):
    score = score_of(make_item(form), reply)
    assert (score.outcome, score.value) == (outcome, value)


@given(st.permutations(range(4)), st.integers(0, 3))
def test_shuffled_options_keep_the_true_answer(order, place):
    item = make_item()
    score = score_of(item, "ABCD"[place], option_order=tuple(order))
    assert (score.outcome == "right") == (order[place] == item.answer.indices[0])


def test_a_box_carries_its_overlap():
    item = make_item("grounding", answer=Box((0.0, 0.0, 10.0, 10.0)))
    score = score_of(item, "[0, 0, 10, 5]")
    assert (score.outcome, score.iou) == ("right", 0.5)


def test_disjoint_boxes_on_a_small_scale_do_not_overlap():
    assert box_iou((0.1, 0.1, 0.2, 0.2), (0.3, 0.3, 0.4, 0.4)) == 0


def test_boxes_without_area_do_not_overlap():
    assert box_iou((1, 1, 1, 1), (1, 1, 1, 1)) == 0


def test_what_no_rule_can_decide_is_left_to_a_judge():
    item = make_item("open", answer=Golden("a braided river", "label"))
    assert score_of(item, "a river with many arms").outcome == "unjudged"


def test_a_unit_that_cannot_be_converted_is_no_wrong_number():
    item = make_item("open", answer=Golden("12 km", "number", 12, "km"))
    assert score_of(item, "12000 m").outcome == "right"
    assert score_of(item, "12 hPa").outcome == "unjudged"


def test_a_set_read_from_another_format_is_not_compared():
    reading = Reading(Number(3.0), "read", "whole")
    assert score_reading(make_item(), reading).outcome == "unjudged"


def test_fewer_texts_than_blanks_count_as_empty():
    reading = Reading(Blanks(("kiln",)), "read", "label")
    assert score_reading(make_item("fill_blank"), reading) == Score("partial", 0.5, "1 of 2 blanks")


def test_a_caption_waits_for_its_metrics():
    reading = Reading(Text("A river."), "read", "whole")
    assert score_reading(make_item("caption"), reading).outcome == "unjudged"


def test_an_empty_choice_is_never_right():
    item = make_item(answer=Choice((0,)))
    assert score_reading(item, Reading(Choice(()), "read", "whole")).outcome == "wrong"


@pytest.mark.parametrize(
    ("reply", "letters", "letter"),
    [
        ("The answer is B", "ABCDEFGHI", None),
        ("The answer is B", "ABCDEF", "B"),
        ("Answer: Concrete", "ABCDEF", "C"),
        ("The answer depends on the texture.", "ABCDEF", "D"),
        ("The answer: broadleaf forest", "ABCDEF", "B"),
        ("Choice cannot be determined", "ABCDEF", "C"),
        ("D. A mix of grass and soil", "ABCDEF", None),
        ("A building. Answer: C", "ABCDEF", None),
        ("答案：B", "ABCDEF", "B"),
        ("选B", "ABCDEF", "B"),
        ("b", "ABCDEF", "B"),
        ("G", "ABCDEF", None),
        ("", "ABCDEF", None),
    ],
)
def test_the_released_reading_keeps_its_faults(reply, letters, letter):
    assert read_released(reply, letters) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        ("I think B, not C", "B"),
        ("A building. Answer: C", "C"),
        ("G or D", "D"),
        ("C-band data", None),
        ("none of them", None),
        ("g", None),
    ],
)
def test_the_papers_reading_takes_the_first_valid_label(reply, letter):
    assert read_paper(reply, "ABCDEF") == letter


@given(st.text(), st.integers(1, 26))
def test_neither_published_reading_gives_a_letter_that_was_not_offered(reply, count):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]
    for read in (read_released, read_paper):
        letter = read(reply, letters)
        assert letter is None or letter in letters
