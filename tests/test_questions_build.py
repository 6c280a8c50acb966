"""A benchmark built end to end from a synthetic scene: the same again, verified, without a tell."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from PIL import Image

from earthexam.benchmark.checks import check_folder
from earthexam.benchmark.store import ITEMS_FILE, Benchmark, redacted
from earthexam.core.errors import FormatError, InputError, MissingFileError
from earthexam.core.item import Choice, Item, normalise_text
from earthexam.published.tables import load_taxonomy
from earthexam.questions.family import Asked, overlap, parse_region
from earthexam.questions.hyperspectral.build import (
    SHEET_FILE,
    BuildWarning,
    build_hyperspectral,
)
from earthexam.questions.hyperspectral.families import all_families
from earthexam.questions.hyperspectral.scenes import LabelledScene, SceneFiles, open_scenes
from earthexam.questions.hyperspectral.verify import verify_hyperspectral
from synthetic_scene import SETTINGS, SIMULATED, TILE, BuiltScene, make_scene

CODES = [task.code for task in load_taxonomy("hm-bench")]


@pytest.fixture(scope="module")
def items(meadow: BuiltScene) -> tuple[Item, ...]:
    return meadow.benchmark.items


@pytest.fixture(scope="module")
def scene(meadow: BuiltScene) -> LabelledScene:
    return LabelledScene(meadow.scene.files, tile=TILE)


def key_text(item: Item) -> str:
    assert isinstance(item.answer, Choice)
    return item.options[item.answer.indices[0]]


def sources_of(meadow: BuiltScene) -> Path:
    return meadow.scene.files.scene.parent


def moved(files: SceneFiles, folder: Path) -> SceneFiles:
    """The same files, copied into another folder."""
    copytree(files.scene.parent, folder)
    paths = {
        name: folder / getattr(files, name).name
        for name in ("scene", "labels", "later", "later_labels", "classes")
    }
    return replace(files, **paths)


def test_every_task_has_items_and_the_report_counts_them(meadow, items):
    counts = Counter(item.task for item in items)
    assert meadow.report.by_task == {code: counts[code] for code in CODES}
    assert min(counts.values()) >= 4
    assert max(counts.values()) <= SETTINGS.per_task
    assert meadow.report.items == len(items) == meadow.benchmark.info.counts["items"]
    assert [item.task for item in items] == sorted((i.task for i in items), key=CODES.index)


def test_a_built_benchmark_passes_its_own_checks(meadow):
    assert check_folder(meadow.benchmark.root) == ()


def test_two_builds_give_the_same_bytes_from_and_in_other_folders(meadow, tmp_path):
    files = moved(meadow.scene.files, tmp_path / "elsewhere")
    build_hyperspectral([files], tmp_path / "again", SETTINGS)
    one, two = meadow.benchmark.root, tmp_path / "again"
    assert (one / ITEMS_FILE).read_bytes() == (two / ITEMS_FILE).read_bytes()
    names = sorted(path.name for path in (one / "media").iterdir())
    assert names == sorted(path.name for path in (two / "media").iterdir())
    for name in names:
        assert (one / "media" / name).read_bytes() == (two / "media" / name).read_bytes()
    for name in (SHEET_FILE, "README.md"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_every_answer_follows_from_the_sources_wherever_they_lie(meadow, tmp_path):
    told = []
    found = verify_hyperspectral(meadow.benchmark, None, lambda done, of: told.append((done, of)))
    assert found == []
    assert told[-1] == (len(meadow.benchmark.items),) * 2
    copytree(sources_of(meadow), tmp_path / "copy")
    assert verify_hyperspectral(meadow.benchmark, tmp_path / "copy") == []


def other_key(item: Item) -> Item:
    assert isinstance(item.answer, Choice)
    return replace(item, answer=Choice(((item.answer.indices[0] + 1) % len(item.options),)))


def other_evidence(item: Item) -> Item:
    assert item.provenance is not None
    evidence = {**item.provenance.evidence, "extra": 1}
    return replace(item, provenance=replace(item.provenance, evidence=evidence))


def true_option_twice(item: Item) -> Item:
    """Put another pixel's place into the options: what is not refuted must not stand there."""
    options = [o for o in item.options if o != key_text(item)]
    return replace(item, options=(key_text(item), "something else", *options), answer=Choice((0,)))


def other_question(item: Item) -> Item:
    return replace(item, question=f"{item.question} Really?")


