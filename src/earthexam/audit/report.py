"""Run the checks and write down what they found."""

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from earthexam.audit import CHECKS
from earthexam.audit.blind import BlindResult
from earthexam.audit.check import Check, Limits, Severity
from earthexam.audit.learned import GROUPINGS, SCORERS, headline, learned_results
from earthexam.audit.subject import Subject
from earthexam.audit.table_file import refuse_other_tasks, shipped_table
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import (
    CheckFailedError,
    FormatError,
    MissingFileError,
    UnknownNameError,
)
from earthexam.core.files import write_whole
from earthexam.core.item import Item
from earthexam.evaluate.folder import Run
from earthexam.published.tables import PublishedScore

_FAMILIES = "SMDBR"
_LEARNED = ("B5", "B6")
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, ready to be written; the fields are those of `Hit` and `Check`."""

    check_id: str
    severity: Severity
    n: int
    denominator: int
    statistic: float | None
    threshold: float | None
    item_ids: tuple[str, ...]
    example: str
    fix: str


@dataclass(frozen=True)
class AuditReport:
    """All findings on one benchmark.

    Attributes
    ----------
    findings : tuple of Finding
        In the order of the checks, errors first within a check.
    baselines : tuple of BlindResult
        What blind guessers reach, simplest first.
    best_sighted : (str, float) or None
        The best sighted score known, 0 to 1.
    checks : tuple of Check
        The checks that ran, in order, with the thresholds used.
    unsolved : tuple of Item
        Sound items that no learned blind scorer solves with blocks held out; all where none ran.
    """

    benchmark: str
    n_items: int
    findings: tuple[Finding, ...]
    baselines: tuple[BlindResult, ...]
    best_sighted: tuple[str, float] | None
    checks: tuple[Check, ...]
    unsolved: tuple[Item, ...] = field(repr=False)

    def count(self, severity: Severity) -> int:
        """Count the findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def headline(self) -> str:
        """Chance, blind and sighted scores in one line; empty where no learned scorer ran."""
        learned = [result for result in self.baselines if result.name in SCORERS]
        return headline(learned, self.best_sighted) if learned else ""

    @property
    def passed(self) -> bool:
        """Whether no finding is an error."""
        return self.count("error") == 0

    def raise_for_errors(self) -> None:
        """Raise when a check of severity error fired, naming the checks.

        Raises
        ------
        CheckFailedError
            The audit failed.
        """
        if self.passed:
            return
        first = next(finding for finding in self.findings if finding.severity == "error")
        names = sorted({f.check_id for f in self.findings if f.severity == "error"})
        message = (
            f"{self.benchmark}: {self.count('error')} errors in the checks {', '.join(names)}; first "
            f"{first.check_id}: {first.n} of {first.denominator}, {first.example}"
        )
        raise CheckFailedError(message)

    def to_json(self) -> str:
        """Return the report as JSON text: benchmark, items, findings and baselines."""
        record = {
            "benchmark": self.benchmark,
            "n_items": self.n_items,
            "findings": [_plain(finding) for finding in self.findings],
            "baselines": [
                {
                    "name": result.name,
                    "cv": result.grouping,
                    "micro": _rounded(result.micro),
                    "macro": _rounded(result.macro),
                    "ci": [_rounded(result.ci.low), _rounded(result.ci.high)],
                    "by_task": {task: _rounded(mean) for task, mean in result.by_task.items()},
                }
                for result in self.baselines
            ],
        }
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def audit_benchmark(
    benchmark: Benchmark,
    *,
    runs: Iterable[Run] = (),
    table: Sequence[PublishedScore] | None = None,
    limits: Mapping[str, Limits] | None = None,
    skip: Collection[str] = (),
    seed: int = 0,
) -> AuditReport:
    """Run every registered check on a benchmark.

    Items whose structure or key is broken are reported by S1 and S2 and left out of later checks.

    Parameters
    ----------
    runs : iterable of Run
        Scored runs of the benchmark: the best sighted score, answer histograms, ranks.
    table : sequence of PublishedScore, optional
        A published table; when left out, what ships for a benchmark of this name.
    limits : mapping, optional
        Check id to the thresholds that replace its own (see `load_limits`).
    skip : collection of str
        Ids of checks to leave out; ``{"B5", "B6"}`` leaves the learned scorer out.

    Raises
    ------
    UnknownNameError
        `skip` or `limits` name no check, or `limits` a threshold that the check has not.
    InputError
        The table has tasks that the benchmark has not.
    """
    if table is None:
        table = shipped_table(benchmark)
    refuse_other_tasks(table, benchmark)
    own_limits = _merged(limits or {})
    checks = tuple(replace(check, limits=own_limits[check.id]) for check in _wanted(skip))
    subject = Subject(benchmark, tuple(runs), tuple(table), seed)
    findings: list[Finding] = []
    for check in checks:
        found = list(_findings(check, subject))
        findings += found
        if check.id in {"S1", "S2"}:
            subject = _without(subject, {name for one in found for name in _broken(one)})
    learned = {check.id for check in checks} & set(_LEARNED)
    results = learned_results(subject) if "B5" in learned else []
    return AuditReport(
        benchmark=benchmark.info.name,
        n_items=len(benchmark.items),
        findings=tuple(findings),
        baselines=(*subject.guessers, *results, *_redrawn(subject, learned)),
        best_sighted=subject.best_sighted,
        checks=checks,
        unsolved=_unsolved(subject.benchmark, results),
    )


