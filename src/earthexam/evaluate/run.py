"""Put every request of a plan to a model; nothing is lost, nothing is asked twice."""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from earthexam.answers.prompt import Style
from earthexam.core.errors import CheckFailedError, EarthExamError, InputError
from earthexam.evaluate.folder import ReplyRecord, RunInfo, write_run_info
from earthexam.evaluate.progress import Progress, Silence
from earthexam.evaluate.protocol import Plan, option_order
from earthexam.evaluate.record import finish_info, refuse_other_run, start_info
from earthexam.evaluate.reply_log import ReplyLog, open_log, refuse_foreign_folder
from earthexam.models.cost import estimate
from earthexam.models.profiles import Profile
from earthexam.models.protocol import FaultError, Key, Model, Reply, Request, UnsupportedItemError

FAILURES_IN_A_ROW = 200
"""So many failures without one reply between them end the run: the fault is not the items'."""

Opener: TypeAlias = Callable[[], Model]


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run goes about it; none of this shapes a reply.

    Attributes
    ----------
    concurrency : int
        Most requests handed to the model at once.
    budget_usd : float or None
        The run stops before this is passed, counting what replies under way may still cost.
    """

    concurrency: int = 16
    budget_usd: float | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    Attributes
    ----------
    failed : dict of Key to str
        Requests without a reply, and why; the next run asks them again.
    unsupported : dict of str to int
        Why the model cannot take some requests, and how many; they are not asked again.
    stopped : str
        Why it ended early; empty when everything was asked.
    """

    info: RunInfo
    failed: dict[Key, str]
    unsupported: dict[str, int]
    stopped: str = ""


