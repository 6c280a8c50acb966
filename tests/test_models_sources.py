"""Other ways in: a reply cache, an earlier run, a Python function."""

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.core.errors import InputError, MissingFileError
from earthexam.core.item import Item
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.run import run
from earthexam.models.cache import CachedModel, cache_key
from earthexam.models.opening import open_model, split_spec
from earthexam.models.options import ModelOptions
from earthexam.models.profiles import Profile
from earthexam.models.protocol import FaultError, Reply, Request, Resize, Usage
from small_benchmark import choice_item, cube_media, make_benchmark


class Counting:
    """A fake model that counts and answers from a list."""

    endpoint_kind = "python"

    def __init__(self, texts: list[str], name: str = "fake/one", **parameters: float) -> None:
        self.name, self.revision = name, ""
        self.parameters = parameters
        self.asked = 0
        self._texts = texts

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        text = self._texts[min(self.asked, len(self._texts)) - 1]
        return Reply(text, usage=Usage(10, 1, 0.5), resizes=(Resize("a.png", 0.5, 0.25),))

    async def close(self) -> None:
        return None


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    return make_benchmark(tmp_path / "bench", 3)


def requests(bench: Benchmark, **selection: object) -> list[Request]:
    plan = Plan(bench, Selection(**selection))
    return [plan.request(key, load_style("default"), Profile()) for key in plan]


def ask_all(model: CachedModel, asked: list[Request]) -> list[Reply]:
    async def go() -> list[Reply]:
        replies = [await model.ask(request) for request in asked]
        await model.close()
        return replies

    return asyncio.run(go())


def test_a_kept_reply_is_not_paid_for_again(bench: Benchmark, tmp_path: Path) -> None:
    inner = Counting(["B"])
    first = ask_all(CachedModel(inner, tmp_path / "cache"), requests(bench))
    again = ask_all(CachedModel(inner, tmp_path / "cache"), requests(bench))
    assert inner.asked == len(first) == 6
    assert [reply.text for reply in again] == ["B"] * 6
    assert all(reply.cached and reply.usage.usd == 0 for reply in again)
    assert again[0].resizes == (Resize("a.png", 0.5, 0.25),)


def test_an_empty_reply_is_not_kept(bench: Benchmark, tmp_path: Path) -> None:
    inner, one = Counting(["  ", "B"]), requests(bench)[:1]
    ask_all(CachedModel(inner, tmp_path / "cache"), one)
    assert ask_all(CachedModel(inner, tmp_path / "cache"), one)[0].text == "B"
    assert inner.asked == 2


def test_all_that_can_change_a_reply_changes_the_key(bench: Benchmark) -> None:
    model, request = Counting([]), requests(bench)[0]
    media = tuple(replace(m, sha256="f" * 64) for m in request.item.media)
    others = [
        cache_key(Counting([], name="fake/two"), request),
        cache_key(Counting([], temperature=0.5), request),
        cache_key(model, replace(request, key=replace(request.key, epoch=1))),
        cache_key(model, replace(request, prompt=replace(request.prompt, max_tokens=5))),
        cache_key(model, replace(request, prompt=replace(request.prompt, system="Other."))),
        cache_key(model, replace(request, item=replace(request.item, media=media))),
        cache_key(model, requests(bench, shuffle_options=True)[1]),
    ]
    assert len({cache_key(model, request), *others}) == len(others) + 1
    assert cache_key(model, request) == cache_key(model, requests(bench)[0])


def test_an_earlier_run_is_replayed_reply_by_reply(bench: Benchmark, tmp_path: Path) -> None:
    style = load_style("default")
    run(Plan(bench, Selection()), Counting(["A", "B", "C"]), tmp_path / "one", style=style)
    again = open_model(f"replay/{tmp_path / 'one'}", ModelOptions())
    result = run(Plan(bench, Selection()), again, tmp_path / "two", style=style)
    assert not result.failed
    assert result.info.usd == 0
    first, second = (
        [
            line.split(b'"text":')[1].split(b",")[0]
            for line in sorted((tmp_path / name / "replies.jsonl").read_bytes().splitlines())
        ]
        for name in ("one", "two")
    )
    assert first == second


