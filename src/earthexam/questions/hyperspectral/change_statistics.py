"""Change statistical analysis (CSA): how much of what became what."""

from collections import Counter

import numpy as np

from earthexam.questions.family import Asked, Judgement, choose, judge_bins, judge_most
from earthexam.questions.hyperspectral.block import PARTS, Block
from earthexam.questions.hyperspectral.change import (
    BOTH_DATES,
    FEWEST_PIXELS,
    LEAST_CHANGE,
    MOST_CHANGE,
    TREND_EDGES,
    arrow,
    relabelled,
)
from earthexam.questions.hyperspectral.context import FAMILIES, each_part, once

TRENDS = (
    "significant decrease", "slight decrease", "stable", "slight increase", "significant increase"
)  # fmt: skip


@FAMILIES.add(
    "csa.intensity",
    question_type="judgement",
    layout="scale",
    needs=("later",),
    dates=2,
    wordings=(
        "Did the mean signal over all bands of the changed pixels increase or decrease from the first date to the second?",
        "In the changed area, how does the mean intensity at the second date compare with the first?",
        "Averaged over bands and changed pixels, which way did the signal go?",
    ),
    cases=once,
)
def intensity(block: Block, _asked: Asked) -> Judgement | None:
    """Sign of the mean difference over the changed pixels; at least 1 % of the earlier mean."""
    if block.later is None or not LEAST_CHANGE <= block.changed_share <= MOST_CHANGE:
        return None
    before = float(np.nanmean(block.cube[block.changed], dtype=np.float64))
    after = float(np.nanmean(block.later[block.changed], dtype=np.float64))
    names = ("Increase", "Decrease")
    answer = names[0] if after > before else names[1]
    return choose(
        {name: float(name == answer) for name in names},
        answer,
        clear=abs(after - before) >= 0.01 * abs(before),
        evidence={"before": round(before, 6), "after": round(after, 6)},
        fact="intensity of the change",
    )


@FAMILIES.add(
    "csa.cover_trend",
    question_type="range",
    layout="scale",
    needs=(*BOTH_DATES, "kinds"),
    dates=2,
    wordings=(
        "Which trend describes the share of {kind} classes among the labelled pixels between the dates (stable within 2 percentage points, slight up to 10)?",
        "From the first date to the second, how did the share of {kind} cover among the labelled pixels develop (2 and 10 percentage points divide stable, slight and significant)?",
    ),
    cases=lambda _block, _context: (
        {"kind": kind} for kind in ("vegetation", "built", "artificial or bare")
    ),
    balance=("kind",),
)
def cover_trend(block: Block, asked: Asked) -> Judgement | None:
    """Change of the share of a kind, in five bins."""
    kinds = (
        ("built", "soil", "other") if asked["kind"] == "artificial or bare" else (asked["kind"],)
    )
    before, after = (
        float(block.kind_mask(*(str(kind) for kind in kinds), later=later)[block.labelled].mean())
        for later in (False, True)
    )
    if not np.isfinite(after - before):
        return None
    return judge_bins(
        after - before,
        TREND_EDGES,
        TRENDS,
        evidence={"before": round(before, 6), "after": round(after, 6)},
        fact=f"trend of {asked['kind']}",
        margin=0.1,
    )


@FAMILIES.add(
    "csa.conversion",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    n_options=3,
    wordings=(
        "Which conversion between classes is the most frequent among the labelled pixels of {part}?",
        "From the first date to the second, which class change affects most labelled pixels of {part}?",
        "Name the most common conversion of one class into another in {part}.",
    ),
    cases=each_part,
    per_block=2,
)
def conversion(block: Block, asked: Asked) -> Judgement | None:
    """The most frequent pair of different labels, 1.5 times the next or more, eight pixels at least."""
    counts = _conversions(block, asked.text("part"))
    names = sorted(block.references)
    return judge_most(
        {arrow(*pair): float(count) for pair, count in counts.items()},
        (arrow(one, two) for one in names for two in names if one != two),
        measure="conversions",
        fact=f"main conversion in {asked['part']}",
        least=FEWEST_PIXELS,
    )


@FAMILIES.add(
    "csa.most_changed_class",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "Which class lost the largest number of labelled pixels to other classes?",
        "Of the first date's classes, which one had most labelled pixels converted into something else?",
        "Which class was reduced most, by labelled pixels that changed class?",
    ),
    cases=once,
)
def most_changed_class(block: Block, _asked: Asked) -> Judgement | None:
    """The class most pixels left, 1.5 times the next or more."""
    losses: Counter[str] = Counter()
    for (one, _), count in _conversions(block).items():
        losses[one] += count
    return judge_most(
        {name: float(count) for name, count in losses.items()},
        block.references,
        measure="lost_pixels",
        fact="most changed class",
        least=FEWEST_PIXELS,
    )


@FAMILIES.add(
    "csa.stable_class",
    question_type="choice",
    layout="pick",
    needs=BOTH_DATES,
    dates=2,
    wordings=(
        "Within {part}, which class present at the first date kept the largest number of its labelled pixels unchanged?",
        "By number of labelled pixels of {part} that stayed the same, which class is the most stable?",
    ),
    cases=each_part,
    per_block=2,
)
def stable_class(block: Block, asked: Asked) -> Judgement | None:
    """The class with most pixels of equal label, 1.5 times the next or more, where change happened."""
    part = block.part(asked.text("part"))
    kept = {
        name: float((block.mask(name) & block.mask(name, later=True) & part).sum())
        for name in block.references
    }
    if not LEAST_CHANGE <= block.changed_share <= MOST_CHANGE:
        return None
    return judge_most(kept, measure="kept_pixels", fact=f"stable class of {asked['part']}")


def _conversions(block: Block, part: str = PARTS[0]) -> Counter[tuple[str, str]]:
    if block.later_labels is None:
        return Counter()
    moved = relabelled(block) & block.part(part)
    pairs = zip(block.labels[moved].tolist(), block.later_labels[moved].tolist(), strict=True)
    return Counter(
        (block.class_names[one], block.class_names[two])
        for one, two in pairs
        if one in block.class_names and two in block.class_names
    )
