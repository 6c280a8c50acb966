"""R5–R7: is the reader sound, how many items count as independent, and do ranks stand."""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from statistics import median

import numpy as np
import polars as pl
from scipy import stats

from earthexam.answers.extract import Expected, read_reply
from earthexam.audit import check
from earthexam.audit.check import Hit, Limits
from earthexam.audit.options import mask_numbers
from earthexam.audit.subject import Subject
from earthexam.audit.tables import Row, rows_of
from earthexam.core.item import LETTERS, Choice
from earthexam.evaluate.clusters import effective_clusters
from earthexam.evaluate.metrics import average_items
from earthexam.evaluate.ranks import rank_runs


@check(
    "R5",
    title="Scorer probes",
    definition="The reader of replies gives the expected letter or outcome on a fixed suite of raw "
    "replies: articles, prose, “the answer is”, thoughts, nine options.",
    statistic="probes that fail",
    fix="One documented rule, and this suite as its test.",
)
def probes(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Read every probe."""
    suite = load_probes()
    failed = [(probe, got) for probe in suite if (got := probe.read()) != probe.expected]
    if failed:
        probe, got = failed[0]
        example = f"{probe.reply!r} is read as {got}, expected {probe.expected}"
        yield Hit("error", len(failed), len(suite), example, (), float(len(failed)), 0.0)


@check(
    "R6",
    title="Independence",
    definition="One source holds more than `share` of the items, or the design effect of the location "
    "blocks, as the median over blind guessers and runs, is above `effect`.",
    statistic="median design effect",
    fix="Cap the items of a picture and of a source; print clustered intervals.",
    share=0.25,
    effect=2,
)
def independence(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Measure the largest source and the design effect."""
    if not subject.items:
        return
    n = len(subject.items)
    source, count = Counter(item.source for item in subject.items).most_common(1)[0]
    effects = design_effects(subject)
    effect = median(effects) if effects else 1.0
    if count / n <= limits["share"] and effect <= limits["effect"]:
        return
    names: dict[str, list[str]] = {
        "groups": [item.group for item in subject.items],
        "templates": [f"{item.task} {mask_numbers(item.question)}" for item in subject.items],
        "sources": [item.source for item in subject.items],
    }
    sizes = {kind: list(Counter(found).values()) for kind, found in names.items()}
    equal = ", ".join(
        f"{len(found)} {kind} count as {effective_clusters(found):.0f}"
        for kind, found in sizes.items()
    )
    # Two unpaired scores of one half, 5 % level, 80 % power.
    detectable = 2.8 * np.sqrt(2 * 0.25 * effect / n)
    example = (
        f"{source} holds {count / n:.0%}; {equal}; design effect {effect:.1f}, so {n} items count as "
        f"{n / effect:.0f} and unpaired differences below {detectable:.1%} cannot be seen"
    )
    ids = tuple(item.id for item in subject.items if item.source == source)
    few = ids if count / n > limits["share"] else ()
    yield Hit("warning", len(few), n, example, few, effect, limits["effect"])


@check(
    "R7",
    title="Ranking stability",
    definition="Neighbours in a ranking differ by more than their clustered intervals allow "
    "(warning where the best two do not); micro and macro averages rank alike.",
    statistic="Kendall's tau of micro and macro ranks; pairs of neighbours not told apart",
    fix="Release predictions by item; print intervals and tied sets.",
    tau=0.95,
)
def ranking(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look at the published rows of each view, then at the runs."""
    views: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(subject):
        if not row.is_expectation:
            views[row.name.rpartition("(")[2].rstrip(")")].append(row)
    for view, rows in views.items():
        if len(rows) > 1:
            yield from _published_ranks(subject, view, rows, limits["tau"])
    yield from _run_ranks(subject)


@dataclass(frozen=True, slots=True)
class Probe:
    """A raw reply and what a reader must make of it: a letter, or an outcome."""

    reply: str
    options: tuple[str, ...]
    expected: str

    def read(self) -> str:
        """Return what our reader makes of it."""
        reading = read_reply(self.reply, Expected("single_choice", options=self.options))
        if isinstance(reading.answer, Choice):
            return "".join(LETTERS[n] for n in reading.answer.indices)
        return reading.outcome


def load_probes() -> tuple[Probe, ...]:
    """Load the suite of probes."""
    text = files("earthexam.audit").joinpath("probes.toml").read_text(encoding="utf-8")
    suite = tomllib.loads(text)
    return tuple(
        Probe(entry["reply"], tuple(suite["options"][entry["options"]]), entry["expected"])
        for entry in suite["probe"]
    )


def design_effects(subject: Subject) -> list[float]:
    """Return the design effects of the location blocks on guessers and runs, where defined."""
    effects = [r.ci.design_effect for r in subject.guessers if r.name != "uniform"]
    effects += [score.design_effect for _, score in subject.run_scores]
    return [effect for effect in effects if np.isfinite(effect)]


def _published_ranks(subject: Subject, view: str, rows: list[Row], least: float) -> Iterator[Hit]:
    micro = [row.micro for row in rows]
    tau = float(stats.kendalltau(micro, [row.macro for row in rows]).statistic)
    effects = design_effects(subject)
    effect = median(effects) if effects else 1.0
    ordered = sorted(rows, key=lambda row: row.micro, reverse=True)
    close = [pair for pair in pairwise(ordered) if not _apart(*pair, effect)]
    if tau < least or close:
        told = f"view {view}: {len(close)} of {len(rows) - 1} neighbours are not told apart"
        first, second = ordered[:2]
        top = bool(close) and close[0] == (first, second)
        if top:
            told += (
                f", {first.name} {first.micro:.2f} and {second.name} {second.micro:.2f} among them"
            )
        told += f"; tau of micro and macro ranks {tau:.3f}"
        yield Hit("warning" if top else "info", len(close), len(rows) - 1, told, (), tau, least)


def _apart(first: Row, second: Row, effect: float) -> bool:
    """Say whether two unpaired scores differ at the 5 % level under a design effect."""
    n = sum(cell.size for cell in first.cells)
    shares = (first.micro / 100, second.micro / 100)
    error = np.sqrt(sum(p * (1 - p) for p in shares) * effect / n)
    return bool(abs(shares[0] - shares[1]) > 1.96 * error)


def _run_ranks(subject: Subject) -> Iterator[Hit]:
    tables: dict[str, list[tuple[str, pl.DataFrame]]] = defaultdict(list)
    for run in subject.runs:
        for (view,), items in (
            average_items(run.scores()).partition_by("view", as_dict=True).items()
        ):
            tables[str(view)].append((run.label, items))
    for view, runs in tables.items():
        if len(runs) < 2:
            continue
        tied = [row for row in rank_runs(runs, seed=subject.seed) if row.tied]
        if len(tied) > 1:
            told = f"view {view or 'none'}: {', '.join(row.label for row in tied)} may each be the best"
            yield Hit("warning", len(tied), len(runs), told, (), float(len(tied)), 1.0)