def load_limits(path: Path) -> Mapping[str, Limits]:
    """Read thresholds from a TOML file: one table a check, ``[D3]`` and ``share = 0.02``.

    Raises
    ------
    MissingFileError, FormatError
        The file does not exist or is no TOML of numbers.
    UnknownNameError
        It names no check, or a threshold that the check has not.
    """
    if not path.is_file():
        message = f"{path} does not exist; give a TOML file of thresholds"
        raise MissingFileError(message)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        message = f"{path}: {fault}; expected TOML such as: [D3] share = 0.02"
        raise FormatError(message) from fault
    for name, values in found.items():
        sound = isinstance(values, dict) and all(
            isinstance(value, int | float) for value in values.values()
        )
        if not sound:
            message = (
                f"{path}: {name} = {values!r}; expected a table of numbers, [{name}] share = 0.02"
            )
            raise FormatError(message)
    _merged(found)
    return found


def write_audit(report: AuditReport, path: Path) -> tuple[Path, Path]:
    """Write the report as JSON and, beside it, as a page; return both paths."""
    from earthexam.audit.page import render_page

    page = path.with_suffix(".html")
    write_whole(path, report.to_json().encode())
    write_whole(page, render_page(report).encode())
    return path, page


def _wanted(skip: Collection[str]) -> tuple[Check, ...]:
    for name in skip:
        CHECKS.get(name)

    def order(check: Check) -> tuple[int, int]:
        return _FAMILIES.index(check.id[0]), int(re.sub(r"\D", "", check.id))

    return tuple(sorted((c for name, c in CHECKS if name not in skip), key=order))


def _merged(limits: Mapping[str, Limits]) -> dict[str, Limits]:
    merged: dict[str, Limits] = {name: check.limits for name, check in CHECKS}
    for name, values in limits.items():
        known = CHECKS.get(name).limits
        for threshold in values:
            if threshold not in known:
                kind = f"threshold of {name}"
                raise UnknownNameError.of(kind, threshold, known)
        merged[name] = {**known, **values}
    return merged


def _findings(check: Check, subject: Subject) -> Iterator[Finding]:
    hits = sorted(
        check.inspect(subject, check.limits), key=lambda hit: _SEVERITIES.index(hit.severity)
    )
    for hit in hits:
        yield Finding(
            check.id, hit.severity, hit.n, hit.denominator, hit.statistic, hit.threshold,
            hit.item_ids, hit.example, check.fix,
        )  # fmt: skip


def _broken(finding: Finding) -> tuple[str, ...]:
    return finding.item_ids if finding.severity == "error" else ()


def _without(subject: Subject, broken: set[str]) -> Subject:
    if not broken:
        return subject
    items = tuple(item for item in subject.items if item.id not in broken)
    return replace(subject, benchmark=replace(subject.benchmark, items=items))


def _redrawn(subject: Subject, learned: set[str]) -> list[BlindResult]:
    if "B6" not in learned or not len(subject.options):
        return []
    results = (subject.blind("trees", how, redraw_keys=True) for how in GROUPINGS)
    return [result for result in results if result is not None]


def _unsolved(benchmark: Benchmark, results: Sequence[BlindResult]) -> tuple[Item, ...]:
    solved = {
        result.ids[n]
        for result in results
        if result.grouping == "group"
        for n in np.flatnonzero(result.correct >= 1.0)
    }
    return tuple(item for item in benchmark.items if item.id not in solved)


def _plain(finding: Finding) -> dict[str, Any]:
    record: dict[str, Any] = {name: getattr(finding, name) for name in Finding.__dataclass_fields__}
    record["item_ids"] = list(finding.item_ids)
    for name in ("statistic", "threshold"):
        record[name] = _rounded(record[name])
    return record


def _rounded(value: float | None) -> float | None:
    """Round to 6 digits; what is no finite number becomes null."""
    return round(float(value), 6) if value is not None and np.isfinite(value) else None
