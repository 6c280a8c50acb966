"""Composition interpretation: spectral anomaly detection (SAD) and spectral unmixing (SU)."""

from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from earthexam.questions.family import (
    Asked,
    Judgement,
    Parameters,
    choose,
    judge_bins,
    judge_number,
    judge_yes_no,
)
from earthexam.questions.hyperspectral.block import CELLS, Block
from earthexam.questions.hyperspectral.context import (
    FAMILIES,
    Context,
    each_part,
    once,
    sample_pixels,
)

PURE = 0.8
ENDMEMBER_SHARE = 0.05
FEWEST_PIXELS = 4
NEARBY_PIXELS = 2


@FAMILIES.add(
    "sad.rarest_class",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which of the classes present is the rarest among the labelled pixels of {part}?",
        "Of the classes that occur in {part}, which has the fewest labelled pixels?",
        "Which class forms the smallest part of the labelled area of {part}, without being absent?",
    ),
    cases=each_part,
    per_block=2,
)
def rarest_class(block: Block, asked: Asked) -> Judgement | None:
    """The present class with fewest pixels; the next has 1.5 times as many or more."""
    return _rare(block, 1, asked.text("part"))


@FAMILIES.add(
    "sad.second_rarest_class",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which of the classes present is the second rarest among the labelled pixels of {part}?",
        "Order the classes in {part} from fewest to most labelled pixels: which comes second?",
    ),
    cases=each_part,
)
def second_rarest_class(block: Block, asked: Asked) -> Judgement | None:
    """The present class with the second fewest pixels, a factor 1.5 from its neighbours in rank."""
    return _rare(block, 2, asked.text("part"))


@FAMILIES.add(
    "sad.class_under",
    question_type="judgement",
    layout="scale",
    wordings=(
        "Is there a class that occurs among the labelled pixels with a share below {percent} %?",
        "Does any class present stay under {percent} % of the labelled pixels?",
        "Among the classes found here, is one rarer than {percent} % of the labelled pixels?",
    ),
    cases=lambda _block, context: (
        {"percent": percent} for percent in (5, round(100 * context.rare_share))
    ),
    balance=("percent",),
)
def class_under(block: Block, asked: Asked) -> Judgement | None:
    """Whether a present class has a smaller share; unclear within 5 % of it or under four pixels."""
    edge = asked.number("percent") / 100
    if not block.shares:
        return None
    least = min(block.shares.values())
    return judge_yes_no(
        least < edge,
        clear=abs(least - edge) > 0.05 * edge and min(block.counts.values()) >= FEWEST_PIXELS,
        evidence={"least_share": round(least, 6)},
        fact=f"class under {asked['percent']} %",
    )


@FAMILIES.add(
    "sad.significant_cell",
    question_type="judgement",
    layout="scale",
    needs=("later",),
    dates=2,
    wordings=(
        "Between the dates, does the {cell} cell of a 3 × 3 grid hold pixels whose spectral change exceeds mean + 3σ of the unchanged background?",
        "By the 3σ rule on the change vector, is there significant change in the {cell} cell of a 3 × 3 grid?",
        "Does the spectral change in the {cell} ninth (3 × 3 grid) pass the 3σ threshold anywhere?",
    ),
    cases=lambda _block, _context: ({"cell": cell} for cell in CELLS),
    balance=("cell",),
    per_block=2,
)
def significant_cell(block: Block, asked: Asked) -> Judgement | None:
    """Yes from five changed pixels on, no without any; between them nothing is asked."""
    cell = block.cell_map == CELLS.index(asked.text("cell"))
    count = int((block.changed & cell).sum())
    return judge_yes_no(
        count > 0,
        clear=count == 0 or count >= 5,
        evidence={"changed_pixels": count},
        fact=f"change in cell {asked['cell']}",
    )


def boundary_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about valid pixels, labelled or not, with two classes within two pixels."""
    return [
        {"row": row, "col": col}
        for row, col in sample_pixels(block, _near_classes(block) & block.valid, "boundary", 60)
    ]


@FAMILIES.add(
    "su.boundary_pair",
    question_type="choice",
    layout="pick",
    wordings=(
        "Unmix the boundary pixel at row {row}, column {col} (from 0, top left) with the class mean spectra of this block: which two classes make up most of it?",
        "Which two endmembers (class means of the block) dominate the mixed pixel in row {row}, column {col}, counted from 0 at the top left?",
    ),
    cases=boundary_pixels,
    n_options=3,
    per_block=2,
)
def boundary_pair(block: Block, asked: Asked) -> Judgement | None:
    """The two largest abundances: together at least 0.8, the third at most 0.1, both nearby.

    A pair of other classes is wrong, also where it shares one of them.
    """
    names = list(block.means)
    if len(names) < 2:
        return None
    row, col = asked.whole("row"), asked.whole("col")
    own = block.abundances[row, col]
    if not np.isfinite(own).all():
        return None
    order = np.argsort(-own, kind="stable")
    third = float(own[order[2]]) if len(names) > 2 else 0.0
    top = float(own[order[0]] + own[order[1]])
    reach = NEARBY_PIXELS
    around = block.labels[
        max(row - reach, 0) : row + reach + 1, max(col - reach, 0) : col + reach + 1
    ]
    touched = {block.class_names.get(int(code), "") for code in np.unique(around)}
    pair = _pair(names[order[0]], names[order[1]])
    by_name = dict(zip(names, (float(value) for value in own), strict=True))
    scores = {
        _pair(one, two): by_name.get(one, 0.0) + by_name.get(two, 0.0)
        for one, two in combinations(sorted(block.references), 2)
    }
    return choose(
        scores,
        pair,
        clear=top >= 0.8
        and third <= 0.1
        and float(own[order[1]]) >= 0.15
        and {names[order[0]], names[order[1]]} <= touched,
        evidence={"abundances": {name: round(value, 6) for name, value in by_name.items()}},
        fact=f"mixture at {row},{col}",
    )


def mixed_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about labelled pixels drawn over the block."""
    valid = block.labelled & block.valid
    return [{"row": row, "col": col} for row, col in sample_pixels(block, valid, "mixed", 10)]


