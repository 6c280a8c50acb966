"""State evaluation: vegetation health (VH) and environmental severity assessment (EPSA).

Thresholds of NDVI hold for reflectance; on counts and radiance the context draws them from the
scene, and every question states the threshold it uses.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from earthexam.questions.family import (
    Asked,
    Judgement,
    Parameters,
    judge_bins,
    judge_lead,
    judge_yes_no,
)
from earthexam.questions.hyperspectral.block import PARTS, Block
from earthexam.questions.hyperspectral.composition import share_bins
from earthexam.questions.hyperspectral.context import FAMILIES, Context, sample_pixels
from earthexam.spectral.bands import NoSuchBandError, nearest_band

RATINGS = ("good", "moderate", "severe")
DEGRADATION = ("none", "slight", "marked", "severe")
DIVERSITY = ("low", "medium", "high")
FEWEST_PIXELS = 10


def healthy_parts(_block: Block, context: Context) -> list[Parameters]:
    """Ask about the block and its halves, with the scene's threshold of health."""
    return [
        {"ndvi": context.healthy_ndvi, "part": part, "edges": list(context.healthy_edges)}
        for part in PARTS
    ]


def stressed(_block: Block, context: Context) -> list[Parameters]:
    """Ask once, with the scene's threshold of stress."""
    return [{"ndvi": context.stress_ndvi}]


def healthy_pixels(block: Block, context: Context) -> list[Parameters]:
    """Ask about drawn vegetation pixels."""
    mask = block.labelled & block.kind_mask("vegetation")
    return [
        {"ndvi": context.healthy_ndvi, "row": row, "col": col}
        for row, col in sample_pixels(block, mask, "health", 8)
    ]


@FAMILIES.add(
    "vh.pixel_healthy",
    question_type="judgement",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "Count vegetation with an NDVI above {ndvi} as healthy. Is the pixel at row {row}, column {col} (from 0, top left) healthy?",
        "With NDVI > {ndvi} meaning healthy, is the vegetation at row {row}, column {col} healthy (rows and columns from 0, top left)?",
    ),
    cases=healthy_pixels,
    per_block=2,
)
def pixel_healthy(block: Block, asked: Asked) -> Judgement | None:
    """NDVI of the pixel against the threshold; unclear within 5 % of it."""
    edge = asked.number("ndvi")
    value = float(block.ndvi[asked.whole("row"), asked.whole("col")])
    if not np.isfinite(value):
        return None
    return judge_yes_no(
        value > edge,
        clear=abs(value - edge) > 0.05 * abs(edge),
        evidence={"ndvi": round(value, 6)},
        fact=f"health at {asked['row']},{asked['col']}",
    )


@FAMILIES.add(
    "vh.healthy_to_stressed",
    question_type="range",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "Count labelled vegetation with NDVI above {ndvi} as healthy and the rest as stressed. In {part}, what is the ratio of healthy to stressed pixels?",
        "How many healthy pixels are there for each stressed one among the labelled vegetation of {part} (healthy: NDVI > {ndvi})?",
    ),
    cases=lambda _block, context: (
        {"ndvi": context.healthy_ndvi, "part": part, "edges": list(context.ratio_edges)}
        for part in PARTS
    ),
    balance=("part",),
    per_block=2,
)
def healthy_to_stressed(block: Block, asked: Asked) -> Judgement | None:
    """Healthy over stressed vegetation pixels, in bins."""
    values = vegetation_ndvi(block, asked.text("part"))
    if values.size < FEWEST_PIXELS:
        return None
    good = int((values > asked.number("ndvi")).sum())
    poor = values.size - good
    edges = asked.numbers("edges")
    names = [f"below {edges[0]:g}"]
    names += [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    names += [f"{edges[-1]:g} or more"]
    return judge_bins(
        good / max(poor, 1),
        edges,
        names,
        evidence={"healthy": good, "stressed": poor},
        fact=f"healthy vegetation of {asked['part']}",
    )


@FAMILIES.add(
    "vh.class_health",
    question_type="judgement",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "Is more than half of the labelled {name} healthy, counting NDVI above {ndvi} as healthy?",
        "With NDVI > {ndvi} as healthy, are most labelled pixels of {name} in this block healthy?",
        "Does the majority of {name} here pass NDVI {ndvi}?",
    ),
    cases=lambda block, context: (
        {"ndvi": context.healthy_ndvi, "name": name}
        for name in block.counts
        if block.class_kinds.get(name) == "vegetation"
    ),
    balance=("name",),
    per_block=2,
)
def class_health(block: Block, asked: Asked) -> Judgement | None:
    """Share of the class's pixels above the threshold against one half; unclear from 45 to 55 %."""
    values = block.ndvi[block.mask(asked.text("name"))]
    values = values[np.isfinite(values)]
    if values.size < FEWEST_PIXELS:
        return None
    share = float((values > asked.number("ndvi")).mean())
    return judge_yes_no(
        share > 0.5,
        clear=abs(share - 0.5) > 0.05,
        evidence={"healthy_share": round(share, 6)},
        fact=f"health of {asked['name']}",
    )


