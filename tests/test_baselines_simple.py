"""Guessing, the first letter and the longest option are worth what theory says."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from earthexam.answers.prompt import load_style
from earthexam.baselines import BASELINES
from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.core.item import Blanks, Box, Choice, Item, Media, Truth
from earthexam.evaluate.folder import Run
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.run import run
from earthexam.evaluate.scoring import score_run
from earthexam.models.profiles import Profile
from earthexam.models.protocol import UnsupportedItemError
from small_benchmark import OPTIONS, choice_item, make_benchmark

STYLE = load_style("default")


def replies(name: str, bench: Benchmark, seed: int = 0, **selection: object) -> list[str]:
    model = BASELINES.get(name)(bench, seed)
    plan = Plan(bench, Selection(**selection))

    async def go() -> list[str]:
        return [(await model.ask(plan.request(key, STYLE, Profile()))).text for key in plan]

    return asyncio.run(go())


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    def make(writer: BenchmarkWriter) -> list[Item]:
        texts = [f"option {n}" for n in range(9)]
        return [
            replace(choice_item(n), options=tuple(texts[: 2 + n % 8]), answer=Choice((n % 2,)))
            for n in range(800)
        ]

    return make_benchmark(tmp_path_factory.mktemp("base") / "bench", make)


def test_guessing_lies_in_the_interval_of_its_exact_expectation(
    mixed: Benchmark, tmp_path: Path
) -> None:
    model = BASELINES.get("uniform")(mixed, 0)
    run(Plan(mixed, Selection()), model, tmp_path / "run", style=STYLE)
    rows = score_run(Run.open(tmp_path / "run"), mixed)
    expected = sum(1 / len(item.options) for item in mixed.items)
    assert sum(row.chance for row in rows) == pytest.approx(expected, abs=1e-9)
    spread = sum(p * (1 - p) for p in (1 / len(item.options) for item in mixed.items)) ** 0.5
    right = sum(row.score for row in rows)
    assert abs(right - expected) < stats.norm.ppf(0.9995) * spread


def test_guesses_depend_on_item_and_seed_alone(mixed: Benchmark) -> None:
    assert replies("uniform", mixed, 1) == replies("uniform", mixed, 1)
    assert replies("uniform", mixed, 1) != replies("uniform", mixed, 2)
    few = replies("uniform", mixed, 1, limit=10)
    assert few == replies("uniform", mixed, 1)[:10]


def test_guesses_spread_evenly_over_the_letters(tmp_path: Path) -> None:
    bench = make_benchmark(tmp_path / "b", lambda writer: [choice_item(n) for n in range(1200)])
    counts = Counter(replies("uniform", bench))
    assert set(counts) == set("ABCD")
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_the_constant_says_a_whatever_is_asked(mixed: Benchmark) -> None:
    assert set(replies("constant", mixed)) == {"A"}


def test_the_longest_option_is_named_by_the_letter_it_is_shown_under(tmp_path: Path) -> None:
    bench = make_benchmark(tmp_path / "b", lambda writer: [choice_item(0)])
    assert max(OPTIONS, key=len) == OPTIONS[3]
    assert replies("longest", bench, shuffle_options=True) == ["D", "C", "B", "A"]


def test_equally_long_options_are_drawn_by_lot(tmp_path: Path) -> None:
    same = [replace(choice_item(n), options=("one", "two", "six")) for n in range(300)]
    bench = make_benchmark(tmp_path / "b", lambda writer: same)
    counts = Counter(replies("longest", bench))
    assert min(counts[letter] for letter in "ABC") > 70


def test_other_formats_are_guessed_in_range_or_declined(tmp_path: Path) -> None:
    media = (Media("image", "media/none.png", width=30, height=20),)
    plain = choice_item(0, media)
    items = [
        replace(plain, id="many", format="multiple_choice", answer=Choice((0, 1))),
        replace(plain, id="truth", format="true_false", options=(), answer=Truth(True)),
        replace(plain, id="box", format="grounding", options=(), answer=Box((0, 0, 5, 5))),
        replace(plain, id="blank", format="fill_blank", options=(), answer=Blanks(("a",))),
    ]
    bench = make_benchmark(tmp_path / "b", lambda writer: items)
    many, truth, box = (
        replies("uniform", replace(bench, items=(item,)))[0] for item in bench.items[:3]
    )
    assert set(many.split(", ")) <= set("ABCD")
    assert truth in {"True", "False"}
    x0, y0, x1, y1 = (int(number) for number in box.strip("[]").split(", "))
    assert 0 <= x0 < x1 <= 30
    assert 0 <= y0 < y1 <= 20
    for name in ("uniform", "constant", "longest"):
        with pytest.raises(UnsupportedItemError):
            replies(name, replace(bench, items=bench.items[3:]))
