"""Estimates before a run: tokens of text, reports and pictures, and the most it may cost."""

from pathlib import Path

import pytest

from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import MissingFileError
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.models.cost import estimate, estimate_all
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Request
from small_benchmark import make_benchmark

# 100 tokens a picture and one for every 32 pixels: a picture of 16 × 12 has 106.
PRICED = Profile(tokens_per_picture=100.0, pixels_per_token=32.0, input_usd=2.0, output_usd=8.0)


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    return make_benchmark(tmp_path / "bench", 3)


def requests(bench: Benchmark, **selection: object) -> list[Request]:
    plan = Plan(bench, Selection(**selection))
    return [plan.request(key, load_style("default"), PRICED) for key in plan]


def words(request: Request) -> float:
    texts = [request.prompt.system, *(part.text for part in request.prompt.parts)]
    return sum(len(text.encode()) for text in texts) / 3.5


def test_a_picture_counts_by_its_size(bench: Benchmark) -> None:
    (request, *_) = requests(bench, views=("composite",))
    assert estimate(request, PRICED).input_tokens == round(words(request) + 106)


def test_a_report_counts_by_the_length_of_its_file(bench: Benchmark) -> None:
    (request, *_) = requests(bench, views=("report",))
    expected = words(request) + len("Mean value 0.") / 3.5
    assert estimate(request, PRICED).input_tokens == round(expected)


def test_the_most_it_may_cost_counts_every_reply_at_full_length(bench: Benchmark) -> None:
    asked = requests(bench)
    total = estimate_all(iter(asked), PRICED)
    assert (total.requests, total.pictures) == (6, 3)
    assert total.most_output_tokens == sum(request.prompt.max_tokens for request in asked)
    expected = (total.input_tokens * 2.0 + total.most_output_tokens * 8.0) / 1e6
    assert total.most_usd == pytest.approx(expected, rel=1e-3)


def test_a_model_that_thinks_is_counted_at_its_own_length(bench: Benchmark) -> None:
    (request, *_) = requests(bench)
    assert estimate(request, Profile(reply_tokens=9000)).output_tokens == 9000


def test_a_lost_report_is_named(bench: Benchmark) -> None:
    (request, *_) = requests(bench, views=("report",))
    (bench.root / request.prompt.parts[-2].path).unlink()
    with pytest.raises(MissingFileError, match="lacks media"):
        estimate(request, PRICED)
