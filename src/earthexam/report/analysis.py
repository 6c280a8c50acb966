"""What a report says beyond the tables: ranks, the gain from looking, planned contrasts."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

import polars as pl

from earthexam.core.errors import InputError
from earthexam.evaluate.contrasts import (
    Contrast,
    ProfiledRun,
    group_contrasts,
    level_contrasts,
    size_contrasts,
    view_contrasts,
)
from earthexam.evaluate.folder import Run
from earthexam.evaluate.paired import compare_scores
from earthexam.evaluate.ranks import rank_runs
from earthexam.evaluate.summary import level_groups
from earthexam.report.collect import VIEW_TITLES, Report
from earthexam.report.pairs import PAIR_HEADER, pair_notes, pair_rows
from earthexam.report.tables import (
    contrast_markdown,
    escape_markdown,
    markdown_rows,
    percent,
    percent_interval,
)

_MOST_PAIRS = 21  # of a level's names: the spheres of seven; more would be a search and no plan


def analysis_markdown(report: Report, *, seed: int = 0) -> str:
    """Write the analysis of a report as Markdown.

    Parameters
    ----------
    seed : int
        Of the bootstrap behind ranks and gains.

    Notes
    -----
    A part without matter is left out: ranks need two runs of a view, the gain from looking a blind
    and a sighted run of one model, contrasts of sizes and groups runs whose profiles say them.
    """
    profiled = [
        one
        for run, label in zip(report.runs, report.labels, strict=True)
        for one in ProfiledRun.views_of(run, label)
    ]
    parts = [
        "# Analysis\n",
        *_ranks(report, profiled, seed),
        *_gains(report, seed),
        *_contrasts(report, profiled),
    ]
    return "\n".join(parts)


def _ranks(report: Report, profiled: list[ProfiledRun], seed: int) -> Iterator[str]:
    for view in report.views:
        runs = [(one.label, one.items) for one in profiled if one.view == view]
        if len(runs) > 1:
            yield f"## Ranks: {VIEW_TITLES[view]}\n"
            yield _or_reason(partial(_rank_table, runs, seed))


def _rank_table(runs: list[tuple[str, pl.DataFrame]], seed: int) -> str:
    cells = [
        [
            escape_markdown(row.label),
            "–" if row.rank is None else str(row.rank),
            "–" if row.low is None else f"{row.low}–{row.high}",
            "yes" if row.tied else "",
            f"{percent(row.score.estimate)} [{percent_interval(row.score)}]",
            percent(row.coverage),
        ]
        for row in rank_runs(runs, seed=seed)
    ]
    head = ["Run", "Rank", "Rank interval", "May be best", "Score [95 %]", "Coverage"]
    return (
        f"{markdown_rows(head, cells)}\nMicro averages over the items that all runs could take. Rank "
        "intervals hold together at 95 %, from paired differences resampled by group.\n"
    )


def _gains(report: Report, seed: int) -> Iterator[str]:
    """Compare every sighted run with the blind run of its model, task by task."""
    for blind in (run for run in report.runs if run.info.blind):
        for run in report.runs:
            if run.info.model == blind.info.model and not (run.info.blind or run.info.swap_media):
                yield f"## Gain from looking: {escape_markdown(run.info.model)}\n"
                yield _or_reason(partial(_gain_table, run, blind, report, seed))


def _gain_table(run: Run, blind: Run, report: Report, seed: int) -> str:
    labels = run.label, blind.label
    found = compare_scores(run.scores(), blind.scores(), report.taxonomy, labels=labels, seed=seed)
    rows = [[escape_markdown(cell) for cell in row] for row in pair_rows(found)]
    notes = "".join(f"- {escape_markdown(note)}\n" for note in pair_notes(found))
    return f"{markdown_rows(PAIR_HEADER, rows)}\n{notes}"


def _contrasts(report: Report, profiled: list[ProfiledRun]) -> Iterator[str]:
    for label, views in groupby(profiled, key=lambda one: one.label):
        items = pl.concat([one.items for one in views])
        found = list(view_contrasts(items))
        for level in _planned_levels(report, items):
            found += level_contrasts(items, report.taxonomy, level)
        if found:
            yield f"## Contrasts within {escape_markdown(label)}\n"
            yield contrast_markdown(found)
    usual = {
        label
        for run, label in zip(report.runs, report.labels, strict=True)
        if not (run.info.blind or run.info.swap_media)
    }
    models = [one for one in profiled if one.label in usual]
    for title, contrast in (
        ("Small against large models", size_contrasts),
        ("Groups of models", group_contrasts),
    ):
        text = _or_reason(partial(_model_table, contrast, models))
        if text:
            yield f"## {title}\n"
            yield text


def _planned_levels(report: Report, items: pl.DataFrame) -> list[str]:
    """List the levels with at least two names here, and few enough pairs to be planned."""
    own = set(items["task"].unique())
    tasks = [task for task in report.taxonomy if task.code in own]
    groups = level_groups(tasks, report.taxonomy)
    counts = {group.level: 0 for group in groups}
    for group in groups:
        counts[group.level] += 1
    return [level for level, n in counts.items() if 0 < n * (n - 1) // 2 <= _MOST_PAIRS]


def _model_table(
    contrast: Callable[[Sequence[ProfiledRun]], tuple[Contrast, ...]], models: list[ProfiledRun]
) -> str:
    found = contrast(models)
    return contrast_markdown(found) if found else ""


def _or_reason(write: Callable[[], str]) -> str:
    """Write a part, or say why these runs do not allow it (they share no items, say)."""
    try:
        return write()
    except InputError as error:
        return f"Not possible: {error}.\n"
