"""Result tables as text: Markdown to read, tidy CSV to compute with, LaTeX to print."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from earthexam.core.item import VIEWS
from earthexam.evaluate.contrasts import Contrast
from earthexam.evaluate.intervals import FEW_CLUSTERS, Interval
from earthexam.evaluate.metrics import OUTCOME_NAMES, RANKED_COVERAGE
from earthexam.evaluate.summary import RunSummary, SummaryRow, ViewSummary
from earthexam.report.collect import VIEW_TITLES

UNSUPPORTED = "X"
"""Printed where a model can take none of a task's items."""

_NOTHING = "–"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One run's result on one line; `row` is None where the run has no such line."""

    row: SummaryRow | None
    best: bool = False


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of a result table: a task, a level or an overall average, one cell a run."""

    title: str
    level: str
    cells: tuple[TableCell, ...]

    @property
    def is_task(self) -> bool:
        """Whether it is a task and not an average over tasks."""
        return any(cell.row is not None and cell.row.kind == "task" for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The results of all runs that have one view.

    Attributes
    ----------
    view : str
        Empty for blind runs.
    runs : tuple of str
        Labels, one a column.
    lines : tuple of TableLine
        Tasks, then levels, then the two overall averages.
    """

    view: str
    runs: tuple[str, ...]
    lines: tuple[TableLine, ...]


def result_tables(summaries: Sequence[RunSummary]) -> tuple[ResultTable, ...]:
    """Arrange runs by view and line; the best of several ranked runs is marked on every line.

    Equal to the printed digit is equally good. A run below 98 % coverage is never marked.
    """
    return tuple(_result_table(view, summaries) for view in _views(summaries))


def markdown(summaries: Sequence[RunSummary]) -> str:
    """Write the results as Markdown: for each view one table over runs, then one table a run."""
    parts = ["# Results\n"]
    for table in result_tables(summaries):
        parts.append(f"## {VIEW_TITLES[table.view]}\n")
        parts.append("### Accuracy (%) with 95 % interval\n")
        parts.append(_markdown_matrix(table))
        for summary in summaries:
            if (view := summary.view(table.view)) is not None:
                parts.append(f"### {escape_markdown(summary.label)}\n")
                parts.append(_markdown_details(view))
    parts.append("".join(f"- {note}\n" for note in notes(summaries)))
    return "\n".join(parts)


def tidy_csv(summaries: Sequence[RunSummary]) -> str:
    """Write the results as tidy CSV: one line a run, view and row; shares from 0 to 1.

    A field is empty where there is no number: no supported item, or no interval.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*_CSV_HEAD, *(f"outcome_{name}" for name in OUTCOME_NAMES)])
    for table in result_tables(summaries):
        for line in table.lines:
            for label, cell in zip(table.runs, line.cells, strict=True):
                if cell.row is not None:
                    writer.writerow(_csv_fields(label, table.view, cell.row, cell.best))
    return stream.getvalue()


def latex(summaries: Sequence[RunSummary]) -> str:
    """Write the accuracies as LaTeX tables, one a view; needs the package booktabs."""
    return "\n".join(_latex_table(table, summaries) for table in result_tables(summaries))


def contrast_markdown(contrasts: Sequence[Contrast]) -> str:
    """Write planned contrasts as a Markdown table, differences in points."""
    head = [
        "Contrast",
        "View",
        "First",
        "Second",
        "Difference",
        "95 % interval",
        "p",
        "Above chance",
    ]
    rows = [
        [
            f"{_side(one, one.first)} − {_side(one, one.second)}",
            VIEW_TITLES[one.view] if one.family != "view" else _NOTHING,
            percent(one.first_score),
            percent(one.second_score),
            signed_points(one.difference.estimate),
            points_interval(one.difference),
            p_value(one.adjusted),
            f"{signed_points(one.corrected.estimate)} {points_interval(one.corrected)}",
        ]
        for one in contrasts
    ]
    note = (
        "Intervals are clustered by group; p is corrected within each kind of contrast "
        "(Benjamini–Hochberg). *Above chance* is the difference of chance-corrected scores."
    )
    return f"{markdown_rows(head, rows)}\n{note}\n"


def notes(summaries: Sequence[RunSummary]) -> tuple[str, ...]:
    """Say how the numbers were made and what limits them."""
    rows = [row for run in summaries for view in run.views for row in view.rows]
    found = [
        "Every item but the unsupported ones is in the denominator; what is neither right nor "
        "partial counts 0. Micro averages over items, macro over tasks.",
        "Intervals are clustered by group (CR2 variance, t quantiles; Wilson on the effective n "
        "where that would leave 0–100 %).",
    ]
    if any(row.supported and row.score.few_clusters for row in rows):
        found.append(
            f"* fewer than {FEW_CLUSTERS} groups: the interval rests on its small-sample correction."
        )
    found += [
        f"{escape_markdown(run.label)}, {VIEW_TITLES[view.view]}: no rank, replies came to "
        f"{percent(view.micro.coverage)} % of the items, below {100 * RANKED_COVERAGE:.0f} %."
        for run in summaries
        for view in run.views
        if view.micro.supported and not view.ranked
    ]
    if any(not row.supported for row in rows):
        found.append(f"{UNSUPPORTED}: the model can take none of these items.")
    found += [
        f"{escape_markdown(run.label)}: circular evaluation, an item is right only if it is right in "
        "every option order."
        for run in summaries
        if run.circular
    ]
    return tuple(found)


def markdown_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table, all columns but the first right-aligned; cells must be escaped."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *rows])


def escape_markdown(text: str) -> str:
    """Make text safe inside a Markdown table cell, on one line."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", " ".join(text.split()))


