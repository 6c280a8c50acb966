"""Write aside, then rename: nothing half-written is left looking whole."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from earthexam.core.errors import FormatError, InputError

_LONGEST_NAME = 255  # bytes, on common file systems


def sha256_file(path: Path) -> str:
    """Return the sha256 of a file as 64 hex digits, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader sees either the old file or all of the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files only the owner can read; a shared benchmark must stay readable.
        umask = os.umask(0)
        os.umask(umask)
        Path(aside).chmod(0o666 & ~umask)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


@contextmanager
def folder_aside(out: Path, *, marker: str, replace: bool = False) -> Iterator[Path]:
    """Give a new folder beside `out` that becomes `out` when the block ends without error.

    Parameters
    ----------
    marker : str
        A file that every finished folder of this kind holds; only such a folder is ever replaced.
    replace : bool
        Replace a finished folder of the same kind; otherwise an existing `out` is an error.

    Raises
    ------
    InputError
        `out` exists and must not be replaced.
    """
    refuse_taken(out, marker=marker, replace=replace)
    # A link to a folder stays a link: the folder behind it is filled.
    place = out.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    retired = aside.with_name(f"{aside.name}-old")
    try:
        yield aside
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o777 & ~umask)
        # Another writer may have finished meanwhile.
        refuse_taken(out, marker=marker, replace=replace)
        if place.exists():
            place.replace(retired)
        aside.replace(place)
        shutil.rmtree(retired, ignore_errors=True)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def refuse_taken(out: Path, *, marker: str, replace: bool = False) -> None:
    """Raise the error of `folder_aside` where it could not write; for asking before long work.

    Raises
    ------
    InputError
        `out` exists and must not be replaced.
    """
    ours = (out / marker).is_file()
    if out.exists() and not (out.is_dir() and not any(out.iterdir())) and not (replace and ours):
        reason = "exists" if ours else f"exists and holds no {marker}"
        message = f"{out} {reason}; choose another --out or remove it first"
        raise InputError(message)


def inside(root: Path, relative: str) -> Path:
    """Return ``root / relative``, refusing any path that leads out of `root`.

    Raises
    ------
    FormatError
        The path is absolute, climbs out of the folder or is none that a file can have.
    """
    names = relative.encode(errors="replace").split(b"/")
    if "\0" in relative or max(map(len, names)) > _LONGEST_NAME:
        message = f"{root}: {relative[:60]!r} is no path that a file can have"
        raise FormatError(message)
    path = (root / relative).resolve()
    if not path.is_relative_to(root.resolve()):
        message = (
            f"{root}: the path {relative!r} leads out of the folder; expected a path inside it"
        )
        raise FormatError(message)
    return path
