"""HM-Bench import: two sides become one item, nothing is lost, nothing leads outside."""

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from earthexam.benchmark.checks import check_benchmark
from earthexam.benchmark.store import Benchmark
from earthexam.cli import app
from earthexam.cli import imports as _command  # noqa: F401  registers the command
from earthexam.core.errors import FormatError, MissingFileError
from earthexam.core.item import Choice
from earthexam.exchange import IMPORTERS
from earthexam.exchange.hm_bench import import_hm_bench
from earthexam.published.tables import load_taxonomy

SIZES = [2328, 1629, 2970, 1429, 1909, 1869, 1329, 1353, 1766, 1296, 751, 588, 120]
CHANCE = [20.03, 20.51, 35.29, 22.88, 21.31, 22.28, 35.46, 22.86, 22.72, 26.82, 28.76, 12.85, 32.77]


def record(side: str, **changes: Any) -> dict[str, Any]:
    path = {
        "image": "data/pictures/Delta_13/block_4_pca12.png",
        "report": "data/reports/Delta_13/block_4/report.txt",
    }[side]
    return {
        "question": "Is there water?",
        "options": {"A": "Yes", "B": "No"},
        "answer": "B",
        "image_path": path,
        "item_id": 1,
        "task_type": "PresenceDetection",
        **changes,
    }


def publish(root: Path, image: list[Any], report: list[Any], task: int = 3) -> Path:
    for side, records in (("image", image), ("report", report)):
        file = root / f"QA_for_{side}" / f"task_{task}" / "mcq_only.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(records))
    return root


def add_media(root: Path) -> None:
    stream = io.BytesIO()
    Image.new("L", (8, 6)).save(stream, "PNG")
    for year in ("13", "18"):
        picture = root / f"data/pictures/Delta_{year}/block_4_pca12.png"
        picture.parent.mkdir(parents=True)
        picture.write_bytes(stream.getvalue() + year.encode())
        report = root / f"data/reports/Delta_{year}/block_4/report.txt"
        report.parent.mkdir(parents=True)
        report.write_text(f"Mean of 20{year}: 0.2.")


def test_both_sides_become_views_of_one_item(tmp_path: Path) -> None:
    source = publish(tmp_path / "in", [record("image")], [record("report")])
    add_media(source)
    imported = import_hm_bench(source, tmp_path / "out")
    benchmark = Benchmark.open(tmp_path / "out")
    (item,) = benchmark.items
    assert (imported.n, imported.missing, imported.warnings) == (1, (), ())
    assert (item.id, item.group, item.source) == ("PD-0001", "Delta/4", "Delta")
    assert item.views() == ("composite", "report")
    assert item.answer == Choice((1,))
    assert item.question_type == "judgement"
    assert item.meta == {"item_id": 1, "task_type": "PresenceDetection"}
    picture, report = item.media
    assert (picture.width, picture.height, picture.time) == (8, 6, "2013")
    assert benchmark.path(report).read_text() == "Mean of 2013: 0.2."
    assert "Delta" not in picture.path
    assert check_benchmark(benchmark) == ()


def test_a_pair_keeps_its_order_and_is_one_group(tmp_path: Path) -> None:
    pairs = {}
    for side in ("image", "report"):
        first = record(side)
        path = first.pop("image_path")
        pairs[side] = {**first, "image1": path, "image2": path.replace("_13", "_18")}
    source = publish(tmp_path / "in", [pairs["image"]], [pairs["report"]], task=11)
    add_media(source)
    import_hm_bench(source, tmp_path / "out")
    (item,) = Benchmark.open(tmp_path / "out").items
    assert [m.time for m in item.media_of("composite")] == ["2013", "2018"]
    assert [m.time for m in item.media_of("report")] == ["2013", "2018"]
    assert item.group == "Delta/4"


def test_twins_that_differ_keep_both_wordings(tmp_path: Path) -> None:
    other = {"A": "Yes, in the reports", "B": "No"}
    source = publish(
        tmp_path / "in",
        [record("image"), record("image")],
        [record("report", question="Any water?"), record("report", options=other)],
    )
    imported = import_hm_bench(source, tmp_path / "out", without_media=True)
    first, second = Benchmark.open(tmp_path / "out").items
    assert first.question_for("report") == "Any water?"
    assert first.question_for("composite") == "Is there water?"
    assert second.options == ("Yes", "No")
    assert second.meta["options_by_view"] == {"report": ["Yes, in the reports", "No"]}
    assert len(imported.warnings) == 2


