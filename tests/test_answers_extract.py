import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earthexam.answers import extract
from earthexam.answers.extract import Expected, answer_as_json, read_reply
from earthexam.answers.lines import read_lines
from earthexam.core.errors import InputError
from earthexam.core.item import FORMATS, LETTERS, Blanks, Box, Chain, Choice
from factories import make_item

OWN_CASES = "cases/replies.jsonl"
PIECES = (
    "A", "b", "I", "Z", " ", "\n", ",", ".", "(", ")", "[", "]", "{", "}", "<", ">", "|", "answer is ",
    "Answer: ", "final answer", "I choose ", " is correct", " or ", " and ", "not ", "<think>",
    "</think>", "<answer>", "\\boxed{", "$", "**", "BLANK1: ", "1. ", "True", "no, ", "[1, 2, 3, 4]",
    "x1=3 ", "1,234.5", "-", "between 2 and ", "= ", "km", "答案", "选", "Soil", "Sand", "cannot tell",
    '{"answer": ', '"', "é", "\u0301", "İ", "ß", "\x00",
)  # fmt: skip


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def check_lines(lines):
    read = [json.loads(line) for line in read_lines(lines)]
    wrong = []
    for wanted, got in zip(map(json.loads, lines), read, strict=True):
        same = (wanted["answer"], wanted["outcome"]) == (got["answer"], got["outcome"])
        if not same or got["rule"] != wanted.get("rule", got["rule"]):
            wrong.append((wanted, got))
    assert not wrong


def test_the_specified_replies_are_read_as_specified(shared):
    check_lines(lines_of(shared / "cases" / "replies.jsonl"))


def test_every_reply_ever_misread_is_read_right(request):
    lines = lines_of(request.path.parent / OWN_CASES)
    assert len(lines) >= 100
    check_lines(lines)


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)),
    st.sampled_from(FORMATS),
    st.integers(1, 26),
    st.sampled_from(["", "stop", "length"]),
)
def test_no_reply_crashes_a_reader_or_yields_what_was_not_offered(text, form, count, reason):
    options = ("Soil", "Sand", "Open water", "A lake", *(f"class {i}" for i in range(22)))[:count]
    reading = read_reply(text, Expected(form, options, n_blanks=2, finish_reason=reason))
    assert (reading.answer is None) == (reading.outcome != "read")
    match reading.answer:
        case Choice(indices) | Chain(indices, _):
            assert indices
            assert set(indices) <= set(range(count))
            assert form != "single_choice" or len(indices) == 1
        case Blanks(texts):
            assert len(texts) == 2
        case Box((x0, y0, x1, y1), _):
            assert x0 <= x1
            assert y0 <= y1
    json.dumps(answer_as_json(reading), allow_nan=False)


@given(st.sampled_from(LETTERS), st.integers(1, 26))
def test_an_offered_letter_is_read_and_another_is_not(letter, count):
    options = tuple(f"class {i}" for i in range(count))
    place = LETTERS.index(letter)
    wanted = Choice((place,)) if place < count else None
    for reply in (letter, f"The answer is {letter}.", f"({letter.lower()})", f"**{letter}**"):
        assert read_reply(reply, Expected("single_choice", options)).answer == wanted


@pytest.mark.parametrize("piece", [*PIECES, "answer to ", "A,C,", "B, ", "<1>", "A. x\n", "word "])
def test_reading_takes_linear_time_on_long_replies(piece):
    text = (piece * 60_000)[:60_000]
    for form in (
        "single_choice",
        "multiple_choice",
        "true_false",
        "fill_blank",
        "open",
        "grounding",
    ):
        start = time.process_time()
        read_reply(text, Expected(form, ("Soil", "Sand", "Water")))
        assert time.process_time() - start < 1.5  # a square law would take minutes


