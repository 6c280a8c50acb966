"""Help comes at once and says something about everything."""

import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
import typer

from earthexam.cli import main
from earthexam.cli.app import app

HEAVY = (
    "numpy", "scipy", "polars", "pyarrow", "matplotlib", "aiohttp", "sklearn", "skimage", "PIL",
    "jinja2", "rasterio", "h5py", "netCDF4", "spectral", "torch", "rich",
)  # fmt: skip
PROGRAM = """
import json, sys
sys.argv = ["earthexam", *{words!r}]
from earthexam.cli import main
try:
    main()
except SystemExit as end:
    code = end.code or 0
print(json.dumps([code, sorted(name.split(".")[0] for name in sys.modules)]))
"""


@pytest.mark.parametrize("words", [["--help"], ["build", "hyperspectral", "--help"], ["--version"]])
def test_help_loads_no_heavy_library(words):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(words=words)],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert sorted(set(HEAVY) & set(modules)) == []


def commands(group: click.Command, path: str = "earthexam") -> Iterator[tuple[str, click.Command]]:
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{path} {name}")


@pytest.fixture(scope="module")
def tree() -> dict[str, click.Command]:
    """Every command by its words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["earthexam", "--version"])
        with pytest.raises(SystemExit):
            main()
    return dict(commands(typer.main.get_command(app)))


def test_all_commands_are_there(tree):
    wanted = {
        "build hyperspectral", "verify", "check", "run", "score", "report", "read", "demo",
        "import", "compare", "probe",
    }  # fmt: skip
    assert {f"earthexam {name}" for name in wanted} <= set(tree)


def test_every_command_and_every_parameter_has_help(tree):
    silent = [path for path, command in tree.items() if not command.help]
    silent += [
        f"{path} {parameter.name}"
        for path, command in tree.items()
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "help", None)
    ]
    assert silent == []
