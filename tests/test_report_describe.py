"""A benchmark's statistics are counted as papers print them."""

from pathlib import Path

import pytest

from earthexam.report.describe import Description, describe, description_rows
from omniearth_run import imported


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Description:
    return describe(imported(tmp_path_factory.mktemp("describe")))


def test_items_are_counted_by_level_and_format(made: Description) -> None:
    assert (made.items, made.tasks) == (24, 11)
    assert list(made.by_level) == ["sphere", "scenario", "ability", "task"]
    assert made.by_level["sphere"]["Cross-sphere"] == 3
    assert made.by_format == {
        "single_choice": 15,
        "multiple_choice": 2,
        "grounding": 3,
        "chain_of_thought": 2,
        "caption": 2,
    }


def test_choice_is_split_by_pictures_and_options(made: Description) -> None:
    assert made.choice_by_pictures == {"one": 16, "several": 1}
    assert made.choice_by_options == {2: 1, 3: 4, 5: 6, 6: 4, 8: 2}


def test_steps_questions_and_captions_are_measured_in_words(made: Description) -> None:
    # Three key steps a chain, of 5, 4 and 5 words.
    assert (made.key_steps, made.steps_per_chain) == (6, 3)
    assert made.step_words.mean == pytest.approx(14 / 3)
    assert made.step_words.longest == 5
    assert made.chain_questions.longest == 6
    assert made.questions.longest == 10
    # "# Storm A broad storm turns over the sea. Rain falls on the coast." and eleven words.
    assert made.caption_words.mean == 12.5
    assert made.caption_sentences == 1.5


def test_rows_leave_out_what_is_not_there(tmp_path: Path) -> None:
    rows = description_rows(describe(imported(tmp_path, "jsons_open")))
    what = {row[0] for row in rows}
    assert "question words" in what
    assert not what & {"key steps", "caption words", "caption sentences", "choice, pictures"}
