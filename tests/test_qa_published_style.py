"""The prompt style of OmniEarth-Bench: token limits by format, as in the paper."""

from pathlib import Path

import pytest

from earthexam.answers.prompt import build_prompt, load_style, style_names
from earthexam.benchmark.store import redacted
from earthexam.core.errors import FormatError
from omniearth_run import imported


def test_the_omniearth_style_limits_replies_by_format(tmp_path: Path) -> None:
    style = load_style("omniearth")
    limits = {
        item.format: build_prompt(item, None, style).max_tokens
        for tree in ("", "jsons_open")
        for item in imported(tmp_path, tree).items
    }
    assert limits == {
        "single_choice": 64,
        "multiple_choice": 64,
        "grounding": 64,
        "open": 2048,
        "caption": 2048,
        "chain_of_thought": 8192,
    }
    assert style.temperature == 0.0


@pytest.mark.parametrize("name", style_names())
def test_every_shipped_style_words_every_format(tmp_path: Path, name: str) -> None:
    style = load_style(name)
    for item in imported(tmp_path).items:
        assert build_prompt(redacted(item), None, style).max_tokens == style.limit(item.format)


@pytest.mark.parametrize("line", ["open = 0", "open = true", 'open = "64"', "essay = 64"])
def test_a_limit_that_makes_no_sense_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"[tokens]\n{line}\n")
    with pytest.raises(FormatError, match="expected a number from 1 on"):
        load_style(path)
