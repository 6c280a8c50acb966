"""Every row of the published test tables: the released result and the right one, side by side."""

from pathlib import Path

import pytest

from earthexam.answers.extract import Expected, read_reply
from earthexam.answers.released_omniearth import (
    NO_BOX,
    best_overlap,
    clean_caption,
    read_corners,
    read_letters,
)
from earthexam.answers.score import score_reading
from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.item import LETTERS, Box, Choice, Item, Media
from earthexam.evaluate.folder import ReplyRecord, Run, RunInfo, write_run_info
from earthexam.evaluate.released_omniearth import (
    pooled_lines,
    score_released_omniearth,
    stops_at,
)
from earthexam.models.protocol import Key
from factories import make_item

FLOOD = ("No flooding", "Flooding will occur", "Beach", "Dense", "Unable to decide")
SIX = ("One", "Two", "Three", "Four", "Five", "Six")


@pytest.mark.parametrize(
    ("reply", "released", "right"),
    [
        ("B", "B", "B"),
        ("(B)", "B", "B"),
        ("The answer is (B) flooding will occur", "B", "B"),
        ("b", "", "B"),
        ("(b)", "", "B"),
        ("Answer: B", "ABE", "B"),
        ("Based on the image, the answer is B", "ABDE", "B"),
        ("A) Beach", "ABCE", "A"),
        ("The answer: D) Dense", "DE", "D"),
        (r"\boxed{C}", "BCDE", "C"),
        ("B. Flooding will occur", "BCD", "B"),
        ("E. Unable to decide", "ABCDE", "E"),
        ("Unable to decide", "", "E"),
        ("(A) is wrong; (B) is right", "AB", "B"),
        ("A, C", "AC", ""),
        ("I think B", "B", "B"),
        ("None", "", ""),
        ("", "", ""),
    ],
)
def test_letters_of_a_single_choice(reply: str, released: str, right: str) -> None:
    assert read_letters(reply) == released
    reading = read_reply(reply, Expected("single_choice", options=FLOOD))
    said = reading.answer.indices if isinstance(reading.answer, Choice) else ()
    assert "".join(LETTERS[i] for i in said) == right


@pytest.mark.parametrize("reply", ["A, C", "AC", "A C"])
def test_letters_of_a_set(reply: str) -> None:
    assert read_letters(reply) == "AC"
    reading = read_reply(reply, Expected("multiple_choice", options=FLOOD))
    assert reading.answer == Choice((0, 2))


@pytest.mark.parametrize("reply", ["F", "(F)"])
def test_a_sixth_letter_is_read_by_us_alone(reply: str) -> None:
    assert read_letters(reply) == ""
    reading = read_reply(reply, Expected("single_choice", options=SIX))
    assert reading.answer == Choice((5,))


TRUE_BOX = (228.0, 168.0, 299.0, 242.0)


@pytest.mark.parametrize(
    ("reply", "released"),
    [
        ("[228, 168, 299, 242]", TRUE_BOX),
        ('{"bbox_2d": [228, 168, 299, 242]}', TRUE_BOX),
        ("{<228><168><299><242>}", NO_BOX),
        ("[228,168],[299,242]", NO_BOX),
        ("<box>228 168 299 242</box>", NO_BOX),
        ("x1=228, y1=168, x2=299, y2=242", NO_BOX),
        ("between (10, 20, 30, 40) and [228, 168, 299, 242]", TRUE_BOX),
        ("[299, 242, 228, 168]", (299, 242, 228, 168)),
    ],
)
def test_boxes_in_pixels(reply: str, released: tuple[float, ...]) -> None:
    assert read_corners(reply) == released
    reading = read_reply(reply, Expected("grounding", width=333, height=266))
    assert reading.answer == Box(TRUE_BOX)


def test_a_leading_dot_is_read_by_us_alone() -> None:
    reply = "[.68, .63, .90, .91]"
    assert read_corners(reply) == NO_BOX
    reading = read_reply(reply, Expected("grounding", convention="unit", width=333, height=266))
    assert isinstance(reading.answer, Box)
    assert reading.answer.box == pytest.approx((226.44, 167.58, 299.7, 242.06))


def test_corners_out_of_order_have_no_overlap_in_the_released_way() -> None:
    true = (228 / 333, 168 / 266, 299 / 333, 242 / 266)
    assert best_overlap(true, (299, 242, 228, 168), 333, 266) == 0
    assert best_overlap(true, TRUE_BOX, 333, 266) == pytest.approx(1)


