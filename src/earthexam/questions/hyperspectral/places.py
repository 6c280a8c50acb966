"""Spatial localisation: object location relationship (OLR) and region delineation (RD)."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from earthexam.questions.family import (
    Asked,
    Judgement,
    Parameters,
    area,
    choose,
    judge_most,
    judge_region,
)
from earthexam.questions.hyperspectral.block import (
    CELLS,
    DIRECTIONS,
    QUADRANTS,
    Block,
    bounding_region,
    direction,
)
from earthexam.questions.hyperspectral.context import (
    FAMILIES,
    Context,
    each_present_class,
    once,
    seeded,
)

FEWEST_PIXELS = 6
SHAPES = ("one compact cluster", "scattered patches", "an elongated band", "along the block's edge")


def ordered_pairs(block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about each pair of classes in one order, drawn: neither class comes first by habit."""
    names = [name for name, count in block.counts.items() if count >= FEWEST_PIXELS]
    for one, two in combinations(sorted(names), 2):
        if seeded(block.place, f"order {one} {two}").random() < 0.5:
            one, two = two, one
        yield {"name": one, "other": two}


@FAMILIES.add(
    "olr.direction",
    question_type="choice",
    layout="pick",
    wordings=(
        "In which direction does the centroid of {name} lie, seen from the centroid of {other}? The top of the picture is north.",
        "Going from the centre of the {other} pixels to the centre of the {name} pixels, which way do you move (top is north)?",
        "Relative to {other}, where is {name} by the centroids of their labelled pixels, with north at the top?",
    ),
    cases=ordered_pairs,
    per_block=2,
)
def class_direction(block: Block, asked: Asked) -> Judgement | None:
    """Sector (45°) of the centroid displacement.

    Clear where it is at least a tenth of the block long and 4° off the sector's edge; the two
    neighbouring sectors are no distractors.
    """
    name, other = asked.text("name"), asked.text("other")
    if name not in block.counts or other not in block.counts:
        return None
    start, end = block.centroid(other), block.centroid(name)
    sector, off_edge = direction(start, end)
    length = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    place = DIRECTIONS.index(sector)
    steps = {d: min((i - place) % 8, (place - i) % 8) for i, d in enumerate(DIRECTIONS)}
    return choose(
        {d: -float(step) for d, step in steps.items()},
        sector,
        clear=length >= 0.1 * max(block.shape) and off_edge >= 4.0,
        evidence={
            "from": [round(value, 6) for value in start],
            "to": [round(value, 6) for value in end],
        },
        fact=f"direction {' '.join(sorted((name, other)))}",
        false=[d for d, step in steps.items() if step >= 2],
    )


@FAMILIES.add(
    "olr.class_in_cell",
    question_type="choice",
    layout="pick",
    wordings=(
        "Divide the block into a 3 × 3 grid. Which class covers most labelled pixels of the {cell} cell?",
        "In the {cell} cell of a 3 × 3 grid over the block, which land cover prevails among the labelled pixels?",
        "Which class dominates the {cell} ninth (3 × 3 grid) of the block?",
    ),
    cases=lambda _block, _context: ({"cell": cell} for cell in CELLS),
    per_block=2,
)
def class_in_cell(block: Block, asked: Asked) -> Judgement | None:
    """The class with most pixels in the cell, 1.5 times the next or more, at least ten."""
    cell = block.cell_map == CELLS.index(asked.text("cell"))
    return block.prevailing(cell, f"dominant in cell {asked['cell']}")


@FAMILIES.add(
    "olr.quadrant_of_class",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which quadrant of the block holds most labelled pixels of {name}?",
        "In which quarter of the picture is {name} most extensive?",
        "Most of the labelled {name} lies in which quadrant?",
    ),
    cases=each_present_class,
    per_block=2,
)
def quadrant_of_class(block: Block, asked: Asked) -> Judgement | None:
    """The quadrant with most pixels of the class, 1.5 times the next or more."""
    mask = block.mask(asked.text("name"))
    if mask.sum() < FEWEST_PIXELS:
        return None
    counts = {
        quadrant: float((mask & (block.quadrant_map == number)).sum())
        for number, quadrant in enumerate(QUADRANTS)
    }
    return judge_most(counts, measure="pixels", fact=f"quadrant of {asked['name']}")


