"""Interrupted runs go on where they stopped: nothing lost, nothing asked twice."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from chat_server import ChatServer
from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import FormatError, InputError
from earthexam.evaluate.folder import ReplyRecord, Run
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.reply_log import LOCK_FILE, open_log
from earthexam.evaluate.run import RunSettings, run
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.protocol import Key
from small_benchmark import choice_item, make_benchmark

CONCURRENCY = 16


def _benchmark(folder: Path, count: int) -> Benchmark:
    return make_benchmark(folder, lambda writer: [choice_item(n) for n in range(count)])


def _start(bench: Path, out: Path, url: str) -> "subprocess.Popen[bytes]":
    words = ["run", bench, "--model", "vllm/tested", "--base-url", url, "--out", out]
    command = [sys.executable, "-m", "earthexam", *map(str, words)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*command, "--concurrency", str(CONCURRENCY)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )


def _lines(out: Path) -> int:
    path = out / "replies.jsonl"
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def _kill_and_resume(tmp_path: Path, count: int, kills: int, latency_s: float) -> None:
    bench = _benchmark(tmp_path / "bench", count)
    out, chance = tmp_path / "run", random.Random(8)
    with ChatServer(latency_s=latency_s) as server:
        for number in range(kills):
            process = _start(bench.root, out, server.url)
            goal = count * (number + chance.random()) / (kills + 1)
            while _lines(out) < goal and process.poll() is None:
                time.sleep(0.002)
            process.kill()
            process.wait(30)
            process.stderr.close()
        process = _start(bench.root, out, server.url)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said.decode()
        # A request whose handling was cancelled by the kill counts as asked, not as answered.
        twice = sum(server.asked.values()) - count
    ids = [reply.key.id for reply in Run.open(out).replies()]
    assert _lines(out) == len(ids) == len(set(ids)) == count
    assert twice <= kills * CONCURRENCY


def test_a_run_killed_at_random_moments_ends_with_every_id_once(tmp_path: Path) -> None:
    _kill_and_resume(tmp_path, count=300, kills=2, latency_s=0.02)


@pytest.mark.slow(reason="ten starts of the program and 5,000 items take a minute")
def test_a_long_run_killed_ten_times_ends_with_every_id_once(tmp_path: Path) -> None:
    _kill_and_resume(tmp_path, count=5000, kills=10, latency_s=0.02)


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    bench, out = _benchmark(tmp_path / "bench", 200), tmp_path / "run"
    with ChatServer(latency_s=0.05) as server:
        process = _start(bench.root, out, server.url)
        while _lines(out) < 20 and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"goes on" in said
        assert b"Traceback" not in said
        assert Run.open(out).info.asked == _lines(out)
        process = _start(bench.root, out, server.url)
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert _lines(out) == 200


def _record(number: int, status: str = "replied") -> ReplyRecord:
    return ReplyRecord(Key(f"item-{number}", "composite"), status, text="B", input_tokens=10)


def test_a_cut_last_line_is_dropped_and_asked_again(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        for number in range(3):
            log.append(_record(number))
    path = tmp_path / "replies.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    with open_log(tmp_path) as log:
        assert {key.id for key in log.tally.finished} == {"item-0", "item-1"}
        log.append(_record(2))
    with open_log(tmp_path) as log:
        assert len(log.tally.finished) == 3
        assert log.tally.input_tokens == 30


def test_a_cut_line_longer_than_a_block_is_dropped_too(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        log.append(_record(0))
    path = tmp_path / "replies.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": "' + b"x" * 200_000)
    with open_log(tmp_path):
        assert path.read_bytes() == whole


def test_a_spoilt_line_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_bytes(b'{"id": 1\n' + _record(1).to_line())
    with pytest.raises(FormatError, match="line 1"), open_log(tmp_path):
        pass


def test_a_failure_is_asked_again_and_replaced(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        log.append(_record(0, "failed"))
        assert list(log.tally.failed) == [Key("item-0", "composite")]
        log.append(_record(0))
        assert not log.tally.failed


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.mkdir(exist_ok=True)
    with (
        FileLock(tmp_path / LOCK_FILE),
        pytest.raises(InputError, match="in use"),
        open_log(tmp_path),
    ):
        pass


def test_a_folder_with_another_run_is_refused_and_says_what_differs(tmp_path: Path) -> None:
    bench = _benchmark(tmp_path / "bench", 4)
    style = load_style("default")
    with ChatServer() as server:
        options = ModelOptions(base_urls=(server.url,))
        first = open_model("vllm/one", options)
        run(Plan(bench, Selection()), first, tmp_path / "run", style=style)
        with pytest.raises(InputError, match="model 'vllm/one'"):
            run(
                Plan(bench, Selection()),
                open_model("vllm/two", options),
                tmp_path / "run",
                style=style,
                settings=RunSettings(2),
            )
        with pytest.raises(InputError, match="protocol"):
            run(
                Plan(bench, Selection(shuffle_options=True)),
                open_model("vllm/one", options),
                tmp_path / "run",
                style=style,
            )


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    bench = _benchmark(tmp_path / "bench", 2)
    with pytest.raises(InputError, match="no run"):
        run(
            Plan(bench, Selection()),
            open_model("vllm/x", ModelOptions()),
            bench.root,
            style=load_style("default"),
        )
    assert not (bench.root / "replies.jsonl").exists()
