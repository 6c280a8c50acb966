"""``earthexam report`` from the command line: what lies in the folder, what is refused."""

import csv
import sys
from pathlib import Path

import polars as pl
import pytest

from earthexam.cli import main
from report_example import write_example


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_example(tmp_path_factory.mktemp("folder"), per_task=1, blocks=3)[1]


def earthexam(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["earthexam", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


@pytest.fixture(scope="module")
def written(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report made from the command line, together with what is published."""
    out = tmp_path_factory.mktemp("report") / "report"
    with pytest.MonkeyPatch.context() as patch:
        assert earthexam(patch, "report", *runs, "--out", out, "--against", "hm-bench") == 0
    return out


def test_a_report_folder_holds_page_tables_and_figures(written):
    for name in (
        "index.html", "tables.md", "tables.csv", "tables.tex", "analysis.md", "against.md",
        "figures/tasks.pdf", "figures/tasks.png", "figures/radar.pdf", "figures/radar.png",
        "figures/image-against-report.pdf", "figures/image-against-report.png",
    ):  # fmt: skip
        assert (written / name).stat().st_size > 200, name


def test_the_tables_hold_the_mean_score(written, runs):
    rows = list(csv.DictReader((written / "tables.csv").read_text().splitlines()))
    micro = next(
        row
        for row in rows
        if (row["kind"], row["average"], row["view"]) == ("overall", "micro", "composite")
    )
    scores = pl.read_parquet(runs[0] / "scores.parquet").filter(pl.col("view") == "composite")
    assert float(micro["score"]) == pytest.approx(scores["score"].mean(), abs=1e-6)


def test_an_earlier_report_is_replaced(written, runs, monkeypatch):
    earlier = (written / "index.html").read_bytes()
    assert earthexam(monkeypatch, "report", runs[1], "--out", written) == 0
    assert (written / "index.html").read_bytes() != earlier
    assert not (written / "against.md").exists()


def test_a_folder_that_is_no_report_is_left_alone(runs, tmp_path, monkeypatch, capsys):
    (tmp_path / "chapter.tex").write_text("mine")
    assert earthexam(monkeypatch, "report", runs[0], "--out", tmp_path) == 2
    assert "holds no index.html" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["chapter.tex"]


def test_a_folder_that_is_no_run_is_said_in_one_line(tmp_path, monkeypatch, capsys):
    assert earthexam(monkeypatch, "report", tmp_path, "--out", tmp_path / "out") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "holds no run.json" in said
    assert not (tmp_path / "out").exists()
