import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from earthexam.core.errors import InputError, ShapeError
from earthexam.spectral.unmix import (
    Endmembers,
    class_means,
    extract_endmembers,
    fully_constrained_abundances,
    reconstruction_error,
)


def simulate(rows, cols, spectra, generator, alpha=0.5):
    shares = generator.dirichlet(np.full(len(spectra), alpha), size=(rows, cols))
    return (shares @ spectra).astype(np.float32), shares


def test_a_mixture_gives_its_shares_back():
    generator = np.random.default_rng(0)
    spectra = generator.random((4, 30))
    cube, shares = simulate(12, 10, spectra, generator)
    found = fully_constrained_abundances(cube, Endmembers(spectra, (1, 2, 3, 4)))
    assert np.abs(found - shares).max() < 1e-5
    assert reconstruction_error(cube, Endmembers(spectra, (1, 2, 3, 4)), found).max() < 1e-5


def test_noisy_pixels_get_the_optimum_that_scipy_finds():
    generator = np.random.default_rng(1)
    for _ in range(40):
        k = int(generator.integers(2, 7))
        spectra = generator.random((k, 15))
        pixel = generator.normal(0.5, 0.5, size=15).astype(np.float32).astype(np.float64)

        def error(shares, spectra=spectra, pixel=pixel):
            rest = shares @ spectra - pixel
            return rest @ rest, 2 * spectra @ rest

        best = minimize(
            error, np.full(k, 1 / k), jac=True, method="SLSQP", bounds=[(0, 1)] * k,
            constraints={"type": "eq", "fun": lambda shares: shares.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        cube = pixel.astype(np.float32)[None, None]
        found = fully_constrained_abundances(cube, Endmembers(spectra, tuple(range(k))))[0, 0]
        assert error(found.astype(np.float64))[0] <= best.fun + 1e-6
        assert np.abs(found - best.x).max() < 1e-3


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31), k=st.integers(1, 9), bands=st.integers(1, 12),
    gain=st.sampled_from([1e-3, 1.0, 1e4]),
)  # fmt: skip
def test_shares_are_never_negative_and_sum_to_one(seed, k, bands, gain):
    generator = np.random.default_rng(seed)
    spectra = generator.normal(size=(k, bands)) * gain
    cube = (generator.normal(size=(4, 5, bands)) * 2 * gain).astype(np.float32)
    found = fully_constrained_abundances(cube, Endmembers(spectra, tuple(range(k))))
    assert found.min() >= 0
    assert np.allclose(found.sum(axis=2), 1.0, atol=1e-6)


def test_equal_endmembers_are_no_obstacle():
    spectra = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = fully_constrained_abundances(
        np.array([[[0.25, 0.75]]], dtype=np.float32), Endmembers(spectra, (1, 2, 3))
    )[0, 0]
    assert found[2] == pytest.approx(0.75, abs=1e-5)
    assert found[:2].sum() == pytest.approx(0.25, abs=1e-5)


def test_masked_pixels_have_no_shares():
    cube = np.full((1, 2, 2), np.nan, dtype=np.float32)
    cube[0, 0] = [1, 0]
    found = fully_constrained_abundances(cube, Endmembers(np.eye(2), (1, 2)))
    assert found[0, 0].tolist() == [1, 0]
    assert np.isnan(found[0, 1]).all()


def test_endmembers_of_other_bands_are_refused():
    with pytest.raises(ShapeError, match="3 bands and the endmembers 2"):
        fully_constrained_abundances(
            np.zeros((1, 1, 3), dtype=np.float32), Endmembers(np.eye(2), (1, 2))
        )


def test_class_means_run_over_valid_labelled_pixels():
    cube = np.array([[[1, 2], [3, 4]], [[9, 9], [np.nan, 0]]], dtype=np.float32)
    labels = np.array([[5, 5], [0, 2]], dtype=np.int32)
    means = class_means(cube, labels)
    assert means.names == (5,)
    assert means.spectra.tolist() == [[2, 3]]


def test_class_means_need_a_labelled_pixel_and_one_grid():
    cube = np.ones((2, 2, 2), dtype=np.float32)
    with pytest.raises(InputError, match="no labelled pixel"):
        class_means(cube, np.zeros((2, 2), dtype=np.int32))
    with pytest.raises(ShapeError, match="one grid"):
        class_means(cube, np.zeros((2, 3), dtype=np.int32))


@pytest.mark.parametrize("seed", range(5))
def test_the_pure_pixels_are_found(seed):
    generator = np.random.default_rng(seed)
    spectra = generator.random((5, 40))
    cube, _ = simulate(15, 20, spectra, generator, alpha=1.0)
    pure = (3, 77, 150, 201, 299)
    cube.reshape(-1, 40)[list(pure)] = spectra
    cube[0, 0] = np.nan
    found = extract_endmembers(cube, 5, generator)
    assert sorted(found.names) == list(pure)
    assert np.array_equal(found.spectra, cube.reshape(-1, 40)[list(found.names)])


def test_the_same_generator_state_finds_the_same_pixels():
    cube = np.random.default_rng(0).random((10, 10, 8), dtype=np.float32)
    first = extract_endmembers(cube, 4, np.random.default_rng(7))
    assert first.names == extract_endmembers(cube, 4, np.random.default_rng(7)).names


def test_more_endmembers_than_bands_are_refused():
    with pytest.raises(InputError, match="cannot extract 3 endmembers"):
        extract_endmembers(np.ones((5, 5, 2), dtype=np.float32), 3, np.random.default_rng(0))
