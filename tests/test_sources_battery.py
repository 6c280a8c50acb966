"""Every registered reader gives the scene that its example holds."""

import hashlib

import numpy as np
import pytest

from earthexam.core.errors import FormatError, InputError, MissingFileError
from earthexam.sources import SOURCES
from earthexam.sources.reader import EXAMPLE_WAVELENGTHS_NM, example_cube
from earthexam.sources.scene import open_scene, read_scene

READERS = SOURCES.names()


@pytest.fixture(params=READERS)
def example(request, tmp_path):
    return request.param, SOURCES.get(request.param).write_example(tmp_path)


def test_five_formats_are_registered():
    assert READERS == ["envi", "geotiff", "matlab", "netcdf", "npy"]


def test_an_example_reads_back_with_its_values_and_its_masked_pixel(example):
    _, path = example
    scene = read_scene(path)
    expected = example_cube().astype(np.float32)
    expected[0, 0] = np.nan
    assert scene.cube.dtype == np.float32
    np.testing.assert_array_equal(scene.cube, expected)


def test_wavelengths_of_an_example_rise_and_are_nanometres(example):
    name, path = example
    wavelengths = read_scene(path).wavelengths_nm
    if name == "matlab":
        assert wavelengths is None
    else:
        np.testing.assert_allclose(wavelengths, EXAMPLE_WAVELENGTHS_NM)


def test_an_example_records_every_file_with_its_hash(example):
    _, path = example
    scene = read_scene(path)
    files = {source.path: source.sha256 for source in scene.sources}
    assert str(path) in files
    for file in path.parent.iterdir():
        assert files[str(file)] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_windows_equal_the_parts_of_the_whole(example):
    _, path = example
    whole, opened = read_scene(path).cube, open_scene(path)
    assert opened.shape == whole.shape
    for row, col, height, width in ((0, 0, 4, 5), (0, 0, 1, 1), (1, 2, 3, 2), (3, 4, 1, 1)):
        part = opened.read_window(row, col, height, width)
        np.testing.assert_array_equal(part, whole[row : row + height, col : col + width])


@pytest.mark.parametrize("window", [(0, 0, 5, 5), (-1, 0, 2, 2), (0, 0, 0, 1), (3, 4, 1, 2)])
def test_a_window_outside_is_refused_with_both_sizes(example, window):
    _, path = example
    with pytest.raises(InputError, match=r"not inside .* 4×5"):
        open_scene(path).read_window(*window)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_cut_off_file_is_one_error_of_ours(example, share):
    _, path = example
    data = open_scene(path).path
    data.write_bytes(data.read_bytes()[: int(share * data.stat().st_size)])
    with pytest.raises(InputError) as caught:
        read_scene(path)
    assert path.stem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_file_is_said_to_be_missing(reader, tmp_path):
    path = tmp_path / f"nowhere{SOURCES.get(reader).suffixes[0]}"
    with pytest.raises(MissingFileError, match=r"nowhere\.\w+ does not exist; give the path"):
        read_scene(path)


def test_a_folder_is_not_a_scene(tmp_path):
    with pytest.raises(MissingFileError, match="is a folder"):
        read_scene(tmp_path)


def test_an_unknown_format_lists_the_known_endings(tmp_path):
    path = tmp_path / "scene.xyz"
    path.write_text("hello")
    with pytest.raises(FormatError, match=r"no known format; expected one of .*\.hdr.*\.mat"):
        read_scene(path)
