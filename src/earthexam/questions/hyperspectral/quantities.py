"""Target quantification: presence detection (PD) and counting (CS)."""

from collections.abc import Iterator
from itertools import combinations

from earthexam.questions.family import (
    Asked,
    Judgement,
    Parameters,
    choose,
    judge_number,
    judge_yes_no,
)
from earthexam.questions.hyperspectral.block import Block, component_sizes
from earthexam.questions.hyperspectral.context import (
    FAMILIES,
    Context,
    each_class,
    each_present_class,
    once,
)

# A class with fewer pixels than this is neither certainly present nor certainly absent to an eye.
FEWEST_PIXELS = 6


@FAMILIES.add(
    "pd.present",
    question_type="judgement",
    layout="scale",
    wordings=(
        "Is {name} present among the labelled pixels of this block?",
        "Do any labelled pixels of the block belong to {name}?",
        "Does the labelled part of this block contain {name}?",
    ),
    cases=each_class,
    balance=("name",),
)
def present(block: Block, asked: Asked) -> Judgement | None:
    """At least six pixels count as present, none as absent; between them nothing is asked."""
    return _presence(block, asked.text("name"), wanted=True)


@FAMILIES.add(
    "pd.absent",
    question_type="judgement",
    layout="scale",
    wordings=(
        "Is {name} absent from the labelled pixels of this block?",
        "Is it true that no labelled pixel of the block belongs to {name}?",
        "Are the labelled pixels of this block free of {name}?",
    ),
    cases=each_class,
    balance=("name",),
)
def absent(block: Block, asked: Asked) -> Judgement | None:
    """The reverse of presence, with the same margin."""
    return _presence(block, asked.text("name"), wanted=False)


def class_pairs(_block: Block, context: Context) -> Iterator[Parameters]:
    """Ask about every pair of classes of the scene."""
    return ({"name": one, "other": two} for one, two in combinations(context.classes, 2))


@FAMILIES.add(
    "pd.both",
    question_type="judgement",
    layout="scale",
    wordings=(
        "Do {name} and {other} both occur among the labelled pixels of this block?",
        "Are {name} and {other} both present in the labelled part of the block?",
        "Does the block contain labelled pixels of {name} as well as of {other}?",
    ),
    cases=class_pairs,
    balance=("name", "other"),
)
def both(block: Block, asked: Asked) -> Judgement | None:
    """Both classes have at least six pixels, or one of them has none."""
    counts = [block.counts.get(asked.text(key), 0) for key in ("name", "other")]
    return judge_yes_no(
        min(counts) > 0,
        clear=min(counts) >= FEWEST_PIXELS or (min(counts) == 0 and max(counts) >= FEWEST_PIXELS),
        evidence={"pixels": counts},
        fact=f"both {asked['name']} and {asked['other']}",
    )


@FAMILIES.add(
    "pd.which_present",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which of these classes is present among the labelled pixels of this block?",
        "Only one of these classes occurs in the labelled part of the block. Which?",
        "Which one of the classes below can be found among the labelled pixels?",
    ),
    cases=lambda block, _context: ({"_name": name} for name in block.counts),
    per_block=2,
)
def which_present(block: Block, asked: Asked) -> Judgement | None:
    """A class with at least six pixels; only classes without any are wrong."""
    name = asked.text("_name", next(iter(block.counts), ""))
    if name not in block.counts:
        return None
    missing = [other for other in block.references if other not in block.counts]
    return choose(
        {other: float(block.counts.get(other, 0)) for other in block.references},
        name,
        clear=block.counts[name] >= FEWEST_PIXELS,
        evidence={"pixels": block.counts},
        fact=f"presence of {name}",
        false=missing,
    )


@FAMILIES.add(
    "pd.which_absent",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which of these classes is not present among the labelled pixels of this block?",
        "All but one of these classes occur in the labelled part of the block. Which does not?",
        "Which one of the classes below is missing from the labelled pixels?",
    ),
    cases=lambda block, context: (
        {"_name": name} for name in context.classes if name not in block.counts
    ),
    per_block=2,
)
def which_absent(block: Block, asked: Asked) -> Judgement | None:
    """A class without any pixel; only classes with at least six are wrong."""
    missing = (other for other in sorted(block.references) if other not in block.counts)
    name = asked.text("_name", next(missing, ""))
    there = [other for other, count in block.counts.items() if count >= FEWEST_PIXELS]
    return choose(
        {other: -float(block.counts.get(other, 0)) for other in block.references},
        name,
        clear=name not in block.counts,
        evidence={"pixels": block.counts},
        fact=f"presence of {name}",
        false=there,
    )


