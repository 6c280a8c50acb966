"""Reports beside published results: blind runs among sighted ones, scorings and twins side by side."""

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError, UnknownNameError
from earthexam.evaluate.contrasts import ProfiledRun
from earthexam.evaluate.folder import Run, write_run_info, write_scores
from earthexam.evaluate.published_scoring import (
    differences,
    score_published,
    write_differences,
)
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.scoring import score_run
from earthexam.exchange.open_ended import turn_open_ended
from earthexam.models.profiles import Profile
from earthexam.report.against import place_run
from earthexam.report.collect import collect_report
from earthexam.report.folder import write_report
from omniearth_run import CHOICE, OTHER, asked, imported
from report_example import write_example
from score_tables import score_table

PROSE = {
    "cross-flood-predicting-0000": "Answer: B",
    "cross-flood-predicting-0001": "B",
    "cross-flood-predicting-0002": "(B)",
}


def scored(benchmark: Benchmark, replies: Mapping[str, str], folder: Path) -> Run:
    run = asked(benchmark, replies, folder)
    record_scores(run, score_run(run, benchmark))
    return run


def blind_copy(run: Path, out: Path) -> Path:
    """Write a run like `run` whose scores have no view, as a blind one has."""
    info = json.loads((run / "run.json").read_text())
    out.mkdir()
    (out / "run.json").write_text(json.dumps(info | {"blind": True}))
    rows = Run.open(run).scores().with_columns(view=None).fill_null("")
    rows.unique(["id", "epoch", "order"]).write_parquet(out / "scores.parquet")
    (out / "replies.jsonl").write_text("")
    return out


def test_a_blind_run_does_not_keep_the_others_from_the_published_table(tmp_path: Path) -> None:
    bench, runs = write_example(tmp_path)
    blind = blind_copy(runs[0], tmp_path / "blind")
    report = collect_report([*runs, blind], benchmark=bench)
    write_report(report, tmp_path / "report", items=0, against="hm-bench")
    text = (tmp_path / "report" / "against.md").read_text()
    assert "example/rgb" in text
    assert "Not placed: example/spectral (blind) shares no view and task" in text


def test_a_table_that_no_run_fits_or_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    bench, runs = write_example(tmp_path)
    blind = blind_copy(runs[0], tmp_path / "blind")
    report = collect_report([blind], benchmark=bench)
    with pytest.raises(InputError, match="shares no view and task"):
        write_report(report, tmp_path / "report", items=0, against="hm-bench")
    with pytest.raises(UnknownNameError):
        write_report(report, tmp_path / "report", items=0, against="hm-bensch")
    assert not (tmp_path / "report").exists()


def test_missing_tasks_are_named_as_far_as_a_reader_wants_them() -> None:
    rows = [{"id": "a", "view": "image", "task": "cross-flood-predicting", "outcome": "right"}]
    (placed,) = place_run("net", score_table(rows), "omniearth")
    assert placed.unranked.endswith(" more tasks")
    assert placed.unranked.count(",") == 4


def test_scorings_stand_side_by_side_with_the_replies_that_differ(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    run = scored(benchmark, CHOICE | OTHER | PROSE, tmp_path / "run")
    released = score_published(run, benchmark, "released")
    record_scores(run, released, "released")
    found = differences(run, score_run(run, benchmark), released)
    lines = write_differences(run, "released", found).read_text().splitlines()
    by_id = {line["id"]: line for line in map(json.loads, lines)}
    flood = by_id["cross-flood-predicting-0000"]
    assert flood["reply"] == "Answer: B"
    assert flood["ours"]["answer"] == '["B"]'
    assert flood["released"]["outcome"] == "wrong"
    write_report(collect_report([run.root]), tmp_path / "report", items=0)
    text = (tmp_path / "report" / "scorings.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| replayed")]
    assert [row[2] for row in rows] == ["ours", "released"]
    assert rows[1][5] == f"{len(found)} |"