@FAMILIES.add(
    "vh.greenest_class",
    question_type="choice",
    layout="pick",
    needs=("labels", "kinds"),
    wordings=(
        "Which class present in this block has the highest mean NDVI over its labelled pixels?",
        "By mean NDVI, which class in the block is in the best health?",
        "For which class of this block is NDVI highest on average?",
    ),
    cases=lambda _block, _context: ({},),
)
def greenest_class(block: Block, _asked: Asked) -> Judgement | None:
    """Largest mean NDVI among classes with ten pixels or more, ahead of the next by 5 %."""
    values = _ndvi_by_class(block)
    means = {name: float(own.mean()) for name, own in values.items()}
    return judge_lead(
        means,
        block.references,
        measure="mean_ndvi",
        fact="greenest class",
        lead=0.05 * abs(max(means.values(), default=0.0)),
        doubtful=_thin_classes(block),
    )


@FAMILIES.add(
    "vh.healthy_share",
    question_type="range",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "What share of the labelled vegetation pixels of {part} has an NDVI above {ndvi}?",
        "Counting NDVI above {ndvi} as healthy, which part of the labelled vegetation of {part} is healthy?",
        "How much of the labelled vegetation of {part} passes an NDVI of {ndvi}?",
    ),
    cases=healthy_parts,
    balance=("part",),
    per_block=2,
)
def healthy_share(block: Block, asked: Asked) -> Judgement | None:
    """Share of vegetation pixels above the threshold, in bins."""
    values = vegetation_ndvi(block, asked.text("part"))
    if values.size < FEWEST_PIXELS:
        return None
    share = float((values > asked.number("ndvi")).mean())
    edges = asked.numbers("edges")
    return judge_bins(
        share,
        edges,
        share_bins(edges),
        evidence={"healthy_share": round(share, 6)},
        fact=f"healthy vegetation of {asked['part']}",
    )


@FAMILIES.add(
    "epsa.rating",
    question_type="range",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "Rate {part} by the share of stressed or bare pixels (NDVI up to {ndvi}) among its labelled vegetation and soil: {definition}.",
        "Of the labelled vegetation and soil of {part}, the share with an NDVI up to {ndvi} decides the rating ({definition}). What is it?",
    ),
    cases=lambda _block, context: _graded(context.stress_ndvi, context.stress_edges, RATINGS),
    balance=("part",),
    per_block=2,
)
def rating(block: Block, asked: Asked) -> Judgement | None:
    """Stressed vegetation plus bare soil, as a share of the labelled non-water, non-built pixels."""
    return _graded_share(block, asked, RATINGS, "stress rating")


@FAMILIES.add(
    "epsa.soil_degradation",
    question_type="range",
    layout="scale",
    needs=("labels", "kinds"),
    wordings=(
        "Pixels of labelled vegetation and soil with an NDVI up to {ndvi} count as bare. Grade the soil degradation of {part} by their share: {definition}.",
        "Grade soil degradation by the bare share (NDVI up to {ndvi}) of the labelled vegetation and soil of {part}: {definition}.",
    ),
    cases=lambda _block, context: _graded(context.bare_ndvi, context.bare_edges, DEGRADATION),
    balance=("part",),
    per_block=2,
)
def soil_degradation(block: Block, asked: Asked) -> Judgement | None:
    """Bare share of bare plus vegetated pixels, in four grades."""
    return _graded_share(block, asked, DEGRADATION, "bare share")


