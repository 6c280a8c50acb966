"""`earthexam run`: put a benchmark to a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earthexam.cli.app import app, print_table, say
from earthexam.core.errors import CheckFailedError

if TYPE_CHECKING:
    from earthexam.answers.prompt import Style
    from earthexam.cli.progress import Display
    from earthexam.evaluate.protocol import Plan
    from earthexam.evaluate.run import RunResult, RunSettings
    from earthexam.models.profiles import Profile
    from earthexam.models.protocol import Model

_LISTED = 20

_MODELS_HELP = (
    "openai/NAME, vllm/NAME, gemini/NAME… (over HTTP), hf/FOLDER-OR-ID, python:MODULE:FUNCTION, "
    "replay/RUN or baseline/NAME"
)


@app.command("run")
def run_command(
    benchmark: Annotated[Path, typer.Argument(help="Benchmark folder.")],
    model: Annotated[str, typer.Option(help=_MODELS_HELP)],
    out: Annotated[Path, typer.Option(help="Run folder; an unfinished one is continued.")],
    views: Annotated[str, typer.Option(help="Views to ask, comma-separated.")] = "",
    tasks: Annotated[str, typer.Option(help="Task codes to ask, comma-separated.")] = "",
    limit: Annotated[int | None, typer.Option(help="Most items, from all tasks in turn.")] = None,
    sample_per_task: Annotated[int | None, typer.Option(help="Most items of each task.")] = None,
    epochs: Annotated[int, typer.Option(help="Times to ask each request.")] = 1,
    shuffle_options: Annotated[
        bool, typer.Option("--shuffle-options", help="Ask every rotation of the options.")
    ] = False,
    blind: Annotated[bool, typer.Option("--blind", help="Show no media.")] = False,
    swap_media: Annotated[
        bool, typer.Option("--swap-media", help="Show another item's media.")
    ] = False,
    style: Annotated[str, typer.Option(help="Prompt style.")] = "default",
    seed: Annotated[int, typer.Option(help="Of samples, swaps and baselines.")] = 0,
    base_url: Annotated[
        list[str] | None, typer.Option(help="Server address; repeat for servers side by side.")
    ] = None,
    profile: Annotated[Path | None, typer.Option(help="Own model profile (TOML).")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests under way.")] = 16,
    timeout: Annotated[float, typer.Option(help="Longest wait for a reply, seconds.")] = 300.0,
    patience: Annotated[
        float, typer.Option(help="Longest time on one request with all tries, seconds.")
    ] = 900.0,
    temperature: Annotated[float | None, typer.Option(help="Instead of the style's.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Instead of the style's.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder of a reply cache.")] = None,
    budget: Annotated[float | None, typer.Option(help="Stop before it costs more, USD.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")
    ] = False,
    dtype: Annotated[str, typer.Option(help="hf/: auto, bfloat16, float16, float32.")] = "auto",
    device_map: Annotated[str, typer.Option(help="hf/: auto, cpu, cuda:0…")] = "auto",
    batch_size: Annotated[int, typer.Option(min=1, help="hf/: items at a time.")] = 1,
    remote_code: Annotated[
        bool, typer.Option("--remote-code", help="hf/: let code from the model's folder run.")
    ] = False,
) -> None:
    """Put a benchmark to a model; what is missing or failed is asked, nothing is asked twice."""
    from earthexam.answers.prompt import load_style
    from earthexam.benchmark.store import Benchmark
    from earthexam.cli.opening import open_any_model
    from earthexam.cli.progress import Display
    from earthexam.evaluate.protocol import Plan, Selection
    from earthexam.evaluate.run import RunSettings, refuse_unpriced
    from earthexam.models.options import ModelOptions
    from earthexam.models.profiles import find_profile

    opened, asked_style = Benchmark.open(benchmark), load_style(style)
    selection = Selection(
        tasks=_split(tasks),
        views=_split(views),  # type: ignore[arg-type]  # Plan refuses a view that is none
        limit=limit,
        sample_per_task=sample_per_task,
        epochs=epochs,
        shuffle_options=shuffle_options,
        blind=blind,
        swap_media=swap_media,
        seed=seed,
    )
    plan, found = Plan(opened, selection), find_profile(model, profile)
    refuse_unpriced(found, budget)
    if dry_run:
        _print_estimate(plan, asked_style, found, model)
        return
    display = Display()
    options = ModelOptions(
        profile=found,
        base_urls=tuple(base_url or ()),
        concurrency=concurrency,
        timeout_s=timeout,
        patience_s=patience,
        temperature=temperature,
        max_tokens=max_tokens,
        remote_code=remote_code,
        dtype=dtype,
        device_map=device_map,
        batch_size=batch_size,
        on_wait=display.waits,
    )
    asked = open_any_model(model, options, opened, seed, cache)
    _run(plan, asked, out, asked_style, found, RunSettings(concurrency, budget), display)


def _run(
    plan: "Plan",
    model: "Model",
    out: Path,
    style: "Style",
    profile: "Profile",
    settings: "RunSettings",
    display: "Display",
) -> None:
    from earthexam.evaluate.run import run

    try:
        result = run(
            plan, model, out, style=style, profile=profile, settings=settings, progress=display
        )
    except KeyboardInterrupt:
        say(f"stopped; all replies so far are in {out}; the same command goes on")
        raise typer.Exit(130) from None
    _report(result, out)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _print_estimate(plan: "Plan", style: "Style", profile: "Profile", model: str) -> None:
    from earthexam.models.cost import estimate_all

    total = estimate_all((plan.request(key, style, profile) for key in plan), profile)
    money = (
        f"{total.most_usd:.2f} (prices of {profile.priced or 'an unknown day'})"
        if profile.has_price
        else "no price known; give one in --profile"
    )
    print_table(
        [
            ("model", model),
            ("profile", profile.name or "none fits"),
            ("protocol", plan.selection.protocol),
            ("views", ", ".join(plan.views) if not plan.selection.blind else "none"),
            ("items", str(len(plan.items))),
            ("requests", str(total.requests)),
            ("pictures", str(total.pictures)),
            ("input tokens, about", str(total.input_tokens)),
            ("output tokens, at most", str(total.most_output_tokens)),
            ("USD, at most", money),
        ],
        ("dry run", "nothing is asked"),
    )


def _report(result: "RunResult", out: Path) -> None:
    info, failed = result.info, result.failed
    replied = info.asked - len(failed) - sum(result.unsupported.values())
    say(
        f"{replied} replies in {out}, {info.input_tokens} + {info.output_tokens} "
        f"tokens, {info.usd:.4f} USD; next: earthexam score {out}"
    )
    if result.stopped:
        say(f"stopped early: {result.stopped}")
    for reason, count in list(result.unsupported.items())[:_LISTED]:
        say(f"unsupported: {count} requests: {reason}")
    for key, error in list(failed.items())[:_LISTED]:
        say(f"failed: {key.id} {key.view} epoch {key.epoch} order {key.order}: {error}")
    if failed or result.stopped:
        message = f"{len(failed)} requests failed; the same command asks them again"
        raise CheckFailedError(message if failed else result.stopped)
