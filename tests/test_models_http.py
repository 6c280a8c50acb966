"""The HTTP client: what it sends, which faults it tells apart, how long it waits."""

import asyncio
import base64
import random
import time
from dataclasses import replace
from email.utils import formatdate

import pytest

from chat_server import ChatServer
from earthexam.answers.prompt import build_prompt, load_style
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.models.endpoints import Endpoints
from earthexam.models.faults import fault_of_status, seconds_to_wait
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.pace import Pace, wait_before_retry
from earthexam.models.presets import load_presets
from earthexam.models.profiles import Profile, find_profile
from earthexam.models.protocol import FaultError, Reply, Request
from small_benchmark import make_benchmark

KEY = "sk-test-0123456789abcdef"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return make_benchmark(tmp_path_factory.mktemp("http") / "bench", 2)


def a_request(bench: Benchmark, view: str = "composite") -> Request:
    plan = Plan(bench, Selection(views=(view,), limit=1))
    return plan.request(next(iter(plan)), load_style("default"), Profile())


def ask(spec: str, request: Request, **options: object) -> Reply:
    model = open_model(spec, ModelOptions(**options))

    async def go() -> Reply:
        try:
            return await model.ask(request)
        finally:
            await model.close()

    return asyncio.run(go())


def test_pictures_go_as_data_urls_in_their_place_in_the_text(bench: Benchmark) -> None:
    with ChatServer(keep_bodies=True) as server:
        reply = ask("vllm/some/model", a_request(bench), base_urls=(server.url,))
    (body,) = server.bodies
    assert (reply.text, reply.usage.input_tokens, reply.model) == ("B", 100, "some/model")
    system, user = body["messages"]
    assert system["role"] == "system"
    kinds = [part["type"] for part in user["content"]]
    assert kinds == ["text", "image_url", "text"]
    assert user["content"][0]["text"].endswith("Image 1:")
    assert user["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert body["temperature"] == 0.0
    assert body["max_tokens"] > 0


def test_a_report_goes_as_plain_text(bench: Benchmark) -> None:
    with ChatServer(keep_bodies=True) as server:
        ask("vllm/m", a_request(bench, "report"), base_urls=(server.url,))
    content = server.bodies[0]["messages"][1]["content"]
    assert isinstance(content, str)
    assert "Mean value 0." in content


def test_the_profile_decides_what_may_be_sent(bench: Benchmark) -> None:
    profile = Profile(system_message=False, parameters=(), token_parameter="most", reply_tokens=77)
    with ChatServer(keep_bodies=True) as server:
        ask("vllm/m", a_request(bench), base_urls=(server.url,), profile=profile)
    (body,) = server.bodies
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert "Earth observation" in body["messages"][0]["content"][0]["text"]
    assert "temperature" not in body
    assert body["most"] == 77


def test_money_is_counted_from_the_tokens_the_server_names(bench: Benchmark) -> None:
    profile = Profile(input_usd=2.0, output_usd=10.0)
    with ChatServer() as server:
        reply = ask("vllm/m", a_request(bench), base_urls=(server.url,), profile=profile)
    assert reply.usage.usd == pytest.approx((100 * 2 + 2 * 10) / 1e6)


def test_a_resize_is_told_with_its_factor(bench: Benchmark) -> None:
    with ChatServer() as server:
        profile = Profile(most_side=8)
        reply = ask("vllm/m", a_request(bench), base_urls=(server.url,), profile=profile)
    (resize,) = reply.resizes
    assert (resize.factor_x, resize.factor_y) == (0.5, 0.5)


def test_retry_after_is_honoured(bench: Benchmark) -> None:
    waits: list[float] = []
    with ChatServer(faults={"429": 1.0}, retry_after="0.3") as server:
        started = time.monotonic()
        with pytest.raises(FaultError, match="gave up after 2 tries"):
            ask("vllm/m", a_request(bench), base_urls=(server.url,), patience_s=0.5,
                on_wait=lambda seconds, reason: waits.append(seconds))  # fmt: skip
    assert time.monotonic() - started >= 0.3
    assert len(waits) == 1
    assert 0.3 <= waits[0] <= 0.34


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        open_model("openai/gpt-5", ModelOptions())


def test_a_key_goes_to_the_server_and_into_no_message(
    bench: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer(keys_wanted=KEY) as server:
        assert ask("openai/m", a_request(bench), base_urls=(server.url,)).text == "B"
    with ChatServer(keys_wanted="another") as server, pytest.raises(FaultError) as caught:
        ask("openai/m", a_request(bench), base_urls=(server.url,))
    assert caught.value.kind == "fatal"
    assert KEY not in str(caught.value)
    assert "[key]" in str(caught.value)


@pytest.mark.parametrize(
    ("preset", "header", "value"),
    [("openai", "Authorization", "Bearer k"), ("azure", "api-key", "k")],
)
def test_each_server_gets_the_key_in_its_own_header(preset: str, header: str, value: str) -> None:
    (found,) = (one for one in load_presets() if one.name == preset)
    assert found.headers("k") == {header: value}


def test_the_usual_servers_have_presets() -> None:
    names = {preset.name for preset in load_presets()}
    assert names == {
        "openai", "azure", "vllm", "sglang", "ollama", "lmstudio", "openrouter", "gemini",
        "anthropic", "xai",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (429, "slow down", "retryable"),
        (429, '{"error": {"code": "insufficient_quota"}}', "fatal"),
        (408, "", "retryable"),
        (500, "", "retryable"),
        (529, "overloaded", "retryable"),
        (400, "picture too large", "permanent"),
        (422, "bad field", "permanent"),
        (413, "", "permanent"),
        (400, "x/y is not a valid model ID", "fatal"),
        (401, "", "fatal"),
        (402, "", "fatal"),
        (403, "", "fatal"),
        (307, "", "fatal"),
        (404, "The model `gpt-9` does not exist", "fatal"),
    ],
)
def test_faults_are_told_apart(status: int, said: str, kind: str) -> None:
    fault = fault_of_status(status, said, url="http://h/v1", model="m", key_variable="V")
    assert fault.kind == kind
    assert str(status) in str(fault)


def test_retry_after_may_be_seconds_or_a_date() -> None:
    assert seconds_to_wait("7") == 7.0
    assert seconds_to_wait(formatdate(time.time() + 30, usegmt=True)) == pytest.approx(30, abs=2)
    assert seconds_to_wait(formatdate(time.time() - 30, usegmt=True)) == 0.0
    assert seconds_to_wait("") is None


def test_waits_grow_with_jitter_and_never_undercut_the_server() -> None:
    chance = random.Random(0)
    for attempt in range(1, 12):
        ceiling = min(60.0, 0.5 * 2 ** (attempt - 1))
        assert 0.1 * ceiling <= wait_before_retry(attempt, None, chance) <= ceiling
        assert 2.0 <= wait_before_retry(attempt, 2.0, chance) <= 2.2
    again, same = random.Random(3), random.Random(3)
    assert wait_before_retry(4, None, again) == wait_before_retry(4, None, same)


async def test_the_limit_falls_once_for_a_burst_and_grows_back() -> None:
    pace = Pace(10)
    async with pace.turn(), pace.turn(), pace.turn():
        for _ in range(4):
            pace.overloaded()
        assert pace.limit == 7
    for _ in range(100):
        pace.went_well()
    assert pace.limit == 10
    for _ in range(200):
        pace.overloaded()
    assert pace.limit == 1


async def test_no_more_requests_than_the_limit_are_under_way() -> None:
    pace, most, now = Pace(3), 0, 0

    async def one() -> None:
        nonlocal most, now
        async with pace.turn():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1

    await asyncio.gather(*(one() for _ in range(20)))
    assert most == 3


def test_servers_take_turns_and_a_dead_one_rests() -> None:
    endpoints = Endpoints(("http://a", "http://b"))
    chosen = []
    for _ in range(4):
        endpoint = endpoints.choose()
        endpoint.replied()
        chosen.append(endpoint.url)
    assert sorted(chosen) == ["http://a", "http://a", "http://b", "http://b"]
    endpoints.choose().failed()
    living = {endpoints.choose().url for _ in range(5)}
    assert len(living) == 1


def test_a_body_that_is_no_json_is_no_reply(bench: Benchmark) -> None:
    with ChatServer(faults={"garbage": 1.0}) as server, pytest.raises(FaultError) as caught:
        ask("vllm/m", a_request(bench), base_urls=(server.url,), patience_s=0.2)
    assert caught.value.kind == "retryable"
    assert "no chat completion" in str(caught.value)


def test_several_pictures_keep_their_order_each_behind_its_name(bench: Benchmark) -> None:
    first, second = (item.media_of("composite")[0] for item in bench.items)
    request = a_request(bench)
    item = replace(bench.items[0], media=(second, first))
    prompt = build_prompt(item, "composite", load_style("default"))
    with ChatServer(keep_bodies=True) as server:
        ask("vllm/m", replace(request, prompt=prompt), base_urls=(server.url,))
    content = server.bodies[0]["messages"][1]["content"]
    texts = [part["text"] for part in content if part["type"] == "text"]
    assert "Image 1:" in texts[0]
    assert "Image 2:" in texts[1]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    sent = [base64.b64decode(url.partition(",")[2]) for url in urls]
    assert sent == [bench.path(media).read_bytes() for media in (second, first)]


def test_reasoning_models_of_openai_get_their_own_parameters(bench: Benchmark) -> None:
    profile = find_profile("openai/gpt-5-mini")
    with ChatServer(keep_bodies=True) as server:
        ask("openai/gpt-5-mini", a_request(bench), base_urls=(server.url,), profile=profile)
    assert server.bodies[0]["max_completion_tokens"] == 16384
    assert "temperature" not in server.bodies[0]
