"""Spectral unmixing: pure spectra of a block, and how much of each a pixel holds."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError
from earthexam.core.scene import Cube, Labels
from earthexam.spectral.normalise import Floats

Matrix: TypeAlias = NDArray[np.float64]

CHUNK_PIXELS = 4096
# Relative to the mean square of an endmember: keeps equal endmembers solvable, moves nothing else.
RIDGE = 1e-11
MULTIPLIER_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Endmembers:
    """Pure spectra.

    Attributes
    ----------
    spectra : array, shape (k, bands)
    names : tuple of int
        Label of each class for class means; the flat pixel index (row-major) for extracted ones.
    """

    spectra: Matrix
    names: tuple[int, ...]


def class_means(cube: Cube, labels: Labels) -> Endmembers:
    """Take the mean spectrum of each labelled class as its endmember.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
    labels : array, shape (rows, cols)
        0 is unlabelled.

    Returns
    -------
    Endmembers
        Classes by rising label; means run over valid pixels, and classes without any are left out.

    Raises
    ------
    ShapeError
        Cube and labels differ in size.
    InputError
        No labelled pixel is valid.
    """
    if labels.shape != cube.shape[:2]:
        message = (
            f"the cube is {cube.shape[:2]} pixels and the labels {labels.shape}; give one grid"
        )
        raise ShapeError(message)
    usable = np.isfinite(cube).all(axis=2) & (labels != 0)
    present = [int(label) for label in np.unique(labels[usable])]
    if not present:
        message = "no labelled pixel is valid; endmembers need at least one"
        raise InputError(message)
    spectra = [cube[usable & (labels == c)].mean(axis=0, dtype=np.float64) for c in present]
    return Endmembers(np.stack(spectra), tuple(present))


def extract_endmembers(cube: Cube, k: int, generator: np.random.Generator) -> Endmembers:
    """Find `k` pure pixels by vertex component analysis.

    Pixels are projected onto the first `k` singular directions; then, again and again, the pixel
    that lies farthest along a random direction orthogonal to those already found is taken. The
    projection is the one for high signal-to-noise ratio (onto a hyperplane through the data).

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN and are never taken.
    k : int
        Wanted endmembers, 1 to the number of bands.
    generator : numpy Generator
        Draws the directions; the same state gives the same pixels.

    Raises
    ------
    InputError
        More endmembers than bands or valid pixels, or fewer than one.

    References
    ----------
    Nascimento and Bioucas-Dias (2005), IEEE Trans. Geosci. Remote Sens. 43, 898-910,
    10.1109/TGRS.2005.844293.
    """
    flat = cube.reshape(-1, cube.shape[2])
    places = np.flatnonzero(np.isfinite(flat).all(axis=1))
    if not 1 <= k <= min(cube.shape[2], len(places)):
        message = (
            f"cannot extract {k} endmembers from {len(places)} valid pixels of {cube.shape[2]} "
            "bands; ask for 1 to the smaller of the two"
        )
        raise InputError(message)
    pixels = flat[places].astype(np.float64)
    _, directions = np.linalg.eigh(pixels.T @ pixels)
    reduced = pixels @ directions[:, : -k - 1 : -1]
    # Dividing by the projection on the mean puts the data on a plane, whatever the illumination.
    depth = reduced @ reduced.mean(axis=0)
    near_zero = np.abs(depth) < np.finfo(np.float64).tiny
    reduced = reduced / np.where(near_zero, 1.0, depth)[:, None]
    found: list[int] = []
    basis = np.zeros((k, k))
    basis[-1, 0] = 1.0
    for step in range(k):
        direction = generator.standard_normal(k)
        direction -= basis @ (np.linalg.pinv(basis) @ direction)
        reach = np.abs(reduced @ direction)
        reach[found] = -1.0
        found.append(int(np.argmax(reach)))
        basis[:, step] = reduced[found[-1]]
    return Endmembers(pixels[found], tuple(int(places[pixel]) for pixel in found))


def fully_constrained_abundances(cube: Cube, endmembers: Endmembers) -> Floats:
    """Find the shares of the endmembers in each pixel: none negative, their sum 1.

    Least squares with both constraints, solved exactly by a primal active-set method that works on
    many pixels at once: a pixel starts at its nearest endmember; the endmember that lowers the error
    most is let in, those that would turn negative are put out, until none is left to let in.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        In the unit of the endmembers.
    endmembers : Endmembers
        k spectra.

    Returns
    -------
    array, shape (rows, cols, k)
        0 to 1, summing to 1 to rounding; NaN where a band of the pixel is NaN.

    Raises
    ------
    ShapeError
        Cube and endmembers differ in bands.

    References
    ----------
    Heinz and Chang (2001), IEEE Trans. Geosci. Remote Sens. 39, 529-545, 10.1109/36.911111, state
    the problem; Nocedal and Wright (2006), Numerical Optimization, section 16.5, the method.

    Examples
    --------
    >>> pure = Endmembers(np.eye(2), (1, 2))
    >>> fully_constrained_abundances(np.array([[[0.25, 0.75]]], dtype=np.float32), pure).tolist()
    [[[0.25, 0.75]]]
    """
    spectra = endmembers.spectra
    if spectra.shape[1] != cube.shape[2]:
        message = f"the cube has {cube.shape[2]} bands and the endmembers {spectra.shape[1]}"
        raise ShapeError(message)
    flat = cube.reshape(-1, cube.shape[2])
    result = np.full((len(flat), len(spectra)), np.nan, dtype=np.float32)
    valid = np.flatnonzero(np.isfinite(flat).all(axis=1))
    scale = float(np.mean(spectra**2)) * spectra.shape[1] or 1.0
    gram = spectra @ spectra.T / scale + RIDGE * np.eye(len(spectra))
    for start in range(0, len(valid), CHUNK_PIXELS):
        part = valid[start : start + CHUNK_PIXELS]
        result[part] = _solve(gram, flat[part].astype(np.float64) @ spectra.T / scale)
    return result.reshape(*cube.shape[:2], len(spectra))


def reconstruction_error(cube: Cube, endmembers: Endmembers, abundances: Floats) -> Floats:
    """Measure how far each pixel is from the mixture that its abundances make.

    Returns
    -------
    array, shape (rows, cols)
        Root mean square over the bands, in the unit of the cube; NaN stays NaN.
    """
    rest = cube - abundances.astype(np.float64) @ endmembers.spectra
    return np.asarray(np.sqrt(np.mean(rest**2, axis=2)), dtype=np.float32)


def _solve(gram: Matrix, targets: Matrix) -> Matrix:
    """Minimise ``a' G a / 2 - c' a`` for each row c of `targets`, with a >= 0 and sum 1."""
    count, k = targets.shape
    shares = np.zeros((count, k))
    nearest = np.argmin(np.diag(gram) / 2 - targets, axis=1)
    shares[np.arange(count), nearest] = 1.0
    free = shares > 0
    open_rows = np.arange(count)
    # A pixel visits each set of endmembers at most once; in practice 2 k rounds are plenty, and the
    # shares are feasible after every one of them.
    for _ in range(20 * k):
        if len(open_rows) == 0:
            break
        wanted = _solve_free(gram, targets[open_rows], free[open_rows])
        reached = _step_towards(shares, free, open_rows, wanted)
        open_rows = np.concatenate(
            [open_rows[~reached], _let_in(gram, targets, shares, free, open_rows[reached])]
        )
    return shares


def _solve_free(gram: Matrix, targets: Matrix, free: NDArray[np.bool_]) -> Matrix:
    """Solve with the sum constraint alone, endmembers that are not free held at 0."""
    count, k = targets.shape
    system = np.zeros((count, k + 1, k + 1))
    system[:, :k, :k] = np.where(free[:, :, None] & free[:, None, :], gram, 0.0)
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] += ~free
    system[:, :k, k] = free
    system[:, k, :k] = free
    right = np.concatenate([np.where(free, targets, 0.0), np.ones((count, 1))], axis=1)
    solution = np.linalg.solve(system, right[:, :, None])[:, :k, 0]
    return np.asarray(np.where(free, solution, 0.0), dtype=np.float64)


def _step_towards(
    shares: Matrix, free: NDArray[np.bool_], rows: NDArray[np.intp], wanted: Matrix
) -> NDArray[np.bool_]:
    """Go as far as no share turns negative; say where the wanted point was reached."""
    now = shares[rows]
    falls = wanted < 0
    room = np.where(falls, now / np.where(falls, now - wanted, 1.0), 1.0)
    stride = room.min(axis=1)
    reached = ~falls.any(axis=1)
    moved = now + stride[:, None] * (wanted - now)
    out = falls & (room <= stride[:, None])
    shares[rows] = np.where(out, 0.0, np.maximum(moved, 0.0))
    free[rows] &= ~out
    return np.asarray(reached, dtype=np.bool_)


def _let_in(
    gram: Matrix,
    targets: Matrix,
    shares: Matrix,
    free: NDArray[np.bool_],
    rows: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Free the endmember that lowers the error most; return the rows where there was one."""
    slope = shares[rows] @ gram - targets[rows]
    level = (slope * free[rows]).sum(axis=1) / free[rows].sum(axis=1)
    gain = np.where(free[rows], np.inf, slope - level[:, None])
    best = gain.argmin(axis=1)
    better = gain[np.arange(len(rows)), best] < -MULTIPLIER_TOLERANCE
    free[rows[better], best[better]] = True
    still_open: NDArray[np.intp] = rows[better]
    return still_open
