"""A block of a scene and the facts that truth rules measure on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from earthexam.core.scene import Cube, Labels, Quantity, Vector
from earthexam.questions.family import Judgement, Region, judge_most
from earthexam.spectral.bands import NoSuchBandError
from earthexam.spectral.change import ChangeMap, changed_pixels
from earthexam.spectral.indices import compute_index
from earthexam.spectral.unmix import Endmembers, fully_constrained_abundances

EIGHT_NEIGHBOURS = np.ones((3, 3), dtype=bool)
CELLS = (
    "top left", "top centre", "top right",
    "middle left", "centre", "middle right",
    "bottom left", "bottom centre", "bottom right",
)  # fmt: skip
QUADRANTS = ("upper left", "upper right", "lower left", "lower right")
PARTS = (
    "the block", "the block's upper half", "the block's lower half",
    "the block's left half", "the block's right half",
)  # fmt: skip
DIRECTIONS = (
    "east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east"
)  # fmt: skip


@dataclass(frozen=True)
class Block:
    """One location block, all dates together.

    Attributes
    ----------
    place : str
        Name of the location block, the same for all its dates; what items are grouped by.
    cube, later : array, shape (rows, cols, bands)
        First and second date; `later` is None where there is one date.
    labels, later_labels : array, shape (rows, cols)
        Class of each pixel, 0 unlabelled.
    class_names, class_kinds : mapping
        Label value to name; name to ``vegetation``, ``soil``, ``water``, ``built`` or ``other``.
    references : mapping of str to array, shape (bands,)
        Mean spectrum of each class over the whole scene.
    """

    place: str
    cube: Cube
    labels: Labels
    class_names: Mapping[int, str]
    class_kinds: Mapping[str, str]
    references: Mapping[str, Vector]
    quantity: Quantity
    wavelengths_nm: Vector | None = None
    later: Cube | None = None
    later_labels: Labels | None = None
    corner: tuple[int, int] = (0, 0)
    times: tuple[str, ...] = field(default=("",))

    @cached_property
    def capabilities(self) -> frozenset[str]:
        """What this block can be asked about."""
        own = {"labels"} if (self.labels > 0).any() else set()
        if self.wavelengths_nm is not None:
            own.add("wavelengths")
        if self.later is not None:
            own.add("later")
        if self.later_labels is not None:
            own.add("later_labels")
        if self.class_kinds:
            own.add("kinds")
        return frozenset(own)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.cube.shape[0], self.cube.shape[1]

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """Which pixels have a class, at every date that has labels."""
        own: NDArray[np.bool_] = self.labels > 0
        if self.later_labels is not None:
            own = own & (self.later_labels > 0)
        return own

    def part(self, name: str) -> NDArray[np.bool_]:
        """Return the pixels of a part of the block: one of `PARTS`."""
        rows, cols = self.shape
        inside = np.zeros(self.shape, dtype=bool)
        inside[
            {
                PARTS[0]: np.s_[:, :],
                PARTS[1]: np.s_[: rows // 2, :],
                PARTS[2]: np.s_[rows // 2 :, :],
                PARTS[3]: np.s_[:, : cols // 2],
                PARTS[4]: np.s_[:, cols // 2 :],
            }[name]
        ] = True
        return inside

    @cached_property
    def counts(self) -> dict[str, int]:
        """Labelled pixels of each class present at the first date, most first."""
        return count_classes(self.labels, self.class_names)

    def counts_in(self, part: str) -> dict[str, int]:
        """Labelled pixels of each class present in a part of the block, most first."""
        return count_classes(np.where(self.part(part), self.labels, 0), self.class_names)

    @property
    def small_classes(self) -> list[str]:
        """Classes present with fewer than five pixels: too few to measure a spectrum of."""
        return [name for name, count in self.counts.items() if count < 5]

    def prevailing(self, inside: NDArray[np.bool_], fact: str) -> Judgement | None:
        """Judge which class has most labelled pixels of an area: ten or more, 1.5 times the next."""
        counts = {name: float((self.mask(name) & inside).sum()) for name in self.counts}
        return judge_most(counts, self.references, measure="pixels", fact=fact, least=10)

    @cached_property
    def later_counts(self) -> dict[str, int]:
        """Labelled pixels of each class present at the second date."""
        if self.later_labels is None:
            return {}
        return count_classes(self.later_labels, self.class_names)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of the labelled pixels, 0 to 1, of each class present."""
        total = sum(self.counts.values())
        return {name: count / total for name, count in self.counts.items()}

    @cached_property
    def codes(self) -> dict[str, int]:
        """Class name to label value."""
        return {name: code for code, name in self.class_names.items()}

    def mask(self, name: str, *, later: bool = False) -> NDArray[np.bool_]:
        """Return which pixels belong to a class."""
        labels = self.later_labels if later else self.labels
        if labels is None:
            return np.zeros(self.shape, dtype=bool)
        return np.asarray(labels == self.codes.get(name, -1))

    def kind_mask(self, *kinds: str, later: bool = False) -> NDArray[np.bool_]:
        """Return which pixels belong to a class of one of the kinds."""
        names = [name for name in self.codes if self.class_kinds.get(name) in kinds]
        masks = [self.mask(name, later=later) for name in names]
        return np.logical_or.reduce(masks) if masks else np.zeros(self.shape, dtype=bool)

    def components(self, name: str) -> list[int]:
        """Return the pixel counts of the class's connected regions (8 neighbours), largest first."""
        return component_sizes(self.mask(name))

    def centroid(self, name: str) -> tuple[float, float]:
        """Return the mean (row, column) of a class that is present."""
        rows, cols = np.nonzero(self.mask(name))
        return float(rows.mean()), float(cols.mean())

    @cached_property
    def cell_map(self) -> NDArray[np.int64]:
        """Cell of the 3 × 3 grid each pixel lies in, 0 to 8, row by row."""
        rows, cols = (np.arange(size) * 3 // size for size in self.shape)
        return np.asarray(rows[:, None] * 3 + cols[None, :])

    @cached_property
    def quadrant_map(self) -> NDArray[np.int64]:
        """Quadrant each pixel lies in, 0 to 3, row by row; the middle row goes to the lower half."""
        rows, cols = (np.arange(size) >= size // 2 for size in self.shape)
        return np.asarray(rows[:, None] * 2 + cols[None, :], dtype=np.int64)

    @cached_property
    def valid(self) -> NDArray[np.bool_]:
        """Which pixels have a value in every band."""
        return np.asarray(np.isfinite(self.cube).all(axis=2))

    @cached_property
    def means(self) -> dict[str, Vector]:
        """Mean spectrum in this block of each class present."""
        return {
            name: self.cube[self.mask(name) & self.valid].mean(axis=0, dtype=np.float64)
            for name in self.counts
            if (self.mask(name) & self.valid).any()
        }

    @cached_property
    def abundances(self) -> NDArray[np.float64]:
        """Abundances of the classes present, shape (rows, cols, classes), order of `means`."""
        endmembers = Endmembers(
            np.stack(list(self.means.values())), tuple(self.codes[name] for name in self.means)
        )
        return np.asarray(fully_constrained_abundances(self.cube, endmembers), dtype=np.float64)

    @cached_property
    def ndvi(self) -> NDArray[np.float64]:
        """NDVI of each pixel at the first date; NaN where the sensor has no such bands."""
        try:
            return np.asarray(compute_index("NDVI", self.cube, self.wavelengths_nm), np.float64)
        except NoSuchBandError:
            return np.full(self.shape, np.nan)

    @cached_property
    def change(self) -> ChangeMap | None:
        """What changed between the dates, by change-vector magnitude; None where there is one date."""
        return None if self.later is None else changed_pixels(self.cube, self.later)

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Pixels whose change vector is longer than mean + 3σ of the unchanged background."""
        return np.zeros(self.shape, dtype=bool) if self.change is None else self.change.changed

    @property
    def changed_share(self) -> float:
        """Share of changed pixels, 0 to 1."""
        return float(self.changed.mean())


def count_classes(labels: Labels, names: Mapping[int, str]) -> dict[str, int]:
    """Count the pixels of each named class, most first, ties by name."""
    values, counts = np.unique(labels[labels > 0], return_counts=True)
    pairs = [
        (names[int(v)], int(n)) for v, n in zip(values, counts, strict=True) if int(v) in names
    ]
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def component_sizes(mask: NDArray[np.bool_]) -> list[int]:
    """Return the sizes of the connected regions (8 neighbours) of a mask, largest first."""
    marked, number = ndimage.label(mask, structure=EIGHT_NEIGHBOURS)
    if not number:
        return []
    return sorted((int(n) for n in np.bincount(marked.ravel())[1:]), reverse=True)


def bounding_region(mask: NDArray[np.bool_]) -> Region | None:
    """Return the smallest box around a mask, normalised ``(xmin, ymin, xmax, ymax)``; None if empty."""
    rows, cols = np.nonzero(mask)
    if not rows.size:
        return None
    height, width = mask.shape
    return (
        float(cols.min()) / width,
        float(rows.min()) / height,
        float(cols.max() + 1) / width,
        float(rows.max() + 1) / height,
    )


def direction(start: Sequence[float], end: Sequence[float]) -> tuple[str, float]:
    """Return the compass direction from one (row, column) to another, and degrees to its sector edge.

    North is up in the picture. Sectors are 45° wide.
    """
    angle = np.degrees(np.arctan2(end[0] - start[0], end[1] - start[1])) % 360.0
    sector = round(angle / 45.0) % 8
    off_centre = abs((angle - sector * 45.0 + 180.0) % 360.0 - 180.0)
    return DIRECTIONS[sector], float(22.5 - off_centre)
