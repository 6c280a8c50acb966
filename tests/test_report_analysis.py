from pathlib import Path

import polars as pl
import pytest

from earthexam.evaluate.folder import SCORES_FILE, Run, write_run_info
from earthexam.report.analysis import analysis_markdown
from earthexam.report.collect import collect_report
from report_example import write_example


@pytest.fixture
def example(tmp_path: Path):
    return write_example(tmp_path, per_task=6, blocks=36)


def change_run(folder: Path, **changes: object) -> None:
    info = Run.open(folder).info
    write_run_info(folder, info.model_copy(update=changes))


def keep(folder: Path, condition: pl.Expr, **columns: pl.Expr) -> None:
    scores = pl.read_parquet(folder / SCORES_FILE).filter(condition).with_columns(**columns)
    scores.write_parquet(folder / SCORES_FILE)


def test_runs_of_a_view_are_ranked_with_intervals_and_the_tied_set(example):
    text = analysis_markdown(collect_report(example[1]))
    assert "## Ranks: Composite image" in text
    assert "## Ranks: Text report" in text
    assert "| example/spectral | 1 | 1–1 | yes |" in text
    assert "| example/uniform | 3 | " in text


def test_a_single_run_has_contrasts_and_no_ranks(example):
    text = analysis_markdown(collect_report(example[1][:1]))
    assert "## Ranks" not in text
    assert "| Composite image − Text report | – |" in text
    assert text.count("| Perception − Reasoning |") == 2
    assert text.count("| Feature Recognition − Target Quantification |") == 2


def test_a_blind_run_of_the_same_model_gives_the_gain_from_looking(example):
    bench, runs = example
    change_run(runs[2], model="example/spectral", blind=True)
    keep(runs[2], pl.col("view") == "composite", view=pl.lit(""))
    text = analysis_markdown(collect_report(runs, benchmark=bench))
    assert text.count("## Gain from looking: example/spectral") == 1
    assert "| Composite image against Blind | SFR |" in text
    assert "| Text report against Blind | Overall, micro |" in text


def test_profiles_give_contrasts_of_sizes_and_groups(example):
    _, runs = example
    change_run(runs[0], profile={"family": "f", "parameters_billion": 72, "weights": "open"})
    change_run(runs[1], profile={"family": "f", "parameters_billion": 7, "weights": "closed"})
    text = analysis_markdown(collect_report(runs))
    assert "## Small against large models" in text
    assert "| example/rgb − example/spectral | Composite image |" in text
    assert "| open − closed | Composite image |" in text
    assert "remote-sensing" not in text


def test_runs_without_shared_items_are_said_not_to_be_ranked(example):
    _, runs = example
    for run, task in zip(runs[:2], ("SFR", "CS"), strict=True):
        keep(run, pl.col("task") == task)
    text = analysis_markdown(collect_report(runs[:2]))
    assert "Not possible: example/spectral, example/rgb share no items" in text
