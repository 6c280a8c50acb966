"""Measure over all blocks of a scene what its thresholds and bin edges must be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earthexam.core.scene import Quantity, Vector
from earthexam.questions.hyperspectral.block import PARTS, Block
from earthexam.questions.hyperspectral.composition import PURE
from earthexam.questions.hyperspectral.context import BARE_NDVI, HEALTHY_NDVI, Context, spread_edges
from earthexam.questions.hyperspectral.state import (
    evenness,
    ground_ndvi,
    vegetation_ndvi,
    water_ratio,
)

# Published edges (HM-Bench's questions, our reading): kept where answers spread under them.
PURE_EDGES = (0.2, 0.4)
STRESS_EDGES = (0.2, 0.5)
BARE_EDGES = (0.05, 0.2, 0.5)
EVENNESS_EDGES = (0.4, 0.75)
HEALTHY_EDGES = (0.25, 0.5, 0.75)
RATIO_EDGES = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class _Measures:
    """What is kept of a block once its values are let go.

    Attributes
    ----------
    green, ground : list of array
        NDVI of the vegetation pixels, and of vegetation and soil, of each of `PARTS`.
    evenness : list of float
        Of each part.
    least_share, pure_share : float
        Share of the rarest class, and of pixels that are nearly one class.
    """

    green: list[NDArray[np.float32]]
    ground: list[NDArray[np.float32]]
    evenness: list[float]
    least_share: float
    pure_share: float
    water: float | None

    @classmethod
    def of(cls, block: Block) -> "_Measures":
        """Measure a block; indices are computed in single precision, so nothing is lost."""
        return cls(
            [vegetation_ndvi(block, part).astype(np.float32) for part in PARTS],
            [ground_ndvi(block, part).astype(np.float32) for part in PARTS],
            [evenness(block, part) for part in PARTS],
            min(block.shares.values()),
            _pure_share(block),
            water_ratio(block),
        )


def measure_context(blocks: Iterable[Block]) -> Context:
    """Choose thresholds for the blocks of a scene, at least one; each is looked at once.

    On reflectance the published thresholds of NDVI hold. On counts and radiance health is divided
    at the median of the vegetation pixels, stress at the median and bareness at the 25th percentile
    of vegetation and soil, rounded to two decimals.
    """
    measured: list[_Measures] = []
    for block in blocks:
        measured.append(_Measures.of(block))
        quantity, classes = block.quantity, tuple(sorted(block.references))
    healthy, stress, bare = _ndvi_thresholds(measured, quantity)
    ground = [values for one in measured for values in one.ground]
    green = [values for one in measured for values in one.green]
    # A NumPy number is compared in double precision, as the truth rules do.
    shares = [float((part > np.float64(healthy)).mean()) for part in green if part.size]
    return Context(
        healthy_ndvi=healthy,
        stress_ndvi=stress,
        bare_ndvi=bare,
        classes=classes,
        stress_edges=spread_edges(_shares_up_to(ground, stress), STRESS_EDGES, step=0.05),
        bare_edges=spread_edges(_shares_up_to(ground, bare), BARE_EDGES, step=0.05),
        evenness_edges=spread_edges(
            (value for one in measured for value in one.evenness), EVENNESS_EDGES, step=0.05
        ),
        pure_edges=spread_edges((one.pure_share for one in measured), PURE_EDGES, step=0.05),
        healthy_edges=spread_edges(shares, HEALTHY_EDGES, step=0.05),
        ratio_edges=spread_edges(
            (share / (1 - share) for share in shares if share < 1), RATIO_EDGES, step=0.1
        ),
        rare_share=round(float(np.median([one.least_share for one in measured])), 2),
        water_limit=_water_limit([one.water for one in measured if one.water is not None]),
    )


def _ndvi_thresholds(
    measured: Sequence[_Measures], quantity: Quantity
) -> tuple[float, float, float]:
    green = np.concatenate([one.green[0] for one in measured]).astype(np.float64)
    ground = np.concatenate([one.ground[0] for one in measured]).astype(np.float64)
    if quantity == "reflectance" or not green.size:
        return HEALTHY_NDVI, HEALTHY_NDVI, BARE_NDVI
    levels = (np.median(green), np.median(ground), np.quantile(ground, 0.25))
    healthy, stress, bare = (round(float(level), 2) for level in levels)
    return healthy, stress, bare


def _shares_up_to(values: Sequence[NDArray[np.float32]], level: float) -> list[float]:
    return [float((part <= np.float64(level)).mean()) for part in values if part.size]


def _pure_share(block: Block) -> float:
    if len(block.means) < 2:
        return float("nan")
    own = block.abundances[(block.labels > 0) & block.valid]
    return float((own.max(axis=1) >= PURE).mean())


def _water_limit(ratios: list[float]) -> float | None:
    """Return the median + 3 median absolute deviations of the blocks' water; None under five."""
    if len(ratios) < 5:
        return None
    values: Vector = np.array(ratios)
    median = float(np.median(values))
    return round(median + 3 * float(np.median(np.abs(values - median))), 4)
