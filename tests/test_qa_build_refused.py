"""What the system refuses is told in one line, and leaves nothing half-written."""

import errno
import sys

import pytest

from earthexam.benchmark.store import BenchmarkWriter
from earthexam.cli import main
from synthetic_scene import make_scene


def build(monkeypatch, capsys, files, out):
    arguments = ["build", "hyperspectral", str(files.scene), "--labels", str(files.labels)]
    arguments += ["--classes", str(files.classes), "--tile", "12", "--per-task", "2"]
    monkeypatch.setattr(sys, "argv", ["earthexam", *arguments, "--out", str(out)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code, capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_full_or_forbidden_disk_is_told_in_one_line(monkeypatch, capsys, tmp_path, number):
    def refuse(self, data, suffix):
        raise OSError(number, "no way")

    monkeypatch.setattr(BenchmarkWriter, "add_media", refuse)
    files = make_scene(tmp_path / "sources").files
    code, said = build(monkeypatch, capsys, files, tmp_path / "bench")
    assert code == 2
    assert "error: no way; " in said
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]


def test_a_file_in_the_way_of_the_output_folder_is_named(monkeypatch, capsys, tmp_path):
    files = make_scene(tmp_path / "sources").files
    code, said = build(monkeypatch, capsys, files, files.labels / "bench")
    assert code == 2
    assert "labels.npy" in said
    assert "Traceback" not in said


def test_families_without_items_are_told_by_reason(monkeypatch, capsys, tmp_path):
    files = make_scene(tmp_path / "sources").files
    monkeypatch.setattr(sys, "argv", [
        "earthexam", "build", "hyperspectral", str(files.scene), "--labels", str(files.labels),
        "--classes", str(files.classes), "--tile", "12", "--out", str(tmp_path / "bench"),
    ])  # fmt: skip
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr().err
    assert stopped.value.code == 0
    assert 0 < said.count("no item from") <= 2
