"""`earthexam probe`: whether a model sees pictures in order, and how it counts coordinates."""

from pathlib import Path
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table


@app.command("probe")
def probe_command(
    model: Annotated[str, typer.Argument(help="A model as for run --model.")],
    base_url: Annotated[list[str] | None, typer.Option(help="Server address.")] = None,
    profile: Annotated[Path | None, typer.Option(help="Own model profile (TOML).")] = None,
    style: Annotated[str, typer.Option(help="Prompt style.")] = "default",
    remote_code: Annotated[
        bool, typer.Option("--remote-code", help="hf/: let code from the model's folder run.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Send plain pictures and say whether order and coordinate convention hold; exit 1 if not."""
    import asyncio

    from earthexam.answers.prompt import load_style
    from earthexam.core.errors import CheckFailedError
    from earthexam.models.opening import open_model
    from earthexam.models.options import ModelOptions
    from earthexam.models.probe import BoxFinding, OrderFinding, probe_box, probe_order
    from earthexam.models.profiles import find_profile

    found = find_profile(model, profile)
    options = ModelOptions(
        profile=found, base_urls=tuple(base_url or ()), remote_code=remote_code, patience_s=120.0
    )
    opened, words = open_model(model, options), load_style(style)

    async def ask() -> tuple[OrderFinding, BoxFinding]:
        try:
            return (
                await probe_order(opened, words, found),
                await probe_box(opened, words, found),
            )
        finally:
            await opened.close()

    order, box = asyncio.run(ask())
    best = " ".join(box.overlaps[0][:2]) if box.overlaps else "no box read"
    print_table(
        [
            ("picture order", _word(order.holds), " | ".join(order.replies)[:80]),
            (
                f"boxes as {' '.join(box.declared)}",
                _word(box.holds),
                f"overlap {box.overlap:.2f}, best fit: {best}; {box.reply[:80]}",
            ),
        ],
        ("probe", "result", "detail"),
        as_json=as_json,
    )
    if not (order.holds and box.holds):
        message = f"{model}: what its profile declares does not hold; correct it in --profile"
        raise CheckFailedError(message)


def _word(holds: bool) -> str:
    return "holds" if holds else "fails"
