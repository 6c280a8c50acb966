"""`earthexam list`: what is registered is listed, as a table and as JSON."""

import json
from pathlib import Path

import pytest

import earthexam
from earthexam.cli import main

SOURCE = Path(earthexam.__file__).parent


@pytest.fixture
def listed(monkeypatch, capsys):
    """A function that runs `earthexam list …` and gives the records of its JSON."""

    def run(*words):
        monkeypatch.setattr("sys.argv", ["earthexam", "list", *words, "--json"])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code
        return json.loads(capsys.readouterr().out)

    return run


def test_every_server_baseline_and_profile_file_is_a_model(listed):
    names = {(row["kind"], row["name"]) for row in listed("models")}
    for baseline in ("uniform", "constant", "longest", "spectral", "rgb"):
        assert ("baseline", f"baseline/{baseline}") in names
    for kind in ("hf", "python", "replay"):
        assert ("kind", kind) in names
    assert {("server", "openai/NAME"), ("server", "vllm/NAME")} <= names
    files = {("profile", path.stem) for path in (SOURCE / "models" / "profiles").glob("*.toml")}
    assert files <= names


def test_no_listed_part_lacks_its_detail(listed):
    for kind in ("models", "sources"):
        assert [row["name"] for row in listed(kind) if not row["detail"]] == []


def test_tasks_have_their_published_size_and_the_families_that_are_built(listed):
    rows = listed("tasks", "--taxonomy", "hm-bench")
    assert len(rows) == 13
    first = rows[0]
    assert first["code"] == "SFR"
    assert first["levels"] == "Perception > Feature Recognition > Spectral Feature Recognition"
    # arXiv:2604.08884v1 counts 19,337 questions; 2,328 of them SFR in the released files.
    assert first["published items"] == "2328"
    assert sum(int(row["published items"]) for row in rows) == 19337
    assert all(int(row["question families"]) >= 1 for row in rows)


def test_without_a_taxonomy_all_are_listed(listed):
    rows = listed("tasks")
    assert sum(row["taxonomy"] == "hm-bench" for row in rows) == 13
    assert sum(row["taxonomy"] == "omniearth" for row in rows) == 109


def test_each_reader_and_each_known_scene_is_a_source(listed):
    rows = listed("sources")
    formats = {row["name"] for row in rows if row["kind"] == "format"}
    assert formats == {"envi", "geotiff", "matlab", "netcdf", "npy"}
    (scene,) = (row for row in rows if row["name"] == "indian_pines")
    assert scene["detail"] == "145×145×200, AVIRIS, 16 classes named, CC-BY-3.0"


def test_every_format_of_answer_has_a_metric(listed):
    scored = {word.strip() for row in listed("metrics") for word in row["of"].split(",")}
    assert scored == {
        *("single_choice", "multiple_choice", "true_false", "fill_blank"),
        *("open", "grounding", "caption", "chain_of_thought", "all"),
    }


def test_published_tables_name_their_source(listed):
    rows = listed("published", "--taxonomy", "hm-bench")
    assert {row["kind"] for row in rows} >= {"taxonomy", "results"}
    assert all("2604.08884" in row["source"] for row in rows if row["kind"] != "contradiction")
    (table,) = (row for row in rows if row["kind"] == "results")
    # Table 2 prints 38 rows of 13 tasks and an overall value.
    assert table["size"] == f"{38 * 14} cells"


@pytest.mark.parametrize("kind", ["tasks", "published"])
def test_an_unknown_taxonomy_is_refused_with_the_nearest_name(monkeypatch, capsys, kind):
    monkeypatch.setattr("sys.argv", ["earthexam", "list", kind, "--taxonomy", "hm-bensh"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "did you mean hm-bench?" in capsys.readouterr().err
