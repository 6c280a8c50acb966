"""`earthexam demo`: build, run and report on a real scene, offline and without a key."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earthexam.cli.app import app, say

if TYPE_CHECKING:
    from earthexam.benchmark.store import Benchmark

TILE = 17
VIEWS_READ = ("composite", "report")
# Baselines and the views they are asked in: the first three look at nothing, so any view will do.
MODELS = (
    ("uniform", VIEWS_READ),
    ("constant", VIEWS_READ),
    ("longest", VIEWS_READ),
    ("spectral", ("cube",)),
    ("rgb", ("cube",)),
)


@app.command("demo")
def demo_command(
    out: Annotated[
        Path, typer.Option(help="Folder for sources, benchmark, runs and report.")
    ] = Path("demo-out"),
    seed: Annotated[int, typer.Option(help="Of every random choice.")] = 0,
) -> None:
    """Build a benchmark from Indian Pines, run five baselines on it and write the report."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.cli.steps import step_bars
    from earthexam.questions.hyperspectral.build import BuildSettings, build_hyperspectral
    from earthexam.questions.hyperspectral.scenes import SceneFiles
    from earthexam.report.collect import collect_report
    from earthexam.report.folder import PAGE_FILE, write_report
    from earthexam.sources.indian_pines import write_sources

    settings = BuildSettings(
        name="indian-pines-demo",
        title="Indian Pines demonstration",
        tile=TILE,
        seed=seed,
    )
    with step_bars() as progress:
        progress("sources", 0, 1)
        sources = write_sources(out / "sources", seed=seed, cell=TILE)
        progress("sources", 1, 1)
        files = SceneFiles(
            scene=sources.scene,
            labels=sources.labels,
            later=sources.later,
            later_labels=sources.later_labels,
            classes=sources.classes,
        )
        built = build_hyperspectral(
            [files], out / "benchmark", settings, replace=True, progress=progress
        )
        benchmark = Benchmark.open(out / "benchmark")
        runs = []
        for number, (name, views) in enumerate(MODELS, 1):
            runs.append(
                _run_baseline(benchmark, name, views, out / "runs" / f"baseline-{name}", seed)
            )
            progress("baselines", number, len(MODELS))
        progress("report", 0, 1)
        write_report(collect_report(runs, benchmark=out / "benchmark"), out / "report", seed=seed)
        progress("report", 1, 1)
    say(f"{built.items} questions on {built.blocks} blocks, answered by {len(MODELS)} baselines")
    say(f"the report lies in {out / 'report' / PAGE_FILE}")


def _run_baseline(
    benchmark: "Benchmark", name: str, views: tuple[str, ...], folder: Path, seed: int
) -> Path:
    """Put the benchmark to a baseline and score the replies; an earlier run is made anew."""
    import shutil

    from earthexam.answers.prompt import load_style
    from earthexam.baselines import BASELINES
    from earthexam.evaluate.folder import RUN_FILE, Run
    from earthexam.evaluate.protocol import Plan, Selection
    from earthexam.evaluate.record_scores import record_scores
    from earthexam.evaluate.run import run
    from earthexam.evaluate.scoring import score_run

    if (folder / RUN_FILE).is_file():
        shutil.rmtree(folder)
    plan = Plan(benchmark, Selection(views=views, seed=seed))  # type: ignore[arg-type]
    run(plan, BASELINES.get(name)(benchmark, seed), folder, style=load_style("default"))
    opened = Run.open(folder)
    record_scores(opened, score_run(opened, benchmark))
    return folder
