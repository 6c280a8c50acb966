"""What the figures show and where it lies on the plane."""

import math
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from earthexam.core.taxonomy import Task, Taxonomy
from earthexam.evaluate.intervals import Interval
from earthexam.evaluate.summary import summarise
from earthexam.report.collect import Report, collect_report
from earthexam.report.drawing import draw_radar, draw_scatter, series_of
from earthexam.report.figures import (
    MOST_SERIES,
    Radar,
    RadarLine,
    Scatter,
    ScatterPoint,
    drawn_runs,
    radars,
    scatters,
)
from earthexam.report.plots import write_figures
from report_example import SKILLS, write_example
from score_tables import score_table


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return collect_report(write_example(tmp_path_factory.mktemp("figures"), per_task=2)[1])


def radar(shares: tuple[float | None, ...]) -> Radar:
    names = tuple("ABCD"[: len(shares)])
    scores = tuple(None if share is None else interval(share, 0.1) for share in shares)
    line = RadarLine(run=0, label="one", scores=scores)
    return Radar("report", "Text report", names, names, (25.0,) * len(shares), (line,))


def interval(estimate: float, half: float) -> Interval:
    return Interval(estimate, estimate - half, estimate + half, half / 2, 10, 5)


def test_the_first_axis_points_up_and_the_others_follow_clockwise():
    drawing = draw_radar(radar((1.0, 0.5, 1.0, 0.0)), {0: 0})
    # Centre (200, 174), rim 140 away.
    assert drawing.traces[0].path == "M200.0 34.0L270.0 174.0L200.0 314.0L200.0 174.0Z"


def test_an_axis_without_a_value_leaves_a_gap_in_the_line():
    drawing = draw_radar(radar((1.0, None, 1.0, 1.0)), {0: 0})
    assert drawing.traces[0].path == "M200.0 314.0L60.0 174.0M60.0 174.0L200.0 34.0"
    assert len(drawing.traces[0].marks) == 3


def test_labels_turn_away_from_the_radar():
    labels = draw_radar(radar((1.0, 1.0, 1.0, 1.0)), {0: 0}).axis_labels
    assert [label.anchor for label in labels] == ["middle", "start", "middle", "end"]


def test_a_point_on_the_identity_line_scores_the_same_in_both_views():
    point = ScatterPoint(0, "one", interval(0.5, 0.1), interval(0.5, 0.25))
    drawing = draw_scatter(Scatter("Feature Recognition", ("SFR",), 25.0, (point,)), {0: 0})
    mark = drawing.traces[0].marks[0]
    # The plane of 0–100 % spans x 44–288 and y 256–12.
    assert (mark.x, mark.y) == (166.0, 134.0)
    assert drawing.identity == "M44.0 256.0L288.0 12.0"
    assert drawing.traces[0].path == "M141.6 134.0L190.4 134.0M166.0 195.0L166.0 73.0"


def test_a_score_without_an_interval_has_no_bar():
    alone = Interval(0.5, math.nan, math.nan, math.nan, 3, 1)
    point = ScatterPoint(0, "one", alone, alone)
    drawing = draw_scatter(Scatter("Overall", (), math.nan, (point,)), {0: 0})
    assert drawing.traces[0].path == ""
    assert drawing.chance is None


def test_runs_take_palette_numbers_in_their_order():
    assert series_of([4, 0, 9]) == {0: 0, 4: 1, 9: 2}


def test_there_is_a_radar_a_view_over_all_tasks(report):
    found = radars(report)
    assert [one.view for one in found] == ["composite", "report"]
    assert found[0].axes[:3] == ("SFR", "LCC", "PD")
    assert len(found[0].axes) == 13


def test_there_is_a_scatter_for_each_of_the_six_capabilities(report):
    found = scatters(report)
    assert (found.image_view, found.report_view) == ("composite", "report")
    assert [panel.title for panel in found.panels] == [
        "Feature Recognition", "Target Quantification", "Spatial Localization",
        "Composition Interpretation", "State Evaluation", "Change Detection",
    ]  # fmt: skip
    assert found.panels[5].tasks == ("BCI", "CAL", "CSA")


def test_a_scatter_point_is_the_average_over_the_items_of_its_capability(report):
    scores = report.runs[1].scores().filter(pl.col("task").is_in(["SFR", "LCC"]))
    means = dict(scores.group_by("view").agg(pl.col("score").mean()).iter_rows())
    point = scatters(report).panels[0].points[1]
    assert point.image.estimate == pytest.approx(means["composite"])
    assert point.report.estimate == pytest.approx(means["report"])


def test_figures_show_the_best_runs_when_there_are_many(tmp_path):
    skills = {f"example/{number}": (number / 10, number / 10) for number in range(10)}
    many = collect_report(write_example(tmp_path, per_task=8, blocks=3, skills=skills)[1])
    drawn = drawn_runs(many)
    assert len(drawn) == MOST_SERIES
    assert set(drawn) >= {7, 8, 9}


def test_paper_figures_are_the_same_bytes_every_time(report, tmp_path):
    first, second = (write_figures(report, tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == [
        "tasks.pdf", "tasks.png", "radar.pdf", "radar.png",
        "image-against-report.pdf", "image-against-report.png",
    ]  # fmt: skip
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert first[0].read_bytes().startswith(b"%PDF")


def test_one_blind_run_has_no_scatter(tmp_path: Path):
    _, runs = write_example(tmp_path, per_task=1, blocks=2, skills=dict(list(SKILLS.items())[:1]))
    path = runs[0] / "scores.parquet"
    scores = pl.read_parquet(path).filter(pl.col("view") == "report")
    scores.with_columns(view=pl.lit("")).write_parquet(path)
    blind = collect_report(runs)
    assert scatters(blind) is None
    assert [one.title for one in radars(blind)] == ["Blind"]


def test_many_tasks_are_shown_by_a_wider_level_with_a_key(report):
    tasks = tuple(
        Task(f"a-long-code-{number}", "Caption", (f"Sphere {number % 4}", f"Caption {number}"))
        for number in range(30)
    )
    taxonomy = Taxonomy("wide", "Wide", ("sphere", "task"), tasks)
    scores = score_table(
        {"id": f"{task.code}/{number}", "task": task.code, "view": view, "group": f"g{number}"}
        for task in tasks
        for view in ("composite", "report")
        for number in range(2)
    )
    run = summarise(scores, taxonomy, label="one")
    wide = replace(report, taxonomy=taxonomy, runs=report.runs[:1], summaries=(run,))
    found = radars(wide)[0]
    assert found.names == ("Sphere 0", "Sphere 1", "Sphere 2", "Sphere 3")
    assert found.axes == ("1", "2", "3", "4")
    assert draw_radar(found, {0: 0}).key == found.names
    assert [panel.title for panel in scatters(wide).panels] == list(found.names)