def test_missing_media_stop_the_import_unless_allowed(tmp_path: Path) -> None:
    source = publish(tmp_path / "in", [record("image")], [record("report")])
    with pytest.raises(MissingFileError, match="lacks 2 of the 2 files"):
        import_hm_bench(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    imported = import_hm_bench(source, tmp_path / "out", without_media=True)
    benchmark = Benchmark.open(tmp_path / "out")
    assert len(imported.missing) == 2
    assert benchmark.items[0].views() == ("composite", "report")
    assert [p.severity for p in check_benchmark(benchmark)] == ["warning"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": "C"}, "record 1: the answer 'C' is not among the letters 'AB'"),
        ({"options": {"A": "Yes", "C": "No"}, "answer": "A"}, "option letters 'AC'"),
        ({"image_path": "data/lost.png"}, "names no scene and block"),
        ({"image_path": "../../../Delta_13/block_4.png"}, "leads out of the folder"),
        ({"options": ["Yes", "No"]}, "options: Input should be"),
        ({"answer": None}, "valid string"),
    ],
)
def test_a_record_off_the_layout_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    source = publish(tmp_path / "in", [record("image", **changes)], [record("report")])
    with pytest.raises(FormatError, match=message):
        import_hm_bench(source, tmp_path / "out", without_media=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": "A"}, "answer of the image side is B, of the report side A"),
        ({"image_path": "data/reports/Delta_13/block_5/report.txt"}, "block of the image side"),
    ],
)
def test_sides_that_are_no_twins_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    source = publish(tmp_path / "in", [record("image")], [record("report", **changes)])
    with pytest.raises(FormatError, match=message):
        import_hm_bench(source, tmp_path / "out", without_media=True)


def test_sides_of_different_length_are_refused(tmp_path: Path) -> None:
    source = publish(tmp_path / "in", [record("image")], [])
    with pytest.raises(FormatError, match="has 0 records"):
        import_hm_bench(source, tmp_path / "out", without_media=True)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="QA_for_image"):
        IMPORTERS.get("hm-bench")(tmp_path, tmp_path / "out")


def test_the_image_side_alone_is_imported_with_a_warning(tmp_path: Path) -> None:
    source = publish(tmp_path / "in", [record("image")], [record("report")])
    (source / "QA_for_report" / "task_3" / "mcq_only.json").unlink()
    imported = import_hm_bench(source, tmp_path / "out", without_media=True)
    assert Benchmark.open(tmp_path / "out").views() == ("composite",)
    assert "no report side" in imported.warnings[0]


def test_the_command_lists_what_is_missing(tmp_path: Path) -> None:
    source = publish(tmp_path / "in", [record("image")], [record("report")])
    arguments = ["import", "hm-bench", str(source), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*arguments, "--without-media"])
    assert result.exit_code == 0
    assert "missing: data/pictures/Delta_13/block_4_pca12.png" in result.stderr


def test_published_sizes_and_chance_are_those_of_the_paper(hm_bench: Benchmark) -> None:
    counts = Counter(item.task for item in hm_bench.items)
    codes = [task.code for task in load_taxonomy("hm-bench")]
    assert [counts[code] for code in codes] == SIZES
    chance = dict.fromkeys(codes, 0.0)
    for item in hm_bench.items:
        chance[item.task] += 100 / len(item.options)
    means = [chance[code] / counts[code] for code in codes]
    assert means == pytest.approx(CHANCE, abs=0.005)
    assert sum(chance.values()) / 19337 == pytest.approx(25.13, abs=0.005)
    assert sum(means) / 13 == pytest.approx(24.96, abs=0.005)


def test_published_questions_have_1512_blocks_of_19_scenes(hm_bench: Benchmark) -> None:
    assert len({item.group for item in hm_bench.items}) == 1512
    assert len({item.source for item in hm_bench.items}) == 19
    assert len(hm_bench.by_id) == 19337
    differing = [i for i in hm_bench.items if i.question_by_view or "options_by_view" in i.meta]
    assert len(differing) == 24
