"""The audit as a whole: report, page, thresholds, subset, table file and command."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit_items import changed, sound_mixture, table_of, with_key_text, write_items
from earthexam.audit import CHECKS
from earthexam.audit.page import render_page
from earthexam.audit.report import AuditReport, audit_benchmark, load_limits
from earthexam.audit.subset import write_subset
from earthexam.audit.table_file import read_table
from earthexam.benchmark.checks import check_benchmark
from earthexam.benchmark.store import Benchmark
from earthexam.cli import app
from earthexam.cli import audit as _command  # noqa: F401  registers the command
from earthexam.core.errors import (
    CheckFailedError,
    FormatError,
    InputError,
    MissingFileError,
    UnknownNameError,
)
from earthexam.core.item import Choice

QUICK = {"B5", "B6"}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_items(tmp_path_factory.mktemp("sound") / "benchmark", sound_mixture())


@pytest.fixture(scope="module")
def leaking(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    items = changed(sound_mixture(), lambda item: with_key_text(item, "<b>marsh</b>"), every=3)
    return write_items(tmp_path_factory.mktemp("leaking") / "benchmark", items)


@pytest.fixture(scope="module")
def report(leaking: Benchmark) -> AuditReport:
    """All checks on the leaking benchmark."""
    return audit_benchmark(leaking)


def test_a_sound_benchmark_passes(sound: Benchmark) -> None:
    report = audit_benchmark(sound, skip=QUICK)
    assert report.passed
    assert report.findings == ()
    report.raise_for_errors()


def test_the_json_has_the_agreed_fields(report: AuditReport) -> None:
    record = json.loads(report.to_json())
    assert set(record) == {"benchmark", "n_items", "findings", "baselines"}
    assert record["n_items"] == 480
    assert set(record["findings"][0]) == {
        "check_id", "severity", "n", "denominator", "statistic", "threshold",
        "item_ids", "example", "fix",
    }  # fmt: skip
    assert set(record["baselines"][0]) == {"name", "cv", "micro", "macro", "ci", "by_task"}
    named = {(one["name"], one["cv"]) for one in record["baselines"]}
    assert {("trees", "group"), ("trees", "source"), ("linear", "group")} <= named
    assert {one["check_id"] for one in record["findings"]} >= {"B4", "B5"}


def test_a_broken_key_is_reported_once_and_stops_no_other_check(
    sound: Benchmark, tmp_path: Path
) -> None:
    items = [replace(sound.items[0], answer=Choice((9,))), *sound.items[1:]]
    report = audit_benchmark(replace(sound, items=tuple(items)), skip=QUICK)
    assert [finding.check_id for finding in report.findings] == ["S2"]
    with pytest.raises(CheckFailedError, match="S2"):
        report.raise_for_errors()


def test_an_empty_benchmark_is_audited_without_a_crash(sound: Benchmark) -> None:
    report = audit_benchmark(replace(sound, items=()))
    assert report.n_items == 0
    assert report.baselines == ()


def test_the_same_benchmark_gives_the_same_bytes(leaking: Benchmark) -> None:
    first, second = (audit_benchmark(leaking, skip=QUICK) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert render_page(first) == render_page(second)


def test_the_page_escapes_what_items_say(leaking: Benchmark) -> None:
    page = render_page(audit_benchmark(leaking, skip=QUICK))
    assert "<b>marsh" not in page
    assert "Answer prior" in page
    assert "Checks that found nothing" in page


def test_every_definition_names_thresholds_that_exist() -> None:
    for _, check in CHECKS:
        assert "`" not in check.told


def test_thresholds_come_from_a_file(leaking: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_text("[B4]\nexcess = 90\n")
    strict = audit_benchmark(leaking, skip=QUICK)
    lax = audit_benchmark(leaking, skip=QUICK, limits=load_limits(path))
    assert "B4" in {finding.check_id for finding in strict.findings}
    assert "B4" not in {finding.check_id for finding in lax.findings}
    assert "is more than 90 points above chance" in render_page(lax)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("[B99]\nexcess = 1\n", UnknownNameError, "no audit check called 'B99'"),
        ("[B4]\nexces = 1\n", UnknownNameError, "did you mean excess"),
        ("[B4]\nexcess = 'ten'\n", FormatError, "expected a table of numbers"),
        ("B4 = 3\n", FormatError, "expected a table of numbers"),
        ("[B4\n", FormatError, "expected TOML"),
    ],
)
def test_wrong_threshold_files_are_refused(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(error, match=message):
        load_limits(path)


def test_an_unknown_check_cannot_be_skipped(sound: Benchmark) -> None:
    with pytest.raises(UnknownNameError, match="B55"):
        audit_benchmark(sound, skip={"B55"})


def test_the_subset_holds_what_no_blind_scorer_solves(
    leaking: Benchmark, report: AuditReport, tmp_path: Path
) -> None:
    info = write_subset(leaking, report.unsolved, tmp_path / "subset", how="debiased")
    subset = Benchmark.open(tmp_path / "subset")
    assert info.name == "made-up-debiased"
    assert 0 < len(subset.items) < len(leaking.items)
    assert check_benchmark(subset) == ()
    marsh = sum("marsh" in "".join(item.options) for item in subset.items)
    assert marsh < 10
    with pytest.raises(InputError, match="would be empty"):
        write_subset(leaking, (), tmp_path / "none", how="debiased")


def test_a_table_file_is_read_as_published(sound: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("model,input,task,accuracy\nnet,Image,SFR,41.70\nnet,Image,OVERALL,40.2\n")
    first, second = read_table(path)
    assert (first.model, first.view, first.accuracy, first.printed) == (
        "net",
        "Image",
        41.7,
        "41.70",
    )
    assert second.task == "Overall"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,task\nnet,SFR\n", "lacks the columns accuracy"),
        ("model,task,accuracy\nnet,SFR,many\n", "line 2: accuracy 'many'"),
        ("model,task,accuracy\nnet,SFR,140\n", "expected percent, 0 to 100"),
        ("model,task,accuracy\nnet,SFR,0.41\n", "expected percent, multiply by 100"),
    ],
)
def test_wrong_table_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_table(path)
    with pytest.raises(MissingFileError):
        read_table(tmp_path / "none.csv")


def test_the_command_writes_json_page_and_subset(leaking: Benchmark, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    rows = table_of(leaking.items, {"net": lambda task, size: size // 4})
    lines = [f"{c.model},{c.view},{c.task},{c.printed}" for c in rows]
    table.write_text("\n".join(["model,view,task,accuracy", *lines]))
    result = CliRunner().invoke(
        app,
        ["audit", str(leaking.root), "--table", str(table), "--out", str(tmp_path / "audit.json"),
         "--write-subset", str(tmp_path / "subset"), "--skip", "B6"],
    )  # fmt: skip
    assert result.exit_code == 1
    assert "best sighted" in result.stderr
    assert "blind by source" in result.stderr
    assert json.loads((tmp_path / "audit.json").read_text())["benchmark"] == "made-up"
    assert (tmp_path / "audit.html").is_file()
    assert Benchmark.open(tmp_path / "subset").items


def test_the_command_passes_on_a_sound_benchmark(sound: Benchmark) -> None:
    result = CliRunner().invoke(app, ["audit", str(sound.root), "--skip", "B5,B6", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["findings"] == []
