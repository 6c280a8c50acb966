"""Local weights: two tiny models with random weights answer a benchmark, in batches, on the CPU."""

import asyncio
import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tiny_models
from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.core.errors import InputError, MissingLibraryError
from earthexam.core.item import Item, Media
from earthexam.evaluate.folder import Run
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.processor import load_processor
from earthexam.models.profiles import Profile
from earthexam.models.protocol import UnsupportedItemError
from small_benchmark import choice_item, cube_media, make_benchmark, png

_LACKING = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
needs_torch = pytest.mark.skipif(
    bool(_LACKING) and os.environ.get("EARTHEXAM_REQUIRE_ALL") != "1",
    reason=f"needs {', '.join(_LACKING)}; pip install 'earthexam[local]'",
)
MAKERS = {"llava": tiny_models.make_llava, "qwen2-vl": tiny_models.make_qwen2_vl}


@pytest.fixture(scope="module", params=sorted(MAKERS))
def weights(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MAKERS[request.param](tmp_path_factory.mktemp("weights") / request.param)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Fifty items of two pictures each."""

    def make(writer: BenchmarkWriter) -> list[Item]:
        items = []
        for number in range(50):
            media = []
            for time, colour in (("2017-09", (number, 9, 9)), ("2019-09", (9, number, 9))):
                path, digest = writer.add_media(png(colour, (40, 30)), ".png")
                media.append(
                    Media("composite", path, time=time, width=40, height=30, sha256=digest)
                )
            items.append(choice_item(number, tuple(media)))
        return items

    return make_benchmark(tmp_path_factory.mktemp("pairs") / "bench", make)


@needs_torch
def test_a_local_model_answers_fifty_items_of_two_pictures(
    weights: Path, pairs: Benchmark, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ["run", pairs.root, "--model", f"hf/{weights}", "--out", out, "--batch-size", 10,
             "--max-tokens", 4, "--dtype", "float32", "--device-map", "cpu"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "earthexam", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = Run.open(out)
    replies = list(run.replies())
    assert len(replies) == 50
    assert {reply.status for reply in replies} == {"replied"}
    assert all(len(reply.shown) == 2 and reply.input_tokens > 20 for reply in replies)
    assert run.info.endpoint_kind == "local"
    assert len(run.info.revision) == 16
    assert run.info.parameters["dtype"] == "float32"
    assert {"torch", "transformers"} <= set(run.info.packages)


@needs_torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")
def test_a_batch_gives_the_replies_of_single_requests(weights: Path, pairs: Benchmark) -> None:
    style = replace(load_style("default"), max_tokens=4)
    plan = Plan(pairs, Selection(limit=5))
    requests = [plan.request(key, style, Profile()) for key in plan]

    def texts(batch_size: int) -> list[str]:
        options = ModelOptions(batch_size=batch_size, dtype="float32", device_map="cpu")
        model = open_model(f"hf/{weights}", options)

        async def go() -> list[str]:
            replies = await asyncio.gather(*(model.ask(request) for request in requests))
            await model.close()
            return [reply.text for reply in replies]

        return asyncio.run(go())

    assert texts(1) == texts(5)


@needs_torch
def test_a_local_model_is_never_given_an_array(weights: Path, tmp_path: Path) -> None:
    def make(writer: BenchmarkWriter) -> list[Item]:
        return [choice_item(0, cube_media(writer, 1))]

    plan = Plan(make_benchmark(tmp_path / "bench", make), Selection(views=("cube",)))
    (request,) = (plan.request(key, load_style("default"), Profile()) for key in plan)
    model = open_model(f"hf/{weights}", ModelOptions(device_map="cpu"))

    async def go() -> None:
        with pytest.raises(UnsupportedItemError, match="the view 'cube' is an array"):
            await model.ask(request)
        await model.close()

    asyncio.run(go())


@needs_torch
def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        open_model(f"hf/{tmp_path}", ModelOptions())
    assert "\n" not in str(caught.value)


@needs_torch
def test_a_model_of_pictures_and_videos_needs_no_torchvision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torchvision", None)
    folder = tiny_models.make_qwen2_vl(tmp_path / "qwen2-vl")
    processor = load_processor(str(folder), remote_code=False)
    assert type(processor).__name__ == "Qwen2VLProcessor"
    assert not hasattr(processor, "video_processor")


@needs_torch
def test_a_torchvision_of_another_build_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('operator nms does not exist')\n")
    monkeypatch.delitem(sys.modules, "torchvision", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"^torchvision.*nms.*pip uninstall torchvision"):
        open_model(f"hf/{tmp_path}", ModelOptions())


@needs_torch
def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bfloat16"):
        open_model(f"hf/{tmp_path}", ModelOptions(dtype="int3"))


def test_without_the_libraries_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingLibraryError, match=r"earthexam\[local\]"):
        open_model(f"hf/{tmp_path}", ModelOptions())
