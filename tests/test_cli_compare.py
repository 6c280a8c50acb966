import json
import subprocess
import sys

import pytest

from earthexam.core.errors import InputError, MissingFileError
from earthexam.evaluate.folder import SCORE_COLUMNS, SCORES_FILE, Run, RunInfo, write_run_info
from earthexam.evaluate.paired import compare_runs
from score_tables import random_scores

MODULE = [sys.executable, "-m", "earthexam", "compare"]


def write_run(folder, scores, **changes):
    folder.mkdir()
    fields = {
        "benchmark": "b",
        "benchmark_path": "b",
        "benchmark_sha256": "0" * 64,
        "taxonomy": "hm-bench",
        "model": folder.name,
    }
    write_run_info(folder, RunInfo(**(fields | changes)))
    scores.select(list(SCORE_COLUMNS)).cast(SCORE_COLUMNS).write_parquet(folder / SCORES_FILE)
    return folder


@pytest.fixture
def runs(tmp_path):
    return (
        write_run(tmp_path / "good", random_scores(1, right=0.8)),
        write_run(tmp_path / "poor", random_scores(2, right=0.4)),
    )


def test_the_command_prints_a_table_on_stdout_and_notes_on_stderr(runs):
    done = subprocess.run([*MODULE, *map(str, runs)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["View", "Task", "n"]
    assert lines[-2].startswith("Composite image  Overall, micro")
    assert "first: good, second: poor" in done.stderr
    assert "Benjamini–Hochberg" in done.stderr


def test_json_holds_numbers(runs):
    command = [*MODULE, "--json", *map(str, runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    records = json.loads(done.stdout)
    overall = next(r for r in records if (r["kind"], r["average"]) == ("overall", "micro"))
    assert overall["low"] < overall["difference"] < overall["high"]
    assert overall["n"] == 200
    assert overall["first_score"] - overall["second_score"] == pytest.approx(overall["difference"])


def test_runs_of_different_benchmarks_exit_2_with_one_line(tmp_path, runs):
    other = write_run(tmp_path / "other", random_scores(1), benchmark_sha256="1" * 64)
    command = [*MODULE, str(runs[0]), str(other)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "one and the same benchmark" in done.stderr
    assert done.stderr.count("\n") == 1
    with pytest.raises(InputError):
        compare_runs(Run.open(runs[0]), Run.open(other))


def test_a_folder_that_is_no_run_and_a_run_without_scores_are_said(tmp_path, runs):
    with pytest.raises(MissingFileError, match="is no run"):
        Run.open(tmp_path)
    (runs[1] / SCORES_FILE).unlink()
    with pytest.raises(MissingFileError, match="has no scores yet"):
        compare_runs(*map(Run.open, runs))


def test_runs_of_one_model_are_told_apart_by_their_folders(tmp_path):
    pair = [
        write_run(tmp_path / name, random_scores(seed), model="m", taxonomy="made-up")
        for seed, name in enumerate(("one", "two"))
    ]
    (found,) = compare_runs(*map(Run.open, pair))
    assert (found.first, found.second) == ("m [one]", "m [two]")
    assert [row.kind for row in found.rows] == ["task", "task", "overall", "overall"]
