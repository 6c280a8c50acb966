"""What the blocks of a scene have in common: thresholds drawn so that answers spread."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earthexam.core.scene import Vector
from earthexam.questions.family import Families, Parameters
from earthexam.questions.hyperspectral.block import PARTS, Block

HEALTHY_NDVI = 0.6
BARE_NDVI = 0.2


@dataclass(frozen=True)
class Context:
    """Thresholds and bin edges for one set of blocks.

    Attributes
    ----------
    healthy_ndvi, stress_ndvi, bare_ndvi : float
        Vegetation above the first is healthy; vegetation and soil up to the second is stressed or
        bare, up to the third bare. 0.6 (HM-Bench), 0.6 and 0.2 on reflectance; quantiles of the
        scene on counts and radiance, where the published thresholds do not hold.
    classes : tuple of str
        All class names of the scene, sorted.
    """

    healthy_ndvi: float
    stress_ndvi: float
    bare_ndvi: float
    classes: tuple[str, ...]
    stress_edges: tuple[float, ...]
    bare_edges: tuple[float, ...]
    evenness_edges: tuple[float, ...]
    pure_edges: tuple[float, ...]
    healthy_edges: tuple[float, ...]
    ratio_edges: tuple[float, ...]
    rare_share: float
    water_limit: float | None = None


FAMILIES: Families[Block, Context] = Families()


def once(_block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask once a block, with nothing to choose."""
    yield {}


def each_class(_block: Block, context: Context) -> Iterator[Parameters]:
    """Ask about every class of the scene."""
    return ({"name": name} for name in context.classes)


def each_present_class(block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about every class with labelled pixels in the block."""
    return ({"name": name} for name in block.counts)


def each_part(_block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about the block and about each of its halves."""
    return ({"part": part} for part in PARTS)


def seeded(place: str, purpose: str) -> np.random.Generator:
    """Return a generator that depends on the block and the purpose alone."""
    digest = hashlib.sha256(f"{place}|{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def sample_pixels(
    block: Block, mask: NDArray[np.bool_], purpose: str, most: int
) -> list[tuple[int, int]]:
    """Draw up to `most` different pixels of a mask as (row, column)."""
    rows, cols = np.nonzero(mask)
    if not rows.size:
        return []
    rng = seeded(block.place, purpose)
    picked = rng.choice(rows.size, size=min(most, rows.size), replace=False)
    return [(int(rows[i]), int(cols[i])) for i in picked]


def pixels_by_class(block: Block, mask: NDArray[np.bool_], purpose: str) -> list[Parameters]:
    """Draw two pixels of each class inside a mask, as parameters ``row`` and ``col``."""
    return [
        {"row": row, "col": col}
        for name in block.counts
        for row, col in sample_pixels(block, mask & block.mask(name), f"{purpose} {name}", 2)
    ]


def spread_edges(
    values: Iterable[float], default: Sequence[float], *, step: float, least: float = 0.12
) -> tuple[float, ...]:
    """Return bin edges under which answers spread: the default ones, else quantiles of the values.

    Parameters
    ----------
    values : iterable of float
        The quantity in every block.
    default : sequence of float
        Published edges; kept where every bin holds at least a share `least` of the blocks.
    step : float
        Quantiles are rounded to multiples of this.

    Notes
    -----
    Many blocks may share the smallest or the largest value (none healthy, all healthy). An edge there
    would make every one of them lie on it, so quantiles are those of the values in between.
    """
    known = np.array([value for value in values if np.isfinite(value)])
    edges = np.asarray(default, dtype=float)
    if known.size < len(edges) + 1 or _shares(known, edges).min() >= least:
        return tuple(default)
    inner = known[(known > known.min()) & (known < known.max())]
    if inner.size < len(edges) + 1:
        return tuple(default)
    wanted = np.linspace(0, 1, len(edges) + 2)[1:-1]
    rounded = np.round(np.quantile(inner, wanted) / step) * step
    unique = sorted({round(float(edge), 6) for edge in rounded})
    return tuple(unique) if len(unique) == len(edges) else tuple(default)


def _shares(values: Vector, edges: Vector) -> Vector:
    bins = np.searchsorted(edges, values, side="right")
    return np.bincount(bins, minlength=len(edges) + 1) / len(values)
