import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from earthexam.core.errors import InputError, ShapeError
from earthexam.spectral.composite import (
    CHUNK_PIXELS,
    composite_panels,
    principal_components,
    shared_components,
)


def make_cube(rows, cols, bands, seed=0):
    generator = np.random.default_rng(seed)
    mixed = generator.random((rows, cols, 5)) @ generator.normal(size=(5, bands))
    return (3000 + 500 * mixed + generator.normal(scale=5, size=mixed.shape)).astype(np.float32)


def peer(pixels, n):
    pixels = pixels.astype(np.float64)
    pca = PCA(n, svd_solver="full")
    scores = pca.fit_transform((pixels - pixels.mean(axis=0)) / pixels.std(axis=0))
    return scores, pca


def assert_same_up_to_sign(maps, scores):
    signs = np.sign((maps * scores).sum(axis=0))
    error = np.abs(maps * signs - scores).max(axis=0)
    assert (error <= 1e-6 * np.abs(scores).max(axis=0)).all()


@pytest.mark.parametrize("shape", [(20, 30, 40), (CHUNK_PIXELS // 32 + 3, 32, 15)])
def test_maps_equal_those_of_scikit_learn(shape):
    cube = make_cube(*shape)
    components = principal_components(cube)
    scores, pca = peer(cube.reshape(-1, shape[2]), 12)
    assert_same_up_to_sign(components.maps.reshape(-1, 12), scores)
    assert np.allclose(components.explained, pca.explained_variance_ratio_, atol=1e-12)
    assert np.allclose(np.abs(components.loadings), np.abs(pca.components_.T), atol=1e-8)


def test_two_bands_that_rise_together_leave_one_component():
    ramp = np.arange(12, dtype=np.float32).reshape(3, 4, 1)
    components = principal_components(np.concatenate([ramp, 10 - 3 * ramp], axis=2))
    assert np.allclose(components.explained, [1.0, 0.0])
    assert np.allclose(np.abs(components.loadings[:, 0]), np.sqrt(0.5))


def test_the_largest_loading_of_each_component_is_positive():
    loadings = principal_components(make_cube(20, 20, 30)).loadings
    peaks = np.abs(loadings).argmax(axis=0)
    assert (loadings[peaks, np.arange(12)] > 0).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), shift=st.integers(1, 7))
def test_turning_or_shifting_the_scene_keeps_the_signs(seed, shift):
    cube = make_cube(8, 9, 6, seed)
    turned = principal_components(cube[::-1, ::-1].copy())
    rolled = principal_components(np.roll(cube, shift, axis=0))
    plain = principal_components(cube)
    scale = np.abs(plain.maps).max()
    assert np.abs(turned.maps[::-1, ::-1] - plain.maps).max() < 1e-3 * scale
    assert np.abs(np.roll(rolled.maps, -shift, axis=0) - plain.maps).max() < 1e-3 * scale


def test_masked_pixels_take_no_part_and_stay_masked():
    cube = make_cube(20, 20, 10)
    holed = cube.copy()
    holed[3, 4] = np.nan
    holed[5, 6, 2] = np.inf
    components = principal_components(holed)
    valid = np.isfinite(holed).all(axis=2)
    assert np.array_equal(np.isnan(components.maps).all(axis=2), ~valid)
    assert_same_up_to_sign(components.maps[valid], peer(cube[valid], 10)[0])


def test_constant_and_empty_bands_are_dropped():
    cube = make_cube(10, 10, 6)
    cube[:, :, 1] = 1234.567
    cube[:, :, 4] = np.nan
    components = principal_components(cube)
    assert components.bands.tolist() == [0, 2, 3, 5]
    assert components.maps.shape == (10, 10, 4)
    assert not np.isnan(components.maps).any()


def test_a_band_constant_but_for_masked_pixels_is_dropped():
    cube = make_cube(10, 10, 3)
    cube[:, :, 1] = 7.0
    cube[0, 0] = np.nan
    assert principal_components(cube).bands.tolist() == [0, 2]


def test_few_pixels_give_few_components():
    assert principal_components(make_cube(1, 3, 20)).maps.shape == (1, 3, 2)


def test_one_band_gives_one_panel_at_full_range():
    panels = composite_panels(principal_components(make_cube(5, 6, 1)))
    assert panels.shape == (1, 5, 6)
    assert (panels.min(), panels.max()) == (0, 255)


def test_explained_variance_falls_and_sums_to_one_over_all_bands():
    explained = principal_components(make_cube(15, 15, 9)).explained
    assert (np.diff(explained) <= 0).all()
    assert np.isclose(explained.sum(), 1.0)


def test_invalid_pixels_are_black_in_panels():
    cube = make_cube(10, 10, 5)
    cube[2, 3] = np.nan
    assert (composite_panels(principal_components(cube))[:, 2, 3] == 0).all()


def test_a_shared_basis_gives_equal_spectra_equal_scores():
    before, after = make_cube(9, 9, 7), make_cube(9, 9, 7, seed=1)
    after[0, 0] = before[4, 5]
    first, second = shared_components([before, after])
    assert np.allclose(first.maps[4, 5], second.maps[0, 0])
    assert np.array_equal(first.loadings, second.loadings)
    stacked = principal_components(np.concatenate([before, after]))
    assert np.allclose(stacked.maps, np.concatenate([first.maps, second.maps]), atol=1e-4)


def test_a_scene_far_from_zero_loses_no_digits():
    cube = make_cube(20, 20, 8).astype(np.float64)
    far = (cube * 2**-4 + 2**17).astype(np.float32)
    scores, _ = peer(far.reshape(-1, 8), 8)
    assert_same_up_to_sign(principal_components(far).maps.reshape(-1, 8), scores)


def test_the_same_cube_gives_the_same_bits():
    cube = make_cube(30, 30, 20)
    first, second = principal_components(cube), principal_components(cube.copy())
    assert first.maps.tobytes() == second.maps.tobytes()


@pytest.mark.parametrize(
    ("cube", "problem"),
    [
        (np.full((3, 3, 2), np.nan, dtype=np.float32), "has 0"),
        (np.ones((1, 1, 2), dtype=np.float32), "has 1"),
        (np.ones((3, 3, 2), dtype=np.float32), "constant"),
    ],
)
def test_a_cube_without_variance_is_refused(cube, problem):
    with pytest.raises(InputError, match=problem):
        principal_components(cube)


def test_cubes_with_different_bands_share_no_basis():
    with pytest.raises(ShapeError, match=r"\(4, 4, 2\), \(4, 4, 3\)"):
        shared_components([make_cube(4, 4, 2), make_cube(4, 4, 3)])
