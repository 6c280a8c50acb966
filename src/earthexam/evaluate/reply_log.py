"""The append-only file of replies: flushed per line, mended after a crash, locked while in use."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import orjson
from filelock import FileLock, Timeout

from earthexam.core.errors import FormatError, InputError
from earthexam.evaluate.folder import REPLIES_FILE, RUN_FILE, ReplyRecord
from earthexam.models.protocol import Key

LOCK_FILE = ".run.lock"
_BLOCK = 1 << 16


@dataclass(slots=True)
class Tally:
    """What a reply file holds so far.

    Attributes
    ----------
    finished : set of Key
        Replied or unsupported: not asked again.
    failed : dict of Key to str
        Asked without a reply, and the reason.
    unsupported : Counter of str
        Reasons why the model cannot take a request, and how many requests each concerns.
    """

    finished: set[Key] = field(default_factory=set)
    failed: dict[Key, str] = field(default_factory=dict)
    unsupported: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    requests: int = 0

    def add(self, record: ReplyRecord) -> None:
        """Count one more line; a later line on the same key replaces an earlier failure."""
        self.input_tokens += record.input_tokens
        self.output_tokens += record.output_tokens
        self.usd += record.usd
        self.requests += 0 if record.cached else record.attempts
        if record.status == "failed":
            self.failed[record.key] = record.error
            return
        if record.status == "unsupported":
            self.unsupported[record.error] += 1
        self.failed.pop(record.key, None)
        self.finished.add(record.key)


class ReplyLog:
    """The replies of one run, open for appending; make it with `open_log`."""

    def __init__(self, path: Path, stream: BinaryIO, tally: Tally) -> None:
        self.path = path
        self.tally = tally
        self._stream = stream

    def append(self, record: ReplyRecord) -> None:
        """Write one line and hand it to the operating system at once."""
        self._stream.write(record.to_line())
        self._stream.flush()
        self.tally.add(record)


@contextmanager
def open_log(folder: Path) -> Iterator[ReplyLog]:
    """Lock the run folder, mend its reply file and open it for appending.

    Raises
    ------
    InputError
        Another process runs in the folder.
    FormatError
        A whole line of the file is no reply.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / REPLIES_FILE
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        message = f"{folder} is in use by another run; wait for it or choose another --out"
        raise InputError(message) from error
    try:
        with path.open("ab") as stream:
            drop_cut_line(path)
            yield ReplyLog(path, stream, tally_of(path))
            os.fsync(stream.fileno())
    finally:
        lock.release()


def refuse_foreign_folder(folder: Path) -> None:
    """Refuse to write replies among files that no run made.

    Raises
    ------
    InputError
        `folder` is a file, or holds something and no run.
    """
    if folder.is_file():
        message = f"--out {folder} is a file; expected a folder for the run"
        raise InputError(message)
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names - {LOCK_FILE, REPLIES_FILE} and RUN_FILE not in names:
        message = f"--out {folder} holds {min(names)!r} and no run; choose another folder"
        raise InputError(message)


def drop_cut_line(path: Path) -> int:
    """Cut off a last line without line break, as a killed run leaves; return its bytes."""
    size = path.stat().st_size
    with path.open("rb+") as stream:
        end = size
        while end > 0:
            start = max(0, end - _BLOCK)
            stream.seek(start)
            at = stream.read(end - start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            stream.truncate(end)
    return size - end


def tally_of(path: Path) -> Tally:
    """Count what a reply file holds, one line in memory at a time."""
    tally = Tally()
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                tally.add(ReplyRecord.from_line(line))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                message = f"{path}, line {number}: {error}; expected one reply as JSON a line"
                raise FormatError(message) from error
    return tally