def percent(value: float) -> str:
    """Print a share as percent with two decimals, a dash for NaN."""
    return _NOTHING if math.isnan(value) else f"{100 * value:.2f}".replace("-", "−")


def percent_interval(interval: Interval) -> str:
    """Print the bounds of a share in percent, a dash where there are none."""
    if math.isnan(interval.low):
        return _NOTHING
    return f"{percent(interval.low)}–{percent(interval.high)}"


def signed_points(value: float) -> str:
    """Print a difference of shares in points with its sign."""
    return _NOTHING if math.isnan(value) else f"{100 * value:+.2f}".replace("-", "−")


def points_interval(interval: Interval) -> str:
    """Print the bounds of a difference in points, a dash where there are none."""
    if math.isnan(interval.low):
        return _NOTHING
    return f"{signed_points(interval.low)} to {signed_points(interval.high)}"


def p_value(p: float) -> str:
    """Print a p value with three decimals, never as 0."""
    if math.isnan(p):
        return _NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _side(contrast: Contrast, name: str) -> str:
    return VIEW_TITLES[name] if contrast.family == "view" else escape_markdown(name)


_CSV_HEAD = [
    "run", "view", "kind", "level", "average", "name", "title", "supported", "n", "score", "low",
    "high", "se", "method", "clusters", "design_effect", "effective_n", "coverage",
    "answered_score", "chance", "corrected", "corrected_low", "corrected_high", "best",
]  # fmt: skip


def _views(summaries: Sequence[RunSummary]) -> list[str]:
    own = {view.view for summary in summaries for view in summary.views}
    return [view for view in (*VIEWS, "") if view in own]


def _result_table(view: str, summaries: Sequence[RunSummary]) -> ResultTable:
    runs = [(run.label, found) for run in summaries if (found := run.view(view)) is not None]
    by_run = [{_key(row): row for row in found.rows} for _, found in runs]
    first = {key: row for rows in reversed(by_run) for key, row in rows.items()}
    ranked = [found.ranked for _, found in runs]
    lines = []
    for key in _line_order(by_run):
        cells = [rows.get(key) for rows in by_run]
        lines.append(TableLine(_title(first[key]), first[key].level, _mark_best(cells, ranked)))
    return ResultTable(view, tuple(label for label, _ in runs), tuple(lines))


def _key(row: SummaryRow) -> tuple[str, str, tuple[str, ...], str]:
    return row.kind, row.average, row.path, row.name


