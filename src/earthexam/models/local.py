"""Run a vision-language model from its weights with transformers."""

import asyncio
import hashlib
import importlib
import io
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from earthexam.core.errors import InputError, MissingLibraryError
from earthexam.models import MODELS
from earthexam.models.messages import Message, compose
from earthexam.models.options import ModelOptions
from earthexam.models.processor import load_processor
from earthexam.models.protocol import Model, Reply, Request, Usage

_DTYPES = ("auto", "bfloat16", "float16", "float32")
_GATHER_S = 0.005
_FINGERPRINT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class _Job:
    """One request on its way to the model."""

    message: Message
    max_tokens: int
    temperature: float
    future: "asyncio.Future[tuple[str, str, Usage]]"

    def fits(self, other: "_Job") -> bool:
        """Whether both can be generated in one batch."""
        return (self.max_tokens, self.temperature) == (other.max_tokens, other.temperature)


class LocalModel:
    """A model in this process; requests are gathered into batches.

    Parameters
    ----------
    path : str
        Folder with weights, or the id of a model on the Hugging Face hub.

    Raises
    ------
    MissingLibraryError
        torch or transformers is not installed.
    InputError
        The folder holds no model of images and text, or needs code that was not allowed to run.
    """

    endpoint_kind = "local"

    def __init__(self, path: str, options: ModelOptions) -> None:
        self.name = f"hf/{path}"
        self._options = options
        self._processor, self._weights = _load(path, options)
        self.revision = _revision(path, self._weights)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._jobs: asyncio.Queue[_Job] | None = None
        self._batcher: asyncio.Task[None] | None = None

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """Precision and batch size can move a score, so they are recorded."""
        options, profile = self._options, self._options.profile
        given: dict[str, str | int | float | None] = {
            "dtype": str(self._weights.dtype).removeprefix("torch."),
            "batch_size": options.batch_size,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens or profile.reply_tokens,
            "most_pixels": profile.most_pixels,
            "most_side": profile.most_side,
        }
        return {name: value for name, value in given.items() if value is not None}

    async def ask(self, request: Request) -> Reply:
        """Hand the request to the next batch and wait for its reply."""
        options, prompt = self._options, request.prompt
        started = time.monotonic()
        message = compose(prompt, request.root, options.profile)
        job = _Job(
            message=message,
            max_tokens=options.max_tokens or options.profile.reply_tokens or prompt.max_tokens,
            temperature=prompt.temperature if options.temperature is None else options.temperature,
            future=asyncio.get_running_loop().create_future(),
        )
        if self._jobs is None:
            self._jobs = asyncio.Queue()
            self._batcher = asyncio.create_task(self._serve(self._jobs))
        self._jobs.put_nowait(job)
        text, reason, usage = await job.future
        return Reply(
            text=text,
            finish_reason=reason,
            usage=usage,
            seconds=time.monotonic() - started,
            resizes=message.resizes,
        )

    async def close(self) -> None:
        """End the batches and the thread."""
        if self._batcher is not None:
            self._batcher.cancel()
            await asyncio.gather(self._batcher, return_exceptions=True)
            self._batcher = self._jobs = None
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def _serve(self, jobs: "asyncio.Queue[_Job]") -> None:
        """Take what waits, up to a batch, generate, and give every asker its reply or error."""
        loop = asyncio.get_running_loop()
        waiting: list[_Job] = []
        while True:
            if not waiting:
                waiting.append(await jobs.get())
            if self._options.batch_size > 1:
                await asyncio.sleep(_GATHER_S)
            while not jobs.empty():
                waiting.append(jobs.get_nowait())
            batch = [job for job in waiting if job.fits(waiting[0])][: self._options.batch_size]
            waiting = [job for job in waiting if job not in batch]
            try:
                replies = await loop.run_in_executor(self._thread, self._generate, batch)
            except Exception as error:  # noqa: BLE001 - handed to every asker, who records it
                for job in batch:
                    _settle(job, error)
                continue
            for job, reply in zip(batch, replies, strict=True):
                _settle(job, reply)

    def _generate(self, batch: Sequence[_Job]) -> list[tuple[str, str, Usage]]:
        torch: Any = importlib.import_module("torch")
        inputs = self._processor.apply_chat_template(
            [_conversation(job.message) for job in batch],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        ).to(self._weights.device, self._weights.dtype)
        first = batch[0]
        chosen = (
            {"do_sample": True, "temperature": first.temperature}
            if first.temperature > 0
            else {"do_sample": False}
        )
        if self._options.seed is not None:
            torch.manual_seed(self._options.seed)
        with torch.inference_mode():
            made = self._weights.generate(**inputs, max_new_tokens=first.max_tokens, **chosen)
        new = made[:, inputs["input_ids"].shape[1] :]
        texts = self._processor.batch_decode(new, skip_special_tokens=True)
        ends = _ends(self._weights, self._processor)
        asked = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            _finished(text, row.tolist(), ends, first.max_tokens, int(count))
            for text, row, count in zip(texts, new, asked, strict=True)
        ]


