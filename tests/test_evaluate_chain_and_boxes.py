"""Recall, precision and F1 of chains, and overlaps of boxes, against hand-worked values."""

import json
import math

import polars as pl
import pytest

from earthexam.answers.chain_judge import (
    PrecisionVerdict,
    RecallVerdict,
    key_steps,
    precision_prompt,
    read_precision,
    read_recall,
    recall_prompt,
)
from earthexam.answers.judge import NoVerdict
from earthexam.evaluate.chain import ChainItem, chains_by_task, f1, summarise_chains
from earthexam.evaluate.grounding import summarise_boxes
from earthexam.published.tables import load_results
from factories import make_item


def recall_text(*judgements: str, first: int = 1) -> str:
    steps = [{"step_index": n, "judgment": j} for n, j in enumerate(judgements, first)]
    return json.dumps({"steps": steps})


def precision_text(*steps: tuple[str, str]) -> str:
    return json.dumps(
        {"steps": [{"step": "…", "step_type": kind, "judgment": j} for kind, j in steps]}
    )


LOGIC, IMAGE, BACK = "logical inference", "image description", "background information"


def test_the_worked_item_has_its_recall_precision_and_f1() -> None:
    recall = read_recall(6, recall_text(*["Matched"] * 4, *["Unmatched"] * 2))
    precision = read_precision(
        precision_text(
            *[(LOGIC, "Match")] * 3, (LOGIC, "Reasonable"), (LOGIC, "Wrong"),
            *[(IMAGE, "Match")] * 2, *[(BACK, "N/A")] * 2,
        )
    )  # fmt: skip
    assert isinstance(recall, RecallVerdict)
    assert isinstance(precision, PrecisionVerdict)
    assert recall.recall == pytest.approx(0.6667, abs=5e-5)
    assert precision.precision == pytest.approx(0.8571, abs=5e-5)
    assert f1(precision.precision, recall.recall) == pytest.approx(0.75)


def test_a_chain_of_background_alone_has_precision_0_and_stays() -> None:
    verdict = read_precision(precision_text((BACK, "N/A")))
    assert isinstance(verdict, PrecisionVerdict)
    assert verdict.precision == 0


def test_the_f1_of_averages_is_not_the_mean_of_item_f1s() -> None:
    summary = summarise_chains(
        [ChainItem("a", "t", 1.0, 0.2, True), ChainItem("b", "t", 0.5, 0.8, False)]
    )
    assert (summary.precision, summary.recall) == (0.75, 0.5)
    assert summary.f1_of_averages == pytest.approx(0.6)
    assert summary.mean_item_f1 == pytest.approx(0.4744, abs=5e-5)
    assert summary.accuracy == 0.5


def test_failed_verdicts_leave_the_published_average_and_count_0_in_the_other() -> None:
    chains = [ChainItem("a", "t", 0.8, 0.6), ChainItem("b", "t", None, 0.2)]
    summary = summarise_chains(chains)
    assert summary.failed == 1
    assert (summary.precision, summary.precision_all) == (0.8, 0.4)
    assert summary.recall == summary.recall_all == pytest.approx(0.4)
    assert math.isnan(summarise_chains([]).recall)
    assert list(chains_by_task(chains)) == ["t"]


@pytest.mark.parametrize(
    "text",
    [
        recall_text("Matched", "Unmatched"),
        recall_text("Matched", "Unmatched", "Matched", "Matched"),
        recall_text("Matched", "matched", "Unmatched"),
        recall_text("Matched", "Matched", "Matched", first=0),
        "All steps are matched.",
        "",
    ],
)
def test_a_recall_list_that_is_short_long_shifted_or_misspelt_is_no_verdict(text: str) -> None:
    assert isinstance(read_recall(3, text), NoVerdict)


@pytest.mark.parametrize(
    "text",
    [
        precision_text(),
        precision_text((LOGIC, "N/A")),
        precision_text((BACK, "Match")),
        precision_text(("image caption", "Match")),
        precision_text((LOGIC, "Good")),
        precision_text(*[(LOGIC, "Match")] * 36),
    ],
)
def test_a_precision_list_with_unknown_words_is_no_verdict(text: str) -> None:
    assert isinstance(read_precision(text), NoVerdict)


def test_the_key_steps_end_with_the_answer_and_its_text() -> None:
    item = make_item("chain_of_thought", meta={"reference_captions": ["It is a photo of a lake."]})
    assert key_steps(item)[-1] == "The answer is (B) Asphalt."
    assert "3. The answer is (B) Asphalt." in recall_prompt(item, "It is water.").user
    assert "- It is a photo of a lake." in precision_prompt(item, "It is water.").user
    with pytest.raises(TypeError, match="no chain-of-thought item"):
        key_steps(make_item("caption"))


def test_table_10_gives_its_f1_from_its_precision_and_recall_24_of_24() -> None:
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for cell in load_results("omniearth"):
        if cell.table == "T10":
            rows.setdefault((cell.model, cell.task), {})[cell.metric] = cell.accuracy
    assert len(rows) == 24
    for name, row in rows.items():
        computed = round(100 * f1(row["precision"] / 100, row["recall"] / 100), 2)
        assert computed == pytest.approx(row["f1"], abs=0.0101), name


def boxes(*rows: tuple[str, float | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"outcome": pl.String, "iou": pl.Float64}, orient="row")


def test_boxes_without_an_answer_stay_in_the_denominator() -> None:
    summary = summarise_boxes(
        boxes(
            ("right", 0.75), ("wrong", 0.25), ("unread", None), ("failed", None),
            ("unsupported", None),
        )
    )  # fmt: skip
    assert summary.n == 4
    assert summary.mean_iou == 0.25
    assert [share for _, share in summary.accuracy] == [0.5, 0.25, 0.25, 0.25, 0]
    assert (summary.unread, summary.failed) == (0.25, 0.25)
    assert dict(summary.accuracy)[0.7] == 0.25


def test_an_overlap_on_the_threshold_counts() -> None:
    assert dict(summarise_boxes(boxes(("right", 0.5))).accuracy)[0.5] == 1


def test_no_boxes_give_no_numbers() -> None:
    assert math.isnan(summarise_boxes(boxes()).mean_iou)
