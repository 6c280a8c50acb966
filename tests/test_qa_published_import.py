"""Published files are not trusted: hostile paths, pictures and texts give one clear line or a reason."""

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import FormatError
from earthexam.core.files import inside
from earthexam.exchange import IMPORTERS
from earthexam.exchange.importer import picture_facts

HM_PICTURE = "data/Scene_2013/block_1_pca12.png"
OMNI_FILE = "Biosphere/Crop_growth_monitoring/Perception/Dead_Oil_Palm_counting.json"


def picture(form: str = "png") -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (8, 6), 90).save(buffer, form)
    return buffer.getvalue()


def huge_picture(side: int) -> bytes:
    """Return the head of a PNG that claims `side` by `side` pixels and holds next to nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def hm_bench(root: Path, path: str, data: bytes | None = None) -> Path:
    record = {"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "A"}
    file = root / "QA_for_image" / "task_1" / "mcq_only.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps([record | {"image_path": path}]))
    if data is not None:
        (root / path).parent.mkdir(parents=True)
        (root / path).write_bytes(data)
    return root


def omniearth(root: Path, text: str, **pictures: bytes) -> Path:
    file = root / "jsons" / OMNI_FILE
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (root / "raw").mkdir()
    for name, data in pictures.items():
        (root / "raw" / f"{name}.png").write_bytes(data)
    return root


def record(**other: Any) -> dict[str, Any]:
    return {
        "Question_id": "x/1",
        "Question Type": "Single Choice",
        "Text": "How many?",
        "Answer Choices": ["(A) 1", "(B) 2", "(C) Unable to decide"],
        "Ground Truth": "A",
        "Images": ["good.png"],
    } | other


@pytest.mark.parametrize("path", ["a\0b", "x" * 256, f"media/{'y' * 300}.png", "../up", "/etc/x"])
def test_a_path_that_no_file_can_have_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(FormatError, match="path"):
        inside(tmp_path, path)


@pytest.mark.parametrize(
    "path",
    [
        "/data/Scene_2013/block_1.png",
        "../Scene_2013/block_1.png",
        "data/Scene_2013/block_1\0.png",
        f"data/Scene_2013/block_1{'x' * 300}.png",
    ],
)
def test_hm_bench_refuses_paths_that_lead_elsewhere(tmp_path: Path, path: str) -> None:
    source = hm_bench(tmp_path / "in", path)
    with pytest.raises(FormatError, match="record 1"):
        IMPORTERS.get("hm-bench")(source, tmp_path / "out", without_media=True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("data", [b"<html></html>", huge_picture(60_000)])
def test_hm_bench_refuses_what_is_no_picture_or_a_bomb(tmp_path: Path, data: bytes) -> None:
    source = hm_bench(tmp_path / "in", HM_PICTURE, data)
    with pytest.raises(FormatError, match=r"block_1_pca12\.png: no picture that can be read"):
        IMPORTERS.get("hm-bench")(source, tmp_path / "out")


def test_a_large_picture_is_measured_without_its_pixels_and_without_a_warning() -> None:
    assert picture_facts(huge_picture(11_000)).width == 11_000


@pytest.mark.parametrize(("form", "ending"), [("png", ".png"), ("jpeg", ".jpg"), ("tiff", ".tif")])
def test_a_picture_is_stored_by_what_it_is_and_not_by_its_name(
    tmp_path: Path, form: str, ending: str
) -> None:
    source = hm_bench(tmp_path / "in", "data/Scene_2013/block_1.html", picture(form))
    IMPORTERS.get("hm-bench")(source, tmp_path / "out")
    (media,) = Benchmark.open(tmp_path / "out").items[0].media
    assert media.path.endswith(ending)
    assert (media.width, media.height) == (8, 6)


@pytest.mark.parametrize(
    "other",
    [
        {"Images": ["a\0.png"]},
        {"Images": [f"{'x' * 300}.png"]},
        {"Images": ["../../good.png"]},
        {"Images": ["bomb.png"]},
        {"Text": "half a pair \ud800"},
    ],
)
def test_omniearth_leaves_a_hostile_record_out_and_takes_the_rest(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    text = json.dumps([record(), record(**{"Question_id": "x/2"} | other)])
    source = omniearth(tmp_path / "in", text, good=picture(), bomb=huge_picture(60_000))
    imported = IMPORTERS.get("omniearth")(source, tmp_path / "out")
    assert imported.n == 1
    assert "50.00% of the questions taken; 1 left out" in imported.warnings[0]
    assert OMNI_FILE in imported.warnings[1]


def test_a_file_of_endless_lists_is_left_out(tmp_path: Path) -> None:
    source = omniearth(tmp_path / "in", "[" * 200_000)
    with pytest.raises(FileNotFoundError, match="lists within lists"):
        IMPORTERS.get("omniearth")(source, tmp_path / "out")
