"""Benchmark checks: every planted fault is found, and a sound benchmark has none."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from earthexam.benchmark.checks import check_benchmark, check_folder
from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.cli import app
from earthexam.cli import check as _command  # noqa: F401  registers the command
from earthexam.core.errors import MissingFileError
from earthexam.core.item import (
    Blanks,
    Box,
    Chain,
    Choice,
    Golden,
    Item,
    Media,
    References,
    Truth,
)

Change = Callable[[Item], Item]


def png(width: int, height: int) -> bytes:
    stream = io.BytesIO()
    Image.new("L", (width, height), 7).save(stream, "PNG")
    return stream.getvalue()


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def write_sound(root: Path, change: Change = lambda item: item, **info: object) -> Benchmark:
    with write_benchmark(root) as writer:
        picture, picture_hash = writer.add_media(png(40, 30), ".png")
        cube, cube_hash = writer.add_media(npy(np.zeros((3, 4, 5))), ".npy")
        report, report_hash = writer.add_media(b"Mean 0.3.", ".txt")
        media = (
            Media("composite", picture, width=40, height=30, sha256=picture_hash),
            Media("cube", cube, width=4, height=3, sha256=cube_hash),
            Media("report", report, sha256=report_hash),
        )
        item = Item(
            "LCC-0001", "LCC", ("Perception", "Feature Recognition", "Land Cover Classification"),
            "single_choice", "choice", "Which class covers most of it?",
            ("water", "bare soil", "trees"), Choice((1,)), media, "lake/1", "lake",
        )  # fmt: skip
        writer.add_items([change(item)])
        writer.finish(BenchmarkInfo(name="sound", taxonomy="hm-bench", **info))
    return Benchmark.open(root)


def messages(benchmark: Benchmark, severity: str = "error") -> str:
    return "\n".join(
        f"{p.kind}: {p.where}: {p.message}"
        for p in check_benchmark(benchmark)
        if p.severity == severity
    )


def test_a_sound_benchmark_has_no_problems(tmp_path: Path) -> None:
    assert check_benchmark(write_sound(tmp_path / "b")) == ()


FAULTS: dict[str, tuple[Change, str]] = {
    "an unknown task": (lambda i: replace(i, task="XYZ"), "'XYZ' is not in hm-bench"),
    "wrong levels": (lambda i: replace(i, levels=("Reasoning",)), "levels are Reasoning"),
    "an unknown format": (lambda i: replace(i, format="essay"), "unknown format 'essay'"),
    "an unsafe id": (lambda i: replace(i, id="../LCC"), "an id holds letters"),
    "no group": (lambda i: replace(i, group=""), "the group is empty"),
    "no question": (lambda i: replace(i, question=" "), "the question is empty"),
    "an unknown view's wording": (
        lambda i: replace(i, question_by_view={"smell": "What?"}),
        "'smell', unknown",
    ),
    "an empty wording": (
        lambda i: replace(i, question_by_view={"report": ""}),
        "the question for the view 'report' is empty",
    ),
    "a key out of range": (lambda i: replace(i, answer=Choice((3,))), "out of range"),
    "no key": (lambda i: replace(i, answer=Choice(())), "no right option"),
    "two keys": (lambda i: replace(i, answer=Choice((0, 1))), "has 2 right options"),
    "a key named twice": (
        lambda i: replace(i, format="multiple_choice", answer=Choice((1, 1))),
        "repeats an option",
    ),
    "one option": (
        lambda i: replace(i, options=("water",), answer=Choice((0,))),
        "1 options; expected 2 to 26",
    ),
    "an empty option": (lambda i: replace(i, options=("a", "b", "")), "option C is empty"),
    "the key under two letters": (
        lambda i: replace(i, options=("Bare  soil.", "bare soil", "trees")),
        "the key 'bare soil' stands under A, B",
    ),
    "an empty blank": (
        lambda i: replace(i, format="fill_blank", options=(), answer=Blanks(("",))),
        "the text of a blank is empty",
    ),
    "no blank": (
        lambda i: replace(i, format="fill_blank", options=(), answer=Blanks(())),
        "no text is given",
    ),
    "a number that is none": (
        lambda i: replace(i, format="open", options=(), answer=Golden("many", "number", "many")),
        "the value is 'many'",
    ),
    "a negative tolerance": (
        lambda i: replace(
            i, format="open", options=(), answer=Golden("3", "number", 3, tolerance=-1.0)
        ),
        "tolerance -1.0 is negative",
    ),
    "a box outside the picture": (
        lambda i: replace(i, format="grounding", options=(), answer=Box((0, 0, 41, 30))),
        "leaves the picture",
    ),
    "an empty box": (
        lambda i: replace(i, format="grounding", options=(), answer=Box((5, 5, 5, 9))),
        "is empty or leaves",
    ),
    "no caption": (
        lambda i: replace(i, format="caption", options=(), answer=References(("",))),
        "no reference caption",
    ),
    "no steps": (
        lambda i: replace(i, format="chain_of_thought", answer=Chain((1,), ())),
        "has no steps",
    ),
    "three options for true and false": (
        lambda i: replace(i, format="true_false", answer=Truth(True)),
        "true/false item has 3 options",
    ),
    "a path that leads out": (
        lambda i: replace(i, media=(Media("image", "../../secret.png"),)),
        "leads out of the folder",
    ),
    "a file that is not there": (
        lambda i: replace(i, media=(Media("image", "media/none.png"),)),
        "media/none.png: the file does not exist",
    ),
    "a wrong size": (
        lambda i: replace(i, media=(replace(i.media[0], width=41), *i.media[1:])),
        "is 40×30 (width × height), the item table says 41×30",
    ),
    "a wrong cube size": (
        lambda i: replace(i, media=(*i.media[:1], replace(i.media[1], width=3), *i.media[2:])),
        "is 4×3",
    ),
    "a wrong hash": (
        lambda i: replace(i, media=(replace(i.media[0], sha256="0" * 64), *i.media[1:])),
        "the item table has 000000000000…",
    ),
    "an unknown role": (
        lambda i: replace(i, media=(replace(i.media[0], role="decoy"), *i.media[1:])),
        "unknown role 'decoy'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_planted_fault_is_an_error(tmp_path: Path, name: str) -> None:
    change, expected = FAULTS[name]
    assert expected in messages(write_sound(tmp_path / "b", change))


def test_a_repeated_distractor_is_a_warning(tmp_path: Path) -> None:
    benchmark = write_sound(
        tmp_path / "b", lambda i: replace(i, options=("trees", "bare soil", "Trees "))
    )
    assert messages(benchmark) == ""
    assert "the option 'trees' stands under A, C" in messages(benchmark, "warning")


def test_signs_that_change_the_meaning_keep_options_apart(tmp_path: Path) -> None:
    options = ("> 5 %", "< 5 %", "5 %")
    assert messages(write_sound(tmp_path / "b", lambda i: replace(i, options=options))) == ""


def test_a_truncated_picture_cannot_be_decoded(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    path = benchmark.path(benchmark.items[0].media[0])
    path.write_bytes(path.read_bytes()[:-30])
    assert "cannot be decoded" in messages(benchmark)


def test_a_pickled_array_is_refused(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    stream = io.BytesIO()
    np.save(stream, np.array([{}], dtype=object), allow_pickle=True)
    benchmark.path(benchmark.items[0].media[1]).write_bytes(stream.getvalue())
    assert "cannot be decoded" in messages(benchmark)


def test_media_known_to_be_absent_are_one_warning(tmp_path: Path) -> None:
    gone = (Media("image", "data/none.png"), Media("report", "data/none.txt"))
    benchmark = write_sound(
        tmp_path / "b", lambda i: replace(i, media=gone), built={"without_media": True}
    )
    assert messages(benchmark) == ""
    assert "2 of 2 files are absent" in messages(benchmark, "warning")


def test_a_stray_file_is_a_warning(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    (tmp_path / "b" / "media" / "stray.png").write_bytes(b"")
    assert "belong to no item" in messages(benchmark, "warning")


def test_a_changed_item_table_is_noticed(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    other = write_sound(tmp_path / "c", lambda i: replace(i, question="Which class is rarest?"))
    (benchmark.root / "items.parquet").write_bytes((other.root / "items.parquet").read_bytes())
    assert "was changed after it was written" in messages(Benchmark.open(benchmark.root))


def test_a_broken_table_is_a_problem_and_a_missing_folder_is_wrong_use(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    (benchmark.root / "items.parquet").write_bytes(b"PAR1 no")
    (problem,) = check_folder(benchmark.root)
    assert problem.kind == "schema"
    with pytest.raises(MissingFileError, match="is no benchmark"):
        check_folder(tmp_path / "nowhere")


def test_the_command_prints_json_and_passes_on_warnings(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b")
    (benchmark.root / "media" / "stray.png").write_bytes(b"")
    result = CliRunner().invoke(app, ["check", str(benchmark.root), "--json"])
    assert result.exit_code == 0
    (problem,) = json.loads(result.stdout)
    assert problem["severity"] == "warning"


def test_the_command_fails_on_an_error(tmp_path: Path) -> None:
    benchmark = write_sound(tmp_path / "b", lambda i: replace(i, answer=Choice((9,))))
    result = CliRunner().invoke(app, ["check", str(benchmark.root)])
    assert result.exit_code == 1
    assert "out of range" in result.output
