"""VLRS-Bench's taxonomy and results: sizes, averages and known contradictions, computed again."""

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from earthexam.published.tables import (
    NOT_MODELS,
    contradictions,
    load_results,
    load_taxonomy,
)
from earthexam.report.against import place_run
from score_tables import score_table

TAXONOMY = load_taxonomy("vlrs")


def means(table: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for cell in load_results("vlrs"):
        if cell.table == table and cell.metric == "score":
            found.setdefault(cell.model, {})[cell.task] = cell.accuracy
    return found


def test_there_are_14_tasks_of_2000_questions_in_six_abilities() -> None:
    assert [task.size for task in TAXONOMY].count(125) == 12
    assert sum(task.size or 0 for task in TAXONOMY) == 2000
    assert Counter(task.levels[0] for task in TAXONOMY) == {
        "Cognition": 8,
        "Decision": 2,
        "Prediction": 4,
    }
    assert len({task.levels[:2] for task in TAXONOMY}) == 6


def test_every_cell_is_the_published_one(shared: Path) -> None:
    with (shared / "data" / "vlrs_paper_results.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["score"]]
    assert [100 * Fraction(row["score"]) for row in rows] == [
        Fraction(cell.printed) for cell in load_results("vlrs")
    ]
    assert [row["model"] for row in rows] == [
        cell.model.removesuffix(" (README)") for cell in load_results("vlrs")
    ]


def test_cells_name_tasks_abilities_formats_or_the_overall() -> None:
    codes = {task.code for task in TAXONOMY} | {task.levels[1] for task in TAXONOMY} | {"Overall"}
    formats = {"single_choice", "multiple_choice", "true_false", "fill_blank"}
    for cell in load_results("vlrs"):
        assert cell.task in (codes if cell.metric == "score" else formats)


@pytest.mark.parametrize(
    ("model", "overall"),
    [("Qwen3-VL-32B", 39.5), ("Qwen2.5-VL-72B", 26.4), ("ScoreRS w/ RL", 35.5)],
)
def test_overall_is_the_unweighted_mean_of_the_tasks(model: str, overall: float) -> None:
    codes = [task.code for task in TAXONOMY]
    row = means("README")[f"{model} (README)"]
    assert sum(row[code] for code in codes) / 14 == pytest.approx(overall, abs=0.051)
    assert means("v2")[model]["Overall"] == overall


def test_one_row_disagrees_with_its_overall_as_noted() -> None:
    row = means("README")["ScoreRS w/ SFT (README)"]
    assert sum(row[task.code] for task in TAXONOMY) / 14 == pytest.approx(34.2, abs=0.051)
    assert means("v2")["ScoreRS w/ SFT"]["Overall"] == 34.7
    assert any("34.2" in note for note in contradictions("vlrs"))


def test_a_run_is_placed_among_models_and_not_among_their_averages() -> None:
    rows = [
        {"id": f"{task.code}-{n}", "view": "image", "task": task.code, "group": f"{task.code}-{n}",
         "outcome": "right" if n % 5 < 2 else "wrong", "chance": 0.2}
        for task in TAXONOMY
        for n in range(task.size or 0)
    ]  # fmt: skip
    (placed,) = place_run("net", score_table(rows), "vlrs")
    assert placed.unranked == ""
    assert placed.run.micro.score == pytest.approx(0.4)
    ranks = {row.label: row.micro.rank for row in placed.rows}
    assert ranks["net"] == 1
    assert [ranks[name] for name in NOT_MODELS if name in ranks] == [None, None]
