"""What a report is made from: one benchmark, its runs, and what each run came to."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError, MissingFileError
from earthexam.core.item import VIEWS
from earthexam.core.taxonomy import Task, Taxonomy
from earthexam.evaluate.folder import Run
from earthexam.evaluate.metrics import EmptyClassWarning
from earthexam.evaluate.summary import RunSummary, ViewSummary, summarise
from earthexam.published.tables import load_taxonomy, taxonomy_names

VIEW_TITLES = {
    "composite": "Composite image",
    "report": "Text report",
    "true_colour": "True colour",
    "colour_infrared": "Colour infrared",
    "bands": "Bands",
    "spectra": "Spectra",
    "image": "Image",
    "cube": "Cube",
    "": "Blind",
}
"""What readers call a view; the empty name is a run that was shown nothing."""


@dataclass(frozen=True)
class Report:
    """Everything a report says, before it has a form.

    Attributes
    ----------
    runs, summaries : tuple
        In the order given; ``summaries[i]`` belongs to ``runs[i]`` and carries its label.
    """

    benchmark: Benchmark
    taxonomy: Taxonomy
    runs: tuple[Run, ...]
    summaries: tuple[RunSummary, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What the report calls each run."""
        return tuple(summary.label for summary in self.summaries)

    @property
    def views(self) -> tuple[str, ...]:
        """Views that at least one run has, in the order of `VIEWS`; a blind one last."""
        own = {view.view for summary in self.summaries for view in summary.views}
        return tuple(view for view in (*VIEWS, "") if view in own)

    def in_view(self, view: str) -> list[tuple[int, ViewSummary]]:
        """List the runs that have a view: their number and what they came to in it."""
        found = ((number, summary.view(view)) for number, summary in enumerate(self.summaries))
        return [(number, summary) for number, summary in found if summary is not None]


def collect_report(folders: Sequence[Path], *, benchmark: Path | None = None) -> Report:
    """Read scored runs of one benchmark and summarise them.

    Parameters
    ----------
    folders : sequence of Path
        Run folders.
    benchmark : Path, optional
        Where the benchmark lies; by default where the runs found it.

    Raises
    ------
    InputError
        No run was given, or the runs (or the benchmark found) ask different questions.
    MissingFileError
        A run has no scores, or the benchmark is not where it was.
    """
    runs = tuple(Run.open(folder) for folder in folders)
    if not runs:
        message = "no run to report on; name at least one run folder"
        raise InputError(message)
    opened = Benchmark.open(benchmark or _find_benchmark(runs[0]))
    for run in runs:
        _refuse_other_questions(run, opened)
    taxonomy = taxonomy_of(opened)
    with warnings.catch_warnings():
        # A task that a model cannot take has no score: reports print X and need no warning.
        warnings.simplefilter("ignore", EmptyClassWarning)
        summaries = tuple(
            summarise(run.scores(), taxonomy, label=label)
            for run, label in zip(runs, _unique_labels(runs), strict=True)
        )
    return Report(opened, taxonomy, runs, summaries)


def taxonomy_of(benchmark: Benchmark) -> Taxonomy:
    """Return the taxonomy a benchmark names, or the one that the levels of its items spell out."""
    name = benchmark.info.taxonomy
    if name in taxonomy_names():
        return load_taxonomy(name)
    paths = {item.task: item.levels or (item.task,) for item in benchmark.items}
    depth = min((len(path) for path in paths.values()), default=1)
    levels = (*(f"level {number}" for number in range(1, depth)), "task")
    tasks = tuple(
        Task(code, path[-1], (*path[: depth - 1], code)) for code, path in sorted(paths.items())
    )
    return Taxonomy(name or benchmark.info.name, benchmark.info.title, levels, tasks)


def _find_benchmark(run: Run) -> Path:
    recorded = Path(run.info.benchmark_path)
    for path in (recorded, run.root / recorded):
        if path.is_dir():
            return path
    message = (
        f"{run.root}: its benchmark {run.info.benchmark!r} is not at {recorded} any more; "
        "say where it lies with --benchmark"
    )
    raise MissingFileError(message)


def _refuse_other_questions(run: Run, benchmark: Benchmark) -> None:
    if run.info.benchmark_sha256 != benchmark.sha256:
        message = (
            f"{run.root} was run on items {run.info.benchmark_sha256[:12]!r}, {benchmark.root} "
            f"holds items {benchmark.sha256[:12]!r}; report on runs of one benchmark only, or name "
            "the right one with --benchmark"
        )
        raise InputError(message)


def _unique_labels(runs: Sequence[Run]) -> tuple[str, ...]:
    """Name the runs; those that share a label also get the name of their folder."""
    counts = Counter(run.label for run in runs)
    return tuple(
        run.label if counts[run.label] == 1 else f"{run.label} [{run.root.resolve().name}]"
        for run in runs
    )
