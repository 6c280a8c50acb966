"""What the page says before its figures: headline, warnings, and the taxonomy with its counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from earthexam.core.item import Item
from earthexam.evaluate.summary import SummaryRow, ViewSummary
from earthexam.report.collect import VIEW_TITLES, Report


@dataclass(frozen=True, slots=True)
class Headline:
    """What one run came to in one view; `rank` is None where it gets none."""

    run: int
    label: str
    view: str
    summary: ViewSummary
    rank: int | None


@dataclass(frozen=True, slots=True)
class Branch:
    """A name of the taxonomy with what stands under it; `published` is None where unknown."""

    name: str
    code: str
    items: int
    groups: int
    published: int | None
    branches: "tuple[Branch, ...]"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader must know before reading the numbers."""

    head: str
    text: str


def headlines(report: Report) -> tuple[Headline, ...]:
    """Return the headline of every run and view, ranked inside the view by micro average."""
    return tuple(line for view in report.views for line in _headlines(report, view))


def tree(report: Report) -> tuple[Branch, ...]:
    """Return the taxonomy with the items and groups that the benchmark has under every name."""
    known = {task.code: task.levels for task in report.taxonomy}
    by_path: dict[tuple[str, ...], list[Item]] = {task.levels: [] for task in report.taxonomy}
    for item in report.benchmark.items:
        by_path.setdefault(known.get(item.task, (item.task,)), []).append(item)
    codes = {task.levels: (task.code, task.size) for task in report.taxonomy}
    return tuple(_branches(by_path, codes, ()))


def notices(report: Report) -> tuple[Notice, ...]:
    """List what limits the numbers: simulated data, partial runs, thin coverage, few clusters."""
    found = []
    if report.benchmark.info.simulated:
        found.append(Notice("Simulated data.", report.benchmark.info.simulated))
    found.extend(_partial_runs(report))
    found.extend(_thin_coverage(report))
    found.extend(_few_clusters(report))
    return tuple(found)


def outcome_counts(row: SummaryRow) -> tuple[tuple[str, int], ...]:
    """List the outcomes that occur with their counts, in their fixed order."""
    outcomes = row.outcomes
    counts = ((name, getattr(outcomes, name)) for name in outcomes.__dataclass_fields__)
    return tuple((name, count) for name, count in counts if count)


def _headlines(report: Report, view: str) -> list[Headline]:
    runs = report.in_view(view)
    scores = [_printed(s) for _, s in runs if s.ranked and s.micro.supported]
    return [
        Headline(
            number,
            report.labels[number],
            view,
            summary,
            1 + sum(score > _printed(summary) for score in scores)
            if summary.ranked and summary.micro.supported
            else None,
        )
        for number, summary in runs
    ]


def _printed(summary: ViewSummary) -> float:
    """Return the micro average to the printed digit: equal in print is equal in rank."""
    return round(100 * summary.micro.score.estimate, 2)


def _branches(
    by_path: dict[tuple[str, ...], list[Item]],
    codes: dict[tuple[str, ...], tuple[str, int | None]],
    above: tuple[str, ...],
) -> Iterator[Branch]:
    depth = len(above)
    under = [path for path in by_path if path[:depth] == above and len(path) > depth]
    for name in dict.fromkeys(path[depth] for path in under):
        own = (*above, name)
        paths = [path for path in under if path[depth] == name]
        items = [item for path in paths for item in by_path[path]]
        sizes = [codes[path][1] if path in codes else None for path in paths]
        known = [size for size in sizes if size is not None]
        yield Branch(
            name=name,
            code=codes[own][0] if own in codes else "",
            items=len(items),
            groups=len({item.group for item in items}),
            published=sum(known) if len(known) == len(sizes) else None,
            branches=tuple(_branches(by_path, codes, own)),
        )


def _partial_runs(report: Report) -> Iterator[Notice]:
    total = len(report.benchmark.items)
    for run, label in zip(report.runs, report.labels, strict=True):
        asked = run.scores()["id"].n_unique()
        if asked < total:
            text = f"{label} was asked {asked:,} of {total:,} items; its averages are over those."
            yield Notice("Part of the benchmark.", text)


def _thin_coverage(report: Report) -> Iterator[Notice]:
    for line in headlines(report):
        if line.rank is None and line.summary.micro.supported:
            covered = f"{100 * line.summary.micro.coverage:.1f} %"
            text = f"{line.label}, {VIEW_TITLES[line.view].lower()}: replies came to {covered} of the items, below 98 %."
            yield Notice("No rank.", text)


def _few_clusters(report: Report) -> Iterator[Notice]:
    counts = Counter(
        line.summary.micro.score.clusters
        for line in headlines(report)
        if line.summary.micro.score.few_clusters and line.summary.micro.supported
    )
    if counts:
        fewest = min(counts)
        text = (
            f"Some results rest on {fewest} location block{'s' if fewest > 1 else ''} only (fewer "
            "than 30). Intervals are corrected for that and are wide; small differences mean little."
        )
        yield Notice("Few clusters.", text)
