"""Scores of saved runs: letters and boxes are mapped back, outcomes kept apart."""

from dataclasses import replace
from pathlib import Path

import pytest

from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.core.errors import InputError
from earthexam.core.item import Box, Choice, Item, Media
from earthexam.evaluate.folder import ReplyRecord, Run, RunInfo, ScoreRecord, write_run_info
from earthexam.evaluate.published_scoring import differences, score_published
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.scoring import chance, score_run
from earthexam.models.protocol import Key
from small_benchmark import OPTIONS, choice_item, make_benchmark, png

BOX = (10.0, 20.0, 60.0, 80.0)


def saved(folder: Path, benchmark: Benchmark, records: list[ReplyRecord], **info: object) -> Run:
    folder.mkdir()
    (folder / "replies.jsonl").write_bytes(b"".join(record.to_line() for record in records))
    fields = {
        "benchmark": benchmark.info.name,
        "benchmark_path": str(benchmark.root),
        "benchmark_sha256": benchmark.sha256,
        "model": "tested",
        **info,
    }
    write_run_info(folder, RunInfo.model_validate(fields))
    return Run.open(folder)


def texts(tmp_path: Path, count: int) -> Benchmark:
    return make_benchmark(tmp_path / "bench", lambda writer: [choice_item(n) for n in range(count)])


def reply(
    item: Item, text: str, order: tuple[int, ...] = (0, 1, 2, 3), **more: object
) -> ReplyRecord:
    key = Key(item.id, "", order=order[0] if order else 0)
    return ReplyRecord(key, "replied", text, "stop", option_order=order, **more)


def test_a_letter_stands_for_the_option_that_was_shown_under_it(tmp_path: Path) -> None:
    bench = texts(tmp_path, 1)
    orders = [tuple((i + k) % 4 for i in range(4)) for k in range(4)]
    said = ["B", "A", "D", "B"]  # the truth (index 1) is B, A, D, C in the four orders
    records = [reply(bench.items[0], s, o) for s, o in zip(said, orders, strict=True)]
    rows = score_run(saved(tmp_path / "run", bench, records, shuffle_options=True), bench)
    assert [row.outcome for row in rows] == ["right", "right", "right", "wrong"]
    assert [row.answer for row in rows] == ['["B"]', '["B"]', '["B"]', '["A"]']


def test_circular_evaluation_stands_beside_the_plain_mean(tmp_path: Path) -> None:
    bench = texts(tmp_path, 2)
    orders = [tuple((i + k) % 4 for i in range(4)) for k in range(4)]
    right = ["B", "A", "D", "C"]
    records = [reply(bench.items[0], s, o) for s, o in zip(right, orders, strict=True)]
    records += [reply(bench.items[1], "B", order) for order in orders]
    run = saved(tmp_path / "run", bench, records, shuffle_options=True, protocol="circular")
    summary = record_scores(run, score_run(run, bench))
    assert summary.circular
    assert summary.views[0].micro.score.estimate == 0.5
    written = (tmp_path / "run" / "summary.json").read_text()
    assert '"plain_mean_of_replies": 0.625' in written


def test_every_planned_request_has_a_row_and_none_without_reply_is_wrong(tmp_path: Path) -> None:
    bench = texts(tmp_path, 6)
    items = bench.items
    records = [
        reply(items[0], "B"),
        reply(items[1], "It is hard to say which."),
        ReplyRecord(Key(items[2].id, ""), "failed", error="timed out"),
        ReplyRecord(Key(items[3].id, ""), "unsupported", error="too many pictures"),
        replace(reply(items[4], "<think>maybe A"), finish_reason="length"),
    ]
    rows = score_run(saved(tmp_path / "run", bench, records), bench)
    assert [row.outcome for row in rows] == [
        "right", rows[1].outcome, "failed", "unsupported", "truncated", "failed",
    ]  # fmt: skip
    assert rows[1].outcome in {"unread", "refused"}
    assert rows[2].detail == "timed out"
    assert rows[5].detail == "not asked yet"


def test_a_run_on_other_questions_is_refused(tmp_path: Path) -> None:
    bench = texts(tmp_path, 1)
    run = saved(tmp_path / "run", bench, [reply(bench.items[0], "B")])
    other = replace(bench, info=bench.info.model_copy(update={"sha256": {"items": "0" * 64}}))
    with pytest.raises(InputError, match="item hash"):
        score_run(run, other)


@pytest.mark.parametrize(
    ("item_format", "options", "expected"),
    [
        ("single_choice", OPTIONS, 1 / 4),
        ("multiple_choice", OPTIONS[:3], 1 / 7),
        ("true_false", (), 1 / 2),
        ("chain_of_thought", OPTIONS, 1 / 4),
        ("open", (), 0.0),
    ],
)
def test_chance_is_the_score_of_a_uniform_guess(
    item_format: str, options: tuple[str, ...], expected: float
) -> None:
    item = replace(choice_item(0), format=item_format, options=options)
    assert chance(item) == expected