@FAMILIES.add(
    "olr.shape",
    question_type="choice",
    layout="pick",
    wordings=(
        "How are the labelled pixels of {name} distributed in the block?",
        "Which description fits the spatial distribution of {name} best?",
        "What form does {name} take in this block?",
    ),
    cases=each_present_class,
    n_options=3,
    least_options=2,
)
def class_shape(block: Block, asked: Asked) -> Judgement | None:
    """Shape after the connected regions (8 neighbours); unclear where two descriptions fit.

    Cluster: largest region at least 80 % of the pixels, axes ratio below 2. Scattered: four regions
    or more, none above 40 %. Band: largest at least 60 %, axes ratio 3 or more. Edge: at least 60 %
    of the pixels, and 1.25 times the ring's own share, in the outer 15 % of the block.
    """
    mask = block.mask(asked.text("name"))
    sizes = block.components(asked.text("name"))
    total = int(mask.sum())
    if total < 10:
        return None
    largest, ratio = sizes[0] / total, _axes_ratio(mask)
    ring = _outer_ring(block.shape)
    edge = float((mask & ring).sum() / total)
    # The ring is half of a block, and more of a small one: a class spread evenly must not qualify.
    much = max(0.6, 1.25 * float(ring.mean()))
    fits = {
        SHAPES[0]: largest >= 0.8 and ratio < 2.0 and edge < 0.5,
        SHAPES[1]: len(sizes) >= 4 and largest <= 0.4,
        SHAPES[2]: largest >= 0.6 and ratio >= 3.0,
        SHAPES[3]: edge >= much,
    }
    scores = {
        SHAPES[0]: largest - 0.2 * abs(ratio - 1.0),
        SHAPES[1]: 1.0 - largest,
        SHAPES[2]: largest * min(ratio / 3.0, 1.2),
        SHAPES[3]: edge / much,
    }
    right = [shape for shape, holds in fits.items() if holds]
    best = right[0] if right else max(scores, key=lambda shape: scores[shape])
    return choose(
        scores,
        best,
        clear=len(right) == 1,
        evidence={
            "regions": len(sizes),
            "largest_share": round(largest, 6),
            "axes_ratio": round(ratio, 6),
            "edge_share": round(edge, 6),
        },
        fact=f"shape of {asked['name']}",
    )


@FAMILIES.add(
    "rd.class_box",
    question_type="box",
    layout="boxes",
    wordings=(
        "Which is the smallest box around all labelled pixels of {name}, as [xmin, ymin, xmax, ymax] in fractions of the block's width and height?",
        "Give the bounding box of {name} (normalised xmin, ymin, xmax, ymax; origin top left).",
        "The labelled pixels of {name} fit exactly into which box, normalised to the block: [xmin, ymin, xmax, ymax]?",
    ),
    cases=each_present_class,
    per_block=3,
)
def class_box(block: Block, asked: Asked) -> Judgement | None:
    """Smallest box around the class; asked where it covers 5–70 % of the block."""
    mask = block.mask(asked.text("name"))
    return _box(mask, f"box of {asked['name']}")


@FAMILIES.add(
    "rd.change_box",
    question_type="box",
    layout="boxes",
    needs=("later",),
    dates=2,
    wordings=(
        "Which is the smallest box around all pixels that changed between the two dates, as normalised [xmin, ymin, xmax, ymax]?",
        "Give the bounding box of the change between the dates (fractions of width and height, origin top left: xmin, ymin, xmax, ymax).",
    ),
    cases=once,
)
def change_box(block: Block, _asked: Asked) -> Judgement | None:
    """Smallest box around the changed pixels, where 2–80 % of the block changed."""
    if not 0.02 <= block.changed_share <= 0.8:
        return None
    return _box(block.changed, "box of the change")


@FAMILIES.add(
    "rd.widest_extent",
    question_type="choice",
    layout="pick",
    wordings=(
        "The bounding box of which class covers the largest area of the block?",
        "Draw the smallest box around each class: whose box is largest?",
        "Which class spreads over the largest bounding box here?",
    ),
    cases=once,
    least_options=2,
)
def widest_extent(block: Block, _asked: Asked) -> Judgement | None:
    """The class with the largest bounding box, a third larger than the next or more."""
    return _extent(block, largest=True)