def run(
    plan: Plan,
    model: Model,
    folder: Path,
    *,
    style: Style,
    profile: Profile | None = None,
    settings: RunSettings | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Ask all that is missing or failed in `folder`, which is made when it does not exist.

    Raises
    ------
    InputError
        The folder holds something else or a run of another kind, or another process runs in it.
    FaultError
        A fault that concerns every request; what was answered before is kept.
    KeyboardInterrupt
        The user stopped it; what was answered before is kept.
    """
    profile, settings = profile or Profile(), settings or RunSettings()
    refuse_unpriced(profile, settings.budget_usd)
    refuse_foreign_folder(folder)
    with open_log(folder) as log:
        info = start_info(plan, model, style, profile)
        info = refuse_other_run(folder, info)
        write_run_info(folder, info)
        asking = _Asking(plan, model, log, style, profile, settings, progress or Silence())
        try:
            asyncio.run(asking.all())
        finally:
            complete = len(log.tally.finished) == len(plan)
            info = finish_info(info, log.tally, complete=complete)
            write_run_info(folder, info)
        _check_complete(plan, log, asking.stopped)
    return RunResult(info, dict(log.tally.failed), dict(log.tally.unsupported), asking.stopped)


def refuse_unpriced(profile: Profile, budget_usd: float | None) -> None:
    """Refuse a budget for a model whose price nobody knows: it could not be kept."""
    if budget_usd is not None and not profile.has_price:
        message = (
            "--budget needs a price; give input_usd and output_usd (USD a million tokens) in a "
            "TOML file and name it with --profile"
        )
        raise InputError(message)


@dataclass(slots=True)
class _Asking:
    plan: Plan
    model: Model
    log: ReplyLog
    style: Style
    profile: Profile
    settings: RunSettings
    progress: Progress
    stopped: str = ""
    reserved_usd: float = 0.0
    failures_in_a_row: int = field(default=0)

    async def all(self) -> None:
        """Let `concurrency` askers share one stream of keys, so that memory stays bounded."""
        self.progress.began(len(self.plan), self.log.tally)
        finished = frozenset(self.log.tally.finished)
        keys = (key for key in self.plan if key not in finished)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.settings.concurrency):
                    group.create_task(self._ask_in_turn(keys))
        except* FaultError as faults:
            raise faults.exceptions[0] from None
        finally:
            await self.model.close()
            self.progress.ended(self.log.tally)

    async def _ask_in_turn(self, keys: Iterator[Key]) -> None:
        for key in keys:
            request = self.plan.request(key, self.style, self.profile)
            cost = self._reserve(request)
            if self.stopped:
                return
            record = await self._ask(request)
            self.reserved_usd -= cost
            self.log.append(record)
            self.progress.replied(record, self.log.tally)
            self._watch_failures(record)
            # A model that answers at once would else keep the loop from hearing Ctrl-C.
            await asyncio.sleep(0)

    def _reserve(self, request: Request) -> float:
        """Set aside what `request` may cost at most, or stop the run when that is too much."""
        if self.settings.budget_usd is None:
            return 0.0
        cost = estimate(request, self.profile).usd
        expected = self.log.tally.usd + self.reserved_usd + cost
        if expected > self.settings.budget_usd:
            self.stopped = (
                f"the next reply could bring the cost to {expected:.4f} USD, over the budget of "
                f"{self.settings.budget_usd:.4f}"
            )
            return 0.0
        self.reserved_usd += cost
        return cost

    async def _ask(self, request: Request) -> ReplyRecord:
        """Ask one; the single place where any error of one item becomes its `failed` record."""
        try:
            return _replied(request, await self.model.ask(request))
        except UnsupportedItemError as error:
            return _without_reply(request, "unsupported", str(error))
        except FaultError as fault:
            if fault.kind == "fatal":
                raise
            return _without_reply(request, "failed", str(fault), fault.attempts)
        except EarthExamError as error:
            return _without_reply(request, "failed", str(error))
        except Exception:  # noqa: BLE001 - a fault in one item must not cost the others
            return _without_reply(request, "failed", traceback.format_exc(limit=-5))

    def _watch_failures(self, record: ReplyRecord) -> None:
        self.failures_in_a_row = self.failures_in_a_row + 1 if record.status == "failed" else 0
        if self.failures_in_a_row >= FAILURES_IN_A_ROW:
            last = record.error.strip().splitlines()[-1] if record.error else "no reason given"
            message = f"{FAILURES_IN_A_ROW} requests failed in a row; the last one: {last}"
            raise FaultError(message, "fatal")


def _replied(request: Request, reply: Reply) -> ReplyRecord:
    return ReplyRecord(
        key=request.key,
        status="replied",
        text=_valid(reply.text),
        finish_reason=reply.finish_reason,
        option_order=option_order(request.item, request.key.order),
        shown=_shown(request),
        resizes=tuple((r.path, r.factor_x, r.factor_y) for r in reply.resizes),
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        usd=reply.usage.usd,
        seconds=round(reply.seconds, 3),
        attempts=reply.attempts,
        model=reply.model,
        cached=reply.cached,
    )


def _without_reply(request: Request, status: str, error: str, attempts: int = 1) -> ReplyRecord:
    return ReplyRecord(
        key=request.key,
        status=status,
        error=_valid(error),
        attempts=attempts,
        option_order=option_order(request.item, request.key.order),
        shown=_shown(request),
    )


def _valid(text: str) -> str:
    """Replace what is no character (lone surrogates), which no UTF-8 file can hold."""
    return text.encode("utf-8", "replace").decode()


def _shown(request: Request) -> tuple[str, ...]:
    return tuple(part.path for part in request.prompt.parts if part.path)


def _check_complete(plan: Plan, log: ReplyLog, stopped: str) -> None:
    """Make sure that every key is there once, and none that was not asked for."""
    tally = log.tally
    have = len(tally.finished) + len(tally.failed)
    expected = set(plan)
    strange = (tally.finished | set(tally.failed)) - expected
    if strange or (have != len(expected) and not stopped):
        message = (
            f"{log.path} holds {have} different requests, {len(strange)} of them not asked for, "
            f"and {len(expected)} were planned; run again into a new --out"
        )
        raise CheckFailedError(message)