@FAMILIES.add(
    "su.dominant_endmember",
    question_type="choice",
    layout="pick",
    wordings=(
        "Unmix the pixel at row {row}, column {col} (from 0, top left) with the class mean spectra of this block: which endmember has the largest abundance?",
        "Under fully constrained least squares with the block's class means, which class dominates the spectrum at row {row}, column {col}, counted from 0 at the top left?",
    ),
    cases=mixed_pixels,
    per_block=2,
)
def dominant_endmember(block: Block, asked: Asked) -> Judgement | None:
    """The largest abundance, 0.5 or more and 1.5 times the next or more."""
    names = list(block.means)
    if len(names) < 2:
        return None
    row, col = asked.whole("row"), asked.whole("col")
    own = dict(zip(names, (float(value) for value in block.abundances[row, col]), strict=True))
    if not all(np.isfinite(value) for value in own.values()):
        return None
    ranked = sorted(own, key=lambda name: (-own[name], name))
    return choose(
        {name: own.get(name, -1.0) for name in block.references},
        ranked[0],
        clear=own[ranked[0]] >= 0.5 and own[ranked[0]] >= 1.5 * own[ranked[1]],
        evidence={"abundances": {name: round(value, 6) for name, value in own.items()}},
        fact=f"endmember at {row},{col}",
    )


@FAMILIES.add(
    "su.endmember_count",
    question_type="count",
    layout="window",
    wordings=(
        "Taking the class mean spectra of the block as endmembers, how many have a mean abundance of at least 5 % over the labelled pixels?",
        "How many endmembers (class means) are needed here, counting those with a mean abundance of 5 % or more?",
        "Count the endmembers whose mean abundance in the labelled part of the block reaches 5 %.",
    ),
    cases=once,
    n_options=4,
)
def endmember_count(block: Block, _asked: Asked) -> Judgement | None:
    """Classes with a mean abundance of at least 5 %; unclear where one lies within 5 % of that."""
    if len(block.means) < 2:
        return None
    mean = block.abundances[(block.labels > 0) & block.valid].mean(axis=0)
    judged = judge_number(
        int((mean >= ENDMEMBER_SHARE).sum()),
        least=1,
        most=9,
        evidence={
            "mean_abundance": {
                name: round(float(value), 6) for name, value in zip(block.means, mean, strict=True)
            }
        },
        fact="endmembers",
    )
    near = bool((np.abs(mean - ENDMEMBER_SHARE) <= 0.05 * ENDMEMBER_SHARE).any())
    return Judgement(
        judged.answer, not near, judged.scores, judged.false, judged.evidence, judged.fact
    )


@FAMILIES.add(
    "su.pure_share",
    question_type="range",
    layout="scale",
    wordings=(
        "Pure pixels have an abundance of 0.8 or more of one endmember (class means of the block, fully constrained least squares). What share of the labelled pixels is pure?",
        "What part of the labelled pixels is pure, that is at least 80 % one endmember, when unmixed with the block's class means?",
    ),
    cases=lambda _block, context: ({"edges": list(context.pure_edges)},),
)
def pure_share(block: Block, asked: Asked) -> Judgement | None:
    """Share of labelled pixels whose largest abundance is at least 0.8, in bins."""
    if len(block.means) < 2:
        return None
    own = block.abundances[(block.labels > 0) & block.valid]
    share = float((own.max(axis=1) >= PURE).mean())
    edges = asked.numbers("edges")
    return judge_bins(
        share, edges, share_bins(edges), evidence={"pure": round(share, 6)}, fact="pure share"
    )


def share_bins(edges: list[float]) -> list[str]:
    """Name the bins between shares, in percent.

    Examples
    --------
    >>> share_bins([0.2, 0.4])
    ['below 20 %', '20 % to 40 %', '40 % or more']
    """
    percents = [f"{100 * edge:g} %" for edge in edges]
    middle = [f"{low} to {high}" for low, high in pairwise(percents)]
    return [f"below {percents[0]}", *middle, f"{percents[-1]} or more"]


def _near_classes(block: Block) -> NDArray[np.bool_]:
    """Pixels with at least two classes within `NEARBY_PIXELS` rows and columns."""
    square = np.ones((2 * NEARBY_PIXELS + 1,) * 2, dtype=bool)
    near = [ndimage.binary_dilation(block.mask(name), square) for name in block.counts]
    return np.asarray(np.sum(near, axis=0) >= 2)


def _rare(block: Block, rank: int, part: str) -> Judgement | None:
    pixels = block.counts_in(part)
    counts = sorted(pixels.items(), key=lambda pair: (pair[1], pair[0]))
    if len(counts) < max(2, rank + 1):
        return None
    name, own = counts[rank - 1]
    below = counts[rank - 2][1] if rank > 1 else 0
    above = counts[rank][1]
    scores = {other: -abs(count - own) / own for other, count in counts}
    return choose(
        {other: scores.get(other, -99.0) for other in block.references},
        name,
        clear=above >= 1.5 * own and own >= 1.5 * below and counts[0][1] >= FEWEST_PIXELS,
        evidence={"pixels": pixels},
        fact=f"rank {rank} from the bottom in {part}",
    )


def _pair(one: str, two: str) -> str:
    first, second = sorted((one, two))
    return f"{first} and {second}"