@FAMILIES.add(
    "epsa.diversity",
    question_type="range",
    layout="scale",
    wordings=(
        "Grade the diversity of land cover of {part} by the Shannon evenness of the class shares among its labelled pixels: {definition}.",
        "How diverse is the labelled land cover of {part}, by Shannon evenness ({definition})?",
    ),
    cases=lambda _block, context: (
        {
            "part": part,
            "definition": _definition(context.evenness_edges, DIVERSITY, percent=False),
            "edges": list(context.evenness_edges),
        }
        for part in PARTS
    ),
    balance=("part",),
    per_block=2,
)
def diversity(block: Block, asked: Asked) -> Judgement | None:
    """Shannon evenness (Pielou 1966) of the class shares, in three grades."""
    value = evenness(block, asked.text("part"))
    if not np.isfinite(value) or not _defines(asked, DIVERSITY, percent=False):
        return None
    return judge_bins(
        value,
        asked.numbers("edges"),
        DIVERSITY,
        evidence={"evenness": round(value, 6)},
        fact=f"evenness of {asked['part']}",
    )


@FAMILIES.add(
    "epsa.stressed_quadrant",
    question_type="choice",
    layout="pick",
    needs=("labels", "kinds"),
    wordings=(
        "Which quadrant of the block has the largest share of stressed or bare pixels (NDVI up to {ndvi}) in its labelled vegetation and soil?",
        "Where is the stressed or bare share (NDVI up to {ndvi}) of labelled vegetation and soil largest?",
    ),
    cases=stressed,
)
def stressed_quadrant(block: Block, asked: Asked) -> Judgement | None:
    """Quadrant with the largest stressed share, ahead of the next by a tenth."""
    edge = asked.number("ndvi")
    ground = _ground(block)
    shares = {}
    for number, quadrant in enumerate(("upper left", "upper right", "lower left", "lower right")):
        values = block.ndvi[ground & (block.quadrant_map == number)]
        if values.size >= FEWEST_PIXELS:
            shares[quadrant] = float((values <= edge).mean())
    return judge_lead(shares, measure="stressed_share", fact="most stressed quadrant", lead=0.1)


@FAMILIES.add(
    "epsa.class_stress",
    question_type="choice",
    layout="pick",
    needs=("labels", "kinds"),
    wordings=(
        "Which class present has the largest share of stressed or bare pixels (NDVI up to {ndvi})?",
        "Stress shows as an NDVI up to {ndvi}: which class of this block is affected most, by share of its labelled pixels?",
    ),
    cases=stressed,
)
def class_stress(block: Block, asked: Asked) -> Judgement | None:
    """Vegetation or soil class with the largest stressed share, ahead of the next by a tenth."""
    edge = asked.number("ndvi")
    measured = _ndvi_by_class(block)
    shares = {
        name: float((own <= edge).mean())
        for name, own in measured.items()
        if block.class_kinds.get(name) in {"vegetation", "soil"}
    }
    return judge_lead(
        shares,
        block.references,
        measure="stressed_share",
        fact="most stressed class",
        lead=0.1,
        doubtful=_thin_classes(block),
    )


@FAMILIES.add(
    "epsa.water_distortion",
    question_type="judgement",
    layout="scale",
    needs=("labels", "kinds", "wavelengths"),
    wordings=(
        "Does the ratio of near-infrared (860 nm) to green (560 nm) over the labelled water of this block exceed {limit}, the scene's median plus 3 median deviations?",
        "Is the water here spectrally distorted, that is, is its 860 nm to 560 nm ratio above {limit}?",
    ),
    cases=lambda _block, context: (
        () if context.water_limit is None else ({"limit": context.water_limit},)
    ),
)
def water_distortion(block: Block, asked: Asked) -> Judgement | None:
    """NIR/green of the block's water against the scene's median + 3 MAD; unclear within 5 %."""
    value = water_ratio(block)
    if value is None:
        return None
    limit = asked.number("limit")
    return judge_yes_no(
        value > limit,
        clear=abs(value - limit) > 0.05 * abs(limit),
        evidence={"ratio": round(value, 6)},
        fact="water distortion",
    )


