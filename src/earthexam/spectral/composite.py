"""Principal components of a cube: the twelve maps that a picture of all bands is made of.

After HM-Bench (arXiv 2604.08884): zero-variance bands dropped, every band z-scored, the first
twelve components kept, each map scaled to 0..1 on its own. Ours besides: the fit sees valid pixels
only, and signs are fixed.

All sums run in double precision over chunks of pixels, so that the last components, whose variance
is a thousandth of the first one's, are still right to 1e-6, and a scene needs little more memory
than its maps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError
from earthexam.core.scene import Cube, Vector
from earthexam.spectral.normalise import Bytes, Floats, scale_to_range, to_uint8

Matrix: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Pixels: TypeAlias = NDArray[np.float32]

N_COMPONENTS = 12
CHUNK_PIXELS = 2048


@dataclass(frozen=True)
class Components:
    """Principal components of one cube.

    Attributes
    ----------
    maps : array, shape (rows, cols, k), float32
        Scores; NaN where a kept band is not finite.
    explained : array, shape (k,)
        Share of the variance of the z-scored bands, 0 to 1, falling.
    loadings : array, shape (kept bands, k)
        Unit vectors; the entry of largest magnitude in each column is positive.
    mean, std : array, shape (kept bands,)
        What the bands were z-scored with (divisor n).
    bands : array, shape (kept bands,)
        0-based bands of the cube that took part.
    """

    maps: Floats
    explained: Vector
    loadings: Matrix
    mean: Vector
    std: Vector
    bands: Indices


@dataclass(frozen=True)
class _Basis:
    explained: Vector
    loadings: Matrix
    mean: Vector
    std: Vector
    bands: Indices


def principal_components(cube: Cube, n: int = N_COMPONENTS) -> Components:
    """Compute the first principal components of the z-scored bands.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Any unit; masked pixels are NaN.
    n : int
        Wanted components; fewer come where there are fewer bands or valid pixels.

    Returns
    -------
    Components
        ``k = min(n, kept bands, valid pixels - 1)`` maps. Same input, same machine: same bits.

    Raises
    ------
    InputError
        Fewer than two valid pixels, or every band is constant.

    Examples
    --------
    >>> ramp = np.arange(6, dtype=np.float32).reshape(2, 3, 1)
    >>> principal_components(np.concatenate([ramp, 2 * ramp], axis=2)).explained.round(6).tolist()
    [1.0, 0.0]
    """
    return shared_components([cube], n)[0]


def shared_components(cubes: Sequence[Cube], n: int = N_COMPONENTS) -> tuple[Components, ...]:
    """Compute the components of several cubes on one basis, fitted to all their pixels together.

    Parameters
    ----------
    cubes : sequence of arrays, each of shape (rows, cols, bands)
        Two dates of one place, for example; the number of bands is the same in all.

    Returns
    -------
    tuple of Components
        One for each cube, in order; everything but the maps is the same in all.

    Raises
    ------
    ShapeError
        The cubes differ in their number of bands, or are not three-dimensional.
    InputError
        Fewer than two valid pixels, or every band is constant.
    """
    shapes = sorted({cube.shape[2:] for cube in cubes})
    if len(shapes) != 1 or len(shapes[0]) != 1:
        message = (
            f"components need cubes (rows, cols, bands) with one number of bands; the shapes are "
            f"{', '.join(str(cube.shape) for cube in cubes)}"
        )
        raise ShapeError(message)
    flat = [cube.reshape(-1, cube.shape[2]) for cube in cubes]
    measured = _measured_bands(flat)
    valid = [_valid_pixels(pixels, measured) for pixels in flat]
    basis = _fit(flat, valid, measured, n)
    return tuple(
        _project(cube.shape[:2], pixels, mask, basis)
        for cube, pixels, mask in zip(cubes, flat, valid, strict=True)
    )


def composite_panels(components: Components) -> Bytes:
    """Scale each component map to 0..255 on its own.

    Returns
    -------
    array, shape (k, rows, cols), uint8
        Smallest valid score 0, largest 255; invalid pixels 0.
    """
    panels = to_uint8(scale_to_range(components.maps))
    return np.ascontiguousarray(np.moveaxis(panels, 2, 0))


def _measured_bands(flat: Sequence[Pixels]) -> Indices | None:
    """Return the bands that are finite somewhere; None where nothing at all is missing."""
    if all(_all_finite(pixels) for pixels in flat):
        return None
    seen = np.zeros(flat[0].shape[1], dtype=np.bool_)
    for pixels in flat:
        for start in range(0, len(pixels), CHUNK_PIXELS):
            seen |= np.isfinite(pixels[start : start + CHUNK_PIXELS]).any(axis=0)
    return np.flatnonzero(seen)


def _all_finite(pixels: Pixels) -> bool:
    # One multiplication by ones carries every NaN and infinity through, at memory speed.
    with np.errstate(invalid="ignore", over="ignore"):
        sums = pixels @ np.ones(pixels.shape[1], dtype=pixels.dtype)
    return bool(np.isfinite(sums).all())


def _valid_pixels(pixels: Pixels, measured: Indices | None) -> NDArray[np.bool_] | None:
    """Mark pixels that are finite in every measured band; None where all are."""
    if measured is None:
        return None
    valid = np.zeros(len(pixels), dtype=np.bool_)
    if len(measured) == 0:
        return valid
    for start in range(0, len(pixels), CHUNK_PIXELS):
        part = slice(start, start + CHUNK_PIXELS)
        valid[part] = np.isfinite(pixels[part][:, measured]).all(axis=1)
    return valid


def _shifted_chunks(
    pixels: Pixels, valid: NDArray[np.bool_] | None, bands: Indices | None, origin: Vector
) -> Iterator[tuple[slice, Matrix]]:
    """Walk through the valid pixels less `origin`, in double precision, with a column of ones.

    One buffer serves all chunks: the next chunk overwrites the last one.
    """
    buffer = np.ones((min(CHUNK_PIXELS, len(pixels)), len(origin) + 1))
    for start in range(0, len(pixels), CHUNK_PIXELS):
        part = slice(start, start + CHUNK_PIXELS)
        chunk = pixels[part] if valid is None else pixels[part][valid[part]]
        chunk = chunk if bands is None else chunk[:, bands]
        if len(chunk):
            shifted = buffer[: len(chunk)]
            np.subtract(chunk, origin, out=shifted[:, :-1])
            yield part, shifted


def _fit(
    flat: Sequence[Pixels],
    valid: Sequence[NDArray[np.bool_] | None],
    measured: Indices | None,
    n: int,
) -> _Basis:
    counts = [len(p) if v is None else int(v.sum()) for p, v in zip(flat, valid, strict=True)]
    count = sum(counts)
    if count < 2:
        message = f"components need at least 2 valid pixels, and the cube has {count}"
        raise InputError(message)
    bands = np.arange(flat[0].shape[1]) if measured is None else measured
    # Shifted by a real pixel, a constant band sums to exactly nothing.
    origin = _middle_pixel(flat, valid, counts)[bands].astype(np.float64)
    products = np.zeros((len(bands) + 1, len(bands) + 1))
    for pixels, mask in zip(flat, valid, strict=True):
        for _, chunk in _shifted_chunks(pixels, mask, measured, origin):
            products += chunk.T @ chunk
    varies = np.diag(products)[:-1] > 0
    if not varies.any():
        message = f"components need a band that varies; all {len(bands)} bands are constant"
        raise InputError(message)
    kept = np.flatnonzero(varies)
    mean = products[-1, kept] / count
    covariance = products[np.ix_(kept, kept)] / count - np.outer(mean, mean)
    std = np.sqrt(np.diag(covariance))
    explained, loadings = _eigenvectors(covariance / np.outer(std, std), min(n, count - 1))
    return _Basis(explained, loadings, mean + origin[kept], std, bands[kept])


def _middle_pixel(
    flat: Sequence[Pixels], valid: Sequence[NDArray[np.bool_] | None], counts: Sequence[int]
) -> Pixels:
    largest = int(np.argmax(counts))
    mask = valid[largest]
    places = np.arange(counts[largest]) if mask is None else np.flatnonzero(mask)
    pixel: Pixels = flat[largest][places[len(places) // 2]]
    return pixel


def _eigenvectors(correlation: Matrix, n: int) -> tuple[Vector, Matrix]:
    size = len(correlation)
    k = min(n, size)
    # NumPy's eigh finds all vectors, and is still the fast way: SciPy brings a BLAS of its own,
    # whose threads and those of the products above would hold each other up.
    values, vectors = np.linalg.eigh(correlation)
    values, vectors = values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]
    peaks = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[peaks, np.arange(k)])
    # The trace of a correlation matrix is its size; rounding can push the last values below 0.
    return np.maximum(values, 0.0) / size, np.ascontiguousarray(vectors)


def _project(
    shape: tuple[int, ...], pixels: Pixels, valid: NDArray[np.bool_] | None, basis: _Basis
) -> Components:
    weights = basis.loadings / basis.std[:, None]
    weights = np.concatenate([weights, np.zeros((1, weights.shape[1]))])
    bands = None if len(basis.bands) == pixels.shape[1] else basis.bands
    k = weights.shape[1]
    maps = np.full((len(pixels), k), np.nan, dtype=np.float32)
    for part, chunk in _shifted_chunks(pixels, valid, bands, basis.mean):
        scores = chunk @ weights
        if valid is None:
            maps[part] = scores
        else:
            maps[part][valid[part]] = scores
    return Components(
        maps=maps.reshape(*shape, k),
        explained=basis.explained,
        loadings=basis.loadings,
        mean=basis.mean,
        std=basis.std,
        bands=basis.bands,
    )
