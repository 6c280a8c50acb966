"""Tables by sphere: averages beside published ones, abstaining, forecasts by lead, error categories."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from earthexam.evaluate.abstention import (
    ChoiceRates,
    behaviour,
    choice_rates,
    choice_scores,
    rates_by_task,
)
from earthexam.evaluate.error_labels import error_table
from earthexam.evaluate.lead import scores_by_lead
from earthexam.evaluate.spheres import GroupScore, SphereScores, sphere_scores
from earthexam.evaluate.summary import summarise
from earthexam.published.tables import contradictions, load_results
from earthexam.report.collect import Report
from earthexam.report.tables import escape_markdown, markdown_rows, percent

TAXONOMY = "omniearth"
_NOTHING = "–"
_RATE_HEAD = ("n", "Accuracy", "Unable to decide", "Unread", "Failed", "Accuracy on answered")
_CHOICE = ("single_choice", "multiple_choice")


def spheres_markdown(report: Report) -> str:
    """Write the sphere tables; empty for a benchmark of another taxonomy."""
    if report.taxonomy.name != TAXONOMY:
        return ""
    sections = (
        *_averages(report),
        *_rates(report),
        *_leads(report),
        *_errors(report),
    )
    return "\n\n".join(sections) + "\n"


def _averages(report: Report) -> Iterator[str]:
    own: dict[str, SphereScores] = {}
    metric = "open" if _only_open(report) else "accuracy"
    formats = ("open",) if metric == "open" else _CHOICE
    ids = [item.id for item in report.benchmark.items if item.format in formats]
    for label, run in zip(report.labels, report.runs, strict=True):
        scores = run.scores().filter(pl.col("id").is_in(ids))
        if not scores.is_empty():
            own[label] = sphere_scores(summarise(scores, report.taxonomy).views[0])
    if not own:
        return
    names = list(dict.fromkeys(task.levels[0] for task in report.taxonomy))
    rows = [_sphere_row(label, scores, names) for label, scores in own.items()]
    rows += [_published_row(model, cells, names) for model, cells in _published(metric).items()]
    what = "open-ended questions" if metric == "open" else "choice questions"
    yield f"## Spheres, {what} (%)"
    yield _table(["Model", *names, "Average over spheres", "Macro", "Micro"], rows)
    yield (
        "A sphere is the unweighted mean of its tasks (macro), as in Table 4 of the paper; published "
        "rows stand below. Known contradictions of the published tables:"
    )
    yield "\n".join(f"- {note}" for note in contradictions(TAXONOMY))
    groups = {label: {g.name: g for g in scores.abilities} for label, scores in own.items()}
    abilities = list(dict.fromkeys(name for known in groups.values() for name in known))
    yield "## Abilities (%), macro and micro"
    yield _table(
        ["Model", *abilities],
        [
            [label, *(_both(known.get(name)) for name in abilities)]
            for label, known in groups.items()
        ],
    )


def _only_open(report: Report) -> bool:
    return all(item.format not in _CHOICE for item in report.benchmark.items)


def _sphere_row(label: str, scores: SphereScores, names: list[str]) -> list[str]:
    by_name = {group.name: group.macro for group in scores.spheres}
    return [
        label,
        *(percent(by_name[name]) if name in by_name else _NOTHING for name in names),
        percent(scores.average_over_spheres),
        percent(scores.overall.macro),
        percent(scores.overall.micro),
    ]


def _published(metric: str) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for cell in load_results(TAXONOMY):
        if cell.table == "T4" and cell.metric == metric:
            rows.setdefault(cell.model, {})[cell.task] = cell.printed
    return rows


def _published_row(model: str, cells: Mapping[str, str], names: list[str]) -> list[str]:
    values = [cells.get(name, _NOTHING) for name in (*names, "Overall")]
    return [f"{model} (published)", *values, _NOTHING, _NOTHING]


def _both(group: GroupScore | None) -> str:
    if group is None:
        return _NOTHING
    return f"{percent(group.macro)} / {percent(group.micro)} ({group.tasks} tasks)"


def _rates(report: Report) -> Iterator[str]:
    items = report.benchmark.by_id
    rows, signs, tasks = [], [], []
    for label, run in zip(report.labels, report.runs, strict=True):
        choices = choice_scores(run.scores(), items)
        if choices.is_empty():
            continue
        rates, seen = choice_rates(choices), behaviour(choices, items)
        rows.append([label, *_rate_cells(rates)])
        tasks += [[label, task, *_rate_cells(own)] for task, own in rates_by_task(choices).items()]
        one = ", ".join(f"{task} ({letters})" for task, letters in seen.one_answer_tasks)
        signs.append(
            [label, str(seen.abstained), ", ".join(seen.zero_tasks) or "none", one or "none"]
        )
    if rows:
        yield "## Abstaining and unread replies (%)"
        yield _table(["Run", *_RATE_HEAD], rows)
        yield "## Refusals, tasks without a hit, tasks with one answer"
        yield _table(["Run", "Abstained", "Without a hit", "One answer throughout"], signs)
        yield "## Abstaining and unread replies by task (%)"
        yield _table(["Run", "Task", *_RATE_HEAD], tasks)


def _rate_cells(rates: ChoiceRates) -> list[str]:
    shares = (rates.accuracy, rates.unable, rates.unread, rates.failed, rates.answered_accuracy)
    return [str(rates.n), *(percent(share) for share in shares)]


def _leads(report: Report) -> Iterator[str]:
    rows = [
        [label, row.task, str(row.months), str(row.n), percent(row.score), percent(row.chance)]
        for label, run in zip(report.labels, report.runs, strict=True)
        for row in scores_by_lead(run.scores(), report.benchmark.by_id)
    ]
    if rows:
        yield "## Forecasts by lead (%)"
        yield _table(["Run", "Task", "Months ahead", "n", "Score", "Chance"], rows)


def _errors(report: Report) -> Iterator[str]:
    table = error_table(report.runs)
    if any(any(counts) for counts in table.counts.values()):
        yield "## Error categories, as labelled by reviewers"
        yield _table(
            ["Category", *table.runs],
            [[name, *map(str, counts)] for name, counts in table.counts.items()],
        )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_rows(head, [[escape_markdown(cell) for cell in row] for row in rows]).rstrip()