def other_rule(item: Item) -> Item:
    assert item.provenance is not None
    return replace(item, provenance=replace(item.provenance, rule="lcc.unheard_of"))


def other_block(item: Item) -> Item:
    return replace(item, group="meadow/block-999")


def no_parameters(item: Item) -> Item:
    assert item.provenance is not None
    return replace(item, provenance=replace(item.provenance, parameters={}))


def wild_pixel(item: Item) -> Item:
    assert item.provenance is not None
    rule = all_families().by_name[item.provenance.rule]
    parameters = {**item.provenance.parameters, "row": 999}
    return replace(
        item,
        question=rule.wordings[0].format(**parameters),
        provenance=replace(item.provenance, parameters=parameters),
    )


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (other_key, "the stored answer is"),
        (other_evidence, "the evidence is"),
        (true_option_twice, "are not certainly wrong"),
        (other_question, "does not ask lcc.class_at_pixel as recorded"),
        (other_rule, "'lcc.unheard_of' is not known"),
        (other_block, "no block 'meadow/block-999'"),
        (no_parameters, "does not ask"),
        (wild_pixel, "do not fit the source"),
    ],
)
def test_an_item_that_was_tampered_with_is_found_and_named(
    meadow, tamper: Callable[[Item], Item], said
):
    bench = meadow.benchmark
    number = next(
        n for n, item in enumerate(bench.items) if item.meta["family"] == "lcc.class_at_pixel"
    )
    changed = list(bench.items[number : number + 1]) + list(bench.items[:3])
    changed[0] = tamper(changed[0])
    found = verify_hyperspectral(Benchmark(bench.root, bench.info, tuple(changed)))
    assert {one.id for one in found} == {changed[0].id}
    assert said in found[0].problem


def test_other_sources_are_refused_by_name(meadow, tmp_path):
    copytree(sources_of(meadow), tmp_path / "copy")
    labels = np.load(tmp_path / "copy" / "labels.npy")
    labels[40, 40] = 1 + labels[40, 40] % 6
    np.save(tmp_path / "copy" / "labels.npy", labels)
    with pytest.raises(InputError, match=r"labels\.npy has the hash .* give the same file"):
        verify_hyperspectral(meadow.benchmark, tmp_path / "copy")
    (tmp_path / "copy" / "later.npy").unlink()
    with pytest.raises(MissingFileError, match=r"later\.npy does not exist.*--sources"):
        verify_hyperspectral(meadow.benchmark, tmp_path / "copy")


def test_only_what_was_built_from_scenes_by_this_version_can_be_verified(meadow):
    info = meadow.benchmark.info
    for change, said in (
        ({"builder": "omniearth"}, "was not made by `earthexam build hyperspectral`"),
        ({"builder_version": "0"}, "built by builder version '0'"),
    ):
        other = info.model_copy(update={"built": {**info.built, **change}})
        with pytest.raises(InputError, match=said):
            verify_hyperspectral(Benchmark(meadow.benchmark.root, other, ()))


def test_options_differ_and_exactly_one_is_true(items, scene):
    blocks = {block.place: block for block in scene.blocks()}
    for item in items:
        assert len({normalise_text(option) for option in item.options}) == len(item.options) >= 2
        judged = all_families().by_name[item.provenance.rule].judge(
            blocks[item.group], Asked(item.provenance.parameters)
        )  # fmt: skip
        assert [option for option in item.options if not judged.refutes(option)] == [key_text(item)]
        assert judged.clear


def test_no_question_is_asked_twice_and_no_fact_of_a_block_either(items, scene):
    asked = [(i.question, tuple(m.path for m in i.media), frozenset(i.options)) for i in items]
    assert len(set(asked)) == len(asked)
    assert len({item.id for item in items}) == len(items)
    blocks = {block.place: block for block in scene.blocks()}
    facts = Counter(
        (
            item.group,
            all_families()
            .by_name[item.provenance.rule]
            .judge(blocks[item.group], Asked(item.provenance.parameters))
            .fact,
        )
        for item in items
    )
    assert max(facts.values()) == 1


def within(right: int, chances: list[float]) -> bool:
    spread = sqrt(sum(p * (1 - p) for p in chances))
    return abs(right - sum(chances)) <= 3.3 * spread


def test_yes_and_no_are_right_equally_often(items):
    yes_no = [item for item in items if item.options == ("Yes", "No")]
    assert len(yes_no) > 20
    assert within(sum(key_text(item) == "Yes" for item in yes_no), [0.5] * len(yes_no))


