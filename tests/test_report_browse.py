"""Which items travel in the page, how their answers are put in words, and the letters they got."""

import base64
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from earthexam.evaluate.folder import REPLIES_FILE, ReplyRecord, Run, ScoreRecord, write_scores
from earthexam.models.protocol import Key
from earthexam.report.browse import Browser, choose_items, describe_key, describe_read
from earthexam.report.collect import collect_report
from earthexam.report.letters import confusions, read_indices
from earthexam.report.pictures import LARGEST_SIDE, embed_picture
from factories import make_item
from report_example import write_example


def items(count: int, task: str = "LCC") -> list:
    return [make_item(id=f"{task}-{number:08x}", task=task) for number in range(count)]


def test_tasks_take_turns():
    several = items(9, "LCC") + items(2, "PD")
    outcomes = {item.id: ("right",) for item in several}
    chosen = choose_items(several, outcomes, most=4, seed=0)
    assert sorted(item.task for item in chosen) == ["LCC", "LCC", "PD", "PD"]


def test_a_rare_outcome_is_among_the_first():
    several = items(50)
    outcomes = {item.id: ("right",) for item in several} | {several[31].id: ("refused",)}
    assert several[31] in choose_items(several, outcomes, most=2, seed=5)


def test_items_that_were_not_asked_are_not_chosen():
    several = items(3)
    assert choose_items(several, {several[1].id: ("wrong",)}, most=9, seed=0) == [several[1]]


def test_the_seed_decides_among_equals():
    several = items(40)
    outcomes = {item.id: ("right",) for item in several}
    draws = [
        [item.id for item in choose_items(several, outcomes, most=5, seed=seed)]
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


@pytest.mark.parametrize(
    ("item_format", "words"),
    [
        ("single_choice", "B (Asphalt)"),
        ("multiple_choice", "A (Concrete); C (Bare Soil)"),
        ("true_false", "true"),
        ("fill_blank", "kiln; yard"),
        ("open", "12"),
        ("grounding", "box [10, 20, 30, 40]"),
        ("caption", "A river bends around a village."),
        ("chain_of_thought", "B (Asphalt)"),
    ],
)
def test_every_format_has_its_key_in_words(item_format, words):
    assert describe_key(make_item(item_format)) == words


def test_a_read_answer_is_put_in_words():
    assert describe_read('["B"]', make_item()) == "B (Asphalt)"
    assert describe_read("", make_item()) == ""
    assert describe_read("true", make_item("true_false")) == "true"
    assert describe_read("[1,2,3,4]", make_item("grounding")) == "[1,2,3,4]"
    assert describe_read('"a river"', make_item("caption")) == "a river"


def test_a_letter_the_item_does_not_have_is_no_option():
    assert read_indices('["F"]', make_item()) == ()


@given(st.text())
def test_no_text_ends_the_script_element_and_all_come_back(text):
    data = Browser((), {}, {"report.txt": text}, (text,), {}).to_json()
    assert "<" not in data
    assert json.loads(data)["texts"]["report.txt"] == text


def replace_replies(run: Run, item_id: str, *, order: int, letters_read: str, options: int) -> None:
    """Leave one reply: options rotated by `order`, an answer read in the item's own order."""
    rotation = tuple((place + order) % options for place in range(options))
    key = Key(item_id, "report", 0, order)
    record = ReplyRecord(key=key, status="replied", text="?", option_order=rotation)
    (run.root / REPLIES_FILE).write_bytes(record.to_line())
    read = ScoreRecord(
        key, "SFR", "block-0", "scene", json.dumps(list(letters_read)), "whole", "wrong", 0.0
    )
    write_scores(run.root, [read])


def test_letters_are_counted_as_they_were_shown(tmp_path):
    _, runs = write_example(tmp_path, per_task=1, blocks=2)
    report = collect_report(runs[:1])
    item = next(item for item in report.benchmark.items if len(item.options) >= 4)
    key = item.answer.indices[0]
    count = len(item.options)
    other = (key + 1) % count
    replace_replies(
        report.runs[0], item.id, order=1, letters_read=item.letters[other], options=count
    )
    table = confusions(report)[0]
    # Rotated by one place, option i stands at position i - 1.
    shown_key, shown_read = (key - 1) % count, (other - 1) % count
    assert table.counts[shown_key][shown_read] == 1
    assert sum(table.keys) == 1


def test_the_rows_and_columns_of_letters_add_up(tmp_path):
    _, runs = write_example(tmp_path, per_task=4, blocks=2)
    for table in confusions(collect_report(runs)):
        assert sum(table.keys) == sum(table.answers) == 52
        assert all(0 <= table.share(key, 0) <= 1 for key in range(len(table.letters)))


def stored_picture(folder, array: np.ndarray):
    path = folder / "picture.png"
    Image.fromarray(array).save(path)
    return path


def decoded(uri: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(uri.split(",", 1)[1])))


def test_a_small_picture_goes_in_as_it_is(tmp_path):
    path = stored_picture(tmp_path, np.zeros((20, 30), np.uint8))
    embedded = embed_picture(path)
    assert embedded.uri == "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
    assert (embedded.width, embedded.height) == (30, 20)


def test_a_composite_is_kept_without_loss(tmp_path):
    values = np.random.default_rng(0).integers(0, 256, (96, 128), np.uint8)
    array = values.repeat(7, axis=0).repeat(7, axis=1)
    path = tmp_path / "composite.png"
    Image.fromarray(array).save(path, compress_level=0)
    picture = decoded(embed_picture(path).uri).convert("L")
    assert picture.format is None or picture.format == "WEBP"
    assert np.array_equal(np.asarray(picture), array)


def test_a_huge_picture_is_shrunk_and_keeps_its_own_size_in_mind(tmp_path):
    array = np.random.default_rng(0).integers(0, 256, (1500, 2000, 3), np.uint8)
    embedded = embed_picture(stored_picture(tmp_path, array))
    assert max(decoded(embedded.uri).size) == LARGEST_SIDE
    assert (embedded.width, embedded.height) == (2000, 1500)
