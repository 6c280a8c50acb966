"""Keep replies, so that the same question to the same model is paid for once."""

import hashlib
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import orjson

from earthexam.core.files import inside, sha256_file
from earthexam.models.protocol import Model, Reply, Request, Resize, Usage

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL)"


class CachedModel:
    """Asks `model` only what the cache does not hold.

    The key is a hash of all that can change a reply: model, revision, parameters, the messages, the
    content of every file in them, and the epoch, so that repetitions are asked anew. Empty replies
    are not kept: they are how some servers say that they are overloaded.

    Parameters
    ----------
    folder : Path
        Holds ``replies.sqlite``; several runs may use it at once.
    """

    def __init__(self, model: Model, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._model = model
        self._table = sqlite3.connect(folder / "replies.sqlite", isolation_level=None, timeout=30)
        self._table.execute("PRAGMA journal_mode=WAL")
        self._table.execute("PRAGMA synchronous=NORMAL")
        self._table.execute(_TABLE)

    @property
    def name(self) -> str:
        """The model's own."""
        return self._model.name

    @property
    def revision(self) -> str:
        """The model's own."""
        return self._model.revision

    @property
    def endpoint_kind(self) -> str:
        """The model's own."""
        return self._model.endpoint_kind

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """The model's own."""
        return self._model.parameters

    async def ask(self, request: Request) -> Reply:
        """Return the kept reply, else ask and keep."""
        key = cache_key(self._model, request)
        row = self._table.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        if row is not None:
            return _load(row[0])
        reply = await self._model.ask(request)
        if reply.text.strip():
            kept = (key, orjson.dumps(asdict(reply)))
            self._table.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", kept)
        return reply

    async def close(self) -> None:
        """Close the cache and the model."""
        self._table.close()
        await self._model.close()


def cache_key(model: Model, request: Request) -> str:
    """Hash all that can change the reply to `request`."""
    prompt = request.prompt
    known = {media.path: media.sha256 for media in request.item.media}
    parts = [
        [
            part.kind,
            part.text,
            (known.get(part.path) or sha256_file(inside(request.root, part.path)))
            if part.path
            else "",
        ]
        for part in prompt.parts
    ]
    # Models that read cubes see files that no prompt names.
    shown = [media.sha256 for media in request.item.media if media.view == request.key.view]
    content = [
        model.name,
        model.revision,
        dict(model.parameters),
        prompt.system,
        parts,
        shown,
        prompt.max_tokens,
        prompt.temperature,
        request.key.epoch,
    ]
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _load(stored: bytes) -> Reply:
    """Make the reply again; it costs nothing now and took no request."""
    fields = orjson.loads(stored)
    usage = Usage(**fields.pop("usage"))
    resizes = tuple(Resize(**resize) for resize in fields.pop("resizes"))
    return Reply(
        **{
            **fields,
            "usage": replace(usage, usd=0.0),
            "resizes": resizes,
            "cached": True,
        }
    )
