"""Change detection: basic change identification (BCI) and change area localisation (CAL)."""

import numpy as np
from numpy.typing import NDArray

from earthexam.questions.family import (
    Asked,
    Judgement,
    Parameters,
    choose,
    clearly_first,
    judge_bins,
    judge_most,
    judge_yes_no,
)
from earthexam.questions.hyperspectral.block import CELLS, PARTS, QUADRANTS, Block
from earthexam.questions.hyperspectral.context import (
    FAMILIES,
    Context,
    each_part,
    once,
    sample_pixels,
)

# A change task needs at least 2 % and at most 80 % changed pixels.
LEAST_CHANGE, MOST_CHANGE = 0.02, 0.8
BOTH_DATES = ("labels", "later", "later_labels")
TREND_EDGES = (-0.10, -0.02, 0.02, 0.10)
STEPS = (
    "fell by more than 10 percentage points",
    "fell by 2 to 10 percentage points",
    "changed by less than 2 percentage points",
    "rose by 2 to 10 percentage points",
    "rose by more than 10 percentage points",
)
FEWEST_PIXELS = 8


def relabelled_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about drawn pixels whose class differs between the dates."""
    return [
        {"row": row, "col": col}
        for row, col in sample_pixels(block, relabelled(block), "transition", 10)
    ]


@FAMILIES.add(
    "bci.class_after",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "What did the pixel at row {row}, column {col} (from 0, top left) become at the second date?",
        "Between the dates the land cover at row {row}, column {col} (counted from 0, top left) changed. Into which class?",
        "Which class does the pixel in row {row}, column {col} (from 0, top left) turn into?",
    ),
    cases=relabelled_pixels,
    per_block=2,
)
def class_after(block: Block, asked: Asked) -> Judgement | None:
    """Label of the second date; the label of the first date is wrong as every other."""
    pair = _labels_at(block, asked)
    if pair is None:
        return None
    scores = {name: float(name == pair[1]) for name in block.references}
    return choose(
        scores,
        pair[1],
        clear=pair[0] != pair[1],
        evidence={"from": pair[0], "to": pair[1]},
        fact=f"transition at {asked['row']},{asked['col']}",
    )


@FAMILIES.add(
    "bci.transition",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    n_options=3,
    wordings=(
        "Which transition took place at row {row}, column {col} (from 0, top left) between the two dates?",
        "How did the land cover change at the pixel in row {row}, column {col}, counted from 0 at the top left?",
    ),
    cases=relabelled_pixels,
    per_block=2,
)
def transition(block: Block, asked: Asked) -> Judgement | None:
    """Label of the first date to label of the second; every other transition is wrong."""
    pair = _labels_at(block, asked)
    if pair is None:
        return None
    names = sorted(block.references)
    scores = {
        arrow(one, two): float(one == pair[0]) + float(two == pair[1])
        for one in names
        for two in names
        if one != two
    }
    if pair[0] == pair[1]:
        # A predicted map may see no change here; then the pair that shares most comes closest.
        best = max(sorted(scores), key=lambda text: scores[text])
        return choose(scores, best, clear=False, evidence={"from": pair[0], "to": pair[1]})
    return choose(
        scores,
        arrow(*pair),
        clear=True,
        evidence={"from": pair[0], "to": pair[1]},
        fact=f"transition at {asked['row']},{asked['col']}",
    )


def drawn_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about drawn pixels, changed and unchanged ones in equal number."""
    changed = sample_pixels(block, block.changed & block.labelled, "changed", 6)
    still = sample_pixels(block, ~block.changed & block.labelled, "unchanged", 6)
    return [{"row": row, "col": col} for row, col in changed + still]


@FAMILIES.add(
    "bci.pixel_changed",
    question_type="judgement",
    layout="scale",
    needs=("labels", "later"),
    dates=2,
    wordings=(
        "Did the spectrum at row {row}, column {col} (from 0, top left) change between the dates, by the 3σ rule on the change vector?",
        "Is the pixel in row {row}, column {col} (counted from 0, top left) among those whose change vector exceeds mean + 3σ of the unchanged background?",
    ),
    cases=drawn_pixels,
    per_block=2,
)
def pixel_changed(block: Block, asked: Asked) -> Judgement | None:
    """Whether the pixel is in the change mask and, where labels exist, its class changed too."""
    row, col = asked.whole("row"), asked.whole("col")
    changed = bool(block.changed[row, col])
    agrees = block.later_labels is None or changed == bool(relabelled(block)[row, col])
    return judge_yes_no(
        changed,
        clear=agrees,
        evidence={"changed": changed, "changed_share": round(block.changed_share, 6)},
        fact=f"change at {row},{col}",
    )


