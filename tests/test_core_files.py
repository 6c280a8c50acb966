"""Files appear whole or not at all, and what is there is never destroyed by mistake."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.core.errors import FormatError, InputError
from earthexam.core.files import folder_aside, inside, sha256_file, write_whole

MARKER = "whole.json"


def fill(folder: Path, text: str = "new") -> None:
    (folder / MARKER).write_text(text)


def make_folder(out: Path, text: str = "new", **options: bool) -> None:
    with folder_aside(out, marker=MARKER, **options) as aside:
        fill(aside, text)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_inside(out: Path, **options: bool) -> None:
    with folder_aside(out, marker=MARKER, **options) as aside:
        fill(aside)
        raise KeyboardInterrupt


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path):
    data = bytes(range(256)) * 5000
    (tmp_path / "f").write_bytes(data)
    assert sha256_file(tmp_path / "f") == hashlib.sha256(data).hexdigest()


def test_a_file_is_replaced_whole_and_stays_readable_by_others(tmp_path):
    path = tmp_path / "new folder" / "f.txt"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert names_in(path.parent) == ["f.txt"]
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_file_that_cannot_take_its_place_leaves_nothing_behind(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "taken", b"x")
    assert names_in(tmp_path) == ["taken"]


def test_a_folder_appears_only_when_it_is_whole(tmp_path):
    out = tmp_path / "deep" / "out"
    with folder_aside(out, marker=MARKER) as aside:
        fill(aside)
        assert not out.exists()
        assert aside.parent == out.parent
    assert names_in(out.parent) == ["out"]
    assert (out / MARKER).read_text() == "new"
    assert out.stat().st_mode == tmp_path.joinpath("deep").stat().st_mode


def test_an_error_leaves_neither_folder_nor_scraps(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        fail_inside(tmp_path / "out")
    assert names_in(tmp_path) == []


def test_an_empty_folder_may_be_filled(tmp_path):
    (tmp_path / "out").mkdir()
    make_folder(tmp_path / "out")
    assert names_in(tmp_path / "out") == [MARKER]


@pytest.mark.parametrize("replace", [False, True])
def test_a_folder_of_another_kind_is_never_touched(tmp_path, replace):
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "chapter.tex").write_text("years of work")
    with pytest.raises(InputError, match=f"exists and holds no {MARKER}; choose another"):
        make_folder(out, replace=replace)
    assert (out / "chapter.tex").read_text() == "years of work"
    assert names_in(tmp_path) == ["thesis"]


@pytest.mark.parametrize("replace", [False, True])
def test_a_file_in_the_way_is_never_touched(tmp_path, replace):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="exists"):
        make_folder(tmp_path / "out", replace=replace)
    assert (tmp_path / "out").read_text() == "a file"


def test_a_finished_folder_is_replaced_only_on_request(tmp_path):
    make_folder(tmp_path / "out", "old")
    with pytest.raises(InputError, match="exists; choose another"):
        make_folder(tmp_path / "out", "new")
    assert (tmp_path / "out" / MARKER).read_text() == "old"
    make_folder(tmp_path / "out", "new", replace=True)
    assert (tmp_path / "out" / MARKER).read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_an_error_while_replacing_keeps_the_old_folder(tmp_path):
    make_folder(tmp_path / "out", "old")
    with pytest.raises(KeyboardInterrupt):
        fail_inside(tmp_path / "out", replace=True)
    assert (tmp_path / "out" / MARKER).read_text() == "old"
    assert names_in(tmp_path) == ["out"]


def test_the_second_of_two_writers_does_not_destroy_what_the_first_made(tmp_path):
    out = tmp_path / "out"

    def write_slowly() -> None:
        with folder_aside(out, marker=MARKER) as slow:
            fill(slow, "slow")
            make_folder(out, "quick")

    with pytest.raises(InputError, match="exists; choose another"):
        write_slowly()
    assert (out / MARKER).read_text() == "quick"
    assert names_in(tmp_path) == ["out"]


def test_a_folder_that_came_meanwhile_is_not_destroyed_even_when_replacing(tmp_path):
    out = tmp_path / "out"

    def write_slowly() -> None:
        with folder_aside(out, marker=MARKER, replace=True) as aside:
            fill(aside)
            out.mkdir()
            (out / "notes.txt").write_text("mine")

    with pytest.raises(InputError, match="holds no"):
        write_slowly()
    assert (out / "notes.txt").read_text() == "mine"


def test_a_link_to_an_empty_folder_is_filled_and_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    make_folder(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert names_in(tmp_path / "disk") == [MARKER]


@pytest.mark.parametrize(
    "path", ["../secret", "a/../../secret", "/etc/passwd", "media/../../../x", "..", "way/out"]
)
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path, path):
    root = tmp_path / "bench"
    root.mkdir()
    (root / "way").symlink_to(tmp_path)
    with pytest.raises(FormatError, match="leads out of the folder"):
        inside(root, path)


@given(st.lists(st.sampled_from(["a", "b c", "é", "..", "."]), min_size=1, max_size=6))
def test_an_allowed_path_lies_in_the_folder_whatever_its_steps(parts):
    root = Path("/nowhere/bench")
    depth = least = 0
    for part in parts:
        depth += {"..": -1, ".": 0}.get(part, 1)
        least = min(least, depth)
    relative = "/".join(parts)
    if depth < 0 or (least < 0 and depth <= 0):
        # A path that climbs out may only come back by naming the folder, which no part does.
        with pytest.raises(FormatError):
            inside(root, relative)
    elif least >= 0:
        assert inside(root, relative).is_relative_to(root)
