"""MATLAB files: choice of the array, axes of version 7.3."""

import numpy as np
import pytest
import scipy.io

from earthexam.core.errors import AmbiguousError, FormatError, UnknownNameError
from earthexam.sources.labels import read_labels
from earthexam.sources.scene import open_scene, read_scene

CUBE = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
MAP = np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8)


def write_73(path, **arrays):
    """Write as MATLAB does: a 512-byte text block, then HDF5 with all axes reversed."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            file[name] = array.T
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    return path


def write_5(path, **arrays):
    scipy.io.savemat(path, arrays)
    return path


@pytest.fixture(params=[write_5, write_73])
def write(request, tmp_path):
    return lambda **arrays: request.param(tmp_path / "scene.mat", **arrays)


def test_the_one_array_with_three_axes_is_chosen_in_its_own_orientation(write):
    path = write(scene=CUBE, scene_gt=MAP, wavelength=np.arange(4.0)[np.newaxis])
    opened = open_scene(path)
    assert opened.shape == (2, 3, 4)
    np.testing.assert_array_equal(read_scene(path).cube, CUBE)
    np.testing.assert_array_equal(opened.read_window(1, 1, 1, 2), CUBE[1:, 1:])


def test_several_arrays_ask_for_a_choice_and_list_the_shapes(write):
    path = write(first=CUBE, second=CUBE[:, :, :2].copy())
    with pytest.raises(
        AmbiguousError, match=r"first \(2×3×4\), second \(2×3×2\); choose one with --variable"
    ):
        read_scene(path)
    assert read_scene(path, variable="second").cube.shape == (2, 3, 2)


def test_a_name_that_is_not_there_brings_the_nearest(write):
    path = write(first=CUBE, second=CUBE)
    with pytest.raises(UnknownNameError, match="did you mean second"):
        read_scene(path, variable="secand")


def test_a_file_without_a_cube_says_so(write):
    path = write(scene_gt=MAP)
    with pytest.raises(FormatError, match="holds no 3-D numeric array"):
        read_scene(path)


def test_labels_are_the_one_integer_map(write):
    path = write(cube=CUBE, height=np.ones((2, 3)) / 3, gt=MAP)
    labels = read_labels(path)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, MAP)


def test_labels_stored_as_doubles_are_read(write):
    np.testing.assert_array_equal(read_labels(write(gt=MAP.astype(float))), MAP)


def test_a_map_of_measurements_is_not_a_label_map(write):
    with pytest.raises(FormatError, match=r"holds 0\.5 where a class is expected"):
        read_labels(write(height=np.full((2, 3), 0.5)))
