"""Measure over all blocks of a scene what its thresholds and bin edges must be."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earthexam.core.scene import Vector
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


def measure_context(blocks: Sequence[Block]) -> Context:
    """Choose thresholds for the blocks of a scene, at least one.

    On reflectance the published thresholds of NDVI hold. On counts and radiance health is divided
    at the median of the vegetation pixels, stress at the median and bareness at the 25th percentile
    of vegetation and soil, rounded to two decimals.
    """
    healthy, stress, bare = _ndvi_thresholds(blocks)
    parts = [(block, part) for block in blocks for part in PARTS]
    ground = [ground_ndvi(block, part) for block, part in parts]
    green = [vegetation_ndvi(block, part) for block, part in parts]
    shares = [float((values > healthy).mean()) for values in green if values.size]
    least = [min(block.shares.values()) for block in blocks]
    water = [ratio for block in blocks if (ratio := water_ratio(block)) is not None]
    return Context(
        healthy_ndvi=healthy,
        stress_ndvi=stress,
        bare_ndvi=bare,
        classes=tuple(sorted(blocks[0].references)),
        stress_edges=spread_edges(_shares_up_to(ground, stress), STRESS_EDGES, step=0.05),
        bare_edges=spread_edges(_shares_up_to(ground, bare), BARE_EDGES, step=0.05),
        evenness_edges=spread_edges(
            (evenness(block, part) for block, part in parts), EVENNESS_EDGES, step=0.05
        ),
        pure_edges=spread_edges((_pure_share(block) for block in blocks), PURE_EDGES, step=0.05),
        healthy_edges=spread_edges(shares, HEALTHY_EDGES, step=0.05),
        ratio_edges=spread_edges(
            (share / max(1 - share, 1e-3) for share in shares), RATIO_EDGES, step=0.1
        ),
        rare_share=round(float(np.median(least)), 2),
        water_limit=_water_limit(water),
    )


def _ndvi_thresholds(blocks: Sequence[Block]) -> tuple[float, float, float]:
    green = np.concatenate([vegetation_ndvi(block) for block in blocks])
    ground = np.concatenate([ground_ndvi(block) for block in blocks])
    if blocks[0].quantity == "reflectance" or not green.size:
        return HEALTHY_NDVI, HEALTHY_NDVI, BARE_NDVI
    levels = (np.median(green), np.median(ground), np.quantile(ground, 0.25))
    healthy, stress, bare = (round(float(level), 2) for level in levels)
    return healthy, stress, bare


def _shares_up_to(values: Sequence[NDArray[np.float64]], level: float) -> list[float]:
    return [float((part <= level).mean()) for part in values if part.size]


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