def test_a_replay_says_which_reply_it_lacks(bench: Benchmark, tmp_path: Path) -> None:
    style = load_style("default")
    run(Plan(bench, Selection(limit=1)), Counting(["A"]), tmp_path / "one", style=style)
    model = open_model(f"replay/{tmp_path / 'one'}", ModelOptions())
    with pytest.raises(FaultError, match="no reply"):
        asyncio.run(model.ask(requests(bench)[-1]))


def cubes(tmp_path: Path) -> Benchmark:
    def make(writer: BenchmarkWriter) -> list[Item]:
        return [choice_item(n, cube_media(writer, n)) for n in range(3)]

    return make_benchmark(tmp_path / "cubes", make)


def test_a_function_of_the_users_reads_the_cube_and_its_mask(tmp_path: Path) -> None:
    bench, code = cubes(tmp_path), tmp_path / "mine.py"
    code.write_text(
        "def answer(question):\n"
        "    (cube,), (mask,) = question.cubes, question.masks\n"
        "    assert cube.shape == (4, 5, 6) and mask.shape == (4, 5)\n"
        "    assert question.options['B'] == 'Corn' and 'Which class' in question.prompt\n"
        "    return f'B {cube[mask].mean():.6f}'\n"
    )
    model = open_model(f"python:{code}:answer", ModelOptions())
    result = run(
        Plan(bench, Selection(views=("cube",))),
        model,
        tmp_path / "run",
        style=load_style("default"),
    )
    assert not result.failed
    block = np.random.default_rng(0).random((4, 5, 6)).astype(np.float32)
    expected = np.delete(block.reshape(20, 6), 0, axis=0).mean()
    first = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()[0]
    assert f"B {expected:.6f}" in first


def test_a_function_sees_pictures_and_reports(bench: Benchmark, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text(
        "async def answer(question):\n"
        "    (shown,) = question.exhibits\n"
        "    if question.view == 'report':\n"
        "        return shown.text\n"
        "    return f'{shown.path.suffix} {shown.array.shape}'\n"
    )
    model = open_model(f"python:{code}:answer", ModelOptions())

    async def go() -> list[str]:
        texts = [(await model.ask(request)).text for request in requests(bench)]
        await model.close()
        return texts

    assert asyncio.run(go()) == [".png (12, 16, 3)"] * 3 + [f"Mean value {n}." for n in range(3)]


def test_an_http_model_cannot_take_a_cube(tmp_path: Path) -> None:
    bench = cubes(tmp_path)
    model = open_model("vllm/x", ModelOptions(base_urls=("http://127.0.0.1:9",)))
    run(
        Plan(bench, Selection(views=("cube",))),
        model,
        tmp_path / "run",
        style=load_style("default"),
    )
    lines = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()
    assert all('"status":"unsupported"' in line for line in lines)


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("python:no_such_module:answer", InputError, "no_such_module"),
        ("python:lost.py:answer", MissingFileError, "lost.py"),
        ("python:json:no_such_function", InputError, "no_such_function"),
        ("python:json", InputError, "MODULE:FUNCTION"),
        ("gpt-5", InputError, "KIND/NAME"),
        ("replay/nowhere", MissingFileError, "nowhere"),
        ("azure/deployment", InputError, "--base-url"),
    ],
)
def test_a_model_that_cannot_be_opened_says_why(
    spec: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        open_model(spec, ModelOptions())


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(InputError, match="openai"):
        open_model("opnai/gpt-5", ModelOptions())


def test_a_name_is_split_at_its_first_mark() -> None:
    assert split_spec("hf//models/tiny") == ("hf", "/models/tiny")
    assert split_spec("ollama/llama3.2-vision:11b") == ("ollama", "llama3.2-vision:11b")
