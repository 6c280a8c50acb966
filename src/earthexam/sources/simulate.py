"""Make a second date from a labelled scene that has only one: known changes, real spectra.

The scene is cut into cells. Each cell gets a share of its labelled pixels to change, a direction
(brighter, darker or either) and a few classes to change to. Patches of one class inside the cell
take spectra that were measured on pixels of the new class elsewhere. Gain and noise differ from
the first date everywhere, so that unchanged pixels are not equal either.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from earthexam.core.errors import ShapeError
from earthexam.core.scene import Cube, Labels, Scene, Vector

# Changed shares of the labelled pixels of a cell: some cells stay as they are.
_SHARES = (0.0, 0.05, 0.12, 0.22, 0.35, 0.55)
# To brighter classes, to darker ones, or to any; coprime with the shares, so that all pairs occur.
_DIRECTIONS = (1, -1, 0, 1, -1)
# Weights of a cell's first, second and third new class: one conversion leads clearly.
_PREFERENCE = (0.65, 0.25, 0.10)
_PATCH_SIDES = (3, 10)
_GAIN_SPREAD = 0.03
_NOISE_SHARE = 0.02

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class _Class:
    """What the first date shows of one class."""

    value: int
    kind: str
    brightness: float
    rows: Indices
    cols: Indices


@dataclass(frozen=True)
class _Cell:
    """A rectangle of the scene, its changed share, and the classes it changes to."""

    rows: slice
    cols: slice
    share: float
    targets: tuple[_Class, ...]


def simulate_later(scene: Scene, *, seed: int = 0, cell: int = 29) -> Scene:
    """Return the scene at a made-up later date, with its labels; the text `simulated` says how.

    Parameters
    ----------
    scene : Scene
        With labels of at least two classes.
    seed : int
        Same scene and seed: same result.
    cell : int
        Side of the cells in pixels, about that of the blocks that questions are asked of; the
        changed share varies from cell to cell, from 0 to about 55 % of the labelled pixels.

    Raises
    ------
    ShapeError
        No labels, or fewer than two classes.
    """
    if scene.labels is None or np.unique(scene.labels[scene.labels > 0]).size < 2:
        message = f"scene {scene.name} has fewer than two labelled classes; a change needs two"
        raise ShapeError(message)
    draw = np.random.default_rng(seed)
    labels, cube = scene.labels.copy(), scene.cube.copy()
    patches = 0
    for plan in _plan(scene, scene.labels, cell, draw):
        for rows, cols, new in _patches(scene.labels, plan, draw):
            labels[rows, cols] = new.value
            cube[rows, cols] = _spectra(scene.cube, new, plan, rows.size, draw)
            patches += 1
    return replace(
        scene,
        cube=_observe_again(cube, draw),
        labels=labels,
        time="later",
        simulated=_describe(scene, labels, patches, seed),
    )


def _describe(scene: Scene, later: Labels, patches: int, seed: int) -> str:
    changed = np.count_nonzero(later != scene.labels)
    share = 100 * changed / np.count_nonzero(later)
    return (
        f"Simulated second date, made from the measured scene {scene.name}: in {patches} patches "
        f"({changed} pixels, {share:.1f} % of the labelled) the spectra were exchanged for spectra "
        f"measured on another class elsewhere in the scene; each band was given a gain within "
        f"{100 * _GAIN_SPREAD:g} % of 1 and Gaussian noise of {100 * _NOISE_SHARE:g} % of its "
        f"standard deviation; seed {seed}."
    )


def _plan(scene: Scene, labels: Labels, side: int, draw: np.random.Generator) -> Iterator[_Cell]:
    """Give each cell with labels a share and target classes; both recur evenly over the scene."""
    classes = _measure(scene, labels)
    boxes = [
        (rows, cols)
        for rows in _cuts(labels.shape[0], side)
        for cols in _cuts(labels.shape[1], side)
        if labels[rows, cols].any()
    ]
    for turn, index in enumerate(draw.permutation(len(boxes)).tolist()):
        rows, cols = boxes[index]
        present = labels[rows, cols]
        main = int(np.bincount(present[present > 0]).argmax())
        old = next(one for one in classes if one.value == main)
        targets = _targets(classes, old, _DIRECTIONS[turn % len(_DIRECTIONS)], draw)
        yield _Cell(rows, cols, _SHARES[turn % len(_SHARES)], targets)


def _cuts(length: int, side: int) -> list[slice]:
    """Cut a length into nearly equal pieces of about `side`."""
    edges = np.linspace(0, length, max(1, round(length / side)) + 1).round().astype(int).tolist()
    return [slice(start, stop) for start, stop in pairwise(edges)]


def _measure(scene: Scene, labels: Labels) -> list[_Class]:
    names, kinds = scene.profile.class_names, scene.profile.class_kinds
    classes = []
    for value in np.unique(labels[labels > 0]).tolist():
        rows, cols = np.nonzero(labels == value)
        kind = kinds.get(names.get(value, ""), "")
        brightness = float(np.nanmean(scene.cube[rows, cols]))
        classes.append(_Class(value, kind, brightness, rows, cols))
    return classes


def _targets(
    classes: Sequence[_Class], old: _Class, direction: int, draw: np.random.Generator
) -> tuple[_Class, ...]:
    """Draw up to three new classes on the wanted side of the main class in brightness.

    Classes of another kind are three times as likely, so that vegetation and built-up areas both grow
    and shrink; large classes are likelier, by the square root of their size.
    """
    others = [one for one in classes if one.value != old.value]
    fitting = [one for one in others if (one.brightness - old.brightness) * direction >= 0]
    pool = fitting or others
    weights = np.array([np.sqrt(one.rows.size) * (1 + 2 * (one.kind != old.kind)) for one in pool])
    count = min(len(_PREFERENCE), len(pool))
    chosen = draw.choice(len(pool), size=count, replace=False, p=weights / weights.sum())
    return tuple(pool[index] for index in chosen.tolist())


def _patches(
    labels: Labels, cell: _Cell, draw: np.random.Generator
) -> Iterator[tuple[Indices, Indices, _Class]]:
    """Give pixels and new class of patches until the cell has its share.

    A patch is the part of one connected region that lies in a small rectangle of the cell.
    """
    present = labels[cell.rows, cell.cols]
    free = present > 0
    wanted = round(cell.share * np.count_nonzero(free))
    seeds = np.argwhere(free)[draw.permutation(np.count_nonzero(free))].tolist()
    low, high = _PATCH_SIDES
    for row, col in seeds:
        if wanted <= 0:
            return
        height, width = draw.integers(low, high, size=2, endpoint=True).tolist()
        top, left = max(0, row - height // 2), max(0, col - width // 2)
        area = (slice(top, top + height), slice(left, left + width))
        regions, _ = ndimage.label((present[area] == present[row, col]) & free[area])
        region = regions[row - top, col - left]
        new = _new_class(cell.targets, int(present[row, col]), draw)
        if region == 0 or new is None:
            continue
        rows, cols = np.nonzero(regions == region)
        rows, cols = rows[:wanted] + top, cols[:wanted] + left
        free[rows, cols] = False
        wanted -= rows.size
        yield rows + cell.rows.start, cols + cell.cols.start, new


def _new_class(targets: Sequence[_Class], old: int, draw: np.random.Generator) -> _Class | None:
    pool = [
        (one, weight) for one, weight in zip(targets, _PREFERENCE, strict=False) if one.value != old
    ]
    if not pool:
        return None
    weights = np.array([weight for _, weight in pool])
    return pool[int(draw.choice(len(pool), p=weights / weights.sum()))][0]


def _spectra(cube: Cube, new: _Class, cell: _Cell, count: int, draw: np.random.Generator) -> Cube:
    """Draw measured spectra of a class, from outside the cell where it occurs outside."""
    inside = (
        (new.rows >= cell.rows.start) & (new.rows < cell.rows.stop)
        & (new.cols >= cell.cols.start) & (new.cols < cell.cols.stop)
    )  # fmt: skip
    pool = np.flatnonzero(~inside) if not inside.all() else np.arange(inside.size)
    chosen = draw.choice(pool, size=count)
    spectra: Cube = cube[new.rows[chosen], new.cols[chosen]]
    return spectra


def _observe_again(cube: Cube, draw: np.random.Generator) -> Cube:
    """Apply a gain that varies smoothly over the bands, and noise."""
    bands = cube.shape[2]
    smooth: Vector = ndimage.gaussian_filter1d(draw.standard_normal(bands), max(1.0, bands / 12))
    gain = 1 + _GAIN_SPREAD * smooth / np.abs(smooth).max()
    noise = draw.standard_normal(cube.shape, dtype=np.float32)
    noise *= (_NOISE_SHARE * np.nanstd(cube, axis=(0, 1), dtype=np.float64)).astype(np.float32)
    later: Cube = cube * gain.astype(np.float32) + noise
    return later
