"""GeoTIFF: nodata, scales, wavelengths, pages."""

import numpy as np
import pytest

from earthexam.core.errors import AmbiguousError, ShapeError
from earthexam.sources.labels import read_labels
from earthexam.sources.scene import open_scene, read_scene

rasterio = pytest.importorskip("rasterio")
from PIL import Image  # noqa: E402, after the skip


def write(path, cube, prepare=None, **options):
    rows, cols, bands = cube.shape
    with rasterio.open(
        path, "w", driver="GTiff", height=rows, width=cols, count=bands, dtype=cube.dtype,
        transform=rasterio.Affine(1, 0, 0, 0, -1, rows), **options,
    ) as dataset:  # fmt: skip
        dataset.write(cube.transpose(2, 0, 1))
        if prepare:
            prepare(dataset)
    return path


def test_tag_nan_and_infinity_are_all_masked(tmp_path):
    cube = np.ones((2, 2, 2), dtype=np.float32)
    cube[0, 0, 0], cube[0, 1, 0], cube[1, 0, 0] = -9999, np.nan, np.inf
    scene = read_scene(write(tmp_path / "a.tif", cube, nodata=-9999))
    np.testing.assert_array_equal(np.isnan(scene.cube[:, :, 0]), [[True, True], [True, False]])
    assert np.nanmean(scene.cube) == 1


def test_without_a_tag_the_profile_declares_the_ignore_value(tmp_path):
    cube = np.ones((2, 2, 2), dtype=np.int16)
    cube[0, 0] = -9999
    path = write(tmp_path / "a.tif", cube)
    assert read_scene(path).cube[0, 0, 0] == -9999
    profile = tmp_path / "p.toml"
    profile.write_text("nodata = [-9999]\n")
    assert np.isnan(read_scene(path, profile=profile).cube[0, 0]).all()


def test_scale_and_offset_of_the_file_do_not_wrap_unsigned_counts(tmp_path):
    cube = np.array([[[500, 1718], [0, 1000]]], dtype=np.uint16)

    def prepare(dataset):
        dataset.scales, dataset.offsets = (1e-4, 1e-4), (-0.1, -0.1)

    scene = read_scene(write(tmp_path / "a.tif", cube, prepare, nodata=0))
    np.testing.assert_allclose(scene.cube, [[[-0.05, 0.0718], [np.nan, 0]]], atol=1e-7)
    assert (scene.sources[0].scale, scene.sources[0].offset) == (1e-4, -0.1)


def test_wavelengths_come_from_band_descriptions(tmp_path):
    def prepare(dataset):
        dataset.descriptions = ("red 665.0 nm", "blue 490 nm")

    scene = read_scene(
        write(tmp_path / "a.tif", np.arange(8, dtype=np.uint8).reshape(2, 2, 2), prepare)
    )
    np.testing.assert_array_equal(scene.wavelengths_nm, [490, 665])
    assert scene.sources[0].band_order == (1, 0)


def test_an_internal_mask_is_applied(tmp_path):
    mask = np.array([[0, 255], [255, 255]], dtype=np.uint8)
    path = tmp_path / "a.tif"
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        write(path, np.ones((2, 2, 2), np.uint8), lambda dataset: dataset.write_mask(mask))
    np.testing.assert_array_equal(np.isnan(read_scene(path).cube[:, :, 1]), mask == 0)


def test_several_pages_ask_for_a_choice(tmp_path):
    path = tmp_path / "a.tif"
    pages = [Image.fromarray(np.full((2, 3), value, np.uint8)) for value in (1, 2)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with pytest.raises(AmbiguousError, match="holds 2 pages"):
        open_scene(path)
    np.testing.assert_array_equal(read_labels(path, variable="2"), np.full((2, 3), 2))


def test_a_label_raster_with_nodata_is_unlabelled_there(tmp_path):
    plane = np.array([[[1], [255]]], dtype=np.uint8)
    np.testing.assert_array_equal(
        read_labels(write(tmp_path / "a.tif", plane, nodata=255)), [[1, 0]]
    )


def test_a_cube_is_not_a_label_raster(tmp_path):
    with pytest.raises(ShapeError, match="has 2 bands; a label map has one"):
        read_labels(write(tmp_path / "a.tif", np.ones((2, 2, 2), np.uint8)))


def test_one_band_is_not_a_scene(tmp_path):
    with pytest.raises(ShapeError, match="has one band; a hyperspectral scene needs at least 2"):
        read_scene(write(tmp_path / "a.tif", np.ones((2, 2, 1), np.uint8)))
