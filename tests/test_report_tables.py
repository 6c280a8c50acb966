import csv
import io
import re

import polars as pl
import pytest

from earthexam.evaluate.contrasts import view_contrasts
from earthexam.evaluate.metrics import average_items
from earthexam.evaluate.summary import summarise
from earthexam.published.tables import load_taxonomy
from earthexam.report.tables import (
    contrast_markdown,
    latex,
    markdown,
    notes,
    p_value,
    percent,
    result_tables,
    tidy_csv,
)
from score_tables import random_scores, score_table

HM_BENCH = load_taxonomy("hm-bench")


def summary(seed, right=0.5, label="model", **changes):
    return summarise(random_scores(seed, right=right, **changes), HM_BENCH, label=label)


def unsupported():
    rows = [{"id": f"a{i}", "group": f"g{i}"} for i in range(40)]
    rows += [{"id": "b", "task": "CSA", "outcome": "unsupported"}]
    return summarise(score_table(rows), HM_BENCH, label="no pairs")


def best_labels(summaries, title):
    (table,) = result_tables(summaries)
    line = next(line for line in table.lines if line.title == title)
    return [label for label, cell in zip(table.runs, line.cells, strict=True) if cell.best]


def test_the_best_of_several_runs_is_marked_on_every_line():
    runs = [summary(1, 0.2, "poor"), summary(2, 0.8, "good")]
    assert best_labels(runs, "SFR · Spectral Feature Recognition") == ["good"]
    assert best_labels(runs, "Overall, macro") == ["good"]
    assert "**" not in markdown(runs[:1])


def test_equal_runs_are_equally_good():
    assert best_labels([summary(1, label="a"), summary(1, label="b")], "Overall, micro") == [
        "a",
        "b",
    ]


def test_a_run_without_a_rank_is_never_best():
    rows = [
        {"id": f"q{i:04}", "group": str(i), "outcome": "right" if i % 10 else "failed"}
        for i in range(200)
    ]
    gappy = summarise(score_table(rows), HM_BENCH, label="gappy")
    runs = [gappy, summary(1, 0.3, "whole"), summary(2, 0.1, "poor")]
    assert best_labels(runs, "Overall, micro") == ["whole"]
    assert any("gappy, Composite image: no rank" in note for note in notes(runs))


def test_markdown_names_both_averages_and_prints_value_interval_and_outcomes():
    run = summary(1)
    text = markdown([run])
    row = run.views[0].micro
    assert "| *Overall, micro* |" in text
    assert "| *Overall, macro* |" in text
    assert f"{percent(row.score.estimate)} [{percent(row.score.low)}–" in text
    assert f"| {row.outcomes.right} | {row.outcomes.wrong} |" in text


def test_markdown_tables_keep_their_shape_whatever_the_label():
    lines = markdown([summary(1, label="a|b*c\nd"), summary(2, label="x")]).splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("| ---")]
    assert len(heads) == 3
    assert r"a\|b\*c d" in lines[heads[0] - 1]
    for head in heads:
        columns = len(re.findall(r"(?<!\\)\|", lines[head]))
        assert len(re.findall(r"(?<!\\)\|", lines[head - 1])) == columns
        assert len(re.findall(r"(?<!\\)\|", lines[head + 1])) == columns


def test_a_task_the_model_cannot_take_prints_x():
    text = markdown([unsupported()])
    assert "| CSA · Change Statistical Analysis | X |" in text
    assert "- X: the model can take none of these items." in text
    assert "& X \\\\" in latex([unsupported()])


def test_tidy_csv_reads_back_as_the_numbers_it_came_from():
    run = summary(3, label='quo"ted, label')
    rows = list(csv.DictReader(io.StringIO(tidy_csv([run]))))
    assert len(rows) == len(run.views[0].rows)
    for row, expected in zip(rows, run.views[0].rows, strict=True):
        assert row["run"] == 'quo"ted, label'
        assert (row["name"], row["average"]) == (expected.name, expected.average)
        assert float(row["score"]) == pytest.approx(expected.score.estimate, abs=1e-6)
        assert float(row["high"]) == pytest.approx(expected.score.high, abs=1e-6)
        assert int(row["outcome_right"]) == expected.outcomes.right


def test_tidy_csv_leaves_numbers_that_do_not_exist_empty():
    rows = list(csv.DictReader(io.StringIO(tidy_csv([unsupported()]))))
    change = next(row for row in rows if row["name"] == "CSA")
    assert (change["supported"], change["score"], change["low"]) == ("false", "", "")


def test_latex_is_a_booktabs_table_with_every_special_sign_escaped():
    text = latex([summary(1, label="a_b & 50% {x} #1 $2 ^~\\"), summary(2, label="[z]")])
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 1
    for rule in ("\\toprule", "\\midrule", "\\bottomrule"):
        assert rule in text
    assert (
        "a\\_b \\& 50\\% \\{x\\} \\#1 \\$2 \\textasciicircum{}\\textasciitilde{}\\textbackslash{}"
        in text
    )
    body = [line for line in text.splitlines() if line.endswith(" \\\\")]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 for line in body)


def test_views_come_in_their_fixed_order_with_blind_last():
    table = [summary(1, view=view, label=view or "none") for view in ("", "report", "composite")]
    assert [one.view for one in result_tables(table)] == ["composite", "report", ""]


def test_few_groups_are_marked():
    assert "]*" in markdown([summary(1, groups=9)])
    assert "]*" not in markdown([summary(1, groups=40, tasks=("SFR",))])


def test_circular_evaluation_is_named():
    rows = [{"id": f"q{i}", "group": str(i), "order": k} for i in range(40) for k in range(2)]
    run = summarise(score_table(rows), HM_BENCH, label="m")
    assert any("circular evaluation" in note for note in notes([run]))


def test_contrasts_print_signed_points():
    table = pl.concat([random_scores(1, right=0.9), random_scores(2, right=0.3, view="report")])
    text = contrast_markdown(view_contrasts(average_items(table)))
    assert "| Composite image − Text report | – |" in text
    assert "< 0.001" in text
    assert re.search(r"\| \+\d\d\.\d\d \|", text)


def test_small_p_values_never_print_as_zero():
    assert p_value(1e-9) == "< 0.001"
    assert p_value(0.0412) == "0.041"
    assert p_value(float("nan")) == "–"
