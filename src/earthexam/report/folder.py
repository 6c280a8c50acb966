"""The report folder: the page, the tables and the figures of one set of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from earthexam.core.files import folder_aside, write_whole
from earthexam.report.against import against_markdown, place_run
from earthexam.report.analysis import analysis_markdown
from earthexam.report.collect import Report
from earthexam.report.formats import formats_markdown
from earthexam.report.page import render_page
from earthexam.report.plots import write_figures
from earthexam.report.spheres import spheres_markdown
from earthexam.report.tables import latex, markdown, tidy_csv

PAGE_FILE = "index.html"


@dataclass(frozen=True, slots=True)
class Written:
    """What a report folder holds, paths relative to it."""

    folder: Path
    files: tuple[str, ...]


def write_report(
    report: Report, out: Path, *, items: int = 120, seed: int = 0, against: str | None = None
) -> Written:
    """Write the report to a new folder, or over an earlier report.

    Parameters
    ----------
    items, seed : int
        How many items the page's browser holds at most, and the seed of their choice.
    against : str, optional
        Name of a published result table that every run is placed in, written to ``against.md``.

    Raises
    ------
    InputError
        `out` holds something that is no report, or a run shares nothing with the published table.
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


def _placements(report: Report, against: str) -> Sequence[str]:
    return [
        against_markdown(place_run(label, run.scores(), against))
        for label, run in zip(report.labels, report.runs, strict=True)
    ]
