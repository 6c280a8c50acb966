"""What a model sees, kept as golden files.

After a change that is meant: ``EARTHEXAM_UPDATE_GOLDEN=1 pytest tests/test_answers_prompt.py``.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from earthexam.answers.prompt import build_prompt, load_style, style_names
from earthexam.core.errors import FormatError, InputError, MissingFileError, UnknownNameError
from earthexam.core.item import FORMATS, Chain, Choice, Golden, Media
from factories import WITH_OPTIONS, make_item

GOLDEN = Path(__file__).parent / "golden" / "prompts"
PICTURE = Media("composite", "media/a.png", time="2017-09")
LATER = Media("composite", "media/b.png", label="after the fire", time="2018-03")
REPORT = Media("report", "media/a.txt")
CUBE = Media("cube", "media/a.npy")

CASES = {
    **{form: (make_item(form, media=(PICTURE,)), "composite", {}) for form in FORMATS},
    "two_pictures": (make_item(media=(PICTURE, LATER)), "composite", {}),
    "report": (make_item(media=(PICTURE, REPORT)), "report", {}),
    "cube": (make_item(media=(CUBE,)), "cube", {}),
    "blind": (make_item(media=(PICTURE,)), "composite", {"blind": True}),
    "no_media": (make_item(), None, {}),
    "rotated_options": (
        make_item(media=(PICTURE,)), "composite", {"option_order": (1, 2, 3, 0)},
    ),
    "box_of_thousandths": (
        make_item("grounding", media=(PICTURE,)), "composite",
        {"convention": "0-1000", "order": "yxyx"},
    ),
    "interval": (
        make_item("open", answer=Golden("2–5 km", "interval", [2, 5], "km")), None, {},
    ),
    "open_label": (make_item("open", answer=Golden("a delta", "label")), None, {}),
    "words_of_the_view": (
        make_item(media=(REPORT,), question_by_view={"report": "Which class does it name first?"}),
        "report", {},
    ),
}  # fmt: skip


def spell(prompt):
    parts = [part.text or f"<{part.kind} {part.path}>" for part in prompt.parts]
    head = f"[at most {prompt.max_tokens} tokens, temperature {prompt.temperature:g}]"
    return "\n".join([head, "[system]", prompt.system, "[user]", *parts]) + "\n"


@pytest.mark.parametrize("style", style_names())
@pytest.mark.parametrize("case", CASES)
def test_a_model_sees_what_was_reviewed(case, style):
    item, view, settings = CASES[case]
    said = spell(build_prompt(item, view, load_style(style), **settings))
    golden = GOLDEN / f"{style}-{case}.txt"
    if os.environ.get("EARTHEXAM_UPDATE_GOLDEN") == "1":
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_case():
    wanted = {f"{style}-{case}.txt" for style in style_names() for case in CASES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted


@pytest.mark.parametrize("form", WITH_OPTIONS)
def test_a_prompt_does_not_depend_on_the_right_option(form):
    style = load_style("default")
    item = make_item(form, media=(PICTURE,))
    other = replace(item, answer=Chain((3,), ()) if form == "chain_of_thought" else Choice((3,)))
    assert build_prompt(item, "composite", style) == build_prompt(other, "composite", style)


def test_a_blind_prompt_names_no_media():
    prompt = build_prompt(
        make_item(media=(PICTURE,)), "composite", load_style("hm-bench"), blind=True
    )
    assert [part.kind for part in prompt.parts] == ["text"]
    assert "picture" not in prompt.parts[0].text


def test_an_order_that_names_an_option_twice_is_refused():
    with pytest.raises(InputError, match="does not name each of the 4 options once"):
        build_prompt(make_item(), None, load_style("default"), option_order=(0, 0, 1, 2))


def test_a_view_the_item_lacks_is_refused():
    with pytest.raises(InputError, match="no view 'report'; it has composite"):
        build_prompt(make_item(media=(PICTURE,)), "report", load_style("default"))


def test_a_misspelt_style_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean hm-bench"):
        load_style("hm-bensch")


def test_a_users_style_says_only_what_differs(tmp_path):
    path = tmp_path / "terse.toml"
    path.write_text('max_tokens = 8\n[instructions]\nsingle_choice = "One of {letters}."\n')
    style = load_style(path)
    assert (style.name, style.max_tokens) == ("terse", 8)
    assert style.instructions["caption"] == load_style("default").instructions["caption"]
    assert build_prompt(make_item(), None, style).parts[0].text.endswith("One of A, B, C or D.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "not valid TOML"),
        ("tokens = 5", "no setting"),
        ("max_tokens = 0", "no setting"),
        ('[instructions]\nsingle = "x"', "expected a text under one of"),
        ('[instructions]\ncaption = "{letter}"', "field 'letter'"),
        ('[instructions]\ncaption = "{"', "write a brace twice"),
    ],
)
def test_a_faulty_style_says_what_is_wrong(tmp_path, text, said):
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        load_style(path)


def test_a_missing_style_file_is_named(tmp_path):
    with pytest.raises(MissingFileError, match="shipped styles: default, hm-bench"):
        load_style(tmp_path / "none.toml")
