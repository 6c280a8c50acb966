"""The commands run, score, probe and read, as a user calls them."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from chat_server import ChatServer
from earthexam.benchmark.store import Benchmark, BenchmarkWriter
from earthexam.cli import main
from earthexam.core.item import Item, Media
from earthexam.evaluate.folder import Run
from small_benchmark import choice_item, cube_media, make_benchmark, png

KEY = "sk-secret-5f2b9c7e1d"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return make_benchmark(tmp_path_factory.mktemp("cli") / "bench é", 12)


@dataclass
class Done:
    """How a command ended; `stdout` and `stderr` are what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def earthexam(*words: object, **environment: str) -> Done:
    """Call the program as the command does, in this process, which spares its start."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["earthexam", *map(str, words)]),
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_no_key_is_left_anywhere_by_a_good_or_a_failed_run(
    bench: Benchmark, tmp_path: Path
) -> None:
    """The server tells the key in everything it says: replies, refusals of items and of the key."""
    said: list[str] = []

    def run(name: str, key: str, *more: str) -> int:
        done = earthexam(
            "run", bench.root, "--model", "openai/gpt-4o", "--base-url", server.url, *more,
            "--out", tmp_path / name, "--cache", tmp_path / f"cache-{name}", OPENAI_API_KEY=key,
        )  # fmt: skip
        said.append(done.stdout + done.stderr)
        return done.returncode

    def tell(*words: object, key: str = KEY) -> int:
        done = earthexam(*words, OPENAI_API_KEY=key)
        said.append(done.stdout + done.stderr)
        return done.returncode

    wrong = f"{KEY}-wrong"
    with ChatServer(keys_wanted=KEY, reply=f"(B) is right, {KEY}.") as server:
        assert run("good", KEY) == 0
        server.always = {item.id: 400 for item in bench.items[:6]}
        assert run("half", KEY) == 1
        assert run("failed", wrong) == 2
        assert run("dry", KEY, "--dry-run") == 0
        for key, code in ((KEY, 1), (wrong, 2)):
            words = ("probe", "openai/gpt-4o", "--base-url", server.url, "--json")
            assert tell(*words, key=key) == code
    runs = [tmp_path / name for name in ("good", "half")]
    for folder in (*runs, tmp_path / "failed"):
        assert tell("score", folder, "--json") == 0
    assert tell("report", *runs, tmp_path / "failed", "--out", tmp_path / "report") == 0
    for told in ("OPENAI_API_KEY", "no, not to Bearer [key]", "requests failed", "dry run"):
        assert any(told in text for text in said), told
    assert KEY not in "".join(said)
    assert b"(B) is right, [key]." in (tmp_path / "good" / "replies.jsonl").read_bytes()
    assert {"index.html", "tables.md"} <= {path.name for path in (tmp_path / "report").iterdir()}
    assert KEY.encode() not in everything_in(tmp_path)


def test_a_dry_run_counts_and_asks_nothing(bench: Benchmark, tmp_path: Path) -> None:
    done = earthexam(
        "run", bench.root, "--model", "openai/gpt-4o-mini", "--out", tmp_path / "run", "--dry-run"
    )
    assert done.returncode == 0, done.stderr
    shown = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in done.stdout.splitlines())
    assert (shown["requests"], shown["pictures"], shown["profile"]) == ("24", "12", "gpt")
    assert float(shown["USD, at most"].split()[0]) >= 0
    assert not (tmp_path / "run").exists()


def test_a_budget_without_a_price_is_refused(bench: Benchmark, tmp_path: Path) -> None:
    done = earthexam(
        "run", bench.root, "--model", "vllm/x", "--out", tmp_path / "run", "--budget", "1"
    )
    assert done.returncode == 2
    assert "--profile" in done.stderr


def test_a_baseline_is_run_and_scored_with_a_table_as_json(
    bench: Benchmark, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = earthexam("run", bench.root, "--model", "baseline/constant", "--out", out)
    assert done.returncode == 0, done.stderr
    scored = earthexam("score", out, "--json")
    assert scored.returncode == 0, scored.stderr
    rows = json.loads(scored.stdout)
    (overall,) = (row for row in rows if row["view"] == "report" and row["task"] == "Overall micro")
    # The truth of every item is option B, so always saying A is never right.
    assert (overall["n"], overall["score"], overall["chance"]) == ("12", "0.000", "0.250")
    other = earthexam("score", out, "--scoring", "released")
    assert other.returncode == 0
    assert "0 replies score differently" in other.stderr


def test_failed_requests_are_listed_and_the_exit_code_says_so(
    bench: Benchmark, tmp_path: Path
) -> None:
    lost = bench.items[3].id
    with ChatServer(always={lost: 400}) as server:
        words = ("run", bench.root, "--model", "vllm/x", "--base-url", server.url,
                 "--out", tmp_path / "run", "--views", "report")  # fmt: skip
        done = earthexam(*words)
        assert done.returncode == 1
        assert lost in done.stderr
        server.always = {}
        assert earthexam(*words).returncode == 0


def test_a_served_model_is_never_sent_an_array(tmp_path: Path) -> None:
    def make(writer: BenchmarkWriter) -> list[Item]:
        made = (cube_media(writer, number) for number in range(6))
        path, digest = writer.add_media(png((9, 9, 9)), ".png")
        picture = Media("composite", path, width=16, height=12, sha256=digest)
        return [choice_item(number, (picture, *cube)) for number, cube in enumerate(made)]

    bench, out = make_benchmark(tmp_path / "bench", make), tmp_path / "run"
    with ChatServer(keep_bodies=True) as server:
        done = earthexam("run", bench.root, "--model", "vllm/x", "--base-url", server.url,
                         "--out", out, "--views", "composite,cube")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.bodies) == 6
    assert all("image_url" in json.dumps(body) for body in server.bodies)
    assert "6 replies" in done.stderr
    assert "unsupported: 6 requests: the view 'cube' is an array of values" in done.stderr
    assert earthexam("score", out).returncode == 0
    outcomes = Run.open(out).scores().select("view", "outcome").unique()
    assert sorted(outcomes.rows()) == [("composite", "right"), ("cube", "unsupported")]


def test_wrong_use_is_one_line_on_stderr(bench: Benchmark, tmp_path: Path) -> None:
    for words in (
        ("run", tmp_path / "nowhere", "--model", "baseline/uniform", "--out", tmp_path / "r"),
        ("run", bench.root, "--model", "gpt-5", "--out", tmp_path / "r"),
        ("run", bench.root, "--model", "baseline/unifrm", "--out", tmp_path / "r"),
        ("run", bench.root, "--model", "vllm/x", "--views", "cube", "--out", tmp_path / "r"),
        ("score", tmp_path / "nowhere"),
    ):
        done = earthexam(*words)
        assert done.returncode == 2, words
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


def _looks(body: dict[str, Any]) -> str:
    """Answer as a model with eyes: compare the bytes of the pictures, know the probe's rectangle."""
    content = body["messages"][-1]["content"]
    pictures = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    if len(pictures) == 1:
        return "[[550, 125, 950, 375]]"
    seen = getattr(_looks, "first", pictures[0])
    _looks.first = seen  # type: ignore[attr-defined]
    return "A" if pictures[0] == seen else "B"


