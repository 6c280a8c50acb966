"""The sphere and format tables of a report hold the hand-worked numbers of the miniature release."""

from pathlib import Path

import pytest

from earthexam.evaluate import captions
from earthexam.evaluate.error_labels import set_label
from earthexam.evaluate.formats import finish_scores, read_formats, record_formats
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.scoring import score_run
from earthexam.models.protocol import Key
from earthexam.report.collect import Report, collect_report
from earthexam.report.formats import formats_markdown
from earthexam.report.spheres import spheres_markdown
from omniearth_run import CHOICE, OPEN, OTHER, asked, imported


def scored_report(folder: Path, tree: str, replies: dict[str, str]) -> Report:
    benchmark = imported(folder, tree)
    run = asked(benchmark, replies, folder / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(captions, "_meteor", lambda *_: None)
        rows, results = finish_scores(run, benchmark, score_run(run, benchmark))
    record_formats(run, results)
    record_scores(run, rows)
    return collect_report([run.root])


@pytest.fixture(scope="module")
def choice(tmp_path_factory: pytest.TempPathFactory) -> Report:
    report = scored_report(tmp_path_factory.mktemp("choice"), "", CHOICE | OTHER)
    set_label(report.runs[0], Key("ocean-enso-forecast-0003", "image"), "number")
    return report


def test_spheres_stand_beside_published_ones_with_their_contradictions(choice: Report) -> None:
    text = spheres_markdown(choice)
    assert (
        "| replayed | – | 50.00 | 33.33 | – | 50.00 | 50.00 | 50.00 | 46.67 | 47.62 | 47.06 |"
        in text
    )
    assert "| GPT-4o (published) | 9.64 | 1.97 | 0.04 | 37.48 |" in text
    assert "- Table 4: Human-activity sphere and Atmosphere match neither" in text
    assert "Scientific-Knowledge Reasoning" in text


def test_abstaining_leads_and_error_categories_have_tables(choice: Report) -> None:
    text = spheres_markdown(choice)
    assert "| replayed | 17 | 47.06 | 23.53 | 5.88 | 0.00 | 66.67 |" in text
    assert "| replayed | ocean-enso-forecast | 3 | 2 | 50.00 | 16.67 |" in text
    assert "| number | 1 |" in text
    assert (
        "| replayed | cross-flood-predicting | 3 | 33.33 | 33.33 | 33.33 | 0.00 | 100.00 |" in text
    )


def test_boxes_captions_and_chains_have_tables(choice: Report) -> None:
    text = formats_markdown(choice)
    eddy = (
        "| ocean-eddy-localization | 2 | 75.00 | 100.00 | 100.00 | 100.00 | 50.00 | 50.00 | 0.00 |"
    )
    assert eddy in text
    assert "| replayed | all | 2 | – | – | – | – | 4 of 4 | 0.00 | 50.00 |" in text
    assert "## Captions" in text


def test_open_answers_have_a_mean_and_a_strict_share(tmp_path: Path) -> None:
    report = scored_report(tmp_path, "jsons_open", OPEN)
    assert "| replayed | 8 | 56.25 | 50.00 | 2 | 0 | – | – | – |" in formats_markdown(report)
    spheres = spheres_markdown(report)
    assert "## Spheres, open-ended questions" in spheres
    assert "| Gemini-2.0 (published) | 38.10 |" in spheres


def test_results_of_formats_come_back_as_written(choice: Report) -> None:
    kept = read_formats(choice.runs[0])
    assert kept is not None
    assert dict(kept.boxes["ocean-eddy-localization"].accuracy)[0.7] == 0.5
    assert kept.chains[""].recall != kept.chains[""].recall  # NaN
