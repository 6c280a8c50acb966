"""From missing replies to a withheld rank: run, score and report as a user calls them."""

import csv
import re
import sys
from pathlib import Path
from unittest import mock

import pytest

from chat_server import ChatServer
from earthexam.benchmark.store import Benchmark
from earthexam.cli import main
from earthexam.evaluate.folder import Run
from small_benchmark import make_benchmark

ITEMS = 50


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return make_benchmark(tmp_path_factory.mktemp("coverage") / "bench", ITEMS)


def earthexam(*words: object) -> int:
    with (
        mock.patch.object(sys, "argv", ["earthexam", *map(str, words)]),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return int(ended.value.code or 0)


def report(folder: Path, *runs: Path) -> tuple[str, str, list[dict[str, str]]]:
    """Score and report; give the Markdown tables, the page and the lines of the ranks."""
    for run in runs:
        assert earthexam("score", run) == 0
    assert earthexam("report", *runs, "--out", folder) == 0
    with (folder / "tables.csv").open(encoding="utf-8") as lines:
        table = list(csv.DictReader(lines))
    page = (folder / "index.html").read_text(encoding="utf-8")
    return (folder / "tables.md").read_text(encoding="utf-8"), page, table


def test_failed_items_are_listed_asked_again_and_cost_the_rank_below_98_percent(
    bench: Benchmark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = [item.id for item in bench.items[:2]]
    gappy, *poor = (tmp_path / name for name in ("gappy", "constant", "uniform"))
    for out in poor:
        assert earthexam("run", bench.root, "--model", f"baseline/{out.name}", "--out", out,
                         "--views", "report") == 0  # fmt: skip
    with ChatServer(always=dict.fromkeys(lost, 400)) as server:
        words = ("run", bench.root, "--model", "vllm/x", "--base-url", server.url,
                 "--views", "report", "--out", gappy)  # fmt: skip
        assert earthexam(*words) == 1
        said = capsys.readouterr().err
        assert all(f"failed: {name} report" in said for name in lost)
        tables, page, lines = report(tmp_path / "two", gappy, *poor)
        scores = Run.open(gappy).scores()
        missing = scores.filter(scores["id"].is_in(lost))
        assert missing["outcome"].to_list() == ["failed", "failed"]
        assert scores["outcome"].to_list().count("right") == ITEMS - 2  # none of them wrong
        assert "no rank, replies came to 96.00 % of the items, below 98 %" in tables
        assert "replies came to 96.0 % of the items, below 98 %" in page
        assert best(lines) == {"baseline/uniform"}  # seldom right, but whole
        assert rank_on(page, "vllm/x") == "none"
        assert rank_on(page, "baseline/uniform") == "1"

        server.always = dict.fromkeys(lost[:1], 400)
        server.asked.clear()
        assert earthexam(*words) == 1
        assert dict(server.asked) == dict.fromkeys(lost, 1)
        tables, page, lines = report(tmp_path / "one", gappy, *poor)
        assert "no rank" not in tables  # 49 of 50 are 98 %
        assert "No rank." not in page
        assert best(lines) == {"vllm/x"}
        assert rank_on(page, "vllm/x") == "1"

        server.always = {}
        assert earthexam(*words) == 0
    assert earthexam("score", gappy) == 0
    assert set(Run.open(gappy).scores()["outcome"]) == {"right"}


def best(lines: list[dict[str, str]]) -> set[str]:
    return {line["run"] for line in lines if line["kind"] == "overall" and line["best"] == "true"}


def rank_on(page: str, run: str) -> str:
    """Read the fourth column of the run's line in the headline numbers."""
    table = re.search(r"<caption>Headline numbers.*?</table>", page, re.DOTALL)
    assert table is not None
    for line in re.findall(r"<tr>.*?</tr>", table[0], re.DOTALL):
        cells = [
            re.sub(r"<[^>]*>|\s", "", cell)
            for cell in re.findall(r"<t[hd].*?</t[hd]>", line, re.DOTALL)
        ]
        if cells[0] == run:
            return cells[3]
    raise AssertionError(run)
