"""The audit as one HTML page that needs nothing but itself."""

from importlib.resources import files

import jinja2
from markupsafe import Markup

from earthexam import __version__
from earthexam.audit.report import AuditReport

_SHOWN_IDS = 12


def render_page(report: AuditReport) -> str:
    """Return the page as HTML; same report, same bytes."""
    folder = files("earthexam.audit")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"
    environment.filters["measure"] = _measure
    template = environment.from_string(folder.joinpath("page.html.j2").read_text(encoding="utf-8"))
    titles = {check.id: check for check in report.checks}
    flagged = {finding.check_id for finding in report.findings}
    return template.render(
        report=report,
        checks=titles,
        quiet=[check for check in report.checks if check.id not in flagged],
        tasks=sorted({task for result in report.baselines for task in result.by_task}),
        shown_ids=_SHOWN_IDS,
        style=Markup(folder.joinpath("page.css").read_text(encoding="utf-8")),
        version=__version__,
    )


def _measure(value: float | None) -> str:
    """Print a statistic with three significant digits, a dash where there is none."""
    return "–" if value is None else f"{value:.3g}"