@FAMILIES.add(
    "cs.regions_of_class",
    question_type="count",
    layout="window",
    wordings=(
        "How many connected regions (8 neighbours) do the labelled pixels of {name} form in this block?",
        "Count the separate patches of {name}; pixels that touch by side or corner belong together.",
        "Into how many connected regions (8-connectivity) does {name} fall here?",
    ),
    cases=each_present_class,
    least_options=2,
    per_block=2,
)
def regions_of_class(block: Block, asked: Asked) -> Judgement | None:
    """Connected components with 8 neighbours; a region of one or two pixels leaves it unasked."""
    sizes = block.components(asked.text("name"))
    judged = judge_number(
        len(sizes),
        least=1,
        most=9,
        evidence={"region_pixels": sizes},
        fact=f"regions of {asked['name']}",
    )
    return judged if sizes and min(sizes) >= 3 else _unclear(judged)


@FAMILIES.add(
    "cs.classes",
    question_type="count",
    layout="window",
    wordings=(
        "How many classes are present among the labelled pixels of this block?",
        "Count the different land-cover classes in the labelled part of the block.",
        "The labelled pixels of this block belong to how many classes?",
    ),
    cases=once,
)
def classes(block: Block, _asked: Asked) -> Judgement | None:
    """Number of classes; a class of one or two pixels leaves it unasked."""
    judged = judge_number(
        len(block.counts), least=1, most=9, evidence={"pixels": block.counts}, fact="classes"
    )
    return judged if min(block.counts.values(), default=0) >= 3 else _unclear(judged)


@FAMILIES.add(
    "cs.classes_above_share",
    question_type="count",
    layout="window",
    wordings=(
        "How many classes each cover more than {percent} % of the labelled pixels?",
        "Count the classes whose share of the labelled pixels is above {percent} %.",
        "How many classes take up more than {percent} % of the labelled area each?",
    ),
    cases=lambda _block, _context: ({"percent": percent} for percent in (10, 15, 20, 25)),
    balance=("percent",),
    n_options=3,
)
def classes_above_share(block: Block, asked: Asked) -> Judgement | None:
    """Number of classes above the share; unclear where a class lies within 5 % of it."""
    edge = asked.number("percent") / 100
    count = sum(share > edge for share in block.shares.values())
    judged = judge_number(
        count,
        least=0,
        most=9,
        evidence={"shares": {name: round(share, 6) for name, share in block.shares.items()}},
        fact=f"classes above {asked['percent']} %",
    )
    near = any(abs(share - edge) <= 0.05 * edge for share in block.shares.values())
    return _unclear(judged) if near else judged


@FAMILIES.add(
    "cs.classes_below_share",
    question_type="count",
    layout="window",
    wordings=(
        "How many of the classes present cover less than {percent} % of the labelled pixels each?",
        "Count the classes that occur here with a share of the labelled pixels below {percent} %.",
        "Of the classes in the labelled part, how many stay under {percent} %?",
    ),
    cases=lambda _block, _context: ({"percent": percent} for percent in (20, 30, 40)),
    balance=("percent",),
    n_options=3,
)
def classes_below_share(block: Block, asked: Asked) -> Judgement | None:
    """Number of present classes below the share; unclear where one lies within 5 % of it."""
    edge = asked.number("percent") / 100
    count = sum(share < edge for share in block.shares.values())
    judged = judge_number(
        count,
        least=0,
        most=9,
        evidence={"shares": {name: round(share, 6) for name, share in block.shares.items()}},
        fact=f"classes below {asked['percent']} %",
    )
    near = any(abs(share - edge) <= 0.05 * edge for share in block.shares.values())
    tiny = min(block.counts.values(), default=0) < 3
    return _unclear(judged) if near or tiny else judged


@FAMILIES.add(
    "cs.changed_regions",
    question_type="count",
    layout="window",
    needs=("later",),
    dates=2,
    wordings=(
        "Between the two dates, how many separate changed regions (8 neighbours, at least {least} pixels each) are there?",
        "Count the connected areas of at least {least} pixels that changed between the two dates.",
        "How many connected changed patches of {least} or more pixels does the image pair show?",
    ),
    cases=lambda _block, _context: ({"least": 6},),
)
def changed_regions(block: Block, asked: Asked) -> Judgement | None:
    """Connected regions of changed pixels; unclear where one has nearly the least size."""
    least = asked.whole("least")
    sizes = component_sizes(block.changed)
    judged = judge_number(
        sum(size >= least for size in sizes),
        least=0,
        most=9,
        evidence={"region_pixels": sizes},
        fact="changed regions",
    )
    return _unclear(judged) if any(abs(size - least) <= 1 for size in sizes) else judged


def _presence(block: Block, name: str, *, wanted: bool) -> Judgement:
    count = block.counts.get(name, 0)
    return judge_yes_no(
        (count > 0) is wanted,
        clear=count == 0 or count >= FEWEST_PIXELS,
        evidence={"pixels": count},
        fact=f"presence of {name}",
    )


def _unclear(judged: Judgement) -> Judgement:
    return Judgement(
        judged.answer, False, judged.scores, judged.false, judged.evidence, judged.fact
    )
