"""A real chat-completions server on this machine, for tests: counts, and goes wrong on purpose."""

import asyncio
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import orjson
from aiohttp import web

_ITEM = re.compile(r"item (\S+?)[?:]")
HANG_S = 30.0


@dataclass
class ChatServer:
    """Serves until the ``with`` block ends.

    `faults` gives the share of requests that go wrong in each way: ``429`` (with Retry-After),
    ``500``, ``hang`` (no reply), ``cut`` (the body breaks off), ``garbage`` (no JSON), ``drip`` (a
    byte now and then). `always` gives items that always get a status. A question must hold
    ``item NAME?`` for requests to be counted by item.
    """

    reply: str | Callable[[dict[str, Any]], str] = "B"
    faults: Mapping[str, float] = field(default_factory=dict)
    always: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    latency_s: float = 0.0
    retry_after: str = "1"
    keys_wanted: str = ""
    keep_bodies: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._runner = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        return runner

    async def _stop(self) -> None:
        await self._runner.cleanup()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        found = _ITEM.search(raw.decode(errors="replace"))
        item = found[1] if found else ""
        self.asked[item] += 1
        if (
            self.keys_wanted
            and request.headers.get("Authorization") != f"Bearer {self.keys_wanted}"
        ):
            said = f"wrong key: {request.headers.get('Authorization')}"
            return web.json_response({"error": {"message": said}}, status=401)
        if item in self.always:
            said = f"no, not to {request.headers.get('Authorization')}"
            return web.json_response({"error": {"message": said}}, status=self.always[item])
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        fault = self._draw()
        if fault:
            return await self._go_wrong(fault, request)
        body = orjson.loads(raw)
        if self.keep_bodies:
            self.bodies.append(body)
        self.answered[item] += 1
        return web.Response(body=self._completion(body), content_type="application/json")

    def _completion(self, body: dict[str, Any]) -> bytes:
        text = self.reply if isinstance(self.reply, str) else self.reply(body)
        return orjson.dumps(
            {
                "model": body["model"],
                "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 2},
            }
        )

    def _draw(self) -> str:
        drawn = self._chance.random()
        for fault, share in self.faults.items():
            drawn -= share
            if drawn < 0:
                return fault
        return ""

    async def _go_wrong(self, fault: str, request: web.Request) -> web.StreamResponse:
        if fault == "429":
            headers = {"Retry-After": self.retry_after}
            return web.json_response({"error": "slow down"}, status=429, headers=headers)
        if fault == "500":
            return web.Response(status=500, text="oops")
        if fault == "garbage":
            return web.Response(text='{"choices": [', content_type="application/json")
        if fault == "hang":
            await asyncio.sleep(HANG_S)
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        if fault == "cut":
            await response.write(b'{"choices"')
            request.transport.close()
            return response
        for _ in range(int(HANG_S * 10)):
            await response.write(b" ")
            await asyncio.sleep(0.1)
        return response
