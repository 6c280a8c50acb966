"""Ask any server that speaks the OpenAI chat-completions form."""

import asyncio
import random
import time
from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson

from earthexam.answers.prompt import Prompt
from earthexam.core.errors import InputError
from earthexam.models import MODELS, ModelOpener
from earthexam.models.endpoints import Endpoint, Endpoints
from earthexam.models.faults import fault_of_status
from earthexam.models.messages import Message, chat_messages, compose
from earthexam.models.options import ModelOptions
from earthexam.models.pace import Pace, wait_before_retry
from earthexam.models.presets import Preset, load_presets
from earthexam.models.protocol import FaultError, Reply, Request, Usage

_CONNECT_S = 10.0


class HttpModel:
    """A model behind one or more servers of one kind.

    Parameters
    ----------
    model : str
        Name that the server knows it by.

    Raises
    ------
    InputError
        No key where one is needed, or no address.
    """

    endpoint_kind = "http"
    revision = ""

    def __init__(self, model: str, preset: Preset, options: ModelOptions) -> None:
        self.name = f"{preset.name}/{model}"
        self._model = model
        self._preset = preset
        self._options = options
        self._endpoints = Endpoints(preset.urls(options.base_urls))
        self._key = preset.key(own_server=bool(options.base_urls))
        self._pace = Pace(options.concurrency)
        self._chance = random.Random(options.seed)
        self._session: aiohttp.ClientSession | None = None
        if not self._key.isascii() or not self._key.isprintable():
            message = f"{preset.key_variable} holds signs that no key has; copy the key again"
            raise InputError(message)

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """What shapes the replies: values the user set, and limits on pictures."""
        options, profile = self._options, self._options.profile
        given = {
            "temperature": options.temperature,
            "max_tokens": options.max_tokens or profile.reply_tokens,
            "most_pixels": profile.most_pixels,
            "most_bytes": profile.most_bytes,
            "most_side": profile.most_side,
        }
        return {name: value for name, value in given.items() if value is not None}

    async def ask(self, request: Request) -> Reply:
        """Ask once, and again after faults that may pass, until patience ends."""
        # In a thread: a large picture takes long to shrink, and other replies must not wait for it.
        message = await asyncio.to_thread(
            compose, request.prompt, request.root, self._options.profile
        )
        body = orjson.dumps(self._body(message, request.prompt))
        started = time.monotonic()
        attempt = 0
        while True:
            attempt += 1
            try:
                text, reason, usage, model = await self._try(body)
            except FaultError as fault:
                await self._wait_or_give_up(fault, attempt, started)
                continue
            return Reply(
                text=text,
                finish_reason=reason,
                usage=usage,
                seconds=time.monotonic() - started,
                attempts=attempt,
                model=model,
                resizes=message.resizes,
            )

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _body(self, message: Message, prompt: Prompt) -> dict[str, Any]:
        options, profile = self._options, self._options.profile
        temperature = prompt.temperature if options.temperature is None else options.temperature
        token_parameter = profile.token_parameter or self._preset.token_parameter
        body = {
            "model": self._model,
            "messages": chat_messages(message),
            token_parameter: options.max_tokens or profile.reply_tokens or prompt.max_tokens,
        }
        if "temperature" in profile.parameters:
            body["temperature"] = temperature
        return body

    async def _wait_or_give_up(self, fault: FaultError, attempt: int, started: float) -> None:
        if fault.kind != "retryable":
            fault.attempts = attempt
            raise fault
        wait = wait_before_retry(attempt, fault.retry_after_s, self._chance)
        spent = time.monotonic() - started
        if spent + wait > self._options.patience_s:
            message = (
                f"{fault}; gave up after {attempt} tries in {spent:.0f} s "
                f"(next wait {wait:.0f} s, patience {self._options.patience_s:.0f} s)"
            )
            raise FaultError(message, "retryable", attempts=attempt) from fault
        self._options.on_wait(wait, str(fault))
        await asyncio.sleep(wait)

    async def _try(self, body: bytes) -> tuple[str, str, Usage, str]:
        async with self._pace.turn():
            endpoint = self._endpoints.choose()
            endpoint.under_way += 1
            try:
                status, headers, raw = await self._post(endpoint, body)
            finally:
                endpoint.under_way -= 1
        said = self._without_key(raw)
        if status != 200:
            if status in {429, 503}:
                self._pace.overloaded()
            raise fault_of_status(
                status,
                said.decode(errors="replace"),
                url=endpoint.url,
                model=self._model,
                key_variable=self._preset.key_variable,
                retry_after=headers.get("Retry-After", ""),
            )
        self._pace.went_well()
        return self._read(said, endpoint)

    async def _post(self, endpoint: Endpoint, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        try:
            async with self._open_session().post(
                f"{endpoint.url}/chat/completions", data=body, allow_redirects=False
            ) as response:
                raw = await response.read()
        except aiohttp.InvalidURL as error:
            message = f"{endpoint.url} is no web address; check --base-url"
            raise FaultError(message, "fatal") from error
        except TimeoutError as error:
            message = f"{endpoint.url} gave no whole reply in {self._options.timeout_s:g} s"
            raise FaultError(message, "retryable") from error
        except aiohttp.ClientConnectorError as error:
            endpoint.failed()
            message = f"{endpoint.url} cannot be reached ({error.os_error}); is the server running?"
            raise FaultError(message, "retryable") from error
        except aiohttp.ClientError as error:
            message = f"{endpoint.url} broke off ({type(error).__name__})"
            raise FaultError(message, "retryable") from error
        endpoint.replied()
        return response.status, response.headers, raw

    def _read(self, raw: bytes, endpoint: Endpoint) -> tuple[str, str, Usage, str]:
        """Take the reply out of a 200 answer; one that is no such answer may be right next time."""
        try:
            answer = orjson.loads(raw)
            if "error" in answer and not answer.get("choices"):
                raise self._fault_inside(answer["error"], endpoint)
            choice = answer["choices"][0]
            text = _text_of(choice["message"])
            used = answer.get("usage") or {}
            tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
        except (
            orjson.JSONDecodeError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ) as error:
            start = raw[:80].decode(errors="replace")
            message = f"{endpoint.url} sent no chat completion ({error!r}); it begins {start!r}"
            raise FaultError(message, "retryable") from error
        usage = Usage(*tokens, usd=self._options.profile.usd(*tokens))
        return text, str(choice.get("finish_reason") or ""), usage, str(answer.get("model") or "")

    def _fault_inside(self, error: Any, endpoint: Endpoint) -> FaultError:
        """Make the fault for an error that came in a 200 answer, as routers send them."""
        code = error.get("code") if isinstance(error, dict) else None
        return fault_of_status(
            code if isinstance(code, int) else 500,
            orjson.dumps(error).decode(),
            url=endpoint.url,
            model=self._model,
            key_variable=self._preset.key_variable,
        )

    def _without_key(self, raw: bytes) -> bytes:
        return raw.replace(self._key.encode(), b"[key]") if self._key else raw

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={
                    "Content-Type": "application/json",
                    **self._preset.headers(self._key),
                },
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
                timeout=aiohttp.ClientTimeout(
                    total=self._options.timeout_s, sock_connect=_CONNECT_S
                ),
            )
        return self._session


def _text_of(message: Mapping[str, Any]) -> str:
    """Return what the model said; thinking that the server keeps apart stays apart."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return str(content or message.get("refusal") or "")


def _opener(preset: Preset) -> ModelOpener:
    def open_http(name: str, options: ModelOptions) -> HttpModel:
        return HttpModel(name, preset, options)

    return open_http


for _preset in load_presets():
    MODELS.add(_preset.name)(_opener(_preset))