def _line_order(
    by_run: list[dict[tuple[str, str, tuple[str, ...], str], SummaryRow]],
) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Give every key once: tasks, levels, overall; inside a kind as the runs have them."""
    keys = dict.fromkeys(key for rows in by_run for key in rows)
    for kind in ("task", "level", "overall"):
        yield from (key for key in keys if key[0] == kind)


def _title(row: SummaryRow) -> str:
    if row.kind == "task":
        return row.name if row.name == row.title else f"{row.name} · {row.title}"
    return f"{row.title}, {row.average}"


def _mark_best(rows: list[SummaryRow | None], ranked: list[bool]) -> tuple[TableCell, ...]:
    values = [
        round(100 * row.score.estimate, 2)
        if row is not None and row.supported and is_ranked
        else None
        for row, is_ranked in zip(rows, ranked, strict=True)
    ]
    known = [value for value in values if value is not None]
    several = len(known) > 1
    return tuple(
        TableCell(row, several and value == max(known))
        for row, value in zip(rows, values, strict=True)
    )


def _markdown_matrix(table: ResultTable) -> str:
    rows = []
    for line in table.lines:
        cells = [_cell_text(cell, "**{}**".format) for cell in line.cells]
        title = escape_markdown(line.title)
        rows.append([title if line.is_task else f"*{title}*", *cells])
    return markdown_rows(["Task", *map(escape_markdown, table.runs)], rows)


def _cell_text(cell: TableCell, emphasise: Callable[[str], str]) -> str:
    row = cell.row
    if row is None:
        return _NOTHING
    if not row.supported:
        return UNSUPPORTED
    value = percent(row.score.estimate)
    few = "*" if row.score.few_clusters else ""
    return f"{emphasise(value) if cell.best else value} [{percent_interval(row.score)}]{few}"


def _markdown_details(view: ViewSummary) -> str:
    used = [name for name in OUTCOME_NAMES if getattr(view.micro.outcomes, name)]
    head = ["Task", "n", "Groups", "Accuracy", "95 % interval", "Coverage", "Answered", "Chance"]
    rows = [
        [
            escape_markdown(_title(row)),
            str(row.n),
            str(row.score.clusters),
            percent(row.score.estimate) if row.supported else UNSUPPORTED,
            percent_interval(row.score) + ("*" if row.supported and row.score.few_clusters else ""),
            *map(percent, (row.coverage, row.answered_score, row.chance)),
            percent(row.corrected.estimate),
            *(str(getattr(row.outcomes, name)) for name in used),
        ]
        for row in view.rows
    ]
    return markdown_rows([*head, "Above chance", *map(str.capitalize, used)], rows)


def _csv_fields(label: str, view: str, row: SummaryRow, best: bool) -> list[str]:
    score, corrected = row.score, row.corrected
    return [
        _as_text(label), view, row.kind, row.level, row.average, _as_text(row.name),
        _as_text(row.title),
        str(row.supported).lower(), str(row.n),
        *map(_number, (score.estimate, score.low, score.high, score.se)), score.method,
        str(score.clusters),
        *map(_number, (score.design_effect, score.effective_n, row.coverage, row.answered_score)),
        *map(_number, (row.chance, corrected.estimate, corrected.low, corrected.high)),
        str(best).lower(), *(str(count) for count in asdict(row.outcomes).values()),
    ]  # fmt: skip


def _as_text(text: str) -> str:
    """Keep a spreadsheet from taking a name for a formula: an apostrophe marks it as text."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"


def _latex_table(table: ResultTable, summaries: Sequence[RunSummary]) -> str:
    own = [run for run in summaries if run.view(table.view) is not None]
    caption = (
        f"{VIEW_TITLES[table.view]}: accuracy (\\%) with 95\\,\\% interval clustered by group. "
    )
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{caption}{_escape_latex(' '.join(notes(own)))}}}",
        f"\\begin{{tabular}}{{l{'r' * len(table.runs)}}}",
        "\\toprule",
        " & ".join(["Task", *map(_escape_latex, table.runs)]) + " \\\\",
        "\\midrule",
    ]
    was_task = True
    for line in table.lines:
        if was_task and not line.is_task:
            lines.append("\\midrule")
        was_task = line.is_task
        cells = [
            _cell_text(cell, "\\textbf{{{}}}".format).replace("–", "--") for cell in line.cells
        ]
        lines.append(" & ".join([_escape_latex(line.title), *cells]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""])


_LATEX = {
    "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "%": "\\%",
    "#": "\\#", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
    "[": "{[}", "]": "{]}", "*": "{*}", "–": "--", "·": "\\textperiodcentered{}", "<": "\\textless{}", ">": "\\textgreater{}",
}  # fmt: skip


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
