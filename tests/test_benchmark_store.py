"""A benchmark read back is the benchmark written; what a model may not see is taken out."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earthexam import __version__
from earthexam.benchmark.card import card_text, write_card
from earthexam.benchmark.store import (
    INFO_FILE,
    ITEMS_FILE,
    SCHEMA,
    SCHEMA_VERSION,
    Benchmark,
    BenchmarkInfo,
    BenchmarkWriter,
    SourceInfo,
    items_table,
    media_digest,
    redacted,
    write_benchmark,
)
from earthexam.core.errors import FormatError, InputError, MissingFileError
from earthexam.core.item import (
    FORMATS,
    QUESTION_TYPES,
    ROLES,
    VIEWS,
    Choice,
    Item,
    Media,
    Provenance,
)
from factories import ANSWERS, make_item
from small_benchmark import choice_item, make_benchmark

text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
number = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
mappings = st.dictionaries(text, plain, max_size=3)
medias = st.builds(
    Media,
    view=st.sampled_from(VIEWS),
    path=text,
    role=st.sampled_from(ROLES),
    label=text,
    time=text,
    width=st.none() | st.integers(1, 2**31 - 1),
    height=st.none() | st.integers(1, 2**31 - 1),
    sha256=text,
)
provenances = st.builds(
    Provenance,
    rule=text,
    parameters=mappings,
    evidence=mappings,
    sources=st.dictionaries(text, text, max_size=2),
    seed=st.integers(0, 2**53),
)


@st.composite
def items(draw: st.DrawFn) -> Item:
    item_format = draw(st.sampled_from(FORMATS))
    return Item(
        id=draw(text),
        task=draw(text),
        levels=tuple(draw(st.lists(text, max_size=3))),
        format=item_format,
        question_type=draw(st.sampled_from(QUESTION_TYPES)),
        question=draw(text),
        options=tuple(draw(st.lists(text, max_size=4))),
        answer=ANSWERS[item_format],
        media=tuple(draw(st.lists(medias, max_size=3))),
        group=draw(text),
        source=draw(text),
        question_by_view=draw(st.dictionaries(st.sampled_from(VIEWS), text, max_size=2)),
        language=draw(st.sampled_from(["en", "zh"])),
        meta=draw(mappings),
        provenance=draw(st.none() | provenances),
    )


def write(folder: Path, made: list[Item], **info: Any) -> Benchmark:
    with write_benchmark(folder) as writer:
        writer.add_items(made)
        writer.finish(BenchmarkInfo(name="made", **info))
    return Benchmark.open(folder)


def small(folder: Path) -> Benchmark:
    return make_benchmark(folder, 6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(items(), max_size=4, unique_by=lambda item: item.id))
def test_items_read_back_are_the_items_written(tmp_path_factory, made):
    bench = write(tmp_path_factory.mktemp("round") / "b", made)
    assert bench.items == tuple(made)
    assert bench.by_id == {item.id: item for item in made}


def test_the_table_has_the_published_columns_in_order(tmp_path):
    small(tmp_path / "b")
    assert pq.read_schema(tmp_path / "b" / ITEMS_FILE).names == [
        "id", "task", "levels", "format", "question_type", "question", "question_by_view",
        "options", "answer", "media", "group", "source", "language", "meta", "provenance",
    ]  # fmt: skip


def test_counts_and_hashes_say_what_was_written(tmp_path):
    bench = small(tmp_path / "b")
    assert bench.info.counts == {
        "items": 6, "media": 12, "groups": 3, "task LCC": 3, "task PD": 3,
    }  # fmt: skip
    table = (tmp_path / "b" / ITEMS_FILE).read_bytes()
    assert bench.sha256 == bench.info.sha256["items"] == hashlib.sha256(table).hexdigest()
    assert bench.info.built["earthexam"] == __version__
    assert bench.views() == ("composite", "report")


def test_a_file_is_stored_once_under_the_hash_of_its_bytes(tmp_path):
    data = b"some bytes"
    digest = hashlib.sha256(data).hexdigest()
    with write_benchmark(tmp_path / "b") as writer:
        first = writer.add_media(data, ".txt")
        assert writer.add_media(data, ".txt") == first == (f"media/{digest[:24]}.txt", digest)
        writer.add_media(b"nobody shows this", ".txt")
        writer.add_items([choice_item(1, (Media("report", first[0], sha256=digest),))])
        writer.finish(BenchmarkInfo(name="n"))
    stored = [path.name for path in (tmp_path / "b" / "media").iterdir()]
    assert stored == [f"{digest[:24]}.txt"]


def test_the_digest_of_all_media_does_not_depend_on_their_order():
    files = [("media/a.png", "1"), ("media/b.png", "2")]
    assert media_digest(files) == media_digest(reversed(files))
    assert media_digest(files) != media_digest([("media/a.png", "2"), ("media/b.png", "1")])


def test_two_writings_give_the_same_bytes(tmp_path):
    one, two = small(tmp_path / "one"), small(tmp_path / "two")
    names = sorted(p.relative_to(one.root) for p in one.root.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(two.root) for p in two.root.rglob("*") if p.is_file())
    for name in names:
        assert (one.root / name).read_bytes() == (two.root / name).read_bytes()


def test_repeated_ids_are_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(FormatError, match="2 item ids occur more than once, first 'LCC-00001'"):
        write(tmp_path / "b", [choice_item(n) for n in (1, 2, 1, 3, 2)])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", [INFO_FILE, ITEMS_FILE])
def test_a_folder_without_one_of_its_tables_is_no_benchmark(tmp_path, missing):
    small(tmp_path / "b")
    (tmp_path / "b" / missing).unlink()
    with pytest.raises(MissingFileError, match=f"holds no {missing}; build or import"):
        Benchmark.open(tmp_path / "b")


@pytest.mark.parametrize("kept", [0, 3, 100, -1])
def test_a_table_that_was_cut_off_is_refused_by_name(tmp_path, kept):
    small(tmp_path / "b")
    path = tmp_path / "b" / ITEMS_FILE
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FormatError, match=r"items\.parquet is no whole Parquet file"):
        Benchmark.open(tmp_path / "b")


def rewrite(folder: Path, column: str, value: Any) -> None:
    path = folder / ITEMS_FILE
    rows = pq.read_table(path).to_pylist()
    rows[0][column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("answer", '"B"'),
        ("answer", "[0"),
        ("meta", "{"),
        ("provenance", '{"rules": 1}'),
        ("answer", None),
    ],
)
def test_a_cell_that_cannot_be_read_names_file_row_and_item(tmp_path, column, value):
    bench = small(tmp_path / "b")
    rewrite(bench.root, column, value)
    with pytest.raises(FormatError, match=r"items.parquet, row 0 \(item 'LCC-00000'\)"):
        Benchmark.open(bench.root)


def test_a_table_without_a_column_says_which(tmp_path):
    bench = small(tmp_path / "b")
    table = items_table(bench.items).drop_columns(["options", "group"])
    pq.write_table(table, bench.root / ITEMS_FILE)
    with pytest.raises(FormatError, match="lacks the columns options, group"):
        Benchmark.open(bench.root)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": SCHEMA_VERSION + 1}, "reads up to 1; update with: pip"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"counts": {"items": "many"}}, "counts.items"),
    ],
)
def test_a_description_of_another_form_says_which_field(tmp_path, change, said):
    bench = small(tmp_path / "b")
    path = bench.root / INFO_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError, match=said):
        Benchmark.open(bench.root)


def test_no_path_of_an_item_leads_out_of_the_folder(tmp_path):
    bench = write(tmp_path / "b", [choice_item(1, (Media("image", "../../etc/passwd"),))])
    with pytest.raises(FormatError, match="leads out of the folder"):
        bench.path(bench.items[0].media[0])


def test_a_model_sees_neither_key_nor_evidence_nor_labels():
    shown = (
        Media("cube", "cube.npy"),
        Media("cube", "mask.npy", role="mask"),
        Media("cube", "nm.npy", role="wavelengths"),
    )
    hidden = (Media("cube", "labels.npy", role="labels"), Media("report", "r.json", role="data"))
    item = make_item(
        media=shown + hidden,
        meta={"family": "lcc.x", "key": "Water"},
        provenance=Provenance(
            "lcc.x", {"row": 3, "_name": "Water"}, {"class": "Water"}, {"a.npy": "00"}, 7
        ),
    )
    seen = redacted(item)
    assert seen.answer == Choice(())
    assert seen.media == shown
    assert seen.meta == {}
    assert seen.provenance == Provenance("lcc.x", {"row": 3})
    assert (seen.id, seen.question, seen.options) == (item.id, item.question, item.options)
    assert redacted(make_item()).provenance is None


@pytest.mark.parametrize("replace", [False, True])
def test_a_folder_that_is_no_benchmark_is_never_written_over(tmp_path, replace):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "notes.txt").write_text("mine")

    def writing() -> None:
        with write_benchmark(tmp_path / "b", replace_existing=replace) as writer:
            writer.finish(BenchmarkInfo(name="n"))

    with pytest.raises(InputError, match=r"exists and holds no benchmark\.json"):
        writing()
    assert (tmp_path / "b" / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


HARD_NAMES = ['Blocks: "north" # 1', "- dash", "日本\t😀", "yes", "1e3", "back\\slash", "{a: b}"]


@pytest.mark.parametrize("title", HARD_NAMES)
def test_the_front_matter_of_a_card_is_yaml_whatever_the_title(title):
    yaml = pytest.importorskip("yaml")
    info = BenchmarkInfo(name="n", title=title, licence=title, counts={"items": 1000})
    _, matter, body = card_text(info).split("---\n", 2)
    read = yaml.safe_load(matter)
    assert read["pretty_name"] == title
    assert read["license_name"] == title
    assert read["language"] == ["en"]
    assert read["size_categories"] == ["1K<n<10K"]
    assert read["configs"] == [{"config_name": "default", "data_files": "items.parquet"}]
    assert f"# {title}" in body


def test_a_card_says_what_is_simulated_where_it_comes_from_and_what_was_dropped(tmp_path):
    info = BenchmarkInfo(
        name="n",
        taxonomy="hm-bench",
        simulated="The second date was made by a program.",
        counts={"items": 3, "task LCC": 3},
        sources=[SourceInfo(path="/home/me/cube.npy", sha256="ab" * 32, licence="CC BY 4.0")],
        built={
            "builder": "hyperspectral",
            "earthexam": "1",
            "builder_version": "1",
            "seed": 5,
            "dropped_blocks": [{"place": "s/block-001", "reason": "3.0% labelled, needs 20%"}],
        },
        citation="Someone (2020)",
    )
    write_card(tmp_path, info)
    text = (tmp_path / "README.md").read_text()
    assert "**Simulated data.** The second date was made by a program." in text
    assert "| LCC | " in text
    assert "| cube.npy | scene | CC BY 4.0 |" in text
    assert "/home/me" not in text
    assert "seed 5" in text
    assert "- s/block-001: 3.0% labelled, needs 20%" in text
    assert "Someone (2020)" in text


def test_a_writer_makes_its_media_folder(tmp_path):
    writer = BenchmarkWriter(tmp_path / "w")
    assert (tmp_path / "w" / "media").is_dir()
    assert writer.folder == tmp_path / "w"