def test_the_released_scale_is_chosen_by_the_truth_and_ours_is_declared() -> None:
    assert best_overlap((0.1, 0.1, 0.2, 0.2), (100, 100, 200, 200), 512, 512) == pytest.approx(1)
    item = make_item("grounding", answer=Box((51.2, 51.2, 102.4, 102.4)))
    reading = read_reply("[100,100,200,200]", Expected("grounding", width=512, height=512))
    assert score_reading(item, reading).iou == pytest.approx(0.0005, abs=5e-5)


def test_a_released_caption_joins_the_words_around_a_line_break() -> None:
    assert clean_caption("# rain.\n**Wind**") == " rain.Wind"


REPLIES = {
    "choice-1": "Answer: B",
    "choice-2": "(B)",
    "choice-3": "The answer is clear from the second picture.",
    "choice-4": "F",
    "choice-5": "(E)",
    "box-1": "[228, 168, 299, 242]",
    "box-2": "{<228><168><299><242>}",
    "box-3": "[228, 168, 299, 217]",
    "box-4": "[684.6, 631.5, 897.8, 909.7]",
}
WHY = {
    "choice-1": "letters inside words are taken for answers",
    "choice-4": "letters beyond E are never read",
    "box-2": "the way the box is written fits none of three patterns",
    "box-3": "right from an overlap of 0.9 on, ours from 0.5 on",
    "box-4": "the scale of the numbers is chosen by looking at the truth",
}


def replayed(folder: Path) -> tuple[Run, Benchmark]:
    picture = Media("image", "media/x.png", width=333, height=266, sha256="0" * 64)
    levels = ("Sphere", "Scenario", "Perception", "Task")
    items: list[Item] = []
    for name in REPLIES:
        if name.startswith("box"):
            items.append(make_item("grounding", id=name, answer=Box(TRUE_BOX), media=(picture,)))
            continue
        options = (*SIX[:5], "Unable to decide") if name == "choice-4" else FLOOD
        key = Choice((5,)) if name == "choice-4" else Choice((1,))
        items.append(make_item(id=name, options=options, answer=key, levels=levels))
    items.append(make_item("chain_of_thought", id="chain-1"))
    with write_benchmark(folder / "bench") as writer:
        writer.add_items(items)
        writer.finish(BenchmarkInfo(name="mini", taxonomy="omniearth"))
    benchmark = Benchmark.open(folder / "bench")
    run = folder / "run"
    run.mkdir()
    write_run_info(
        run,
        RunInfo(
            benchmark="mini",
            benchmark_path=str(folder / "bench"),
            benchmark_sha256=benchmark.sha256,
            model="replay",
            views=["image"],
        ),
    )
    lines = [
        ReplyRecord(
            Key(item.id, "image" if item.media else ""),
            "replied",
            REPLIES.get(item.id, "A river."),
            option_order=tuple(range(len(item.options))),
            shown=tuple(media.path for media in item.media),
        ).to_line()
        for item in items
    ]
    (run / "replies.jsonl").write_bytes(b"".join(lines))
    return Run.open(run), benchmark


def test_a_run_is_scored_the_released_way_and_differences_have_reasons(tmp_path: Path) -> None:
    run, benchmark = replayed(tmp_path)
    records = {row.key.id: row for row in score_released_omniearth(run, benchmark)}
    right = [name for name, row in records.items() if row.score]
    assert right == ["choice-2", "box-1", "box-4"]
    assert {name: row.detail for name, row in records.items() if row.detail} == WHY | {
        "chain-1": "the released code scores no chain_of_thought"
    }
    assert records["chain-1"].outcome == "unsupported"


def test_released_lines_are_pooled_at_every_level_and_count_abstentions(tmp_path: Path) -> None:
    run, benchmark = replayed(tmp_path)
    lines = pooled_lines(score_released_omniearth(run, benchmark), benchmark.by_id)
    assert [line.path for line in lines[:1]] == [("Sphere",)]
    overall = lines[-1]
    assert (overall.path, overall.n, overall.right, overall.unable) == ((), 5, 1, 1)
    assert overall.accuracy == 0.2


def test_items_whose_last_option_does_not_abstain_stop_the_released_code(tmp_path: Path) -> None:
    _, benchmark = replayed(tmp_path)
    assert stops_at(benchmark) == ()
    without = Benchmark(benchmark.root, benchmark.info, (*benchmark.items, make_item(id="x")))
    assert stops_at(without) == ("x",)