@MODELS.add("hf")
def open_local(name: str, options: ModelOptions) -> Model:
    """Open ``hf/FOLDER`` or ``hf/ID``."""
    return LocalModel(name, options)


def _load(path: str, options: ModelOptions) -> tuple[Any, Any]:
    if options.dtype not in _DTYPES:
        message = f"--dtype {options.dtype!r} is unknown; expected one of {', '.join(_DTYPES)}"
        raise InputError(message)
    try:
        torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
    except ImportError as error:
        missing = error.name or "transformers"
        raise MissingLibraryError.of(missing, "a model from its weights (hf/…)", "local") from error
    spread, device = _placement(options.device_map, torch)
    try:
        processor = load_processor(path, remote_code=options.remote_code)
        weights = transformers.AutoModelForImageTextToText.from_pretrained(
            path, dtype=options.dtype, trust_remote_code=options.remote_code, **spread
        )
    except InputError:  # says all there is to say
        raise
    except (OSError, ValueError) as error:
        first_line = str(error).strip().splitlines()[0]
        message = f"{path} cannot be loaded as a model of images and text: {first_line}"
        if "trust_remote_code" in str(error):
            message = f"{path} brings its own code; read it, then allow it with --remote-code"
        raise InputError(message) from error
    # Replies follow the prompt, so a batch is padded in front; behind, padding would be continued.
    processor.tokenizer.padding_side = "left"
    return processor, (weights if device is None else weights.to(device)).eval()


def _placement(device_map: str, torch: Any) -> tuple[dict[str, str], str | None]:
    """Say how to spread the weights: over all devices by accelerate, or on one named device."""
    if device_map != "auto":
        return {}, device_map
    if torch.cuda.device_count() > 1:
        return {"device_map": "auto"}, None
    return {}, "cuda" if torch.cuda.is_available() else "cpu"


def _conversation(message: Message) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [
        {"type": "text", "text": piece.text}
        if piece.picture is None
        else {"type": "image", "image": _picture(piece.picture.data)}
        for piece in message.pieces
    ]
    system = {"role": "system", "content": [{"type": "text", "text": message.system}]}
    return [*([system] if message.system else []), {"role": "user", "content": content}]


def _picture(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as picture:
        return picture.convert("RGB")


def _ends(weights: Any, processor: Any) -> set[int]:
    """Collect the tokens that end a reply or fill up a batch."""
    found: set[int] = set()
    for value in (
        weights.generation_config.eos_token_id,
        processor.tokenizer.eos_token_id,
        processor.tokenizer.pad_token_id,
    ):
        found.update(value if isinstance(value, list) else [] if value is None else [value])
    return found


def _finished(
    text: str, row: list[int], ends: set[int], most: int, asked: int
) -> tuple[str, str, Usage]:
    length = next((place for place, token in enumerate(row) if token in ends), len(row))
    reason = "length" if length >= most else "stop"
    return text, reason, Usage(asked, length)


def _settle(job: _Job, outcome: tuple[str, str, Usage] | Exception) -> None:
    if job.future.done():  # the asker was cancelled
        return
    if isinstance(outcome, Exception):
        job.future.set_exception(outcome)
    else:
        job.future.set_result(outcome)


def _revision(path: str, weights: Any) -> str:
    """Return the hub commit, or for a folder a fingerprint of its configuration and weight files.

    The fingerprint covers names, sizes and the first MiB of each file: whole weights would take
    minutes to hash.
    """
    commit = getattr(weights.config, "_commit_hash", None)
    if commit:
        return str(commit)
    digest = hashlib.sha256()
    for file in sorted([*Path(path).glob("*.json"), *Path(path).glob("*.safetensors")]):
        with file.open("rb") as stream:
            digest.update(f"{file.name} {file.stat().st_size}\n".encode())
            digest.update(stream.read(_FINGERPRINT_BYTES))
    return digest.hexdigest()[:16]
