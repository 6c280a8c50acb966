"""The scene of the demonstration: facts that its publisher states."""

import importlib.util

import numpy as np
import pytest

from earthexam.core.errors import MissingLibraryError
from earthexam.sources.indian_pines import load_indian_pines, write_sources
from earthexam.sources.labels import read_class_table, read_labels, with_labels
from earthexam.sources.scene import read_scene

SIZES = [46, 1428, 830, 237, 483, 730, 28, 478, 20, 972, 2455, 593, 205, 1265, 386, 93]
NAMES = [
    "Alfalfa", "Corn-notill", "Corn-mintill", "Corn", "Grass-pasture", "Grass-trees",
    "Grass-pasture-mowed", "Hay-windrowed", "Oats", "Soybean-notill", "Soybean-mintill",
    "Soybean-clean", "Wheat", "Woods", "Buildings-Grass-Trees-Drives", "Stone-Steel-Towers",
]  # fmt: skip


@pytest.fixture(scope="module")
def scene():
    pytest.importorskip("tensorly")
    return load_indian_pines()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pytest.importorskip("tensorly")
    return write_sources(tmp_path_factory.mktemp("demo"))


def test_the_classes_have_the_published_names_and_sizes(scene):
    sizes = np.bincount(scene.labels.ravel())
    assert sizes[1:].tolist() == SIZES
    assert sizes[0] == 145 * 145 - sum(SIZES)
    assert [scene.profile.class_names[value] for value in range(1, 17)] == NAMES


def test_the_kind_of_a_class_is_what_the_sensor_sees(scene):
    red, near_infrared = (np.argmin(np.abs(scene.wavelengths_nm - nm)) for nm in (670, 800))
    first, second = scene.cube[:, :, near_infrared], scene.cube[:, :, red]
    index = (first - second) / (first + second)
    for value, name in scene.profile.class_names.items():
        is_green = np.median(index[scene.labels == value]) > 0.2
        kind = scene.profile.class_kinds[name]
        assert is_green == (kind == "vegetation") or kind == "built", name


def test_the_counts_become_radiance(scene):
    assert scene.cube.shape == (145, 145, 200)
    assert scene.profile.quantity == "radiance"
    # The counts go from 955 to 9604: (955 - 1000) / 500 and (9604 - 1000) / 500.
    assert scene.cube.min() == pytest.approx(-0.09, abs=1e-6)
    assert scene.cube.max() == pytest.approx(17.208, abs=1e-5)
    assert "CC-BY" in scene.sources[0].licence


def test_the_three_steps_back_in_the_wavelengths_are_sorted_and_recorded(scene):
    assert (np.diff(scene.wavelengths_nm) > 0).all()
    order = scene.sources[0].band_order
    assert sorted(order) == list(range(200))
    # Spectrometers overlap: band 31 (686.91 nm) lies below band 30 (696.50 nm), and so on.
    assert order[29:33] == (29, 31, 30, 32)
    assert (scene.wavelengths_nm[29], scene.wavelengths_nm[30]) == (686.53, 686.91)


def test_vegetation_has_its_red_edge_and_its_index_stays_below_reflectance_thresholds(scene):
    red, near_infrared = (np.argmin(np.abs(scene.wavelengths_nm - nm)) for nm in (670, 800))
    woods = scene.cube[scene.labels == 14].mean(axis=0)
    assert woods[near_infrared] > 2 * woods[red]
    # On the packaged counts the index never passes 0.6, which is why the profile scales them back.
    counts = 500 * scene.cube + 1000
    index = (counts[:, :, near_infrared] - counts[:, :, red]) / (
        counts[:, :, near_infrared] + counts[:, :, red]
    )
    assert index.max() < 0.6


def test_the_written_files_read_back_as_the_scene(scene, files):
    read = with_labels(read_scene(files.scene), read_labels(files.labels), where="labels")
    np.testing.assert_array_equal(read.cube, scene.cube)
    np.testing.assert_array_equal(read.labels, scene.labels)
    assert read.profile == scene.profile
    assert read.sources[0].sha256 == scene.sources[0].sha256
    assert (read.time, read.simulated) == ("1992-06-12", "")
    assert read_class_table(files.classes).kinds == scene.profile.class_kinds


def test_the_written_second_date_is_called_simulated(scene, files):
    later = read_scene(files.later)
    labels = read_labels(files.later_labels)
    assert later.simulated.startswith("Simulated second date")
    assert later.profile.quantity == "radiance"
    np.testing.assert_array_equal(later.wavelengths_nm, scene.wavelengths_nm)
    assert labels.shape == scene.labels.shape
    assert 0.1 < np.mean(labels[labels > 0] != scene.labels[labels > 0]) < 0.4


def test_two_layouts_are_byte_identical(files, tmp_path):
    again = write_sources(tmp_path)
    for name in ("scene", "labels", "later", "later_labels", "classes"):
        assert getattr(files, name).read_bytes() == getattr(again, name).read_bytes()


def test_an_absent_package_brings_the_install_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingLibraryError, match=r"needs the package tensorly.*earthexam\[demo\]"):
        load_indian_pines()
