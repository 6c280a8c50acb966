"""NetCDF: packing, fill values, axes, groups."""

import numpy as np
import pytest

from earthexam.core.errors import AmbiguousError
from earthexam.sources.labels import read_labels
from earthexam.sources.scene import open_scene, read_scene

netCDF4 = pytest.importorskip("netCDF4")


def write(path, dimensions, values, kind="f4", fill=None, **attributes):
    with netCDF4.Dataset(path, "w") as dataset:
        for name, size in zip(dimensions, values.shape, strict=True):
            dataset.createDimension(name, size)
        variable = dataset.createVariable("data", kind, dimensions, fill_value=fill)
        variable.set_auto_maskandscale(False)
        variable.setncatts(attributes)
        variable[:] = values
    return path


def test_default_fill_valid_maximum_and_missing_value_are_masked(tmp_path):
    values = np.ones((1, 4, 2), np.float32)
    values[0, 0], values[0, 1], values[0, 2] = netCDF4.default_fillvals["f4"], 60, -1
    path = write(
        tmp_path / "a.nc",
        ("y", "x", "band"),
        values,
        valid_max=np.float32(50),
        missing_value=np.float32(-1),
    )
    np.testing.assert_array_equal(
        np.isnan(read_scene(path).cube[0, :, 0]), [True, True, True, False]
    )


def test_packed_values_are_unpacked_in_double_precision(tmp_path):
    values = np.array([[[0, 1], [-32768, 30000]]], dtype=np.int16)
    path = write(
        tmp_path / "a.nc",
        ("y", "x", "band"),
        values,
        "i2",
        fill=-32768,
        scale_factor=0.01,
        add_offset=273.15,
    )
    scene = read_scene(path)
    expected = np.array([[[273.15, 273.16], [np.nan, 573.15]]]).astype(np.float32)
    np.testing.assert_array_equal(scene.cube, expected)
    assert scene.sources[0].scale == 0.01
    assert scene.sources[0].nodata == (-32768.0,)


@pytest.mark.parametrize(("text", "first"), [("true", 65535), ("false", -1)])
def test_the_unsigned_attribute_is_read_as_text(tmp_path, text, first):
    values = np.array([[[-1, 1]]], dtype=np.int16)
    path = write(tmp_path / "a.nc", ("y", "x", "band"), values, "i2", _Unsigned=text)
    np.testing.assert_array_equal(read_scene(path).cube, [[[first, 1]]])


@pytest.mark.parametrize(
    "order", [("y", "x", "band"), ("band", "y", "x"), ("x", "y", "wavelength"), ("lat", "channel", "lon"), ("n1", "n2", "n3"), ("z", "lat", "lon")]
)  # fmt: skip
def test_the_axes_are_told_by_their_names(tmp_path, order):
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    place = {"y": 0, "lat": 0, "n1": 0, "x": 1, "lon": 1, "n2": 1}
    values = cube.transpose([place.get(name, 2) for name in order])
    opened = open_scene(write(tmp_path / "a.nc", order, values))
    assert opened.shape == (2, 3, 4)
    np.testing.assert_array_equal(opened.read_window(0, 1, 2, 2), cube[:, 1:])


def test_a_variable_and_wavelengths_in_groups_are_found(tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as dataset:
        for name, size in (("downtrack", 2), ("crosstrack", 3), ("bands", 2)):
            dataset.createDimension(name, size)
        for group in ("first", "second"):
            dataset.createVariable(f"{group}/values", "f4", ("downtrack", "crosstrack", "bands"))[
                :
            ] = 1
        wavelengths = dataset.createVariable("sensor/wavelengths", "f4", ("bands",))
        wavelengths.units = "um"
        wavelengths[:] = [0.5, 0.75]
    with pytest.raises(AmbiguousError, match="first/values"):
        open_scene(path)
    scene = read_scene(path, variable="second/values")
    np.testing.assert_allclose(scene.wavelengths_nm, [500, 750])


def test_labels_may_be_a_two_dimensional_variable(tmp_path):
    values = np.array([[1, 2], [-9, 0]], dtype=np.int16)
    path = write(tmp_path / "a.nc", ("y", "x"), values, "i2", fill=-9)
    np.testing.assert_array_equal(read_labels(path), [[1, 2], [0, 0]])
