"""The page says what the runs say, escapes what models say, and needs nothing but itself."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from earthexam.core.errors import InputError, MissingFileError
from earthexam.report.collect import Report, collect_report
from earthexam.report.page import render_page
from report_example import HOSTILE, change_benchmark, write_example


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    return write_example(tmp_path_factory.mktemp("example"), per_task=3, blocks=5)


@pytest.fixture(scope="module")
def report(example: tuple[Path, list[Path]]) -> Report:
    return collect_report(example[1])


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_page(report)


def browser_data(page: str) -> dict:
    # What a browser does: the element ends at the first closing tag.
    start = page.index('id="browser-data">') + len('id="browser-data">')
    return json.loads(page[start : page.index("</script>", start)])


def test_the_headline_is_the_share_of_right_replies(example, page):
    scores = pl.read_parquet(example[1][0] / "scores.parquet").filter(pl.col("view") == "report")
    share = (scores["outcome"] == "right").sum() / scores.height
    assert f'<span class="number">{100 * share:.2f}</span>' in page


def test_the_same_runs_give_the_same_bytes(report, page):
    assert render_page(report) == page


def test_nothing_a_benchmark_or_model_says_becomes_markup(page):
    assert HOSTILE not in page
    data = browser_data(page)
    assert any(HOSTILE in item["question"] for item in data["items"])


def test_every_address_in_the_page_is_inside_it(page):
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "@import" not in page
    assert "url(" not in page


def test_every_section_link_has_its_section(page):
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page


def test_each_view_has_a_radar_and_each_capability_a_scatter(page):
    radar = page[page.index('<section id="radar"') : page.index('<section id="views"')]
    compared = page[page.index('<section id="views"') : page.index('<section id="taxonomy"')]
    assert radar.count("<figure>") == 2
    assert compared.count("<figure>") == 6
    assert compared.count('class="identity"') == 6


def test_the_taxonomy_counts_the_items_of_every_task(page):
    tree = page[page.index('<section id="taxonomy"') : page.index('<section id="letters"')]
    assert tree.count("3 items") == 13
    assert "(published: 2,328)" in tree


def test_simulated_data_is_said_first(page):
    assert page.index("Simulated data.") < page.index("Headline numbers")


def test_measured_data_is_not_called_simulated(tmp_path):
    bench, runs = write_example(tmp_path, per_task=1, blocks=3)
    change_benchmark(bench, simulated="")
    assert "Simulated data." not in render_page(collect_report(runs))


def test_few_clusters_are_said(page):
    assert "rest on 5 location blocks only" in page


def test_a_run_below_98_percent_coverage_gets_no_rank(tmp_path):
    _, runs = write_example(tmp_path, per_task=2, blocks=3)
    path = runs[0] / "scores.parquet"
    scores = pl.read_parquet(path)
    lost = pl.int_range(pl.len()) < 4
    scores.with_columns(
        pl.when(lost).then(pl.lit("failed")).otherwise("outcome").alias("outcome"),
        pl.when(lost).then(0.0).otherwise("score").alias("score"),
    ).write_parquet(path)
    page = render_page(collect_report(runs))
    assert "No rank.</strong> example/spectral, composite image: replies came to 92.3 %" in page


def test_a_run_over_some_items_says_so(tmp_path):
    _, runs = write_example(tmp_path, per_task=2, blocks=3)
    path = runs[0] / "scores.parquet"
    pl.read_parquet(path).filter(pl.col("task") == "SFR").write_parquet(path)
    page = render_page(collect_report(runs))
    assert "example/spectral was asked 2 of 26 items" in page


def test_the_page_says_how_many_items_it_shows(report):
    page = render_page(report, items=7)
    assert len(browser_data(page)["items"]) == 7
    assert "7 of 39 items are shown here" in page


def test_one_run_in_one_view_makes_a_page_without_comparison(tmp_path):
    _, runs = write_example(tmp_path, per_task=1, blocks=3)
    path = runs[0] / "scores.parquet"
    pl.read_parquet(path).filter(pl.col("view") == "report").write_parquet(path)
    page = render_page(collect_report(runs[:1]))
    assert '<section id="views"' not in page
    assert 'class="best"' not in page


def test_a_task_no_model_can_take_is_printed_as_x(tmp_path):
    _, runs = write_example(tmp_path, per_task=1, blocks=3)
    path = runs[0] / "scores.parquet"
    scores = pl.read_parquet(path)
    scores.with_columns(
        pl.when(pl.col("task") == "BCI").then(pl.lit("unsupported")).otherwise("outcome")
        .alias("outcome")
    ).write_parquet(path)  # fmt: skip
    assert ">X</abbr>" in render_page(collect_report(runs))


def test_runs_of_one_model_are_told_apart_by_their_folder(tmp_path):
    _, runs = write_example(tmp_path, per_task=1, blocks=3)
    text = (runs[0] / "run.json").read_text()
    (runs[1] / "run.json").write_text(text)
    labels = collect_report(runs).labels
    assert labels[:2] == ("example/spectral [spectral]", "example/spectral [rgb]")


def test_runs_on_other_questions_are_refused(tmp_path):
    _, runs = write_example(tmp_path / "one", per_task=1, blocks=3)
    _, others = write_example(tmp_path / "other", per_task=2, blocks=3)
    with pytest.raises(InputError, match="report on runs of one benchmark only"):
        collect_report([runs[0], others[0]])


def test_a_benchmark_that_moved_is_asked_for(tmp_path):
    bench, runs = write_example(tmp_path, per_task=1, blocks=3)
    moved = bench.rename(tmp_path / "moved")
    with pytest.raises(MissingFileError, match="--benchmark"):
        collect_report(runs)
    assert collect_report(runs, benchmark=moved).benchmark.root == moved
