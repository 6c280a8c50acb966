"""How fast a benchmark runs against a server on this machine, beside a plain loop on `openai`.

    python benchmarks/runner.py QUESTIONS [--work DIR] [--write]

QUESTIONS is the folder of the published HM-Bench question files. Every item is given a PNG of
400 × 300 pixels and 60 to 100 kB, 5,000 distinct ones made here. Client and server are processes of
their own; times are taken at the server, from the first request to the last reply.
"""

import argparse
import asyncio
import base64
import io
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import numpy as np
import openai
from aiohttp import web
from PIL import Image

from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.item import Media
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.run import RunSettings, run
from earthexam.exchange.hm_bench import import_hm_bench
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.profiles import Profile

ITEMS, ALL_ITEMS = 5000, 19337
CONCURRENCY = 64
LATENCY_S = 0.2
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADING = "## Running: `python benchmarks/runner.py QUESTIONS`"
REPLY = json.dumps(
    {
        "model": "local",
        "choices": [{"message": {"content": "B"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 1},
    }
).encode()


@dataclass(frozen=True)
class Measured:
    """One client against the server.

    Attributes
    ----------
    seconds : float
        First request to last reply.
    client_ms, server_ms : float
        Processor time an item.
    peak_mb : float
        Largest resident memory of the client.
    """

    items: int
    seconds: float
    client_ms: float
    server_ms: float
    peak_mb: float

    @property
    def rate(self) -> float:
        """Items a second."""
        return self.items / self.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, nargs="?", help="published HM-Bench folder")
    parser.add_argument("--work", type=Path, help="keep the pictures here for the next time")
    parser.add_argument("--write", action="store_true", help=f"put the result into {RESULTS.name}")
    parser.add_argument("--serve", type=float, metavar="LATENCY", help=argparse.SUPPRESS)
    parser.add_argument("--client", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        serve(asked.serve)
    elif asked.client:
        client, bench, url, count = asked.client
        CLIENTS[client](Path(bench), url, int(count))
    elif asked.questions is None:
        parser.error("give the folder with the published question files of HM-Bench")
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare(asked.questions, asked.work or Path(folder), write=asked.write)


def compare(questions: Path, work: Path, *, write: bool) -> None:
    bench = make_benchmark(questions, work)
    lines = [
        f"Published HM-Bench questions with a PNG of 400×300 pixels and 80 kB each, concurrency "
        f"{CONCURRENCY}, client and server on the",
        "same cores; peer: a plain asyncio loop on the openai package. Items a second from the first "
        "request to the last reply, ideal",
        "is concurrency / latency. Goals: 92 % of the ideal at 200 ms; at zero latency 600 items/s and "
        "2 ms of the client's",
        f"processor time an item; {ALL_ITEMS:,} items in under 400 MB.",
        "",
        f"Machine: {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the "
        f"first row; Python {platform.python_version()}, aiohttp {aiohttp.__version__}, "
        f"openai {openai.__version__}.",
        "",
        "| client | latency | items | items/s | of ideal | client ms/item | server ms/item | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    for client, latency, count in (
        ("earthexam", LATENCY_S, ITEMS),
        ("openai loop", LATENCY_S, ITEMS),
        ("earthexam", 0.0, ITEMS),
        ("openai loop", 0.0, ITEMS),
        ("earthexam", 0.0, ALL_ITEMS),
    ):
        found = measure(client, bench, latency, count)
        ideal = f"{found.rate * latency / CONCURRENCY:.1%}" if latency else ""
        lines.append(
            f"| {client} | {latency * 1000:.0f} ms | {found.items} | {found.rate:.0f} | {ideal} | "
            f"{found.client_ms:.2f} | {found.server_ms:.2f} | {found.peak_mb:.0f} |"
        )
        print(lines[-1], flush=True)
    if write:
        write_section(lines)


def make_benchmark(questions: Path, work: Path) -> Path:
    """Import the published questions and give every item a picture."""
    out, plain = work / "bench", work / "questions"
    if out.is_dir():
        return out
    import_hm_bench(questions, plain, without_media=True)
    generator = np.random.default_rng(0)
    with write_benchmark(out) as writer:
        stored = [writer.add_media(noise(generator), ".png") for _ in range(ITEMS)]
        items = Benchmark.open(plain).items
        step = len(items) // ITEMS
        first = [*items[: step * ITEMS : step]]
        chosen = {item.id for item in first}
        items = (*first, *(item for item in items if item.id not in chosen))
        writer.add_items(
            replace(item, media=(picture(*stored[number % ITEMS]),), question_by_view={})
            for number, item in enumerate(items)
        )
        writer.finish(BenchmarkInfo(name="runner"))
    return out


def noise(generator: np.random.Generator) -> bytes:
    """Draw grey noise of 5 bits, which a PNG of 400 × 300 pixels holds in about 80 kB."""
    grey = generator.integers(0, 32, (300, 400), dtype=np.uint8) * 8
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def picture(path: str, digest: str) -> Media:
    return Media("composite", path, width=400, height=300, sha256=digest)


def measure(client: str, bench: Path, latency: float, count: int) -> Measured:
    """Run client and server as two processes and ask the server for its times."""
    script = [sys.executable, __file__]
    server = subprocess.Popen([*script, "--serve", str(latency)], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    try:
        done = subprocess.run(
            [*script, "--client", client, str(bench), url, str(count)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats") as answer:
            stats = json.load(answer)
    finally:
        server.terminate()
        server.wait()
    own = json.loads(done.stdout.splitlines()[-1])
    if stats["replies"] != count:
        raise SystemExit(f"{client} got {stats['replies']} replies, expected {count}")
    return Measured(
        items=count,
        seconds=stats["last"] - stats["first"],
        client_ms=1000 * own["cpu"] / count,
        server_ms=1000 * stats["cpu"] / count,
        peak_mb=own["peak_kb"] / 1024,
    )


def serve(latency: float) -> None:
    """Answer every chat completion with the same reply, after `latency` seconds."""
    state = {"first": 0.0, "last": 0.0, "replies": 0}

    async def answer(request: web.Request) -> web.Response:
        state["first"] = state["first"] or time.monotonic()
        body = await request.read()
        if latency:
            await asyncio.sleep(latency)
        if len(body) < 60_000:
            raise web.HTTPBadRequest(text=f"a request of {len(body)} bytes holds no picture")
        state["replies"] += 1
        state["last"] = time.monotonic()
        return web.Response(body=REPLY, content_type="application/json")

    async def stats(request: web.Request) -> web.Response:
        return web.json_response({**state, "cpu": time.process_time()})

    async def start() -> None:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", answer)
        app.router.add_get("/stats", stats)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}/v1", flush=True)
        await asyncio.Event().wait()

    asyncio.run(start())


def ask_with_earthexam(bench: Path, url: str, count: int) -> None:
    plan = Plan(Benchmark.open(bench), Selection(limit=count))
    options = ModelOptions(base_urls=(url,), concurrency=CONCURRENCY)
    with tempfile.TemporaryDirectory() as out:
        started = time.process_time()
        result = run(
            plan,
            open_model("vllm/local", options),
            Path(out),
            style=load_style("default"),
            settings=RunSettings(CONCURRENCY),
        )
        report_client(started)
    if result.failed or result.info.asked != count:
        raise SystemExit(f"{len(result.failed)} of {count} failed")


def ask_with_openai(bench: Path, url: str, count: int) -> None:
    """Do what a script of an afternoon does: read, encode, ask, keep the text."""
    plan = Plan(Benchmark.open(bench), Selection(limit=count))
    style = load_style("default")

    async def go() -> list[str]:
        client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        gate = asyncio.Semaphore(CONCURRENCY)

        async def one(key) -> str:
            async with gate:
                prompt = plan.request(key, style, Profile()).prompt
                content = [
                    {"type": "text", "text": part.text}
                    if part.kind == "text"
                    else {"type": "image_url", "image_url": {"url": as_url(bench / part.path)}}
                    for part in prompt.parts
                ]
                reply = await client.chat.completions.create(
                    model="local",
                    temperature=0.0,
                    max_tokens=prompt.max_tokens,
                    messages=[
                        {"role": "system", "content": prompt.system},
                        {"role": "user", "content": content},
                    ],
                )
                return reply.choices[0].message.content

        return await asyncio.gather(*(one(key) for key in plan))

    started = time.process_time()
    asyncio.run(go())
    report_client(started)


def as_url(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def report_client(started: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"cpu": time.process_time() - started, "peak_kb": peak}), flush=True)


def write_section(lines: list[str]) -> None:
    """Replace this script's section of the results, or put it at the end."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.is_file() else "# Measured\n"
    before, found, after = text.partition(HEADING)
    rest = after[after.index("\n## ") :] if found and "\n## " in after else ""
    section = "\n".join([HEADING, "", *lines, ""])
    RESULTS.write_text(f"{before.rstrip()}\n\n{section}{rest}", encoding="utf-8")


CLIENTS = {"earthexam": ask_with_earthexam, "openai loop": ask_with_openai}

if __name__ == "__main__":
    main()
