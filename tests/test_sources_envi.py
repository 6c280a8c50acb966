"""ENVI: what other software writes into headers, and the binary layouts."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.sources.envi_header import parse_fields, read_header
from earthexam.sources.labels import read_labels
from earthexam.sources.reader import SourceWarning
from earthexam.sources.scene import open_scene, read_scene

PLAIN = """ENVI
samples = 3
lines = 2
bands = 2
header offset = 0
data type = 2
interleave = bsq
byte order = 0
"""
VALUES = np.arange(12, dtype="<i2").reshape(2, 2, 3)


def write(folder, header=PLAIN, values=VALUES, extra="", encoding="utf-8", name="scene.img"):
    (folder / name).write_bytes(values if isinstance(values, bytes) else values.tobytes())
    path = folder / "scene.hdr"
    path.write_bytes((header + extra).encode(encoding))
    return path


def expected():
    return VALUES.transpose(1, 2, 0).astype(np.float32)


def test_keys_in_any_case_comments_and_empty_values_are_read(tmp_path):
    header = PLAIN.replace("samples", "Samples").replace("interleave = bsq", "Interleave = BSQ")
    path = write(tmp_path, header, extra="; a comment = 3\nwavelength units =\n")
    np.testing.assert_array_equal(read_scene(path).cube, expected())


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    path = write(tmp_path, "\ufeff" + PLAIN.replace("\n", "\r\n"))
    np.testing.assert_array_equal(read_scene(path).cube, expected())


def test_a_latin_1_header_is_read(tmp_path):
    path = write(tmp_path, extra="description = {view 12°}\n", encoding="latin-1")
    assert parse_fields(path)["description"] == "view 12°"
    np.testing.assert_array_equal(read_scene(path).cube, expected())


def test_an_absent_byte_order_is_taken_as_little_endian_with_a_warning(tmp_path):
    path = write(tmp_path, PLAIN.replace("byte order = 0\n", "").replace("header offset = 0\n", ""))
    with pytest.warns(SourceWarning, match="names no byte order; taken as 0"):
        scene = read_scene(path)
    np.testing.assert_array_equal(scene.cube, expected())


def test_band_names_with_commas_do_not_disturb(tmp_path):
    path = write(tmp_path, extra="band_names = {B1, B2 (0.45 um,\n blue)}\n")
    assert read_scene(path).cube.shape == (2, 3, 2)
    assert parse_fields(path)["band names"].startswith("B1")


@pytest.mark.parametrize("key", ["samples", "lines", "bands", "data type", "interleave"])
def test_a_needed_key_that_is_absent_is_named(tmp_path, key):
    lines = [line for line in PLAIN.splitlines() if not line.startswith(key)]
    path = write(tmp_path, "\n".join(lines))
    with pytest.raises(FormatError, match=key):
        read_scene(path)


def test_a_header_offset_is_skipped(tmp_path):
    header = PLAIN.replace("header offset = 0", "header offset = 7")
    path = write(tmp_path, header, b"1234567" + VALUES.tobytes())
    np.testing.assert_array_equal(read_scene(path).cube, expected())


@pytest.mark.parametrize("size", [22, 26])
def test_a_size_that_disagrees_is_refused_with_both_numbers(tmp_path, size):
    path = write(tmp_path, values=(VALUES.tobytes() + b"xx")[:size])
    with pytest.raises(FormatError, match=rf"has {size} bytes, scene\.hdr gives 24"):
        open_scene(path)


def test_the_reflectance_scale_factor_is_applied_once_and_recorded(tmp_path):
    values = np.full((2, 2, 3), 700, dtype="<i2")
    values[1, 0, 0] = 0
    path = write(
        tmp_path, values=values, extra="reflectance scale factor = 10000\ndata ignore value = 0\n"
    )
    scene = read_scene(path)
    np.testing.assert_allclose(scene.cube[1], 0.07, rtol=1e-6)
    np.testing.assert_array_equal(np.isnan(scene.cube[0, 0]), [False, True])
    assert scene.profile.quantity == "reflectance"
    assert (scene.sources[0].scale, scene.sources[0].nodata) == (1e-4, (0.0,))


def test_gains_that_differ_by_band_are_applied_and_said(tmp_path):
    path = write(tmp_path, extra="data gain values = {0.5, 2}\ndata offset values = {1, 0}\n")
    scene = read_scene(path)
    np.testing.assert_allclose(scene.cube[0, 2], [0.5 * 2 + 1, 2 * 8])
    assert "by band" in scene.sources[0].format


def test_bad_bands_are_left_out_and_the_order_recorded(tmp_path):
    header = PLAIN.replace("bands = 2", "bands = 3")
    values = np.arange(18, dtype="<i2").reshape(3, 2, 3)
    path = write(
        tmp_path,
        header,
        values,
        extra="bbl = {1, 0, 1}\nwavelength = {700, 600, 500}\nwavelength units = Nanometers\n",
    )
    scene = read_scene(path)
    assert scene.sources[0].band_order == (2, 0)
    np.testing.assert_array_equal(scene.wavelengths_nm, [500, 700])
    np.testing.assert_array_equal(scene.cube[0, 0], [12, 0])


@pytest.mark.parametrize(
    ("text", "unit"), [("0.5, 0.7", "Micrometers"), ("500, 700", "nm"), ("0.5, 0.7", "um")]
)
def test_wavelength_units_are_turned_to_nanometres(tmp_path, text, unit):
    path = write(tmp_path, extra=f"wavelength units = {unit}\nwavelength = {{ {text} }}\n")
    np.testing.assert_allclose(read_scene(path).wavelengths_nm, [500, 700])


def test_an_absent_unit_is_told_from_the_magnitude_with_a_warning(tmp_path):
    path = write(tmp_path, extra="wavelength = {0.5, 0.7}\n")
    with pytest.warns(SourceWarning, match="taken as micrometres"):
        scene = read_scene(path)
    np.testing.assert_allclose(scene.wavelengths_nm, [500, 700])


def test_wavelengths_that_no_spectrometer_has_are_refused(tmp_path):
    path = write(tmp_path, extra="wavelength units = um\nwavelength = {500, 700}\n")
    with pytest.raises(FormatError, match="mend the wavelengths or their unit"):
        open_scene(path)


def test_wavelengths_of_another_number_are_ignored_with_a_warning(tmp_path):
    path = write(tmp_path, extra="wavelength = {500}\n")
    with pytest.warns(SourceWarning, match="wavelength has 1 values for 2 bands"):
        assert read_scene(path).wavelengths_nm is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("data type = 6\n", "data type = 6; expected one of"),
        ("byte order = 3\n", "byte order = 3"),
        ("samples = three\n", "expected a whole number"),
        ("samples = 0\n", "at least 1"),
        ("wavelength = {1, x}\n", "expected a number"),
        ("wavelength = {1, 2\n", "not closed"),
        ("reflectance scale factor = 0\n", "above 0"),
    ],
)
def test_a_wrong_value_is_named(tmp_path, line, said):
    path = write(tmp_path, extra=line)
    with pytest.raises(FormatError, match=said):
        open_scene(path)


def test_a_file_that_is_no_header_is_refused(tmp_path):
    path = write(tmp_path, "GEOTIFF\n")
    with pytest.raises(FormatError, match="begins with the line ENVI"):
        open_scene(path)


def test_a_header_without_a_binary_file_names_what_is_missing(tmp_path):
    path = write(tmp_path)
    (tmp_path / "scene.img").unlink()
    with pytest.raises(MissingFileError, match="no binary file beside it"):
        open_scene(path)


@pytest.mark.parametrize("name", ["scene.img", "scene", "SCENE.DAT", "scene.bsq"])
def test_header_and_binary_file_find_each_other(tmp_path, name):
    header = write(tmp_path, name=name)
    for path in (header, tmp_path / name):
        assert open_scene(path).path.name == name


def test_a_one_band_file_is_a_label_map(tmp_path):
    header = PLAIN.replace("bands = 2", "bands = 1")
    path = write(tmp_path, header, VALUES[0], extra="data ignore value = 5\n")
    np.testing.assert_array_equal(read_labels(path), [[0, 1, 2], [3, 4, 0]])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cube=arrays.arrays(
        st.sampled_from(["u1", "i2", "u2", "i4", "f4"]).map(np.dtype),
        st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(2, 5)),
        elements=st.integers(0, 200),
    ),
    interleave=st.sampled_from(["bsq", "bil", "bip"]),
    order=st.sampled_from([0, 1]),
)
def test_any_layout_written_by_the_peer_reads_back(tmp_path, cube, interleave, order):
    envi = pytest.importorskip("spectral.io.envi")
    path = tmp_path / "peer.hdr"
    envi.save_image(
        str(path), cube, interleave=interleave, byteorder=order, force=True, dtype=cube.dtype
    )
    assert read_header(path).interleave == interleave
    np.testing.assert_array_equal(read_scene(path).cube, cube.astype(np.float32))