@FAMILIES.add(
    "bci.any_change",
    question_type="judgement",
    layout="scale",
    needs=("labels", "later"),
    dates=2,
    wordings=(
        "Did at least 2 % of the pixels of {part} change between the two dates?",
        "Is there a notable change (2 % of the pixels or more) in {part} between the dates?",
        "Comparing the two dates, did the land surface change on 2 % of {part} or more?",
    ),
    cases=each_part,
    balance=("part",),
    per_block=2,
)
def any_change(block: Block, asked: Asked) -> Judgement | None:
    """Share of changed pixels against 2 %; unclear between 1 and 3 %."""
    share = float(block.changed[block.part(asked.text("part"))].mean())
    return judge_yes_no(
        share >= LEAST_CHANGE,
        clear=abs(share - LEAST_CHANGE) > 0.01,
        evidence={"changed_share": round(share, 6)},
        fact=f"any change in {asked['part']}",
    )


@FAMILIES.add(
    "bci.main_class_changed",
    question_type="judgement",
    layout="scale",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "Is the most abundant class of the labelled pixels another one at the second date?",
        "Did the main land-cover class of the labelled area change between the dates?",
        "Does a different class dominate the labelled pixels after the change?",
    ),
    cases=once,
)
def main_class_changed(block: Block, _asked: Asked) -> Judgement | None:
    """Whether the most abundant class differs; each leads by a quarter in its date."""
    one = clearly_first({n: float(c) for n, c in block.counts.items()}, factor=1.25)
    two = clearly_first({n: float(c) for n, c in block.later_counts.items()}, factor=1.25)
    if one is None or two is None:
        return None
    return judge_yes_no(
        one[0] != two[0],
        clear=one[1] and two[1],
        evidence={"before": block.counts, "after": block.later_counts},
        fact="main class",
    )


@FAMILIES.add(
    "bci.share_change",
    question_type="range",
    layout="scale",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "How did the share of {name} in the labelled pixels change from the first date to the second?",
        "Between the dates, what happened to the share of {name} among the labelled pixels?",
    ),
    cases=lambda block, _context: (
        {"name": name} for name in sorted({*block.counts, *block.later_counts})
    ),
    per_block=2,
)
def share_change(block: Block, asked: Asked) -> Judgement | None:
    """Difference of the class's shares, in five bins of percentage points."""
    name = asked.text("name")
    before, after = (
        counts.get(name, 0) / max(sum(counts.values()), 1)
        for counts in (block.counts, block.later_counts)
    )
    return judge_bins(
        after - before,
        TREND_EDGES,
        STEPS,
        evidence={"before": round(before, 6), "after": round(after, 6)},
        fact=f"share change of {name}",
        margin=0.1,
    )


@FAMILIES.add(
    "cal.densest_cell",
    question_type="choice",
    layout="pick",
    needs=("later",),
    dates=2,
    wordings=(
        "Which cell of a 3 × 3 grid over the block holds most changed pixels?",
        "In which ninth (3 × 3 grid) is the change between the dates most extensive?",
        "Where in a 3 × 3 grid did most pixels change?",
    ),
    cases=once,
)
def densest_cell(block: Block, _asked: Asked) -> Judgement | None:
    """The cell with most changed pixels, 1.5 times the next or more."""
    return _where(block, block.cell_map, CELLS, "densest cell")


@FAMILIES.add(
    "cal.quadrant",
    question_type="choice",
    layout="pick",
    needs=("later",),
    dates=2,
    wordings=(
        "Which quadrant of the block changed most between the two dates?",
        "In which quarter of the picture do most changed pixels lie?",
        "Most of the change happened in which quadrant?",
    ),
    cases=once,
)
def change_quadrant(block: Block, _asked: Asked) -> Judgement | None:
    """The quadrant with most changed pixels, 1.5 times the next or more."""
    return _where(block, block.quadrant_map, QUADRANTS, "change quadrant")


