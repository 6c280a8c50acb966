"""The documentation holds: its commands parse, its links lead somewhere, its files load."""

import importlib
import pkgutil
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

import earthexam.cli
from earthexam.cli.app import app
from earthexam.models.profiles import find_profile

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "benchmarks/RESULTS.md"])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"(?:^|\bdo )earthexam ([^;&|\n]+)", re.MULTILINE)


def read(page):
    return page.read_text(encoding="utf-8")


def fences(language):
    return [
        (page, body)
        for page in PAGES
        for name, body in FENCE.findall(read(page))
        if name in language
    ]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


FULL = [
    pytest.param(found, id=f"{name_of(page)}: {found[:50]}")
    for page, body in fences({"", "bash", "console"})
    for found in COMMAND.findall(body)
]
MENTIONS = [
    pytest.param(found, id=f"{name_of(page)}: {found[:50]}")
    for page in PAGES
    for found in re.findall(r"`earthexam ([a-z-][^`]*)`", FENCE.sub("", read(page)))
]


@pytest.fixture(scope="module")
def root():
    for module in pkgutil.iter_modules(earthexam.cli.__path__):
        importlib.import_module(f"earthexam.cli.{module.name}")
    return get_command(app)


def leaf_of(command, words):
    """Follow words down to a command; give it and the words that are left."""
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("line", FULL)
def test_a_command_line_in_a_block_parses_as_it_stands(root, line):
    command, words = leaf_of(root, shlex.split(line, comments=True))
    command.make_context("earthexam", words)


@pytest.mark.parametrize("line", MENTIONS)
def test_a_command_that_is_mentioned_exists_with_its_options(root, line):
    command, words = leaf_of(root, shlex.split(line))
    known = {flag for option in command.params for flag in option.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_the_commands_of_the_first_screen_are_found():
    assert len(FULL) > 20
    assert len(MENTIONS) > 20


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_resolve(page):
    text = FENCE.sub("", read(page))
    targets = [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'src="([^"]+)"', text)]
    for target in targets:
        if not re.match(r"https?://", target):
            path, _, anchor = target.partition("#")
            other = (page.parent / path).resolve() if path else page
            assert other.exists(), target
            assert not anchor or anchor in anchors(other), target


def anchors(page):
    """The names that headings get: lower case, words joined by hyphens."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("target", re.findall(r"`make (\w+)", "".join(map(read, PAGES))))
def test_a_make_target_that_is_mentioned_exists(target):
    assert re.search(rf"^{target}:", read(ROOT / "Makefile"), re.MULTILINE)


@pytest.mark.parametrize(("page", "body"), fences({"toml"}), ids=lambda part: str(part)[-20:])
def test_a_profile_that_is_shown_is_one(page, body, tmp_path):
    path = tmp_path / "shown.toml"
    path.write_text(body, encoding="utf-8")
    assert find_profile("vllm/my-model", path).family == tomllib.loads(body)["family"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_page_is_reached_from_the_readme(page):
    start = ROOT / "README.md"
    linked = {
        (start.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)\)", read(start))
    }
    assert page == start or page in linked


def test_the_picture_of_the_report_is_small():
    assert (ROOT / "docs" / "report.png").stat().st_size < 400_000
