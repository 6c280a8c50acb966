"""What ``run.json`` says: enough to know what was run, and to refuse another run in its folder."""

import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from earthexam.answers.prompt import Style
from earthexam.core.errors import InputError
from earthexam.evaluate.folder import RUN_FILE, Run, RunInfo
from earthexam.evaluate.protocol import Plan
from earthexam.evaluate.reply_log import Tally
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Model

_PACKAGES = (
    "earthexam", "aiohttp", "numpy", "pillow", "polars", "scikit-learn", "torch", "torchvision",
    "transformers",
)  # fmt: skip
# These may differ between the runs that fill one folder; all else decides what a reply means.
_MAY_DIFFER = frozenset(
    {
        "benchmark_path", "packages", "git_revision", "started", "finished", "asked",
        "input_tokens", "output_tokens", "usd", "requests",
    }
)  # fmt: skip


def start_info(plan: Plan, model: Model, style: Style, profile: Profile) -> RunInfo:
    """Describe a run before its first request."""
    selection, benchmark = plan.selection, plan.benchmark
    return RunInfo(
        benchmark=benchmark.info.name,
        benchmark_path=str(benchmark.root.resolve()),
        benchmark_sha256=benchmark.sha256,
        taxonomy=benchmark.info.taxonomy,
        model=model.name,
        revision=model.revision,
        endpoint_kind=model.endpoint_kind,
        profile=_set_fields(profile),
        protocol=selection.protocol,
        style=style.name,
        views=[] if selection.blind else list(plan.views),
        blind=selection.blind,
        swap_media=selection.swap_media,
        shuffle_options=selection.shuffle_options,
        epochs=selection.epochs,
        tasks=list(selection.tasks),
        limit=selection.limit,
        sample_per_task=selection.sample_per_task,
        seed=selection.seed,
        parameters=dict(model.parameters),
        packages=_versions(),
        git_revision=_git_revision(Path.cwd()),
        started=_now(),
    )


def refuse_other_run(folder: Path, info: RunInfo) -> RunInfo:
    """Return `info` with the start of the run that `folder` already holds, if it is the same run.

    Raises
    ------
    InputError
        The folder holds a run of another benchmark, model or protocol; names what differs.
    """
    if not (folder / RUN_FILE).is_file():
        return info
    earlier = Run.open(folder).info
    for name in RunInfo.model_fields:
        was, now = getattr(earlier, name), getattr(info, name)
        if name not in _MAY_DIFFER and was != now:
            message = (
                f"{folder} holds a run with {name} {was!r}, this one has {now!r}; "
                "choose another --out"
            )
            raise InputError(message)
    return info.model_copy(update={"started": earlier.started})


def finish_info(info: RunInfo, tally: Tally, *, complete: bool) -> RunInfo:
    """Fill in what the run came to."""
    return info.model_copy(
        update={
            "finished": _now() if complete else "",
            "asked": len(tally.finished) + len(tally.failed),
            "input_tokens": tally.input_tokens,
            "output_tokens": tally.output_tokens,
            "usd": round(tally.usd, 6),
            "requests": tally.requests,
            "packages": _versions(),
        }
    )


def _set_fields(profile: Profile) -> dict[str, object]:
    defaults = {field.name: field.default for field in fields(Profile)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(profile).items()
        if value != defaults[name]
    }


def _versions() -> dict[str, str]:
    """Return the versions of what may shape a reply, as far as it was loaded."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        module = {"pillow": "PIL", "scikit-learn": "sklearn"}.get(package, package)
        if module in sys.modules:
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                continue
    return found


def _git_revision(folder: Path) -> str:
    """Return the commit of the user's working folder, ``+`` behind it when files are changed."""
    git = shutil.which("git")
    if git is None:
        return ""

    def ask(*words: str) -> str | None:
        done = subprocess.run(
            [git, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=10
        )
        return done.stdout.strip() if done.returncode == 0 else None

    commit = ask("rev-parse", "HEAD")
    if not commit:
        return ""
    return f"{commit}+" if ask("status", "--porcelain", "--untracked-files=no") else commit


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