@FAMILIES.add(
    "cal.centroid_cell",
    question_type="choice",
    layout="pick",
    needs=("later",),
    dates=2,
    wordings=(
        "In which cell of a 3 × 3 grid does the centroid of all changed pixels fall?",
        "Where is the centre of gravity of the change, in a 3 × 3 grid over the block?",
        "The mean position of the changed pixels lies in which ninth of the block?",
    ),
    cases=once,
)
def centroid_cell(block: Block, _asked: Asked) -> Judgement | None:
    """Cell of the mean position of the changed pixels; unclear within 5 % of a cell's edge."""
    if not LEAST_CHANGE <= block.changed_share <= MOST_CHANGE:
        return None
    rows, cols = np.nonzero(block.changed)
    place = [
        (float(rows.mean()) + 0.5) / block.shape[0],
        (float(cols.mean()) + 0.5) / block.shape[1],
    ]
    cell = [min(int(value * 3), 2) for value in place]
    off = min(abs(value - edge) for value in place for edge in (1 / 3, 2 / 3))
    scores = {
        name: -float(np.hypot(number // 3 + 0.5 - 3 * place[0], number % 3 + 0.5 - 3 * place[1]))
        for number, name in enumerate(CELLS)
    }
    return choose(
        scores,
        CELLS[cell[0] * 3 + cell[1]],
        clear=off > 0.05 / 3,
        evidence={"centroid": [round(value, 6) for value in place]},
        fact="change centroid",
    )


@FAMILIES.add(
    "cal.grown_in_quadrant",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "In the {quadrant} quadrant, which class gained most labelled pixels from the first date to the second?",
        "Which class grew most in the {quadrant} quarter of the block?",
    ),
    cases=lambda _block, _context: ({"quadrant": quadrant} for quadrant in QUADRANTS),
    per_block=2,
)
def grown_in_quadrant(block: Block, asked: Asked) -> Judgement | None:
    """Class with the largest gain there, at least eight pixels and 1.5 times the next."""
    part = block.quadrant_map == QUADRANTS.index(asked.text("quadrant"))
    gains = {
        name: float((block.mask(name, later=True) & part).sum() - (block.mask(name) & part).sum())
        for name in block.references
    }
    return judge_most(
        gains, measure="gain", fact=f"grown in {asked['quadrant']}", least=FEWEST_PIXELS
    )


@FAMILIES.add(
    "cal.part_changed_more",
    question_type="judgement",
    layout="scale",
    needs=("later",),
    dates=2,
    wordings=(
        "Do most of the pixels that changed lie in {part}?",
        "Of all pixels that changed between the dates, do more than half lie in {part}?",
    ),
    cases=lambda _block, _context: ({"part": part} for part in PARTS[1:]),
    balance=("part",),
)
def part_changed_more(block: Block, asked: Asked) -> Judgement | None:
    """Changed pixels of the halves compared; one has 1.5 times the other or more."""
    if not LEAST_CHANGE <= block.changed_share <= MOST_CHANGE:
        return None
    part = block.part(asked.text("part"))
    inside, outside = int((block.changed & part).sum()), int((block.changed & ~part).sum())
    rows = PARTS.index(asked.text("part")) <= 2
    return judge_yes_no(
        inside > outside,
        clear=max(inside, outside) >= 1.5 * min(inside, outside),
        evidence={"inside": inside, "outside": outside},
        fact=f"change by halves of {'rows' if rows else 'columns'}",
    )


def relabelled(block: Block) -> NDArray[np.bool_]:
    """Return which labelled pixels have another class at the second date."""
    if block.later_labels is None:
        return np.zeros(block.shape, dtype=bool)
    return np.asarray(block.labelled & (block.labels != block.later_labels))


def _labels_at(block: Block, asked: Asked) -> tuple[str, str] | None:
    row, col = asked.whole("row"), asked.whole("col")
    if block.later_labels is None:
        return None
    names = [
        block.class_names.get(int(labels[row, col]), "")
        for labels in (block.labels, block.later_labels)
    ]
    return (names[0], names[1]) if all(names) else None


def _where(
    block: Block, places: NDArray[np.int64], names: tuple[str, ...], fact: str
) -> Judgement | None:
    if not LEAST_CHANGE <= block.changed_share <= MOST_CHANGE:
        return None
    counts = {
        name: float((block.changed & (places == number)).sum()) for number, name in enumerate(names)
    }
    return judge_most(counts, measure="changed_pixels", fact=fact)


def arrow(one: str, two: str) -> str:
    """Write a transition as an option."""
    return f"{one} to {two}"
