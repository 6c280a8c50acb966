"""The demonstration on a measured scene: small in every run of the tests, whole when asked for."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path

import numpy as np
import pytest

from earthexam.benchmark.checks import check_folder
from earthexam.benchmark.store import Benchmark
from earthexam.cli.demo import MODELS, TILE
from earthexam.core.item import Choice
from earthexam.evaluate.folder import Run
from earthexam.published.tables import load_taxonomy
from earthexam.questions.hyperspectral.build import BuildReport, BuildSettings, build_hyperspectral
from earthexam.questions.hyperspectral.scenes import SceneFiles
from earthexam.questions.hyperspectral.verify import verify_hyperspectral
from earthexam.sources.indian_pines import write_sources

CODES = [task.code for task in load_taxonomy("hm-bench")]
# What is asked about labels; CS and SAD are where a naive builder's class constants leak.
LABEL_TASKS = ("SFR", "LCC", "PD", "CS", "OLR", "RD", "SAD")


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> BuildReport:
    """One question a task on Indian Pines."""
    pytest.importorskip("tensorly")
    folder = tmp_path_factory.mktemp("small")
    sources = write_sources(folder / "sources", cell=TILE)
    files = SceneFiles(
        scene=sources.scene,
        labels=sources.labels,
        later=sources.later,
        later_labels=sources.later_labels,
        classes=sources.classes,
    )
    settings = BuildSettings("small", tile=TILE, per_task=1)
    return build_hyperspectral([files], folder / "benchmark", settings)


def test_indian_pines_gives_questions_of_every_task(small):
    assert small.by_task == dict.fromkeys(CODES, 1)
    assert check_folder(small.out) == ()


def test_answers_on_indian_pines_follow_from_its_files(small):
    assert verify_hyperspectral(Benchmark.open(small.out)) == []


def test_blocks_with_few_labels_or_one_class_are_dropped_and_listed(small):
    assert small.dropped
    assert small.blocks + len(small.dropped) == ceil(145 / TILE) ** 2
    assert all("labelled, needs 20%" in one.reason or "needs 2" in one.reason
               or "allowed" in one.reason for one in small.dropped)  # fmt: skip


def test_the_second_date_is_called_simulated(small):
    bench = Benchmark.open(small.out)
    assert "simulated" in bench.info.simulated.lower()
    assert bench.info.simulated in (small.out / "README.md").read_text()
    assert bench.info.built["scenes"][0]["quantity"] == "radiance"


def test_thresholds_are_drawn_from_the_scene_where_reflectance_is_unknown(small):
    """On scaled counts NDVI never passes 0.6: that threshold would have one answer."""
    for item in Benchmark.open(small.out).items:
        assert item.provenance is not None
        assert item.provenance.parameters.get("ndvi") != 0.6
    assert "of the labelled" in " ".join(item.question for item in Benchmark.open(small.out).items)


@dataclass(frozen=True)
class Demo:
    """The folder of a whole demonstration and what it said."""

    out: Path
    said: str

    @property
    def benchmark(self) -> Benchmark:
        return Benchmark.open(self.out / "benchmark")

    def accuracy(self, name: str, tasks: tuple[str, ...] = tuple(CODES)) -> float:
        scores = Run.open(self.out / "runs" / f"baseline-{name}").scores()
        rows = [row for row in scores.iter_rows(named=True) if row["task"] in tasks]
        return float(np.mean([row["score"] for row in rows]))


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Demo:
    pytest.importorskip("tensorly")
    out = tmp_path_factory.mktemp("demo") / "demo-out"
    done = subprocess.run(
        [sys.executable, "-m", "earthexam", "demo", "--out", str(out)],
        capture_output=True, text=True, encoding="utf-8", timeout=600, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Demo(out, done.stderr)


slow = pytest.mark.slow  # The whole demonstration takes about a minute.


@slow
def test_the_demonstration_asks_six_hundred_questions_over_all_tasks(demo):
    counts = Counter(item.task for item in demo.benchmark.items)
    assert set(counts) == set(CODES)
    assert sum(counts.values()) >= 600
    assert min(counts.values()) >= 20
    assert "the report lies in" in demo.said
    assert (demo.out / "report" / "index.html").stat().st_size > 100_000


@slow
def test_the_demonstration_is_whole_and_every_answer_follows(demo):
    assert check_folder(demo.benchmark.root) == ()
    assert verify_hyperspectral(demo.benchmark) == []


@slow
def test_guessing_is_worth_exactly_one_over_the_options(demo):
    items = demo.benchmark.by_id
    rows = list(
        Run.open(demo.out / "runs" / "baseline-uniform").scores().iter_rows(named=True)
    )  # fmt: skip
    assert Counter(row["id"] for row in rows) == dict.fromkeys(items, 2)  # two views
    assert all(row["chance"] == 1 / len(items[row["id"]].options) for row in rows)
    for task in CODES:
        own = [row for row in rows if row["task"] == task]
        chances = [row["chance"] for row in own]
        spread = sqrt(sum(p * (1 - p) for p in chances))
        # Two-sided 99.9 %.
        assert abs(sum(row["score"] for row in own) - sum(chances)) <= 3.29 * spread, task


@slow
@pytest.mark.parametrize("name", ["constant", "longest"])
def test_a_rule_that_looks_at_nothing_is_worth_chance(demo, name):
    rows = list(
        Run.open(demo.out / "runs" / f"baseline-{name}").scores().iter_rows(named=True)
    )  # fmt: skip
    surplus = Counter()
    for row in rows:
        surplus[row["group"]] += row["score"] - row["chance"]
    # Blocks are independent; 95 % of such sums lie within two standard deviations.
    assert abs(sum(surplus.values())) <= 1.96 * sqrt(sum(v**2 for v in surplus.values()))


@slow
def test_the_cube_answers_what_a_photograph_does_not(demo):
    assert demo.accuracy("spectral") > 0.6
    assert demo.accuracy("spectral", LABEL_TASKS) > 0.45
    for task in LABEL_TASKS:
        assert demo.accuracy("spectral", (task,)) > 0.45, task
    assert demo.accuracy("spectral") > demo.accuracy("rgb")


@slow
def test_no_letter_is_right_more_often_than_the_others(demo):
    letters: dict[int, Counter[int]] = {}
    for item in demo.benchmark.items:
        assert isinstance(item.answer, Choice)
        letters.setdefault(len(item.options), Counter())[item.answer.indices[0]] += 1
    for size, seen in letters.items():
        total = seen.total()
        for letter in range(size):
            assert abs(seen[letter] - total / size) <= 3.29 * sqrt(total * (size - 1)) / size


@slow
def test_every_baseline_has_a_run(demo):
    assert {path.name for path in (demo.out / "runs").iterdir()} == {
        f"baseline-{name}" for name, _ in MODELS
    }
