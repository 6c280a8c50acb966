"""Put a run among published results: what can be compared, and what cannot.

Published tables give no replies, so their rows have no interval and no paired test; the run's own
interval says how far its place can be trusted from its side alone. Averages of the published rows are
computed again from their task cells, since tables mix micro and macro averages.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from earthexam.core.errors import InputError
from earthexam.core.taxonomy import Task, Taxonomy
from earthexam.evaluate.intervals import Interval
from earthexam.evaluate.metrics import RANKED_COVERAGE
from earthexam.evaluate.summary import SummaryRow, ViewSummary, summarise
from earthexam.published.tables import (
    HEADLINE_METRICS,
    NOT_MODELS,
    PublishedScore,
    load_results,
    load_taxonomy,
    source_note,
)
from earthexam.report.collect import VIEW_TITLES
from earthexam.report.tables import escape_markdown

_WIDEST = 20  # tasks that still fit as columns
_NAMED = 5  # missing tasks that are named


@dataclass(frozen=True, slots=True)
class Standing:
    """One average of one row, and its place by that average.

    Attributes
    ----------
    score : float
        0 to 1; NaN where a published row lacks a task.
    low, high : float
        The run's 95 % interval; NaN for published rows.
    rank : int or None
        Place among the published models and this run; None where there is none.
    best_rank, worst_rank : int or None
        Places that the run's interval reaches; None for published rows.
    """

    score: float
    low: float = math.nan
    high: float = math.nan
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None


@dataclass(frozen=True, slots=True)
class AgainstRow:
    """A published row, or the run.

    Attributes
    ----------
    tasks : tuple of Standing
        One a task of the table, in its order, without ranks.
    printed : float
        The overall value that the table prints, 0 to 1; NaN for the run or where none is printed.
    """

    label: str
    published: bool
    tasks: tuple[Standing, ...]
    micro: Standing
    macro: Standing
    printed: float


@dataclass(frozen=True, slots=True)
class Placement:
    """A run among the published rows of one view, best micro average first.

    Attributes
    ----------
    unranked : str
        Why the run gets no rank; empty where it gets one.
    """

    results: str
    view: str
    tasks: tuple[str, ...]
    rows: tuple[AgainstRow, ...]
    unranked: str
    source: str

    @property
    def run(self) -> AgainstRow:
        """The row of the run."""
        return next(row for row in self.rows if not row.published)


def place_run(label: str, scores: pl.DataFrame, results: str) -> tuple[Placement, ...]:
    """Put a run among the published rows, view by view.

    Only the tasks of the published table count. The run gets a rank only where it answered the
    published questions, all of them, and at least 98 % of them got a reply.

    Parameters
    ----------
    label : str
        What the run is called.
    scores : DataFrame
        As `Run.scores` gives it.
    results : str
        Name of a published table and of its taxonomy, for example ``hm-bench``.

    Raises
    ------
    UnknownNameError
        No such table ships.
    InputError
        The run has no view, or no task, that the table has.
    """
    cells = [cell for cell in load_results(results) if cell.metric in HEADLINE_METRICS]
    taxonomy = load_taxonomy(results)
    printed = {cell.task for cell in cells}
    tasks = tuple(task for task in taxonomy if task.code in printed)
    codes = [task.code for task in tasks]
    views = {cell.view for cell in cells if cell.task in codes}
    own = scores.filter(pl.col("task").is_in(codes) & pl.col("view").is_in(list(views)))
    if own.is_empty():
        message = (
            f"{label} shares no view and task with the published results {results!r}; they have the "
            f"views {', '.join(sorted(views))} and the tasks {', '.join(codes[:5])}…"
        )
        raise InputError(message)
    return tuple(
        _place_view(label, view, taxonomy, tasks, [c for c in cells if c.view == view.view])
        for view in summarise(own, taxonomy, label=label).views
    )


def against_markdown(placements: Sequence[Placement]) -> str:
    """Write placements as Markdown, one table a view, the run in bold."""
    return "\n".join(part for placement in placements for part in _markdown_parts(placement))


def _place_view(
    label: str,
    view: ViewSummary,
    taxonomy: Taxonomy,
    tasks: tuple[Task, ...],
    cells: Sequence[PublishedScore],
) -> Placement:
    by_model: dict[str, dict[str, float]] = {}
    for cell in cells:
        by_model.setdefault(cell.model, {})[cell.task] = cell.accuracy / 100
    rows = [_published_row(model, values, tasks) for model, values in by_model.items()]
    reason = _why_unranked(view, tasks)
    run = AgainstRow(
        label=label,
        published=False,
        tasks=tuple(_run_standing(view.task(task.code)) for task in tasks),
        micro=_run_standing(view.micro),
        macro=_run_standing(view.macro),
        printed=math.nan,
    )
    ranked = _ranked(rows, run, with_run=not reason)
    return Placement(
        results=taxonomy.title,
        view=view.view,
        tasks=tuple(task.code for task in tasks),
        rows=tuple(sorted(ranked, key=_by_micro)),
        unranked=reason,
        source=source_note("results", taxonomy.name),
    )


def _published_row(model: str, values: Mapping[str, float], tasks: tuple[Task, ...]) -> AgainstRow:
    scores = [values.get(task.code, math.nan) for task in tasks]
    sizes = [task.size or 0 for task in tasks]
    micro = _weighted_mean(scores, sizes)
    return AgainstRow(
        label=model,
        published=True,
        tasks=tuple(Standing(score) for score in scores),
        micro=Standing(micro),
        macro=Standing(sum(scores) / len(scores)),
        printed=values.get("Overall", math.nan),
    )


def _weighted_mean(scores: Sequence[float], sizes: Sequence[int]) -> float:
    if not all(sizes):
        return math.nan
    return math.fsum(s * n for s, n in zip(scores, sizes, strict=True)) / sum(sizes)


def _run_standing(row: SummaryRow | None) -> Standing:
    if row is None:
        return Standing(math.nan)
    score: Interval = row.score
    return Standing(score.estimate, score.low, score.high)


def _why_unranked(view: ViewSummary, tasks: tuple[Task, ...]) -> str:
    rows = {row.name: row for row in view.tasks}
    missing = [
        task.code for task in tasks if task.code not in rows or not rows[task.code].supported
    ]
    if missing:
        more = f" and {len(missing) - _NAMED} more tasks" if len(missing) > _NAMED else ""
        return f"it has no result for {', '.join(missing[:_NAMED])}{more}"
    asked, published = view.micro.n, sum(task.size or 0 for task in tasks)
    if any(rows[task.code].n != task.size for task in tasks):
        return f"its {asked:,} questions are not the {published:,} published ones"
    if not view.ranked:
        return (
            f"replies came to {100 * view.micro.coverage:.1f} % of its items, "
            f"below {100 * RANKED_COVERAGE:.0f} %"
        )
    return ""


def _ranked(rows: list[AgainstRow], run: AgainstRow, *, with_run: bool) -> Iterator[AgainstRow]:
    """Give all rows with their ranks, by each of the two averages."""
    models = [row for row in rows if row.label not in NOT_MODELS]
    micro = [row.micro.score for row in models if not math.isnan(row.micro.score)]
    macro = [row.macro.score for row in models if not math.isnan(row.macro.score)]
    for row in rows:
        if row.label in NOT_MODELS:
            yield row
            continue
        others = ([run.micro.score], [run.macro.score]) if with_run else ([], [])
        yield _with_ranks(
            row, _rank(row.micro, micro + others[0]), _rank(row.macro, macro + others[1])
        )
    if with_run:
        run = _with_ranks(run, _rank(run.micro, micro), _rank(run.macro, macro))
    yield run


def _with_ranks(row: AgainstRow, micro: Standing, macro: Standing) -> AgainstRow:
    return AgainstRow(row.label, row.published, row.tasks, micro, macro, row.printed)


def _rank(own: Standing, others: list[float]) -> Standing:
    """Rank by the printed digit, as published tables do."""

    def place(score: float) -> int:
        return 1 + sum(round(other, 4) > round(score, 4) for other in others)

    if math.isnan(own.score):
        return own
    reach = (None, None) if math.isnan(own.low) else (place(own.high), place(own.low))
    return Standing(own.score, own.low, own.high, place(own.score), *reach)


def _by_micro(row: AgainstRow) -> tuple[float, str]:
    score = row.micro.score
    return (-score if not math.isnan(score) else math.inf, row.label)


def _markdown_parts(placement: Placement) -> Iterator[str]:
    yield f"## {placement.results}: {VIEW_TITLES[placement.view]}\n"
    codes = placement.tasks if len(placement.tasks) <= _WIDEST else ()
    head = ["Rank", "Model", *codes, "Micro", "Macro", "Rank by macro", "Printed overall"]
    rows = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * len(head)) + " |"]
    for row in placement.rows:
        label = escape_markdown(row.label)
        tasks = [_points(standing) for standing in row.tasks] if codes else []
        printed = "–" if math.isnan(row.printed) else f"{100 * row.printed:.2f}"
        values = [_points(row.micro), _points(row.macro), _place(row.macro), printed]
        cells = [_place(row.micro), label if row.published else f"**{label}**", *tasks, *values]
        rows.append("| " + " | ".join(cells) + " |")
    yield "\n".join(rows) + "\n"
    if placement.unranked:
        yield f"{escape_markdown(placement.run.label)} gets no rank: {placement.unranked}.\n"
    yield (
        "Micro and macro averages of published rows are computed from their task cells. Published "
        "rows come without per-item results, so they have no interval and no paired test: a rank in "
        "brackets says only where the ends of the run's own 95 % interval (clustered by group) lie.\n"
    )
    yield f"{placement.source}\n"


def _points(standing: Standing) -> str:
    if math.isnan(standing.score):
        return "–"
    value = f"{100 * standing.score:.2f}"
    if math.isnan(standing.low):
        return value
    return f"{value} [{100 * standing.low:.2f}–{100 * standing.high:.2f}]"


def _place(standing: Standing) -> str:
    if standing.rank is None:
        return "–"
    if standing.best_rank is None:
        return str(standing.rank)
    return f"{standing.rank} [{standing.best_rank}–{standing.worst_rank}]"
