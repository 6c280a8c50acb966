"""Parts are found by name; an unknown name says what comes near."""

import sys
from pathlib import Path

import pytest

from earthexam.core.errors import UnknownNameError
from earthexam.core.registry import Registry
from earthexam.core.taxonomy import Task, Taxonomy


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """A registry over a package of two modules, one part each."""
    package = tmp_path / "made_up_parts"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from earthexam.core.registry import Registry\n"
        "PARTS = Registry('gadget', 'made_up_parts')\n"
    )
    for name, value in (("lever", 1), ("pulley", 2)):
        (package / f"{name}.py").write_text(
            f"from made_up_parts import PARTS\nPARTS.add('{name}')({value})\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    import made_up_parts

    yield made_up_parts.PARTS
    for module in [name for name in sys.modules if name.startswith("made_up_parts")]:
        del sys.modules[module]


def test_no_module_is_imported_before_the_first_look_up(parts):
    assert "made_up_parts.lever" not in sys.modules
    assert parts.get("pulley") == 2
    assert "made_up_parts.lever" in sys.modules


def test_parts_come_sorted_by_name(parts):
    assert parts.names() == ["lever", "pulley"]
    assert list(parts) == [("lever", 1), ("pulley", 2)]
    assert "lever" in parts
    assert "wheel" not in parts


def test_an_unknown_name_is_told_the_nearest_one(parts):
    with pytest.raises(UnknownNameError, match=r"no gadget called 'pully'; did you mean pulley\?"):
        parts.get("pully")


def test_a_name_near_to_none_is_told_all_of_them(parts):
    with pytest.raises(UnknownNameError, match="known: lever, pulley"):
        parts.get("zzz")


def test_a_name_is_given_once(parts):
    parts.names()
    with pytest.raises(ValueError, match="two gadgets are called 'lever'"):
        parts.add("lever")(3)


def test_a_task_is_found_by_its_code_and_by_its_level():
    tasks = (
        Task("SFR", "Spectra", ("Perception", "Features", "SFR")),
        Task("LCC", "Land cover", ("Perception", "Features", "LCC")),
        Task("BCI", "Change", ("Reasoning", "Change", "BCI")),
    )
    taxonomy = Taxonomy("t", "T", ("dimension", "capability", "task"), tasks)
    assert taxonomy.task("LCC") is tasks[1]
    assert [task.code for task in taxonomy] == ["SFR", "LCC", "BCI"]
    assert taxonomy.codes_at(0, "Perception") == ("SFR", "LCC")
    assert "BCI" in taxonomy
    with pytest.raises(UnknownNameError, match="did you mean LCC"):
        taxonomy.task("LCCC")
