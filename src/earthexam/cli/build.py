"""`earthexam build` and `earthexam verify`: benchmarks from native data, and back to it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earthexam.cli.app import app, print_table, say
from earthexam.core.errors import CheckFailedError, InputError

if TYPE_CHECKING:
    from earthexam.questions.hyperspectral.build import BuildReport
    from earthexam.questions.hyperspectral.scenes import SceneFiles

build = typer.Typer(help="Build a benchmark from native data.", no_args_is_help=True)
app.add_typer(build, name="build")

_FEWEST_SHOWN = 10


@build.command("hyperspectral")
def build_command(
    scene: Annotated[list[Path], typer.Argument(help="Hyperspectral scenes.")],
    labels: Annotated[list[Path], typer.Option(help="Label map; repeat, one a scene.")],
    out: Annotated[Path, typer.Option(help="Folder of the new benchmark.")],
    later: Annotated[
        list[Path] | None, typer.Option(help="Second date; repeat, one a scene.")
    ] = None,
    later_labels: Annotated[
        list[Path] | None, typer.Option(help="Labels of the second date; repeat, one a scene.")
    ] = None,
    classes: Annotated[
        Path | None, typer.Option(help="Class table (CSV: value,name,kind) for all scenes.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Scene description (TOML) or name of a known scene.")
    ] = None,
    variable: Annotated[str | None, typer.Option(help="Array that holds the cube.")] = None,
    labels_variable: Annotated[
        str | None, typer.Option(help="Array that holds the labels.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the benchmark; default: of OUT.")] = "",
    tile: Annotated[int, typer.Option(min=4, help="Side of a block in pixels.")] = 32,
    per_task: Annotated[int, typer.Option(min=1, help="Most items for each task.")] = 60,
    seed: Annotated[int, typer.Option(help="Of every random choice.")] = 0,
    least_labelled: Annotated[
        float, typer.Option(min=0, max=1, help="Share of labelled pixels a block needs.")
    ] = 0.2,
    fill: Annotated[
        bool, typer.Option("--fill", help="Label unlabelled pixels of clear spectrum first.")
    ] = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="Audit the result; fail on errors.")
    ] = False,
) -> None:
    """Build questions of the 13 hyperspectral tasks, every answer by a rule."""
    from earthexam.cli.steps import step_bars
    from earthexam.questions.hyperspectral.build import BuildSettings, build_hyperspectral
    from earthexam.questions.hyperspectral.scenes import Screening

    pairs = _files(scene, labels, later, later_labels, classes, profile, variable, labels_variable)
    settings = BuildSettings(
        name=name or out.resolve().name,
        tile=tile,
        per_task=per_task,
        seed=seed,
        fill=fill,
        screening=Screening(least_labelled=least_labelled),
    )
    with step_bars() as progress:
        report = build_hyperspectral(pairs, out, settings, progress=progress)
    _tell(report)
    if audit:
        from earthexam.audit.report import audit_benchmark
        from earthexam.benchmark.store import Benchmark

        audit_benchmark(Benchmark.open(out)).raise_for_errors()


@app.command("verify")
def verify_command(
    benchmark: Annotated[Path, typer.Argument(help="Benchmark folder.")],
    sources: Annotated[
        Path | None, typer.Option(help="Folder with the source files; default: recorded paths.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print mismatches as JSON.")] = False,
) -> None:
    """Compute every rule-made answer again from the sources; exit 1 where one differs."""
    from earthexam.benchmark.store import Benchmark
    from earthexam.cli.steps import step_bars
    from earthexam.questions.hyperspectral.verify import verify_hyperspectral

    opened = Benchmark.open(benchmark)
    with step_bars() as progress:
        found = verify_hyperspectral(
            opened, sources, lambda done, total: progress("verifying", done, total)
        )
    if found or json:
        print_table([(one.id, one.problem) for one in found], ("id", "problem"), as_json=json)
    if found:
        items = len({one.id for one in found})
        message = f"{items} of {len(opened.items)} answers do not follow from the sources"
        raise CheckFailedError(message)
    say(f"all {len(opened.items)} answers follow from the sources")


def _files(
    scenes: list[Path],
    labels: list[Path],
    later: list[Path] | None,
    later_labels: list[Path] | None,
    classes: Path | None,
    profile: str | None,
    variable: str | None,
    labels_variable: str | None,
) -> "list[SceneFiles]":
    from earthexam.questions.hyperspectral.scenes import SceneFiles

    for option, given in (("labels", labels), ("later", later), ("later-labels", later_labels)):
        if given and len(given) != len(scenes):
            message = (
                f"{len(scenes)} scenes and {len(given)} --{option}; give one for each scene, in "
                "the same order"
            )
            raise InputError(message)
    if later_labels and not later:
        message = "--later-labels without --later; give the second date too"
        raise InputError(message)
    described = Path(profile) if profile and Path(profile).suffix else profile
    return [
        SceneFiles(
            scene=one,
            labels=labels[number],
            later=later[number] if later else None,
            later_labels=later_labels[number] if later_labels else None,
            classes=classes,
            profile=described,
            variable=variable,
            labels_variable=labels_variable,
        )
        for number, one in enumerate(scenes)
    ]


def _tell(report: "BuildReport") -> None:
    tasks = ", ".join(f"{task} {count}" for task, count in report.by_task.items())
    say(f"{report.items} items on {report.blocks} blocks in {report.out}: {tasks}")
    for one in report.dropped[:_FEWEST_SHOWN]:
        say(f"dropped {one.place}: {one.reason}")
    if len(report.dropped) > _FEWEST_SHOWN:
        say(f"… and {len(report.dropped) - _FEWEST_SHOWN} more (benchmark.json lists all)")
    unused = sum(one.clear - one.drawn for one in report.families)
    unclear = sum(one.unclear for one in report.families)
    say(f"{unclear} cases were unclear and {unused} clear ones are not used, by family in the log")
    for reason in sorted({one.reason for one in report.families if not one.drawn}):
        names = sorted({one.family for one in report.families if one.reason == reason})
        say(f"no item from {', '.join(names)}: {reason}")