@FAMILIES.add(
    "rd.least_extent",
    question_type="choice",
    layout="pick",
    wordings=(
        "Of the classes present, whose bounding box covers the smallest area of the block?",
        "Draw the smallest box around each class in the block: whose box is smallest?",
        "Which class present is confined to the smallest bounding box?",
    ),
    cases=once,
    least_options=2,
)
def least_extent(block: Block, _asked: Asked) -> Judgement | None:
    """The class with the smallest bounding box, the next a third larger or more."""
    return _extent(block, largest=False)


def windows(block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about windows of 30–50 % side length at drawn places, corners in whole percent."""
    rng = seeded(block.place, "windows")
    for _ in range(6):
        width, height = rng.integers(30, 51, size=2)
        x, y = rng.integers(0, 100 - width), rng.integers(0, 100 - height)
        corners = [int(v) / 100 for v in (x, y, x + width, y + height)]
        yield dict(zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=True))


@FAMILIES.add(
    "rd.class_in_window",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class covers most labelled pixels inside the window [{xmin:.2f}, {ymin:.2f}, {xmax:.2f}, {ymax:.2f}] (normalised xmin, ymin, xmax, ymax)?",
        "Inside the box from ({xmin:.2f}, {ymin:.2f}) to ({xmax:.2f}, {ymax:.2f}) in fractions of width and height, which land cover prevails?",
        "Within x {xmin:.2f}–{xmax:.2f} and y {ymin:.2f}–{ymax:.2f} (fractions, origin top left), which class is most extensive?",
    ),
    cases=windows,
    per_block=2,
)
def class_in_window(block: Block, asked: Asked) -> Judgement | None:
    """The class with most pixels whose centres lie in the window, 1.5 times the next or more."""
    height, width = block.shape
    x0, y0, x1, y1 = (asked.number(key) for key in ("xmin", "ymin", "xmax", "ymax"))
    xs, ys = (np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height
    inside = ((ys >= y0) & (ys < y1))[:, None] & ((xs >= x0) & (xs < x1))[None, :]
    return block.prevailing(inside, f"dominant in window {x0} {y0} {x1} {y1}")


def _box(mask: NDArray[np.bool_], fact: str) -> Judgement | None:
    region = bounding_region(mask)
    if region is None:
        return None
    x0, y0, x1, y1 = (round(value, 2) for value in region)
    return judge_region(
        (x0, y0, x1, y1),
        clear=bool(mask.sum() >= FEWEST_PIXELS) and 0.05 <= area(region) <= 0.7,
        evidence={"pixels": int(mask.sum()), "box": [round(value, 6) for value in region]},
        fact=fact,
    )


def _extent(block: Block, *, largest: bool) -> Judgement | None:
    regions = {name: bounding_region(block.mask(name)) for name in block.counts}
    areas = {name: area(region) for name, region in regions.items() if region is not None}
    if len(areas) < 2:
        return None
    ranked = sorted(areas, key=lambda name: (areas[name], name), reverse=largest)
    first, second = areas[ranked[0]], areas[ranked[1]]
    clear = first >= 4 / 3 * second if largest else second >= 4 / 3 * first
    tiny = min(block.counts.values()) < 3
    absent = 0.0 if largest else 2.0
    scores = {name: areas.get(name, absent) for name in block.references}
    return choose(
        scores if largest else {name: -value for name, value in scores.items()},
        ranked[0],
        clear=clear and not tiny,
        evidence={"box_area": {name: round(value, 6) for name, value in areas.items()}},
        fact=f"{'largest' if largest else 'smallest'} box",
    )


def _outer_ring(shape: tuple[int, int]) -> NDArray[np.bool_]:
    rows, cols = (np.minimum(np.arange(n) + 0.5, n - np.arange(n) - 0.5) / n for n in shape)
    return np.asarray((rows < 0.15)[:, None] | (cols < 0.15)[None, :])


def _axes_ratio(mask: NDArray[np.bool_]) -> float:
    """Return the ratio of the axes of the ellipse with the mask's second moments."""
    points = np.stack(np.nonzero(mask)).astype(np.float64)
    # A pixel is a square, not a point: its own moment of 1/12 keeps lines from having no width.
    minor, major = np.linalg.eigvalsh(np.cov(points, bias=True) + np.eye(2) / 12)
    return float(np.sqrt(major / minor))
