"""A release in its official layouts becomes items; what cannot be read is listed with a reason."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import MissingFileError
from earthexam.core.item import Box, Chain, Choice, Golden, Item, References
from earthexam.exchange import IMPORTERS
from earthexam.exchange.importer import Imported
from earthexam.exchange.omniearth_folders import fold, place_of, tasks_at
from earthexam.exchange.omniearth_released import lead_months, numbers_of, right_options
from earthexam.published.spheres import sphere_tasks
from omniearth_release import ENSO, PALMS, write_release, write_shards


def take(source: Path, out: Path, **options: bool) -> tuple[Imported, Benchmark]:
    imported = IMPORTERS.get("omniearth")(source, out, **options)
    return imported, Benchmark.open(out)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("release")
    write_release(root)
    return root


@pytest.fixture(scope="module")
def items(release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Item]:
    out = tmp_path_factory.mktemp("out")
    _, choice = take(release, out / "choice")
    _, spoken = take(release / "jsons_open", out / "open")
    return choice.by_id | spoken.by_id


def test_every_format_of_the_release_arrives(items: dict[str, Item]) -> None:
    formats = [item.format for item in items.values()]
    counts = {name: formats.count(name) for name in sorted(set(formats))}
    assert counts == {
        "caption": 2,
        "chain_of_thought": 2,
        "grounding": 3,
        "multiple_choice": 2,
        "open": 8,
        "single_choice": 15,
    }


def test_printed_letters_leave_the_options_and_the_key_becomes_an_index(
    items: dict[str, Item],
) -> None:
    item = items["cross-flood-predicting-0000"]
    assert item.options == ("Flooding will not occur", "Flooding will occur", "Unable to decide")
    assert item.answer == Choice((1,))
    assert item.levels[0] == "Cross-sphere"


def test_a_set_key_keeps_all_its_letters(items: dict[str, Item]) -> None:
    assert items["ocean-marine-pollution-type-classification-0000"].answer == Choice((0, 2, 3))
    assert items["ocean-marine-pollution-type-classification-0001"].answer == Choice((1,))


def test_the_abstaining_option_is_known_wherever_it_stands(items: dict[str, Item]) -> None:
    assert items["cross-flood-predicting-0000"].meta["unable"] == 2
    assert items["ocean-enso-forecast-0000"].meta["unable"] == 5
    assert items["human-disaster-prediction-0000"].meta["unable"] == 7
    assert items["lithosphere-earthquake-or-noise-classification-0000"].meta["unable"] == 0
    assert "unable" not in items["lithosphere-earthquake-or-noise-classification-0001"].meta


def test_several_pictures_keep_their_order(items: dict[str, Item], release: Path) -> None:
    shown = items["cross-flood-predicting-0002"].media
    expected = [
        hashlib.sha256((release / f"raw/t/{n}.png").read_bytes()).hexdigest() for n in (3, 1, 2)
    ]
    assert [media.sha256 for media in shown] == expected


def test_ids_that_are_no_numbers_or_repeat_are_counted_anew(items: dict[str, Item]) -> None:
    assert {"human-disaster-prediction-0000", "human-disaster-prediction-0001"} <= set(items)
    repeated = [name for name in items if name.startswith("lithosphere-earthquake-or-noise")]
    assert [name[-4:] for name in sorted(repeated)] == ["0000", "0001"]


def test_a_box_is_in_pixels_of_its_picture(items: dict[str, Item]) -> None:
    item = items["ocean-eddy-localization-0000"]
    assert item.answer == Box((228.0, 168.0, 299.0, 242.0))
    assert (item.media[0].width, item.media[0].height) == (333, 266)


def test_a_chain_record_becomes_a_chain_and_its_choice_twin(items: dict[str, Item]) -> None:
    chain = items["human-individual-building-damage-assessment-cot-0000"]
    twin = items["human-individual-building-damage-assessment-0000"]
    assert chain.answer == Chain(
        (2,),
        (
            "The marked roof is gone.",
            "The walls still stand.",
            "So the damage is major.",
        ),
    )
    assert chain.meta["reference_captions"] == ["It is a photo of a street."]
    assert twin.answer == Choice((2,))
    assert chain.group == twin.group


def test_open_answers_become_values_and_closed_label_sets(items: dict[str, Item]) -> None:
    def golden(name: str) -> Golden:
        answer = items[name].answer
        assert isinstance(answer, Golden)
        return answer

    assert golden("biosphere-dead-oil-palm-counting-open-0000").value == 3
    assert items["biosphere-dead-oil-palm-counting-open-0000"].question_type == "count"
    assert golden("biosphere-fractional-vegetation-cover-estimation-open-0000").value == [0.25, 0.5]
    assert golden("cryosphere-sit-trend-prediction-open-0000").unit == "m"
    assert golden("cross-flood-predicting-open-0000").value is True
    assert items["ocean-enso-forecast-open-0001"].meta["labels"] == ["Neutral", "Strong warm"]


def test_captions_and_forecast_leads_are_kept(items: dict[str, Item]) -> None:
    caption = items["atmosphere-storm-caption-0000"].answer
    assert isinstance(caption, References)
    assert caption.references[0].startswith("# Storm\n")
    leads = [items[f"ocean-enso-forecast-{n:04d}"].meta["lead_months"] for n in range(4)]
    assert leads == [1, 3, 3, 12]


def test_a_lead_is_read_from_the_question_or_not_at_all() -> None:
    assert [
        lead_months("State at a lead time of 6 months?"),
        lead_months("Give the 12-month ahead state."),
        lead_months("State of the past 24 months?"),
    ] == [6, 12, None]


def test_unreadable_records_are_listed_and_the_share_is_said(tmp_path: Path) -> None:
    write_release(tmp_path / "release", with_unreadable=True)
    imported, benchmark = take(tmp_path / "release", tmp_path / "bench")
    assert imported.n == 24
    assert imported.warnings[0] == "75.00% of the questions taken; 8 left out:"
    reasons = [entry["reason"] for entry in benchmark.info.built["left_out"]]
    for part in (
        "the key 'F' names no letters of 'ABCDE'",
        "the key 'AB' of a single choice names 2 options",
        "the picture raw/lost.png is missing",
        "leads out of the folder",
        "option letters 'BAC'; expected 'ABC'",
        "the question type 'Essay' is unknown",
        "'Text' is ' '; expected text",
        "has no area",
    ):
        assert sum(part in reason for reason in reasons) == 1, part
    assert benchmark.info.built["share_taken"] == 0.75


def test_missing_pictures_are_allowed_when_asked(tmp_path: Path) -> None:
    write_release(tmp_path / "release", with_unreadable=True)
    imported, benchmark = take(tmp_path / "release", tmp_path / "bench", without_media=True)
    assert imported.n == 25
    assert imported.missing == ("raw/lost.png",)
    assert benchmark.by_id["biosphere-dead-oil-palm-counting-0012"].media[0].sha256 == ""


def test_shards_give_the_same_questions_as_the_tree_they_were_made_from(
    tmp_path: Path, items: dict[str, Item]
) -> None:
    write_shards(tmp_path / "prepared")
    _, benchmark = take(tmp_path / "prepared", tmp_path / "bench")
    for item in benchmark.items:
        twin = items[item.id]
        assert (item.question, item.options, item.format) == (
            twin.question,
            twin.options,
            twin.format,
        )
        assert item.answer == twin.answer
        assert len(item.media) == len(twin.media)
    assert len(benchmark.items) == 22


def test_shards_beside_their_tree_are_not_read_twice(tmp_path: Path) -> None:
    write_release(tmp_path / "release")
    write_shards(tmp_path / "release")
    imported, _ = take(tmp_path / "release", tmp_path / "bench")
    assert imported.n == 24
    assert [line.split(" puts")[0].rpartition("/")[2] for line in imported.warnings] == [
        "jsons_open",
        "mcq_shards",
        "vg_shards",
        "cot_shards",
    ]


def test_one_tree_alone_may_be_given(tmp_path: Path) -> None:
    write_release(tmp_path / "release")
    imported, benchmark = take(tmp_path / "release" / "jsons_open", tmp_path / "bench")
    assert imported.n == 8
    assert {item.format for item in benchmark.items} == {"open"}


def test_a_file_of_json_lines_or_no_json_is_read_or_listed(tmp_path: Path) -> None:
    write_release(tmp_path / "release")
    lines = tmp_path / "release" / "jsons_open" / f"{PALMS}.json"
    records = json.loads(lines.read_text())
    lines.write_text("\n".join(json.dumps(record) for record in records))
    (tmp_path / "release" / "jsons_open" / f"{ENSO}.json").write_bytes(b"\xff\xfe\x00")
    imported, _ = take(tmp_path / "release" / "jsons_open", tmp_path / "bench")
    assert imported.n == 6
    assert "no UTF-8 text" in imported.warnings[1]


def test_a_folder_without_questions_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="expected one of jsons, jsons_open"):
        take(tmp_path, tmp_path / "bench")


def test_all_pictures_missing_is_an_error(tmp_path: Path) -> None:
    write_release(tmp_path / "release")
    shutil.rmtree(tmp_path / "release" / "raw")
    shutil.rmtree(tmp_path / "release" / "caption_data")
    with pytest.raises(MissingFileError, match="no record could be read"):
        take(tmp_path / "release", tmp_path / "bench")


def test_all_103_released_folders_lead_to_their_task() -> None:
    for task in sphere_tasks():
        if task.folder:
            place = place_of(task.folder.split("/"))
            assert place is not None
            assert task in tasks_at(place)


def test_level_names_and_typing_slips_lead_to_the_task() -> None:
    assert fold("Dissaster_prediction") == "disaster prediction"
    place = place_of(
        ("Human-activities sphere", "Anything", "CoT", "Visual groudning of land types")
    )
    assert place is not None
    assert [task.code for task in tasks_at(place)] == ["human-visual-grounding-of-land-types"]
    ambiguous = place_of(("Atmosphere", "Some events", "Perception", "Event localization"))
    assert ambiguous is not None
    assert tasks_at(ambiguous) == ()


def test_keys_and_numbers_are_read_in_their_odd_forms() -> None:
    assert right_options("A, C and D", 5) == (0, 2, 3)
    assert right_options("(B)", 2) == (1,)
    assert numbers_of(["t/03", "t/4"]) == [3, 4]
    assert numbers_of(["t/1", "t/one"]) == [0, 1]
