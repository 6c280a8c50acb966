"""The made-up second date: what changes, where from, and what stays."""

from dataclasses import replace

import numpy as np
import pytest

from earthexam.core.errors import ShapeError
from earthexam.core.scene import Profile, Scene
from earthexam.sources.simulate import simulate_later

NAMES = {1: "Dark", 2: "Grey", 3: "Bright", 4: "Roof"}
KINDS = {"Dark": "vegetation", "Grey": "vegetation", "Bright": "soil", "Roof": "built"}
LEVELS = (0.0, 1.0, 3.0, 9.0, 27.0)


@pytest.fixture(scope="module")
def scene():
    """120 x 120 pixels in fields of 15, four classes and unlabelled ones, flat spectra with noise."""
    draw = np.random.default_rng(5)
    fields = draw.integers(0, 5, (8, 8))
    labels = np.kron(fields, np.ones((15, 15), int)).astype(np.int32)
    cube = np.array(LEVELS)[labels][:, :, np.newaxis] + draw.normal(0, 0.05, (120, 120, 30))
    return Scene(
        "fields",
        cube.astype(np.float32),
        Profile("fields", class_names=NAMES, class_kinds=KINDS),
        labels=labels,
    )


@pytest.fixture(scope="module")
def later(scene):
    return simulate_later(scene, seed=3, cell=30)


def shares(scene, later, side=30):
    changed, labelled = scene.labels != later.labels, scene.labels > 0
    return [
        changed[r : r + side, c : c + side].sum() / labelled[r : r + side, c : c + side].sum()
        for r in range(0, 120, side)
        for c in range(0, 120, side)
    ]


def test_the_same_seed_gives_the_same_scene_and_another_another(scene, later):
    again = simulate_later(scene, seed=3, cell=30)
    np.testing.assert_array_equal(again.cube, later.cube)
    np.testing.assert_array_equal(again.labels, later.labels)
    assert (simulate_later(scene, seed=4, cell=30).labels != later.labels).any()


def test_the_given_scene_is_left_as_it_was(scene):
    cube, labels = scene.cube.copy(), scene.labels.copy()
    simulate_later(scene)
    np.testing.assert_array_equal(scene.cube, cube)
    np.testing.assert_array_equal(scene.labels, labels)


def test_unlabelled_pixels_stay_unlabelled_and_labelled_ones_labelled(scene, later):
    np.testing.assert_array_equal(later.labels > 0, scene.labels > 0)


def test_a_pixel_shows_the_spectrum_of_its_new_class(scene, later):
    levels = later.cube.mean(axis=2)
    nearest = np.abs(levels[:, :, np.newaxis] - np.array(LEVELS)).argmin(axis=2)
    np.testing.assert_array_equal(nearest, later.labels)


def test_changed_shares_differ_from_cell_to_cell_and_some_cells_stay(scene, later):
    found = np.array(shares(scene, later))
    assert (found == 0).sum() >= 2
    assert (found > 0.3).sum() >= 2
    assert ((found > 0.02) & (found < 0.15)).sum() >= 2
    assert found.max() <= 0.8


def test_changes_go_both_ways_in_brightness_and_many_ways_in_class(scene, later):
    changed = scene.labels != later.labels
    rise = later.labels[changed] > scene.labels[changed]
    assert 0.25 < rise.mean() < 0.75
    assert (
        len(set(zip(scene.labels[changed].tolist(), later.labels[changed].tolist(), strict=True)))
        >= 6
    )


def test_unchanged_pixels_differ_by_gain_and_noise_only(scene, later):
    same = (scene.labels == later.labels) & (scene.labels == 4)
    ratio = later.cube[same].mean(axis=0) / scene.cube[same].mean(axis=0)
    assert np.abs(ratio - 1).max() < 0.035
    assert ratio.std() > 0.002
    assert (later.cube[same] != scene.cube[same]).mean() > 0.99


def test_the_text_counts_what_was_done(scene, later):
    changed = np.count_nonzero(scene.labels != later.labels)
    assert f"({changed} pixels, " in later.simulated
    assert "seed 3" in later.simulated
    assert later.time == "later"


def test_masked_pixels_stay_masked(scene):
    cube = scene.cube.copy()
    cube[:3, :3] = np.nan
    masked = replace(
        scene, cube=cube, labels=np.where(np.isnan(cube[:, :, 0]), 0, scene.labels).astype(np.int32)
    )
    later = simulate_later(masked)
    np.testing.assert_array_equal(np.isnan(later.cube), np.isnan(cube))


@pytest.mark.parametrize(
    "labels", [None, np.ones((120, 120), np.int32), np.zeros((120, 120), np.int32)]
)
def test_a_scene_with_fewer_than_two_classes_is_refused(scene, labels):
    with pytest.raises(ShapeError, match="fewer than two labelled classes"):
        simulate_later(replace(scene, labels=labels))