def test_without_another_scoring_there_is_no_such_table(tmp_path: Path) -> None:
    run = scored(imported(tmp_path), CHOICE, tmp_path / "run")
    written = write_report(collect_report([run.root]), tmp_path / "report", items=0)
    assert {"scorings.md", "twins.md"}.isdisjoint(written.files)


def test_twins_stand_beside_the_choice_run_of_their_model(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    choice = scored(benchmark, CHOICE | OTHER, tmp_path / "choice")
    turn_open_ended(benchmark, tmp_path / "open")
    opened = Benchmark.open(tmp_path / "open")
    spoken = scored(opened, {}, tmp_path / "spoken")
    report = collect_report([choice.root])
    write_report(report, tmp_path / "report", items=0, twins=[spoken])
    text = (tmp_path / "report" / "twins.md").read_text()
    # Of the three flood items one is right; no open answer came at all.
    assert "| cross-flood-predicting | 3 | 33.33 | 33.33 | 0.00 | 0.00 | 0.00 |" in text
    info = json.loads((spoken.root / "run.json").read_text())
    (spoken.root / "run.json").write_text(json.dumps(info | {"model": "another"}))
    with pytest.raises(InputError, match="give the run of the same model"):
        write_report(report, tmp_path / "report", items=0, twins=[Run.open(spoken.root)])


def test_a_scoring_that_was_never_used_has_no_scores(tmp_path: Path) -> None:
    run = scored(imported(tmp_path), CHOICE, tmp_path / "run")
    assert run.scores_by("paper") is None
    write_scores(run.root, [], "scores-paper.parquet")
    assert run.scores_by("paper") is not None


HOSTILE_NAMES = (
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\\input{/etc/passwd} & $x$ % # _ ~",
    "</b><script>document.title=1</script>",
    "[a](javascript:x)*|b",
    "$\\frac$",
)


def test_names_of_models_stay_text_in_every_table(tmp_path: Path) -> None:
    skills = dict.fromkeys(HOSTILE_NAMES, (0.6, 0.4))
    bench, runs = write_example(tmp_path, per_task=2, blocks=4, skills=skills)
    write_report(
        collect_report(runs, benchmark=bench), tmp_path / "report", items=2, against="hm-bench"
    )
    assert "[a](javascript" not in (tmp_path / "report" / "against.md").read_text()
    with (tmp_path / "report" / "tables.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert not [cell for row in rows[1:] for cell in row if cell[:1] in {"=", "+", "@", "\t"}]
    assert "\\input{" not in (tmp_path / "report" / "tables.tex").read_text()
    assert "<script>document" not in (tmp_path / "report" / "tables.md").read_text()
    assert "<script>document" not in (tmp_path / "report" / "index.html").read_text()


def test_a_run_folder_may_have_any_name(tmp_path: Path) -> None:
    run = scored(imported(tmp_path), CHOICE, tmp_path / "run [v1] * ?")
    assert run.scores().height > 0


def test_described_models_are_general_unless_their_profile_says_otherwise(tmp_path: Path) -> None:
    bench, runs = write_example(tmp_path)
    profiles = (Profile("a", weights="open"), Profile("b", domain="remote-sensing"), Profile())
    for run, profile in zip(runs, profiles, strict=True):
        opened = Run.open(run)
        set_fields = {k: v for k, v in asdict(profile).items() if v != getattr(Profile(), k)}
        write_run_info(run, opened.info.model_copy(update={"profile": set_fields}))
    domains = [ProfiledRun.views_of(Run.open(run))[0].domain for run in runs]
    assert domains == ["general", "remote-sensing", ""]
    write_report(collect_report(runs, benchmark=bench), tmp_path / "report", items=0)
    analysis = (tmp_path / "report" / "analysis.md").read_text()
    assert "| general − remote-sensing | Composite image |" in analysis
