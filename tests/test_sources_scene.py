"""Scenes: profiles, band order, what is refused."""

import numpy as np
import pytest

from earthexam.core.errors import FormatError, ShapeError, UnknownNameError
from earthexam.core.scene import Profile
from earthexam.sources.numpy_array import write_array
from earthexam.sources.profiles import Description
from earthexam.sources.reader import SourceWarning
from earthexam.sources.scene import open_scene, read_scene

CUBE = np.arange(2 * 3 * 4, dtype=np.int16).reshape(2, 3, 4)


def save(folder, cube=CUBE, name="scene.npy", **profile):
    path = folder / name
    if profile:
        return write_array(cube, Description(Profile("scene", **profile)), path)
    np.save(path, cube)
    return path


def test_bands_are_sorted_by_wavelength_after_the_dropped_ones_left(tmp_path):
    path = save(tmp_path, wavelengths_nm=(400.0, 700.0, 690.0, 800.0), dropped_bands=(0,))
    scene = read_scene(path)
    np.testing.assert_array_equal(scene.wavelengths_nm, [690, 700, 800])
    np.testing.assert_array_equal(scene.cube[0, 0], [2, 1, 3])
    assert scene.sources[0].band_order == (2, 1, 3)


def test_bands_in_order_record_no_order(tmp_path):
    assert read_scene(save(tmp_path)).sources[0].band_order is None


def test_scale_and_offset_of_the_profile_are_applied_and_recorded(tmp_path):
    path = save(tmp_path, quantity="radiance", scale=0.002, offset=-2.0, licence="CC0-1.0")
    scene = read_scene(path)
    np.testing.assert_allclose(scene.cube, CUBE * 0.002 - 2, rtol=1e-6)
    source = scene.sources[0]
    assert (source.scale, source.offset, source.licence) == (0.002, -2.0, "CC0-1.0")
    assert scene.profile.quantity == "radiance"


def test_a_profile_wins_over_the_side_file_and_a_time_over_its_time(tmp_path):
    path = write_array(
        CUBE, Description(Profile("side"), "1992-06-12", "made up"), tmp_path / "a.npy"
    )
    scene = read_scene(path, profile=Profile("mine"), time="2000-01-01")
    assert (scene.name, scene.time, scene.simulated) == ("mine", "2000-01-01", "made up")
    assert read_scene(path).time == "1992-06-12"


def test_a_profile_may_be_a_path_or_a_known_name(tmp_path):
    path = save(tmp_path)
    description = tmp_path / "other.toml"
    description.write_text('sensor = "X"\n')
    assert read_scene(path, profile=description).profile.sensor == "X"
    assert read_scene(path, profile=str(description)).profile.sensor == "X"
    assert read_scene(path, profile="salinas").profile.sensor == "AVIRIS"
    with pytest.raises(UnknownNameError, match="did you mean salinas"):
        read_scene(path, profile="salinass")


def test_a_known_scene_is_recognised_by_shape_and_name(tmp_path):
    np.save(
        tmp_path / "PaviaU.npy",
        np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (610, 340, 103), (0, 0, 0)),
    )
    assert open_scene(tmp_path / "PaviaU.npy").profile.class_names[5] == "Painted metal sheets"
    (tmp_path / "PaviaU.npy").rename(tmp_path / "field.npy")
    assert open_scene(tmp_path / "field.npy").profile == Profile("field")


def test_two_scales_warn_and_only_the_profiles_is_applied(tmp_path):
    header = "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 2\ninterleave = bip\nbyte order = 0\nreflectance scale factor = 100\n"
    (tmp_path / "a.hdr").write_text(header)
    (tmp_path / "a.img").write_bytes(np.full(12, 50, "<i2").tobytes())
    with pytest.warns(SourceWarning, match="both give a scale or offset"):
        scene = read_scene(tmp_path / "a.hdr", profile=Profile("a", scale=0.1))
    np.testing.assert_allclose(scene.cube, 5)


def test_a_band_without_a_value_is_named(tmp_path):
    cube = CUBE.astype(np.float32)
    cube[:, :, 2] = np.nan
    path = save(tmp_path, cube)
    with pytest.raises(FormatError, match=r"every pixel of band 2 is NaN or nodata.*dropped_bands"):
        read_scene(path)
    assert read_scene(path, profile=Profile("a", dropped_bands=(2,))).cube.shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (Profile("a", wavelengths_nm=(400.0, 500.0)), "2 wavelengths for 4 bands"),
        (Profile("a", dropped_bands=(4,)), "dropped band 4 does not exist; bands are 0 to 3"),
        (Profile("a", dropped_bands=(0, 1, 2)), "keeps 1 of 4 bands"),
    ],
)
def test_a_profile_that_does_not_fit_the_file_is_refused(tmp_path, profile, said):
    with pytest.raises(ShapeError, match=said):
        open_scene(save(tmp_path), profile=profile)


def test_one_band_is_refused(tmp_path):
    with pytest.raises(ShapeError, match="has one band"):
        read_scene(save(tmp_path, CUBE[:, :, :1]))


@pytest.mark.parametrize(
    "array", [CUBE[0], CUBE[np.newaxis], np.array(3), CUBE.astype(complex), CUBE.astype("U4")]
)
def test_an_array_of_another_shape_or_type_is_refused(tmp_path, array):
    with pytest.raises(ShapeError, match="expected numbers with 3 axes"):
        read_scene(save(tmp_path, array))


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.array([[[{}]]], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match=r"not a whole \.npy file of numbers"):
        read_scene(path)


def test_a_damaged_npy_header_is_one_error_of_ours(tmp_path):
    path = save(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"}", b"{", 1))
    with pytest.raises(FormatError, match=r"not a whole \.npy file") as caught:
        read_scene(path)
    assert "\n" not in str(caught.value)