def test_no_letter_is_right_more_often_than_chance(items):
    by_size = defaultdict(list)
    for item in items:
        by_size[len(item.options)].append(item.answer.indices[0])
    for size, letters in by_size.items():
        for letter in range(size):
            assert within(letters.count(letter), [1 / size] * len(letters))


def test_no_option_text_is_right_more_often_than_its_share(items):
    shown, right = defaultdict(list), Counter()
    for item in items:
        right[key_text(item)] += 1
        for option in item.options:
            shown[option].append(1 / len(item.options))
    for option, chances in shown.items():
        if len(chances) >= 8:
            assert within(right[option], chances), option


def test_boxes_overlap_enough_to_need_a_look_and_little_enough_to_tell(items):
    boxes = [item for item in items if item.question_type == "box"]
    assert boxes
    for item in boxes:
        own = parse_region(key_text(item))
        for option in set(item.options) - {key_text(item)}:
            assert 0.2 <= overlap(own, parse_region(option)) <= 0.7


def test_counts_are_asked_in_windows_of_neighbours(items):
    counts = [item for item in items if item.question_type == "count"]
    assert counts
    for item in counts:
        numbers = [int(option) for option in item.options]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_items_show_one_date_or_both_and_the_mask_of_labelled_pixels(items, meadow):
    for item in items:
        dates = all_families().by_name[item.provenance.rule].dates
        for view in ("composite", "report", "true_colour", "colour_infrared", "spectra", "cube"):
            assert len(item.media_of(view)) == dates, (item.id, view)
        cube = np.load(meadow.benchmark.path(item.media_of("cube")[0]))
        mask = np.load(meadow.benchmark.path(item.media_of("cube", "mask")[0]))
        assert cube.shape == (TILE, TILE, 12)
        assert mask.shape == (TILE, TILE)
        assert mask.dtype == bool
        assert {m.role for m in redacted(item).media} <= {"input", "mask", "wavelengths"}


def test_the_shown_cube_is_the_part_of_the_scene_that_meta_names(items, meadow):
    for item in items[::20]:
        row, col = int(str(item.meta["row"])), int(str(item.meta["col"]))
        cube = np.load(meadow.benchmark.path(item.media_of("cube")[0]))
        labels = np.load(meadow.benchmark.path(item.media_of("cube", "labels")[0]))
        window = np.s_[row : row + TILE, col : col + TILE]
        np.testing.assert_array_equal(cube, meadow.scene.cube[window])
        np.testing.assert_array_equal(labels, meadow.scene.labels[window])


def test_dropped_blocks_are_listed_with_their_reason(meadow):
    reasons = {one.place: one.reason for one in meadow.report.dropped}
    assert reasons["meadow/block-000"] == "0.0% labelled, needs 20%"
    assert reasons["meadow/block-001"] == "1 class, needs 2"
    built = meadow.benchmark.info.built
    assert {one["place"]: one["reason"] for one in built["dropped_blocks"]} == reasons
    assert "- meadow/block-001: 1 class, needs 2" in (
        meadow.benchmark.root / "README.md"
    ).read_text()  # fmt: skip
    assert meadow.report.blocks + len(reasons) == 25
    assert not {item.group for item in meadow.benchmark.items} & set(reasons)


def test_the_record_says_what_became_of_every_family(meadow):
    recorded = meadow.benchmark.info.built["families"]
    drawn = Counter(item.meta["family"] for item in meadow.benchmark.items)
    assert {one["family"]: one["drawn"] for one in recorded if one["drawn"]} == drawn
    assert all(one["reason"] for one in recorded)
    assert all(one["drawn"] <= one["clear"] for one in recorded)


def test_simulated_data_are_called_so_in_record_and_card(meadow):
    assert meadow.benchmark.info.simulated == SIMULATED
    assert SIMULATED in (meadow.benchmark.root / "README.md").read_text()
    assert meadow.benchmark.info.licence == "CC0-1.0"


def test_every_source_is_recorded_with_role_and_hash(meadow):
    roles = {source.role: Path(source.path).name for source in meadow.benchmark.info.sources}
    assert roles == {
        "scene": "scene.npy",
        "scene side file": "scene.toml",
        "later": "later.npy",
        "later side file": "later.toml",
        "labels": "labels.npy",
        "later_labels": "later-labels.npy",
        "classes": "classes.csv",
    }
    hashes = {Path(s.path).name: s.sha256 for s in meadow.benchmark.info.sources}
    assert all(item.provenance.sources == hashes for item in meadow.benchmark.items)