@pytest.mark.parametrize("piece", ["A ", "1,", "=1+1 ", "选", "the answer is A or B ", "I "])
def test_of_a_reply_of_any_length_only_the_ends_are_searched(piece, monkeypatch):
    searched = []
    for name in ("read_choice", "read_truth", "read_number", "read_interval", "read_box"):
        reader = getattr(extract, name)

        def counted(text, *rest, reader=reader, **named):
            searched.append(len(text))
            return reader(text, *rest, **named)

        monkeypatch.setattr(extract, name, counted)
    text = (piece * 200_000)[:200_000]
    for form, kind in (
        ("single_choice", None),
        ("multiple_choice", None),
        ("chain_of_thought", None),
        ("true_false", None),
        ("grounding", None),
        ("open", None),
        ("open", "number"),
        ("open", "interval"),
    ):
        read_reply(text, Expected(form, ("Soil", "Sand"), kind=kind))
    assert len(searched) == 8
    assert max(searched) <= extract.LONGEST_READ + 10


def test_an_answer_at_either_end_of_a_very_long_reply_is_read():
    filler = "The bands look alike. " * 10_000
    expected = Expected("single_choice", ("Soil", "Sand"))
    assert read_reply(f"B. {filler}", expected).answer == Choice((1,))
    assert read_reply(f"{filler}The answer is B.", expected).answer == Choice((1,))
    assert read_reply(f"{filler}So B", expected).answer is None  # the middle may have named A
    parted = "x" * (extract._HEAD - 15) + " the answer is " + "B " * 40_000
    assert read_reply(parted, expected).answer is None
    assert read_reply(filler, Expected("caption")).answer == extract.Text(filler.strip())


def test_a_thousand_ordinary_replies_are_read_in_a_moment(request):
    cases = [json.loads(line) for line in lines_of(request.path.parent / OWN_CASES)]
    choices = [case for case in cases if case["format"] == "single_choice"]
    start = time.process_time()
    for _ in range(10):
        for case in choices:
            read_reply(case["reply"], Expected("single_choice", tuple(case["options"])))
    assert (time.process_time() - start) / (10 * len(choices)) < 1e-3


def test_what_to_expect_follows_the_item_and_the_order_shown():
    expected = Expected.of(make_item(), option_order=(3, 0, 1, 2))
    assert expected.options == ("Water", "Concrete", "Asphalt", "Bare Soil")
    assert Expected.of(make_item("fill_blank")).n_blanks == 2
    assert Expected.of(make_item("open")).kind == "number"


def test_odd_boxes_are_flagged():
    expected = Expected("grounding", width=100, height=80)
    assert read_reply("[50, 60, 10, 20]", expected).flags == ("corners",)
    assert read_reply("[10, 20, 50, 600]", expected).flags == ("outside",)
    assert read_reply("{<1><2><3><4>|<30>}", expected).flags == ("rotated",)


def test_the_steps_of_a_chain_are_kept_without_its_last_line():
    reply = "1. The infrared is low.\n2. Water absorbs it.\nAnswer: B"
    reading = read_reply(reply, Expected("chain_of_thought", ("Soil", "Water")))
    assert reading.answer == Chain((1,), ("The infrared is low.", "Water absorbs it."))


def test_a_convention_without_the_size_of_the_picture_is_refused():
    with pytest.raises(InputError, match="width and height"):
        Expected("grounding", convention="unit")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2"),
        ("[]", "expected a JSON object"),
        ('{"id": "x", "reply": "B", "format": "choice"}', "'choice'; expected one of single_choice"),
        ('{"id": "x", "format": "caption"}', "reply is None"),
        ('{"id": "x", "reply": "B", "format": "grounding", "convention": "unit"}', "width and height"),
        ('{"id": "x", "reply": "B", "format": "single_choice", "options": "AB"}', "list of texts"),
        ('{"id": "x", "reply": "B", "format": "fill_blank", "n_blanks": 0}', "at least 1"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_by_its_number(line, said):
    good = '{"id": "a", "reply": "x", "format": "caption"}'
    with pytest.raises(InputError, match="line 2") as caught:
        list(read_lines([good, line]))
    assert said in str(caught.value)
