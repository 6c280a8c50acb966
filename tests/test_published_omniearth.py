"""The shipped tables agree with each other as far as the paper does, and say where not."""

import csv
from pathlib import Path

import pytest

from earthexam.published.spheres import sphere_tasks
from earthexam.published.tables import (
    PublishedScore,
    contradictions,
    load_results,
    load_taxonomy,
)

SPHERES = (
    "Cross-sphere",
    "Atmosphere",
    "Lithosphere",
    "Oceansphere",
    "Cryosphere",
    "Biosphere",
    "Human-activity sphere",
)
UNFIT = {"Atmosphere", "Human-activity sphere"}
TASK_TABLES = ("T12", "T13")


def cells(*tables: str) -> list[PublishedScore]:
    return [cell for cell in load_results("omniearth") if cell.table in tables]


def models_of_both() -> list[str]:
    return sorted({c.model for c in cells("T4")} & {c.model for c in cells(*TASK_TABLES)})


def macro(model: str, sphere: str) -> float:
    codes = load_taxonomy("omniearth").codes_at(0, sphere)
    values = [c.accuracy for c in cells(*TASK_TABLES) if c.model == model and c.task in codes]
    return sum(values) / len(values)


def printed(model: str, sphere: str) -> float:
    (cell,) = [c for c in cells("T4") if (c.model, c.task, c.metric) == (model, sphere, "accuracy")]
    return cell.accuracy


def test_the_taxonomy_holds_109_tasks_and_31312_samples() -> None:
    taxonomy = load_taxonomy("omniearth")
    assert len(taxonomy.tasks) == 109
    assert sum(task.size or 0 for task in taxonomy) == 31_312
    assert {task.levels[0] for task in taxonomy} == set(SPHERES)
    assert [task.code for task in taxonomy] == [task.code for task in sphere_tasks()]


def test_the_taxonomy_has_the_formats_that_the_paper_counts() -> None:
    formats = [task.format for task in sphere_tasks()]
    assert {name: formats.count(name) for name in sorted(set(formats))} == {
        "caption": 6,
        "chain_of_thought": 6,
        "grounding": 3,
        "multiple_choice": 2,
        "single_choice": 92,
    }
    assert sum(bool(task.folder) for task in sphere_tasks()) == 103


@pytest.mark.parametrize("sphere", sorted(set(SPHERES) - UNFIT))
def test_five_spheres_of_table_4_are_the_macro_average_of_their_tasks(sphere: str) -> None:
    models = models_of_both()
    assert len(models) == 8
    for model in models:
        assert macro(model, sphere) == pytest.approx(printed(model, sphere), abs=0.01), model


@pytest.mark.parametrize("sphere", sorted(UNFIT))
def test_two_spheres_of_table_4_fit_no_model_and_are_noted(sphere: str) -> None:
    gaps = [abs(macro(model, sphere) - printed(model, sphere)) for model in models_of_both()]
    assert min(gaps) > 0.2
    assert any("Table 4" in note and sphere in note for note in contradictions("omniearth"))


def test_the_average_column_of_table_4_is_the_mean_of_the_seven_spheres() -> None:
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for cell in cells("T4"):
        rows.setdefault((cell.model, cell.metric), {})[cell.task] = cell.accuracy
    gaps = {
        name: abs(sum(row[s] for s in SPHERES) / 7 - row["Overall"]) for name, row in rows.items()
    }
    assert gaps.pop(("Experts", "accuracy")) == pytest.approx(0.457, abs=0.001)
    assert len(gaps) == 13
    assert max(gaps.values()) <= 0.0101


def test_every_published_cell_names_a_task_a_level_or_a_known_group() -> None:
    taxonomy = load_taxonomy("omniearth")
    known = {task.code for task in taxonomy} | {name for task in taxonomy for name in task.levels}
    known |= {"Overall", "caption"}
    assert {cell.task for cell in load_results("omniearth")} <= known


def test_the_tables_match_the_facts_they_were_made_from(shared: Path) -> None:
    with (shared / "data" / "omniearth_paper_results.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["metric"] != "n"]
    assert [(c.model, c.table, c.printed) for c in load_results("omniearth")] == [
        (row["model_id"], f"T{row['table']}", row["value"]) for row in rows
    ]
