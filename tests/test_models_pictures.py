"""Pictures are sent as stored where they fit, and shrunk by a known factor where not."""

import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.models.pictures import fit_pictures
from earthexam.models.profiles import Profile
from earthexam.models.protocol import UnsupportedItemError
from small_benchmark import png


def noise(folder: Path, size: tuple[int, int], name: str = "a.png") -> Path:
    values = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(values).save(folder / name)
    return folder / name


def test_a_picture_that_fits_is_sent_byte_for_byte(tmp_path: Path) -> None:
    path = noise(tmp_path, (40, 30))
    (fitted,) = fit_pictures(tmp_path, ["a.png"], Profile(most_pixels=1200, most_side=40))
    assert fitted.data == path.read_bytes()
    assert fitted.resize is None
    assert fitted.data_url().startswith(b"data:image/png;base64,iVBOR")


def test_too_many_pixels_shrink_it_and_the_factor_is_recorded(tmp_path: Path) -> None:
    noise(tmp_path, (400, 300))
    (fitted,) = fit_pictures(tmp_path, ["a.png"], Profile(most_pixels=30_000))
    assert (fitted.width, fitted.height) == (200, 150)
    assert fitted.resize is not None
    assert (fitted.resize.path, fitted.resize.factor_x, fitted.resize.factor_y) == (
        "a.png", 0.5, 0.5,
    )  # fmt: skip
    with Image.open(io.BytesIO(fitted.data)) as sent:
        assert (sent.format, sent.size) == ("PNG", (200, 150))


def test_the_longest_side_is_kept_to_its_limit(tmp_path: Path) -> None:
    noise(tmp_path, (300, 100))
    (fitted,) = fit_pictures(tmp_path, ["a.png"], Profile(most_side=150))
    assert (fitted.width, fitted.height) == (150, 50)


def test_bytes_are_counted_after_base64(tmp_path: Path) -> None:
    path = noise(tmp_path, (100, 100))
    raw = path.stat().st_size
    (whole,) = fit_pictures(tmp_path, ["a.png"], Profile(most_bytes=math.ceil(raw * 4 / 3) + 4))
    assert whole.resize is None
    (smaller,) = fit_pictures(tmp_path, ["a.png"], Profile(most_bytes=raw))
    assert smaller.resize is not None
    assert len(smaller.data_url()) <= raw + len("data:image/png;base64,") + 4


def test_the_pixels_of_a_request_are_shared_out_evenly(tmp_path: Path) -> None:
    noise(tmp_path, (200, 200), "a.png")
    noise(tmp_path, (200, 200), "b.png")
    fitted = fit_pictures(tmp_path, ["a.png", "b.png"], Profile(most_request_pixels=20_000))
    assert [one.width * one.height for one in fitted] == [10_000, 10_000]


def test_more_pictures_than_the_model_takes_are_unsupported(tmp_path: Path) -> None:
    noise(tmp_path, (4, 4))
    with pytest.raises(UnsupportedItemError, match="at most 1"):
        fit_pictures(tmp_path, ["a.png", "a.png"], Profile(most_pictures=1))


def test_a_palette_picture_shrinks_in_its_colours(tmp_path: Path) -> None:
    picture = Image.new("P", (64, 64), 1)
    picture.putpalette([0, 0, 0, 200, 100, 50])
    picture.save(tmp_path / "a.png")
    (fitted,) = fit_pictures(tmp_path, ["a.png"], Profile(most_side=16))
    with Image.open(io.BytesIO(fitted.data)) as sent:
        assert sent.convert("RGB").getpixel((8, 8)) == (200, 100, 50)


def test_a_missing_or_spoilt_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"lost\.png"):
        fit_pictures(tmp_path, ["lost.png"], Profile())
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(FormatError, match=r"text\.png"):
        fit_pictures(tmp_path, ["text.png"], Profile())


def test_a_picture_of_200_million_pixels_is_shrunk_and_the_process_limit_left_alone(
    tmp_path: Path,
) -> None:
    Image.new("L", (20_000, 10_000)).save(tmp_path / "a.png", compress_level=1)
    limit = Image.MAX_IMAGE_PIXELS
    (fitted,) = fit_pictures(tmp_path, ["a.png"], Profile(most_side=200))
    assert (fitted.width, fitted.height) == (200, 100)
    assert limit == Image.MAX_IMAGE_PIXELS


def test_a_cut_off_picture_is_named(tmp_path: Path) -> None:
    path = noise(tmp_path, (80, 60))
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(FormatError, match=r"a\.png cannot be read"):
        fit_pictures(tmp_path, ["a.png"], Profile(most_side=20))


@settings(max_examples=30, deadline=None)
@given(width=st.integers(1, 300), height=st.integers(1, 300), most=st.integers(400, 20_000))
def test_no_picture_ever_passes_the_limit(
    tmp_path_factory: pytest.TempPathFactory, width: int, height: int, most: int
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.png").write_bytes(png((9, 9, 9), (width, height)))
    (fitted,) = fit_pictures(folder, ["a.png"], Profile(most_pixels=most))
    assert fitted.width * fitted.height <= most
    if fitted.resize is not None:
        assert fitted.width == round(width * fitted.resize.factor_x)
        assert fitted.height == round(height * fitted.resize.factor_y)
