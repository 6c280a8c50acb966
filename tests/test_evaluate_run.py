"""Running against a server that goes wrong: every item is answered once, nothing turns into wrong."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat_server import ChatServer
from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark
from earthexam.evaluate.folder import Run
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.run import RunResult, RunSettings, run
from earthexam.evaluate.scoring import score_run
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.profiles import Profile
from earthexam.models.protocol import FaultError, Reply, Request
from small_benchmark import choice_item, make_benchmark

KINDS = ("429", "500", "hang", "cut", "garbage", "drip")
SLOW_REASON = "2,000 items for each kind of fault take minutes"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return _text_benchmark(tmp_path_factory.mktemp("few") / "bench", 150)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return _text_benchmark(tmp_path_factory.mktemp("many") / "bench", 2000)


def _text_benchmark(folder: Path, count: int) -> Benchmark:
    return make_benchmark(folder, lambda writer: [choice_item(n) for n in range(count)])


def ask(
    benchmark: Benchmark,
    server: ChatServer,
    out: Path,
    *,
    timeout_s: float = 1.5,
    patience_s: float = 120.0,
    profile: Profile | None = None,
    budget_usd: float | None = None,
    concurrency: int = 64,
) -> RunResult:
    profile = profile or Profile()
    options = ModelOptions(
        profile=profile,
        base_urls=(server.url,),
        concurrency=concurrency,
        timeout_s=timeout_s,
        patience_s=patience_s,
        seed=1,
    )
    return run(
        Plan(benchmark, Selection()),
        open_model("vllm/tested", options),
        out,
        style=load_style("default"),
        profile=profile,
        settings=RunSettings(concurrency, budget_usd),
    )


def expect_each_once(benchmark: Benchmark, server: ChatServer, out: Path, most: float) -> None:
    replies = list(Run.open(out).replies())
    lines = (out / "replies.jsonl").read_bytes().splitlines()
    assert len(lines) == len(replies) == len(benchmark.items)
    assert {reply.key.id for reply in replies} == {item.id for item in benchmark.items}
    assert all(reply.status == "replied" and reply.text == "B" for reply in replies)
    assert sum(server.asked.values()) < most * len(benchmark.items)
    assert sum(reply.attempts for reply in replies) == sum(server.asked.values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_item_is_answered_once_although_a_tenth_of_requests_goes_wrong(
    few: Benchmark, tmp_path: Path, kind: str
) -> None:
    with ChatServer(faults={kind: 0.1}, seed=3, retry_after="0.2") as server:
        result = ask(few, server, tmp_path / "run")
        assert not result.failed
        expect_each_once(few, server, tmp_path / "run", 1.25)


@pytest.mark.slow(reason=SLOW_REASON)
@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_items_take_under_1_2_requests_each_with_one_kind_of_fault(
    many: Benchmark, tmp_path: Path, kind: str
) -> None:
    with ChatServer(faults={kind: 0.1}, seed=5) as server:
        result = ask(many, server, tmp_path / "run", timeout_s=3.0)
        assert not result.failed
        expect_each_once(many, server, tmp_path / "run", 1.2)


@pytest.mark.slow(reason=SLOW_REASON)
def test_two_thousand_items_take_under_1_6_requests_each_with_all_kinds_of_fault(
    many: Benchmark, tmp_path: Path
) -> None:
    with ChatServer(faults=dict.fromkeys(KINDS, 0.05), seed=5) as server:
        result = ask(many, server, tmp_path / "run", timeout_s=3.0)
        assert not result.failed
        expect_each_once(many, server, tmp_path / "run", 1.6)


@pytest.mark.slow(reason=SLOW_REASON)
def test_of_two_thousand_items_exactly_the_three_percent_that_always_fail_are_failed(
    many: Benchmark, tmp_path: Path
) -> None:
    statuses = (400, 413, 422, 500, 503, 429)
    always = {item.id: statuses[n % 6] for n, item in enumerate(many.items[::33][:60])}
    with ChatServer(always=always, faults={"500": 0.05}, seed=5) as server:
        result = ask(many, server, tmp_path / "run", patience_s=10.0)
    assert {key.id for key in result.failed} == set(always)
    rows = score_run(Run.open(tmp_path / "run"), many)
    assert {row.key.id for row in rows if row.outcome == "failed"} == set(always)
    assert sum(row.outcome == "right" for row in rows) == len(many.items) - len(always)


def test_all_kinds_of_fault_together_lose_nothing(few: Benchmark, tmp_path: Path) -> None:
    with ChatServer(faults=dict.fromkeys(KINDS, 0.03), seed=4, retry_after="0.2") as server:
        result = ask(few, server, tmp_path / "run")
        assert not result.failed
        expect_each_once(few, server, tmp_path / "run", 1.7)


def test_items_that_always_fail_are_failed_and_none_is_wrong(
    few: Benchmark, tmp_path: Path
) -> None:
    doomed = {few.items[n].id: status for n, status in ((3, 400), (77, 500), (140, 422))}
    with ChatServer(always=doomed) as server:
        result = ask(few, server, tmp_path / "run", patience_s=1.0)
        assert {key.id for key in result.failed} == set(doomed)
        assert result.info.requests == sum(server.asked.values())
        rows = score_run(Run.open(tmp_path / "run"), few)
        assert {row.key.id for row in rows if row.outcome == "failed"} == set(doomed)
        assert {row.outcome for row in rows} == {"failed", "right"}
        server.always = {}
        asked = sum(server.asked.values())
        again = ask(few, server, tmp_path / "run", patience_s=1.0)
        assert not again.failed
        assert sum(server.asked.values()) - asked == len(doomed)
    rows = score_run(Run.open(tmp_path / "run"), few)
    assert {row.outcome for row in rows} == {"right"}


@pytest.mark.parametrize(
    ("status", "fix"), [(401, "VLLM_API_KEY"), (403, "VLLM_API_KEY"), (404, "--base-url")]
)
def test_a_wrong_key_or_model_stops_at_once_and_says_what_to_do(
    few: Benchmark, tmp_path: Path, status: int, fix: str
) -> None:
    always = {item.id: status for item in few.items}
    with ChatServer(always=always) as server:
        with pytest.raises(FaultError, match=fix):
            ask(few, server, tmp_path / "run", concurrency=4)
        assert sum(server.asked.values()) <= 4
    assert (tmp_path / "run" / "replies.jsonl").read_bytes() == b""


def test_a_budget_stops_the_run_before_it_is_passed(few: Benchmark, tmp_path: Path) -> None:
    dear = Profile(input_usd=1000.0, output_usd=100.0)
    with ChatServer() as server:
        result = ask(few, server, tmp_path / "run", profile=dear, budget_usd=5.0, concurrency=8)
    assert "budget" in result.stopped
    assert 0 < result.info.usd <= 5.0
    assert result.info.asked < len(few.items)
    assert result.info.finished == ""


def test_a_server_that_fails_every_item_ends_the_run(tmp_path: Path) -> None:
    bench = _text_benchmark(tmp_path / "bench", 400)
    with ChatServer(always={item.id: 400 for item in bench.items}) as server:
        with pytest.raises(FaultError, match="200 requests failed in a row"):
            ask(bench, server, tmp_path / "run")
        assert sum(server.asked.values()) < 300


def test_a_dead_server_beside_a_living_one_costs_no_item(few: Benchmark, tmp_path: Path) -> None:
    with ChatServer() as server:
        options = ModelOptions(base_urls=("http://127.0.0.1:9", server.url), concurrency=16, seed=1)
        result = run(
            Plan(few, Selection()),
            open_model("vllm/tested", options),
            tmp_path / "run",
            style=load_style("default"),
            settings=RunSettings(16),
        )
        assert not result.failed
        assert sum(server.asked.values()) == len(few.items)
    attempts = sum(reply.attempts for reply in Run.open(tmp_path / "run").replies())
    assert attempts < 1.3 * len(few.items)


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=())), min_size=4, max_size=4))
def test_any_text_a_model_returns_is_kept_and_scored(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    bench = _text_benchmark(folder / "bench", 4)
    said = dict(zip([item.id for item in bench.items], texts, strict=True))

    class Saying:
        name, revision, endpoint_kind = "fake/saying", "", "python"
        parameters: Mapping[str, str] = {}

        async def ask(self, request: Request) -> Reply:
            return Reply(said[request.key.id])

        async def close(self) -> None:
            return None

    result = run(Plan(bench, Selection()), Saying(), folder / "run", style=load_style("default"))
    assert not result.failed
    opened = Run.open(folder / "run")
    kept = {reply.key.id: reply.text for reply in opened.replies()}
    assert kept == {name: text.encode("utf-8", "replace").decode() for name, text in said.items()}
    assert len(score_run(opened, bench)) == 4


def test_an_error_in_one_item_is_recorded_with_its_cause_and_costs_no_other(
    tmp_path: Path,
) -> None:
    bench = make_benchmark(tmp_path / "bench", 4)
    lost = bench.items[1].media_of("composite")[0].path
    (bench.root / lost).unlink()
    with ChatServer() as server:
        result = ask(bench, server, tmp_path / "run")
    assert [key.view for key in result.failed] == ["composite"]
    assert lost in next(iter(result.failed.values()))
