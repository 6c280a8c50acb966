"""`build` and `verify` as a user calls them: what they say, how they exit, what they leave."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from earthexam.benchmark.store import ITEMS_FILE, SCHEMA, Benchmark
from earthexam.cli import main
from synthetic_scene import SIDE, BuiltScene, make_scene


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def earthexam(monkeypatch, capsys):
    """Call the command in this process."""

    def call(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["earthexam", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return call


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    make_scene(tmp_path / "sources")
    return tmp_path / "sources"


def words(sources: Path, out: Path) -> list[object]:
    return [
        "build", "hyperspectral", sources / "scene.npy", "--labels", sources / "labels.npy",
        "--later", sources / "later.npy", "--later-labels", sources / "later-labels.npy",
        "--classes", sources / "classes.csv", "--tile", 12, "--per-task", 1, "--out", out,
    ]  # fmt: skip


def spoil(change):
    """Name a fault after the function that makes it."""
    return pytest.param(change, id=change.__name__)


def missing_file(folder: Path) -> str:
    (folder / "scene.npy").unlink()
    return r"scene.npy does not exist; give the path of a scene file"


def a_folder(folder: Path) -> str:
    (folder / "labels.npy").unlink()
    (folder / "labels.npy").mkdir()
    return "labels.npy is a folder"


def wrong_shape(folder: Path) -> str:
    np.save(folder / "scene.npy", np.zeros((SIDE, SIDE), dtype=np.float32))
    return "shape (60, 60); expected numbers with 3 axes"


def labels_of_another_size(folder: Path) -> str:
    np.save(folder / "labels.npy", np.ones((SIDE, SIDE - 1), dtype=np.uint8))
    return "labels.npy has 60×59 pixels, the scene meadow has 60×60"


def a_later_date_of_another_size(folder: Path) -> str:
    np.save(folder / "later.npy", np.load(folder / "later.npy")[:-2])
    return "later.npy is (58, 60, 12) (rows, columns, bands)"


def a_band_of_nan(folder: Path) -> str:
    cube = np.load(folder / "scene.npy")
    cube[:, :, 3] = np.nan
    np.save(folder / "scene.npy", cube)
    return "every pixel of band 3 is NaN or nodata; check the nodata value"


def one_band(folder: Path) -> str:
    np.save(folder / "scene.npy", np.load(folder / "scene.npy")[:, :, :1])
    return "has one band; a hyperspectral scene needs at least 2"


def one_class(folder: Path) -> str:
    np.save(folder / "labels.npy", np.ones((SIDE, SIDE), dtype=np.uint8))
    return "1 class, needs 2"


def no_label(folder: Path) -> str:
    np.save(folder / "labels.npy", np.zeros((SIDE, SIDE), dtype=np.uint8))
    return "labels no pixel (all are 0)"


def an_unknown_class(folder: Path) -> str:
    labels = np.load(folder / "labels.npy")
    labels[30, 30] = 99
    np.save(folder / "labels.npy", labels)
    return "class 99 (1 pixels) has no name; named are 1 to 6; give a class table"


def a_file_cut_off(folder: Path) -> str:
    data = (folder / "scene.npy").read_bytes()
    (folder / "scene.npy").write_bytes(data[: len(data) // 2])
    return "scene.npy is not a whole .npy file"


def labels_that_are_no_labels(folder: Path) -> str:
    np.save(folder / "labels.npy", np.full((SIDE, SIDE), 0.5))
    return "labels.npy holds 0.5 where a class is expected"


def a_file_of_no_known_format(folder: Path) -> str:
    (folder / "scene.npy").write_text("row,col,band\n")
    (folder / "scene.npy").rename(folder / "scene.csv")
    (folder / "scene.npy").symlink_to(folder / "scene.csv")
    return "scene.npy is not a whole .npy file"


def a_class_table_without_names(folder: Path) -> str:
    (folder / "classes.csv").write_text("value,colour\n1,red\n")
    return "classes.csv"


FAULTS = [
    spoil(change)
    for change in (
        missing_file, a_folder, wrong_shape, labels_of_another_size, a_later_date_of_another_size,
        a_band_of_nan, one_band, one_class, no_label, an_unknown_class, a_file_cut_off,
        labels_that_are_no_labels, a_file_of_no_known_format, a_class_table_without_names,
    )
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_input_is_one_line_and_leaves_nothing(earthexam, sources, tmp_path, fault):
    expected = fault(sources)
    said = earthexam(*words(sources, tmp_path / "bench"))
    lines = said.err.strip().splitlines()
    assert said.code == 2, said.err
    assert len(lines) == 1, said.err
    assert lines[0].startswith("error: ")
    assert expected in lines[0]
    assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]


def test_a_header_and_a_size_that_disagree_are_one_line(earthexam, sources, tmp_path):
    (sources / "cube.img").write_bytes(np.load(sources / "scene.npy")[:-1].tobytes())
    (sources / "cube.hdr").write_text(
        "ENVI\nsamples = 60\nlines = 60\nbands = 12\nheader offset = 0\ndata type = 4\n"
        "interleave = bip\nbyte order = 0\n"
    )
    said = earthexam(
        "build", "hyperspectral", sources / "cube.hdr", "--labels", sources / "labels.npy",
        "--classes", sources / "classes.csv", "--out", tmp_path / "bench",
    )  # fmt: skip
    assert said.code == 2
    assert len(said.err.strip().splitlines()) == 1
    # 59 of 60 rows of 60 pixels, 12 bands, 4 bytes.
    assert str(59 * 60 * 12 * 4) in said.err.replace(",", "")
    assert not (tmp_path / "bench").exists()


def test_a_folder_that_is_no_benchmark_is_never_touched(earthexam, sources, tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "thesis.tex").write_text("years of work")
    said = earthexam(*words(sources, tmp_path / "bench"))
    assert said.code == 2
    assert "exists and holds no benchmark.json; choose another --out" in said.err
    assert (tmp_path / "bench" / "thesis.tex").read_text() == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench", "sources"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--later", "x.npy"], "1 scenes and 2 --later; give one for each scene"),
        (["--profile", "atlantis"], "atlantis"),
        (["--profile", "absent.toml"], "absent.toml does not exist"),
    ],
)
def test_an_option_that_does_not_fit_says_so(earthexam, sources, tmp_path, option, said):
    ended = earthexam(*words(sources, tmp_path / "bench"), *option)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "bench").exists()


def test_later_labels_need_a_later_date(earthexam, sources, tmp_path):
    said = earthexam(
        "build", "hyperspectral", sources / "scene.npy", "--labels", sources / "labels.npy",
        "--later-labels", sources / "later-labels.npy", "--out", tmp_path / "bench",
    )  # fmt: skip
    assert said.code == 2
    assert "--later-labels without --later" in said.err


def test_a_build_reports_items_blocks_warnings_and_what_was_left_out(earthexam, sources, tmp_path):
    for name in ("labels.npy", "later-labels.npy"):
        np.save(sources / name, np.roll(np.load(sources / name), (3, -2), axis=(0, 1)))
    # The real command in a process of its own.
    built = subprocess.run(
        [sys.executable, "-m", "earthexam", *map(str, words(sources, tmp_path / "bench"))],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert built.stdout == ""
    lines = built.stderr.splitlines()
    warning = next(line for line in lines if "moved by -3 rows and 2 columns" in line)
    assert warning.startswith(f"warning: {sources / 'labels.npy'}: label borders fit the edges")
    assert any(line.startswith("13 items on ") for line in lines)
    assert any(line.startswith("dropped meadow/block-0") for line in lines)
    assert "cases were unclear" in built.stderr
    assert ".py:" not in built.stderr
    assert Benchmark.open(tmp_path / "bench").info.name == "bench"
    again = earthexam(*words(sources, tmp_path / "bench"))
    assert again.code == 2
    assert "exists; choose another --out" in again.err


def test_verify_agrees_with_an_untouched_benchmark(earthexam, meadow: BuiltScene):
    said = earthexam("verify", meadow.benchmark.root)
    assert said.code == 0, said.err
    assert f"all {len(meadow.benchmark.items)} answers follow from the sources" in said.err
    assert said.out == ""
    assert earthexam("check", meadow.benchmark.root).code == 0


def test_verify_names_a_key_changed_by_hand_and_fails(earthexam, meadow: BuiltScene, tmp_path):
    copytree(meadow.benchmark.root, tmp_path / "bench")
    table = tmp_path / "bench" / ITEMS_FILE
    rows = pq.read_table(table).to_pylist()
    right = json.loads(rows[5]["answer"])[0]
    rows[5]["answer"] = json.dumps([(right + 1) % len(rows[5]["options"])])
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), table)
    said = earthexam("verify", tmp_path / "bench", "--json")
    assert said.code == 1
    assert {row["id"] for row in json.loads(said.out)} == {rows[5]["id"]}
    assert f"1 of {len(rows)} answers do not follow" in said.err
    # The hash of the table no longer fits either.
    assert earthexam("check", tmp_path / "bench").code == 1


def test_verify_says_where_sources_are_missing(earthexam, meadow: BuiltScene, tmp_path):
    said = earthexam("verify", meadow.benchmark.root, "--sources", tmp_path)
    assert said.code == 2
    assert "does not exist; say where the sources lie: --sources DIR" in said.err


def test_a_scene_without_wavelengths_later_date_or_kinds_still_gives_questions(
    earthexam, sources, tmp_path
):
    (sources / "scene.toml").unlink()
    (sources / "plain.csv").write_text(
        "value,name\n" + "".join(f"{n},Class {n}\n" for n in range(1, 7))
    )
    said = earthexam(
        "build", "hyperspectral", sources / "scene.npy", "--labels", sources / "labels.npy",
        "--classes", sources / "plain.csv", "--tile", 12, "--per-task", 1,
        "--out", tmp_path / "bench",
    )  # fmt: skip
    assert said.code == 0, said.err
    bench = Benchmark.open(tmp_path / "bench")
    tasks = {item.task for item in bench.items}
    assert {"LCC", "PD", "OLR", "SU"} <= tasks
    assert not tasks & {"BCI", "CAL", "CSA", "VH"}
    assert not any(media.role == "wavelengths" for item in bench.items for media in item.media)


def test_a_sensor_that_sees_no_red_gives_questions_and_pictures(earthexam, sources, tmp_path):
    for name in ("scene.toml", "later.toml"):
        lines = (sources / name).read_text().splitlines()
        nm = [1000.0 + 100 * band for band in range(12)]
        changed = [f"wavelengths_nm = {nm}" if "wavelengths" in line else line for line in lines]
        (sources / name).write_text("\n".join(changed))
    said = earthexam(*words(sources, tmp_path / "bench"))
    assert said.code == 0, said.err
    bench = Benchmark.open(tmp_path / "bench")
    assert {"LCC", "SFR", "CSA"} <= {item.task for item in bench.items}
    assert "VH" not in {item.task for item in bench.items}
    assert "true_colour" not in bench.views()
    assert {"composite", "report", "spectra", "cube"} <= set(bench.views())
    assert (tmp_path / "bench" / "contact-sheet.png").is_file()