def test_probe_says_whether_order_and_convention_hold() -> None:
    with ChatServer(reply=_looks) as server:
        good = earthexam("probe", "vllm/Qwen/Qwen3-VL-8B", "--base-url", server.url)
        assert good.returncode == 0, good.stdout + good.stderr
        assert good.stdout.count("holds") == 2
        other = earthexam("probe", "vllm/Qwen/Qwen2.5-VL-7B", "--base-url", server.url)
        assert other.returncode == 1
        assert "best fit: 0-1000 xyxy" in other.stdout


def test_probe_finds_a_model_that_always_says_the_same() -> None:
    with ChatServer(reply="A") as server:
        done = earthexam("probe", "vllm/x", "--base-url", server.url, "--json")
    rows = json.loads(done.stdout)
    assert [row["result"] for row in rows] == ["fails", "fails"]


@pytest.mark.parametrize("place", ["specified", "met"])
def test_read_gives_the_answer_of_every_known_case(
    place: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("shared") if place == "specified" else request.path.parent
    path = folder / "cases" / "replies.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "earthexam", "read", path],
        capture_output=True, check=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [{**one, "rule": ""} for one in found] == [
        {"id": case["id"], "answer": case["answer"], "outcome": case["outcome"], "rule": ""}
        for case in cases
    ]
    for one, case in zip(found, cases, strict=True):
        assert one["rule"] == case.get("rule", one["rule"]), case["id"]
