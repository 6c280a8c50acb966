"""The report as one HTML page that needs nothing but itself: styles, figures and items are in it."""

import base64
import hashlib
import math
from collections import Counter
from importlib.resources import files

import jinja2
from markupsafe import Markup

from earthexam import __version__
from earthexam.evaluate.intervals import Interval
from earthexam.evaluate.metrics import OUTCOME_NAMES
from earthexam.report.browse import build_browser
from earthexam.report.collect import VIEW_TITLES, Report
from earthexam.report.drawing import (
    DASHES,
    MARKS,
    RADAR_SIZE,
    SCATTER_SIZE,
    draw_radar,
    draw_scatter,
    series_of,
)
from earthexam.report.figures import drawn_runs, radars, scatters
from earthexam.report.grid import headlines, notices, outcome_counts, tree
from earthexam.report.letters import confusions
from earthexam.report.tables import percent, result_tables

_STYLES = ("page.css", "browser.css", "print.css")


def render_page(report: Report, *, items: int = 120, seed: int = 0) -> str:
    """Return the page as HTML; same runs, same bytes.

    Parameters
    ----------
    items : int
        At most this many items travel in the page's browser.
    seed : int
        Seed of the choice among them.
    """
    environment = _environment()
    script = _asset("browser.js")
    drawn = drawn_runs(report)
    series = series_of(drawn)
    compared = scatters(report)
    compared_runs = (
        {p.run for panel in compared.panels for p in panel.points} if compared else set()
    )
    browser = build_browser(report, most=items, seed=seed)
    return environment.get_template("page.html.j2").render(
        report=report,
        info=report.benchmark.info,
        version=__version__,
        style=Markup("\n".join(_asset(name) for name in _STYLES)),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        notices=notices(report),
        headlines=headlines(report),
        tables=result_tables(report.summaries),
        outcomes=_outcomes_seen(report),
        series=series,
        series_by_label={report.labels[run]: number for run, number in series.items()},
        drawn=drawn,
        radars=[draw_radar(radar, series) for radar in radars(report) if len(radar.axes) > 2],
        compared=compared,
        compared_series={run: number for run, number in series.items() if run in compared_runs},
        scatters=[draw_scatter(panel, series) for panel in compared.panels] if compared else [],
        tree=tree(report),
        n_tasks=len({item.task for item in report.benchmark.items}),
        n_most=max(Counter(item.task for item in report.benchmark.items).values(), default=1),
        confusions=confusions(report),
        browser=browser,
        browser_json=Markup(browser.to_json()),
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("earthexam.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "percent": percent,
        "bounds": _bounds,
        "thousands": "{:,}".format,
        "breakable": _breakable,
        "outcomes": outcome_counts,
        "plane": "{0[0]} {0[1]}".format,
    }
    environment.globals |= {
        "view_titles": VIEW_TITLES,
        "marks": MARKS,
        "dashes": DASHES,
        "radar_size": RADAR_SIZE,
        "scatter_size": SCATTER_SIZE,
    }
    return environment


def _asset(name: str) -> str:
    return (files("earthexam.report") / "templates" / name).read_text(encoding="utf-8")


def _outcomes_seen(report: Report) -> tuple[str, ...]:
    rows = [view.micro for summary in report.summaries for view in summary.views]
    seen = {name for row in rows for name, _ in outcome_counts(row)}
    return tuple(name for name in OUTCOME_NAMES if name in seen)


def _breakable(text: str) -> Markup:
    """Let a line break after every slash: model names are long and phones are narrow."""
    return Markup("/<wbr>").join(text.split("/"))


def _bounds(interval: Interval) -> str:
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "no interval"
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
