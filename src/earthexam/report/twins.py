"""Choice against open-ended: runs on twins of the same questions, side by side."""

from collections.abc import Sequence

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.evaluate.folder import Run
from earthexam.evaluate.twins import compare_twins
from earthexam.report.collect import Report
from earthexam.report.tables import escape_markdown, markdown_rows, percent


def twins_markdown(report: Report, twins: Sequence[Run]) -> str:
    """Write one table for every run on open-ended twins, beside the choice run of its model.

    Raises
    ------
    InputError
        No run of the report is of that model, or the two share no question.
    """
    parts = [part for spoken in twins for part in _parts(report, spoken)]
    return "\n".join(["# Choice against open-ended (%)\n", *parts]) if parts else ""


def _parts(report: Report, spoken: Run) -> list[str]:
    alike = [
        (label, run)
        for label, run in zip(report.labels, report.runs, strict=True)
        if (run.info.model, run.info.blind) == (spoken.info.model, spoken.info.blind)
    ]
    if not alike:
        message = (
            f"{spoken.root} is a run of {spoken.info.model}; the report has "
            f"{', '.join(report.labels)}, give the run of the same model on the choice questions"
        )
        raise InputError(message)
    questions = Benchmark.open(spoken.info.benchmark_path)
    return [
        part
        for label, run in alike
        for part in _table(label, run, report.benchmark, spoken, questions)
    ]


def _table(
    label: str, run: Run, choices: Benchmark, spoken: Run, questions: Benchmark
) -> tuple[str, str]:
    rows = [
        [
            escape_markdown(row.task) or "*mean over tasks*",
            str(row.n),
            percent(row.choice),
            percent(row.chance),
            percent(row.open_mean),
            percent(row.open_strict),
            percent(row.unjudged),
        ]
        for row in compare_twins((run, choices), (spoken, questions))
    ]
    head = ["Task", "n", "Choice", "Chance", "Open, mean", "Open, strict", "Unjudged"]
    return (f"## {escape_markdown(label)}\n", markdown_rows(head, rows))
