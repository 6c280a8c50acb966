"""Answers keep their meaning on the way to a table and back; equal texts compare equal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.core.errors import FormatError
from earthexam.core.item import (
    FORMATS,
    Answer,
    Blanks,
    Box,
    Chain,
    Choice,
    Golden,
    Media,
    Provenance,
    References,
    Truth,
    answer_from_json,
    answer_to_json,
    normalise_text,
    to_json,
)
from factories import ANSWERS, make_item

texts = st.lists(st.text(max_size=12), max_size=4).map(tuple)
indices = st.lists(st.integers(0, 25), max_size=5).map(tuple)
finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | finite | st.text(max_size=8) | st.lists(finite, max_size=3)
choices = st.builds(Choice, indices)
ANSWERS_OF: dict[str, st.SearchStrategy[Answer]] = {
    "single_choice": choices,
    "multiple_choice": choices,
    "true_false": st.builds(Truth, st.booleans()),
    "fill_blank": st.builds(Blanks, texts),
    "open": st.builds(
        Golden,
        st.text(max_size=12),
        st.sampled_from(["label", "number", "interval", "vector", "place", "stage", "yes_no"]),
        values,
        st.text(max_size=4),
        st.none() | st.floats(0, 1e6),
    ),
    "grounding": st.builds(Box, st.tuples(finite, finite, finite, finite)),
    "caption": st.builds(References, texts),
    "chain_of_thought": st.builds(Chain, indices, texts),
}


def test_every_format_has_a_strategy():
    assert set(ANSWERS_OF) == set(FORMATS)


@given(st.data())
def test_an_answer_read_back_from_its_text_is_the_same(data):
    item_format = data.draw(st.sampled_from(FORMATS))
    answer = data.draw(ANSWERS_OF[item_format])
    assert answer_from_json(json.loads(to_json(answer_to_json(answer))), item_format) == answer


@pytest.mark.parametrize(
    ("item_format", "stored"),
    [
        ("single_choice", "A"),
        ("single_choice", [-1]),
        ("single_choice", [True]),
        ("single_choice", [1.0]),
        ("multiple_choice", None),
        ("true_false", 1),
        ("true_false", "true"),
        ("fill_blank", "kiln"),
        ("fill_blank", [1]),
        ("open", {"text": "12"}),
        ("grounding", {"box": [1, 2, 3]}),
        ("grounding", {"box": [1, 2, 3, "x"]}),
        ("caption", ["a river"]),
        ("chain_of_thought", {"options": [0]}),
    ],
)
def test_an_answer_of_another_form_is_refused_with_value_and_format(item_format, stored):
    with pytest.raises(FormatError, match=item_format) as caught:
        answer_from_json(stored, item_format)
    assert repr(stored) in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Grass Healthy", "  grass   healthy. "),
        ("Ｗａｔｅｒ", "water"),
        ("Bare\tSoil\n", "bare soil"),
        ("STRASSE", "straße"),
        ("“x”"[1:-1], "X!"),
        ("水。", "水"),
        ("'Corn'", "corn"),
    ],
)
def test_texts_that_look_alike_are_equal(one, other):
    assert normalise_text(one) == normalise_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("< 5 %", "> 5 %"),
        ("5 %", "5"),
        ("0.5", "05"),
        ("-2", "2"),
        ("Corn-notill", "Corn notill"),
        ("20 % to 40 %", "20 % to 4 %"),
    ],
)
def test_texts_that_mean_different_things_stay_different(one, other):
    assert normalise_text(one) != normalise_text(other)


@given(st.text(max_size=30))
def test_normalising_twice_changes_nothing_more(text):
    once = normalise_text(text)
    assert normalise_text(once) == once


def test_json_text_does_not_depend_on_the_order_of_keys_and_holds_no_nan():
    assert to_json({"b": 1, "a": [1.5, "ü"]}) == '{"a":[1.5,"ü"],"b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(float("nan"))


def test_an_item_says_which_views_it_has_in_the_order_of_all_views():
    media = (
        Media("cube", "c.npy"),
        Media("report", "r.json", role="data"),
        Media("composite", "2.png"),
        Media("composite", "1.png"),
        Media("true_colour", "m.npy", role="mask"),
    )
    item = make_item(media=media, question_by_view={"cube": "In the cube?"})
    assert item.views() == ("composite", "cube")
    assert [m.path for m in item.media_of("composite")] == ["2.png", "1.png"]
    assert item.question_for("cube") == "In the cube?"
    assert item.question_for("composite") == item.question
    assert item.letters == "ABCD"


def test_hashes_of_sources_are_recorded_only_where_a_rule_made_the_answer():
    assert make_item().with_sources({"a.npy": "00"}).provenance is None
    made = make_item(provenance=Provenance("lcc.x", {"row": 1}))
    recorded = made.with_sources({"a.npy": "00"}).provenance
    assert recorded == Provenance("lcc.x", {"row": 1}, sources={"a.npy": "00"})


def test_the_factory_of_the_tests_covers_every_format():
    assert set(ANSWERS) == set(FORMATS)