def grounding(tmp_path: Path, size: tuple[int, int]) -> Benchmark:
    def make(writer: BenchmarkWriter) -> list[Item]:
        path, digest = writer.add_media(png((1, 2, 3), size), ".png")
        media = Media("image", path, width=size[0], height=size[1], sha256=digest)
        return [
            replace(
                choice_item(0, (media,)),
                format="grounding",
                question_type="box",
                options=(),
                answer=Box(BOX),
            )
        ]

    return make_benchmark(tmp_path / "bench", make)


def box_row(
    tmp_path: Path, size: tuple[int, int], said: str, factor: float = 1.0, **profile: object
) -> ScoreRecord:
    bench = grounding(tmp_path, size)
    item = bench.items[0]
    path = item.media[0].path
    record = ReplyRecord(
        Key(item.id, "image"),
        "replied",
        said,
        "stop",
        shown=(path,),
        resizes=((path, factor, factor),) if factor != 1.0 else (),
    )
    run = saved(tmp_path / "run", bench, [record], views=["image"], profile=profile)
    return score_run(run, bench)[0]


# The true box is 10, 20, 60, 80 in a picture of 200 × 100.
@pytest.mark.parametrize(
    ("said", "profile"),
    [
        ("[10, 20, 60, 80]", {}),
        ("[0.05, 0.2, 0.3, 0.8]", {"convention": "unit"}),
        ("[5, 20, 30, 80]", {"convention": "0-100"}),
        ("[50, 200, 300, 800]", {"convention": "0-1000"}),
        ("[200, 50, 800, 300]", {"convention": "0-1000", "order": "yxyx"}),
        # Padded to 200 × 200, the picture begins 50 pixels down: y 70 and 130 of 200.
        ("[0.05, 0.35, 0.3, 0.65]", {"convention": "unit", "frame": "square"}),
        # Sides rounded to 28: 196 × 112, so x is 0.98 and y 1.12 times as large.
        ("[9.8, 22.4, 58.8, 89.6]", {"side_multiple": 28}),
    ],
)
def test_a_box_is_read_as_the_profile_declares(
    tmp_path: Path, said: str, profile: dict[str, object]
) -> None:
    row = box_row(tmp_path, (200, 100), said, **profile)
    assert row.iou == pytest.approx(1.0)
    assert row.outcome == "right"


def test_a_box_on_a_shrunk_picture_is_mapped_back_to_the_stored_one(tmp_path: Path) -> None:
    row = box_row(tmp_path, (200, 100), "[5, 10, 30, 40]", factor=0.5)
    assert row.iou == pytest.approx(1.0)
    assert row.answer == "[10,20,60,80]"


def test_a_perfect_pixel_box_is_not_saved_by_another_convention(tmp_path: Path) -> None:
    row = box_row(tmp_path, (200, 100), "[10, 20, 60, 80]", convention="0-1000")
    assert row.outcome == "wrong"


def test_the_mark_of_a_models_own_thinking_is_no_answer(tmp_path: Path) -> None:
    bench = texts(tmp_path, 1)
    records = [reply(bench.items[0], "◁think▷The answer is C.◁/think▷B")]
    tags = {"reasoning_tags": ["◁think▷", "◁/think▷"]}
    rows = score_run(saved(tmp_path / "run", bench, records, profile=tags), bench)
    assert rows[0].answer == '["B"]'


def test_published_scorings_stand_beside_ours_with_the_items_that_differ(tmp_path: Path) -> None:
    def make(writer: BenchmarkWriter) -> list[Item]:
        nine = tuple(f"class {n}" for n in range(9))
        return [replace(choice_item(n), options=nine, answer=Choice((1,))) for n in range(4)]

    bench = make_benchmark(tmp_path / "bench", make)
    order = tuple(range(9))
    said = ["B", "The answer is B", "I see no building. C"]
    records = [reply(item, s, order) for item, s in zip(bench.items, said, strict=False)]
    records.append(ReplyRecord(Key(bench.items[3].id, ""), "failed", error="outage"))
    run = saved(tmp_path / "run", bench, records)
    ours = score_run(run, bench)
    released = score_published(run, bench, "released")
    paper = score_published(run, bench, "paper")
    # With nine options the released patterns find the I of IS beside B: void, so wrong.
    assert [row.outcome for row in released] == ["right", "wrong", "wrong", "wrong"]
    assert [row.outcome for row in ours] == ["right", "right", "wrong", "failed"]
    assert paper[3].outcome == "failed"
    assert [one.key.id for one in differences(run, ours, released)] == [bench.items[1].id]


def test_a_published_scoring_refuses_formats_its_scorer_does_not_know(tmp_path: Path) -> None:
    bench = grounding(tmp_path, (200, 100))
    item = bench.items[0]
    record = ReplyRecord(Key(item.id, "image"), "replied", "[1, 2, 3, 4]", "stop")
    run = saved(tmp_path / "run", bench, [record], views=["image"])
    with pytest.raises(InputError, match="single choice"):
        score_published(run, bench, "released")
