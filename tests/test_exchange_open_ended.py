"""Choice questions become open-ended twins by what their options are; the rest is listed."""

from pathlib import Path

import pytest

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Choice, Golden, Item
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.scoring import score_run
from earthexam.evaluate.twins import compare_twins
from earthexam.exchange.open_ended import NotTurned, turn_item, turn_open_ended
from earthexam.published.spheres import OpenType
from factories import make_item
from omniearth_run import CHOICE, OTHER, asked, imported

LABELS = ("Fire", "Flood", "Wind")


def turned(open_type: OpenType, **changes: object) -> Item:
    made = turn_item(make_item(**changes), open_type, LABELS)
    assert isinstance(made, Item)
    return made


def golden(item: Item) -> Golden:
    assert isinstance(item.answer, Golden)
    return item.answer


def test_a_small_label_set_is_dropped_and_kept_for_the_rules() -> None:
    item = turned("small_label_set", question="What happened?", options=LABELS)
    assert item.question == "What happened?"
    assert item.options == ()
    assert golden(item) == Golden("Flood", "label")
    assert item.meta["labels"] == list(LABELS)


def test_a_large_label_set_is_listed_in_the_question() -> None:
    item = turned("large_label_set", question="Which direction?", options=LABELS)
    assert item.question == "Which direction? Answer with one of: Fire; Flood; Wind."


def test_too_large_a_set_lists_the_options_of_the_item_without_abstaining() -> None:
    many = tuple(f"Species {n}" for n in range(50))
    parent = make_item(question="Which species?", options=(*many[:3], "Unable to decide"))
    item = turn_item(parent, "large_label_set", many)
    assert isinstance(item, Item)
    assert item.question.endswith("Answer with one of: Species 0; Species 1; Species 2.")
    assert "labels" not in item.meta


def test_a_value_is_asked_for_with_its_unit_and_gets_a_tolerance() -> None:
    item = turned("exact_regression", question="How low?", options=("990 hPa", "980 hPa"))
    assert item.question == "How low? Give one number, in hPa."
    assert golden(item) == Golden("980 hPa", "number", 980.0, "hPa", 49.0)


def test_a_range_is_asked_for_in_a_stated_form() -> None:
    item = turned("interval_regression", question="How much?", options=("0-0.25", "0.25-0.5"))
    assert item.question == "How much? Give a range, the lower number first, as 2-5."
    assert golden(item).value == [0.25, 0.5]


def test_small_counts_keep_the_rule_of_counts() -> None:
    item = turned("exact_regression", question_type="count", options=("3", "4"))
    assert golden(item) == Golden("4", "number", 4.0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"question": "Which of these is seen?"}, "the question points at its options"),
        ({"question": "Is the statement in option B true?"}, "the question points at its options"),
        ({"options": ("Fire", "None of the above")}, "an option points at other options"),
        ({"options": ("Fire", "Unable to decide")}, "the right option abstains"),
        ({"answer": Choice((0, 1))}, "2 right options have no single golden answer"),
    ],
)
def test_what_cannot_be_turned_says_why(changes: dict[str, object], reason: str) -> None:
    item = make_item(**changes)
    assert turn_item(item, "small_label_set", LABELS) == NotTurned(item.id, reason)


def test_a_whole_benchmark_turns_and_keeps_media_parents_and_the_list(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    made = turn_open_ended(benchmark, tmp_path / "open")
    twin_benchmark = Benchmark.open(made.root)
    assert (made.n, made.other) == (16, 7)
    # Of 17 choice questions only one has several right options; none abstains or points.
    assert made.not_turned == (
        NotTurned(
            "ocean-marine-pollution-type-classification-0000",
            "3 right options have no single golden answer",
        ),
    )
    twin = twin_benchmark.by_id["ocean-enso-forecast-0001-open"]
    assert twin.meta["parent"] == "ocean-enso-forecast-0001"
    assert twin.meta["review"] == "unreviewed"
    assert twin.meta["lead_months"] == 3
    assert twin.media[0].sha256 == benchmark.by_id["ocean-enso-forecast-0001"].media[0].sha256
    assert twin_benchmark.path(twin.media[0]).is_file()
    assert twin_benchmark.info.built["parent"] == "omniearth"
    assert len(twin_benchmark.info.built["not_turned"]) == len(made.not_turned)


def test_a_benchmark_without_choice_questions_cannot_be_turned(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no choice question"):
        turn_open_ended(imported(tmp_path, "jsons_open"), tmp_path / "open")


def test_twins_are_compared_pair_by_pair(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    turn_open_ended(benchmark, tmp_path / "open")
    spoken = Benchmark.open(tmp_path / "open")
    first = asked(benchmark, CHOICE | OTHER, tmp_path / "choice-run")
    said = {
        "biosphere-dead-oil-palm-counting-0000-open": "3",
        "biosphere-dead-oil-palm-counting-0001-open": "5",
        "ocean-enso-forecast-0000-open": "Strong warm",
        "ocean-enso-forecast-0001-open": "something warm, perhaps",
    }
    second = asked(spoken, said, tmp_path / "open-run")
    for run, bench in ((first, benchmark), (second, spoken)):
        record_scores(run, score_run(run, bench))
    rows = {row.task: row for row in compare_twins((first, benchmark), (second, spoken))}
    palms = rows["biosphere-dead-oil-palm-counting"]
    assert (palms.n, palms.choice, palms.chance) == (2, 0.5, 0.2)
    assert (palms.open_mean, palms.open_strict) == (0.75, 0.5)
    enso = rows["ocean-enso-forecast"]
    assert (enso.n, enso.choice, enso.open_mean, enso.unjudged) == (4, 0.5, 0.25, 0.25)
    assert rows[""].n == 16
    with pytest.raises(InputError, match="share no question"):
        compare_twins((first, benchmark), (first, benchmark))