def test_a_contact_sheet_shows_every_block(meadow):
    with Image.open(meadow.benchmark.root / SHEET_FILE) as sheet:
        sheet.load()
        # 25 blocks of 160 pixels, six to a row, two lines of text under each.
        assert sheet.width > 6 * 160
        assert sheet.height > 5 * (160 + 2 * 14)


def test_no_path_of_this_machine_gets_into_the_items(meadow):
    folder = str(sources_of(meadow).parent).encode()
    assert folder not in (meadow.benchmark.root / ITEMS_FILE).read_bytes()
    assert all("/" not in name for i in meadow.benchmark.items for name in i.provenance.sources)


def test_another_seed_asks_other_questions_and_stays_verifiable(meadow, tmp_path):
    few = replace(SETTINGS, per_task=1, seed=1)
    build_hyperspectral([meadow.scene.files], tmp_path / "b", few)
    other = Benchmark.open(tmp_path / "b")
    assert len(other.items) == 13
    assert verify_hyperspectral(other) == []
    assert {item.id for item in other.items} - {item.id for item in meadow.benchmark.items}


def test_labels_that_lie_beside_their_scene_give_a_warning(meadow, tmp_path):
    files = moved(meadow.scene.files, tmp_path / "shifted")
    for path in (files.labels, files.later_labels):
        np.save(path, np.roll(np.load(path), (3, -2), axis=(0, 1)))
    few = replace(SETTINGS, per_task=1)
    with pytest.warns(BuildWarning, match=r"moved by -3 rows and 2 columns"):
        build_hyperspectral([files], tmp_path / "b", few)


@pytest.mark.parametrize("name", ["scene", "later"])
def test_a_band_without_a_value_is_named_before_anything_is_built(meadow, tmp_path, name):
    files = moved(meadow.scene.files, tmp_path / "holes")
    path = getattr(files, name)
    cube = np.load(path)
    cube[:, :, 7] = np.nan
    np.save(path, cube)
    with pytest.raises(FormatError, match=rf"{name}\.npy: every pixel of band 7 is NaN"):
        build_hyperspectral([files], tmp_path / "b", SETTINGS)
    assert not (tmp_path / "b").exists()


def test_an_error_on_the_way_leaves_no_folder(meadow, tmp_path):
    def stop(step: str, done: int, total: int) -> None:
        if "views" in step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_hyperspectral([meadow.scene.files], tmp_path / "b", SETTINGS, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_two_scenes_of_one_name_are_refused(meadow, tmp_path):
    twin = make_scene(tmp_path / "twin", seed=1)
    with pytest.raises(InputError, match="two scenes are called 'meadow'"):
        open_scenes([meadow.scene.files, twin.files], tile=TILE)


def test_scenes_share_the_quota_of_a_task(meadow, tmp_path):
    second = make_scene(tmp_path / "second", name="heath", seed=1)
    few = replace(SETTINGS, per_task=2)
    report = build_hyperspectral([meadow.scene.files, second.files], tmp_path / "b", few)
    bench = Benchmark.open(tmp_path / "b")
    assert Counter(item.source for item in bench.items) == {"meadow": 13, "heath": 13}
    assert max(report.by_task.values()) == 2
    assert verify_hyperspectral(bench) == []


def test_files_of_one_name_in_two_folders_stay_apart(meadow, tmp_path):
    files = moved(meadow.scene.files, tmp_path / "data" / "2020")
    (tmp_path / "data" / "2021").mkdir()
    renamed = {}
    for name, other in (("later", "scene"), ("later_labels", "labels")):
        old = getattr(files, name)
        renamed[name] = tmp_path / "data" / "2021" / getattr(files, other).name
        old.rename(renamed[name])
        if old.with_suffix(".toml").is_file():
            old.with_suffix(".toml").rename(renamed[name].with_suffix(".toml"))
    few = replace(SETTINGS, per_task=1)
    build_hyperspectral([replace(files, **renamed)], tmp_path / "b", few)
    bench = Benchmark.open(tmp_path / "b")
    assert len(bench.items[0].provenance.sources) == 7
    (tmp_path / "data").rename(tmp_path / "moved")
    assert verify_hyperspectral(bench, tmp_path / "moved") == []


def test_the_description_is_plain_json(meadow):
    text = (meadow.benchmark.root / "benchmark.json").read_text()
    assert json.loads(text)["built"]["tile"] == TILE
    assert "NaN" not in text
