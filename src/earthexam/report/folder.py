"""The report folder: the page, the tables and the figures of one set of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from earthexam.core.errors import InputError
from earthexam.core.files import folder_aside, write_whole
from earthexam.evaluate.folder import Run
from earthexam.published.tables import contradictions, load_results
from earthexam.report.against import against_markdown, place_run
from earthexam.report.analysis import analysis_markdown
from earthexam.report.collect import Report
from earthexam.report.formats import formats_markdown
from earthexam.report.page import render_page
from earthexam.report.plots import write_figures
from earthexam.report.scorings import scorings_markdown
from earthexam.report.spheres import spheres_markdown
from earthexam.report.tables import escape_markdown, latex, markdown, tidy_csv
from earthexam.report.twins import twins_markdown

PAGE_FILE = "index.html"


@dataclass(frozen=True, slots=True)
class Written:
    """What a report folder holds, paths relative to it."""

    folder: Path
    files: tuple[str, ...]


def write_report(
    report: Report,
    out: Path,
    *,
    items: int = 120,
    seed: int = 0,
    against: str | None = None,
    twins: Sequence[Run] = (),
) -> Written:
    """Write the report to a new folder, or over an earlier report.

    Parameters
    ----------
    items, seed : int
        How many items the page's browser holds at most, and the seed of their choice.
    against : str, optional
        Name of a published result table that the runs are placed in, written to ``against.md``.
    twins : sequence of Run
        Scored runs on the open-ended twins of the benchmark, written to ``twins.md`` beside the run
        of the same model.

    Raises
    ------
    InputError
        `out` holds something that is no report, no run shares anything with the published table, or no run is of the
        model of a run in `twins`.
    """
    texts = {
        PAGE_FILE: render_page(report, items=items, seed=seed),
        "tables.md": markdown(report.summaries),
        "tables.csv": tidy_csv(report.summaries),
        "tables.tex": latex(report.summaries),
        "analysis.md": analysis_markdown(report),
    }
    for name, text in (
        ("formats.md", formats_markdown(report)),
        ("spheres.md", spheres_markdown(report)),
        ("scorings.md", scorings_markdown(report)),
        ("twins.md", twins_markdown(report, twins)),
    ):
        if text:
            texts[name] = text
    if against is not None:
        texts["against.md"] = "\n".join(_placements(report, against))
    with folder_aside(out, marker=PAGE_FILE, replace=True) as aside:
        for name, text in texts.items():
            write_whole(aside / name, text.encode())
        figures = write_figures(report, aside / "figures")
        files = (*texts, *(path.relative_to(aside).as_posix() for path in figures))
    return Written(out, files)


def _placements(report: Report, against: str) -> Iterator[str]:
    """Place every run that shares a view and a task with the published table, and name the others."""
    load_results(against)
    placed, apart = [], []
    for label, run in zip(report.labels, report.runs, strict=True):
        try:
            placed.append(against_markdown(place_run(label, run.scores(), against)))
        except InputError as error:
            apart.append(error)
    if not placed:
        raise apart[0]
    yield from placed
    yield from (f"Not placed: {escape_markdown(str(error))}.\n" for error in apart)
    if known := contradictions(against):
        yield "Known contradictions of the published tables:\n"
        yield "\n".join(f"- {note}" for note in known) + "\n"
