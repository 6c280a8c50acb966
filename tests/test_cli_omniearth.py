"""The commands around the sphere benchmark: import, describe, transform, score, label, twins."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from earthexam.benchmark.store import Benchmark
from earthexam.cli.app import app
from earthexam.core.errors import InputError
from earthexam.evaluate import captions
from earthexam.evaluate.folder import Run
from omniearth_release import write_release
from omniearth_run import CHOICE, OPEN, OTHER, asked, imported

for name in ("imports", "describe", "transform", "score", "errors"):
    importlib.import_module(f"earthexam.cli.{name}")


def command(*words: object) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def no_meteor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captions, "_meteor", lambda *_: None)


def test_a_release_is_imported_described_and_turned(tmp_path: Path) -> None:
    write_release(tmp_path / "release", with_unreadable=True)
    said = command("import", "omniearth", tmp_path / "release", "--out", tmp_path / "bench")
    assert "75.00% of the questions taken; 8 left out" in said.output
    rows = json.loads(command("describe", tmp_path / "bench", "--json").stdout)
    assert {"what": "format", "name": "grounding", "value": "3"} in rows
    said = command("transform", "open-ended", tmp_path / "bench", "--out", tmp_path / "open")
    assert "16 open-ended questions (open-ended), 1 not turned, 7 were no choice" in said.output


@pytest.mark.usefixtures("no_meteor")
def test_a_run_is_scored_our_way_and_the_released_way(tmp_path: Path) -> None:
    run = asked(imported(tmp_path), CHOICE | OTHER, tmp_path / "run")
    said = command("score", run.root, "--scoring", "released")
    assert "letters inside words are taken for answers" in said.output
    assert "2 captions: " in said.output
    # Right the released way: ENSO 0, palms 1, damage 0 and the first set; G is never read.
    assert "released, pooled: Overall: 0.2353, unable 1, n 17" in said.output
    assert "stops with an error at 2 items" in said.output
    assert (run.root / "scores-released.parquet").is_file()
    said = command("label", run.root, "cross-flood-predicting-0001", "abstention")
    assert "cross-flood-predicting-0001 (image): abstention" in said.output
    rows = json.loads(command("errors", run.root, "--json").stdout)
    assert [row["replayed"] for row in rows] == ["0", "0", "0", "0", "1", "0"]
    with pytest.raises(InputError, match="name one view"):
        command("label", run.root, "nowhere", "order")


def test_a_judge_from_a_python_function_decides_open_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_judge.py").write_text(
        'def decide(question):\n    return \'{"reason": "The same.", "score": 1}\'\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    benchmark = imported(tmp_path, "jsons_open")
    run = asked(benchmark, OPEN, tmp_path / "run")
    said = command("score", run.root, "--judge", "python:my_judge:decide")
    sys.modules.pop("my_judge", None)
    assert "was asked 8 questions" in said.output
    scores = run.scores()
    assert scores.filter(rule="judge")["outcome"].to_list() == ["right", "right"]


@pytest.mark.usefixtures("no_meteor")
def test_twins_are_printed_side_by_side(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    command("transform", "open-ended", benchmark.root, "--out", tmp_path / "open")
    first = asked(benchmark, CHOICE, tmp_path / "choice-run")
    second = asked(Benchmark.open(tmp_path / "open"), {}, tmp_path / "open-run")
    for run in (first, second):
        command("score", run.root)
        assert isinstance(Run.open(run.root), Run)
    rows = json.loads(command("twins", first.root, second.root, "--json").stdout)
    assert rows[-1]["task"] == "mean over tasks"
    assert rows[-1]["open mean"] == "0.00"