def water_ratio(block: Block) -> float | None:
    """Return NIR (860 nm) over green (560 nm) of the block's mean water spectrum; None without."""
    mask = block.kind_mask("water") & block.valid
    if block.wavelengths_nm is None or mask.sum() < FEWEST_PIXELS:
        return None
    try:
        nir, green = (nearest_band(block.wavelengths_nm, nm) for nm in (860.0, 560.0))
    except NoSuchBandError:
        return None
    mean = block.cube[mask].mean(axis=0, dtype=np.float64)
    return float(mean[nir] / mean[green]) if mean[green] > 0 else None


def evenness(block: Block, part: str = PARTS[0]) -> float:
    """Return the Shannon evenness of the class shares of a part, 0 to 1; NaN under two classes."""
    inside = block.part(part)
    counts = np.array([(block.mask(name) & inside).sum() for name in block.counts], dtype=float)
    counts = counts[counts > 0]
    if counts.size < 2:
        return float("nan")
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum() / np.log(shares.size))


def ground_ndvi(block: Block, part: str = PARTS[0]) -> NDArray[np.float64]:
    """Return the NDVI of the labelled vegetation and soil pixels of a part."""
    return block.ndvi[_ground(block) & block.part(part)]


def vegetation_ndvi(block: Block, part: str = PARTS[0]) -> NDArray[np.float64]:
    """Return the NDVI of the labelled vegetation pixels of a part."""
    values = block.ndvi[(block.labels > 0) & block.kind_mask("vegetation") & block.part(part)]
    return values[np.isfinite(values)]


def _ndvi_by_class(block: Block) -> dict[str, NDArray[np.float64]]:
    """NDVI of the pixels of each class that has ten with one or more."""
    values = {name: block.ndvi[block.mask(name)] for name in block.counts}
    known = {name: own[np.isfinite(own)] for name, own in values.items()}
    return {name: own for name, own in known.items() if own.size >= FEWEST_PIXELS}


def _thin_classes(block: Block) -> list[str]:
    return [name for name, count in block.counts.items() if count < FEWEST_PIXELS]


def _ground(block: Block) -> NDArray[np.bool_]:
    return (block.labels > 0) & block.kind_mask("vegetation", "soil") & np.isfinite(block.ndvi)


def _graded(ndvi: float, edges: tuple[float, ...], names: tuple[str, ...]) -> Iterator[Parameters]:
    definition = _definition(edges, names, percent=True)
    for part in PARTS:
        yield {"ndvi": ndvi, "part": part, "definition": definition, "edges": list(edges)}


def _defines(asked: Asked, names: tuple[str, ...], *, percent: bool) -> bool:
    """Whether the grades that the question defines are the ones that its edges give."""
    expected = _definition(asked.numbers("edges"), names, percent=percent)
    return asked.text("definition", expected) == expected


def _definition(edges: Sequence[float], names: tuple[str, ...], *, percent: bool) -> str:
    texts = [f"{100 * edge:g} %" if percent else f"{edge:g}" for edge in edges]
    parts = [f"{names[0]} below {texts[0]}"]
    parts += [f"{name} from {text}" for name, text in zip(names[1:], texts, strict=True)]
    return ", ".join(parts)


def _graded_share(
    block: Block, asked: Asked, names: tuple[str, ...], fact: str
) -> Judgement | None:
    values = ground_ndvi(block, asked.text("part"))
    if values.size < FEWEST_PIXELS or not _defines(asked, names, percent=True):
        return None
    share = float((values <= asked.number("ndvi")).mean())
    return judge_bins(
        share,
        asked.numbers("edges"),
        names,
        evidence={"share": round(share, 6)},
        fact=f"{fact} of {asked['part']}",
    )
