"""What a run asks: items, views, epochs, option orders, and whose media are shown."""

from collections import Counter
from pathlib import Path

import pytest

from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.core.errors import InputError
from earthexam.core.item import Item, Media
from earthexam.evaluate.protocol import Plan, Selection, option_order
from earthexam.models.profiles import Profile
from small_benchmark import choice_item, make_benchmark


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return make_benchmark(tmp_path_factory.mktemp("protocol") / "bench", 20)


def test_every_item_is_asked_in_every_view(bench: Benchmark) -> None:
    keys = list(Plan(bench, Selection()))
    assert len(keys) == len(set(keys)) == len(Plan(bench, Selection())) == 40
    assert Counter(key.view for key in keys) == {"composite": 20, "report": 20}


def test_limit_takes_from_the_tasks_in_turn(bench: Benchmark) -> None:
    items = Plan(bench, Selection(limit=5)).items
    assert Counter(item.task for item in items) == {"LCC": 3, "PD": 2}


def test_a_sample_per_task_is_the_same_each_time_and_another_with_another_seed(
    bench: Benchmark,
) -> None:
    def ids(seed: int) -> list[str]:
        return [item.id for item in Plan(bench, Selection(sample_per_task=4, seed=seed)).items]

    assert len(ids(1)) == 8
    assert ids(1) == ids(1) != ids(2)


def test_a_larger_sample_holds_the_smaller_one(bench: Benchmark) -> None:
    small = {item.id for item in Plan(bench, Selection(sample_per_task=3)).items}
    large = {item.id for item in Plan(bench, Selection(sample_per_task=6)).items}
    assert small < large


def test_epochs_repeat_every_key(bench: Benchmark) -> None:
    keys = list(Plan(bench, Selection(epochs=3, views=("report",))))
    assert Counter(key.epoch for key in keys) == {0: 20, 1: 20, 2: 20}


def test_circular_evaluation_puts_every_option_at_every_place(bench: Benchmark) -> None:
    item = bench.items[0]
    orders = [
        option_order(item, key.order)
        for key in Plan(bench, Selection(views=("report",), shuffle_options=True))
        if key.id == item.id
    ]
    assert [set(places) for places in zip(*orders, strict=True)] == [{0, 1, 2, 3}] * 4
    assert orders[1] == (1, 2, 3, 0)


def test_the_options_are_worded_in_the_order_of_the_key(bench: Benchmark) -> None:
    plan = Plan(bench, Selection(views=("report",), shuffle_options=True))
    key = next(key for key in plan if key.order == 2)
    request = plan.request(key, load_style("default"), Profile())
    assert "A. Wood\nB. Grass pasture\nC. Water\nD. Corn" in request.prompt.parts[-1].text


def test_a_request_does_not_hold_the_answer(bench: Benchmark) -> None:
    plan = Plan(bench, Selection())
    request = plan.request(next(iter(plan)), load_style("default"), Profile())
    assert request.item.answer.indices == ()
    assert request.item.meta == {}


def test_a_blind_run_asks_each_item_once_without_media(bench: Benchmark) -> None:
    plan = Plan(bench, Selection(blind=True))
    keys = list(plan)
    assert len(keys) == 20
    assert {key.view for key in keys} == {""}
    request = plan.request(keys[0], load_style("default"), Profile())
    assert {part.kind for part in request.prompt.parts} == {"text"}


def test_swapped_media_come_from_another_group_and_keep_view_and_count(bench: Benchmark) -> None:
    plan = Plan(bench, Selection(swap_media=True))
    owner = {media.path: item for item in bench.items for media in item.media}
    given: Counter[str] = Counter()
    for key in plan:
        shown = plan.shown_item(key).media_of(key.view)
        assert len(shown) == 1
        assert owner[shown[0].path].group != bench.by_id[key.id].group
        given[shown[0].path] += 1
    assert set(given.values()) == {1}


def test_swapping_within_one_group_is_refused(tmp_path: Path) -> None:
    def make(writer: BenchmarkWriter) -> list[Item]:
        path, digest = writer.add_media(b"report", ".txt")
        return [choice_item(n, (Media("report", path, sha256=digest),)) for n in (0, 1)]

    with pytest.raises(InputError, match="one group"):
        list(Plan(make_benchmark(tmp_path / "bench", make), Selection(swap_media=True)))


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(tasks=("XYZ",)), "no task 'XYZ'"),
        (Selection(views=("cube",)), "no view 'cube'"),
        (Selection(limit=0), "--limit is 0"),
        (Selection(blind=True, swap_media=True), "--blind"),
    ],
)
def test_a_selection_that_cannot_be_is_refused(
    bench: Benchmark, selection: Selection, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Plan(bench, selection)


def test_the_protocol_has_a_name() -> None:
    assert Selection().protocol == "default"
    assert Selection(shuffle_options=True, swap_media=True).protocol == "circular+swapped-media"
