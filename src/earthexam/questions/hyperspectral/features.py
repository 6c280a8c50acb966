"""Feature recognition: spectral feature recognition (SFR) and land cover classification (LCC)."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from earthexam.questions.family import Asked, Judgement, Parameters, choose, judge_lead, judge_most
from earthexam.questions.hyperspectral.block import EIGHT_NEIGHBOURS, PARTS, Block
from earthexam.questions.hyperspectral.context import (
    FAMILIES,
    Context,
    once,
    pixels_by_class,
    sample_pixels,
)

# Parts of the solar spectrum with a name of their own, nm (visible and near-infrared limits after
# ISO 20473; the short-wave part is cut where water vapour leaves no signal).
RANGES = (
    ("blue", 450, 500), ("green", 500, 600), ("red", 600, 700), ("red-edge", 690, 750),
    ("near-infrared", 780, 900), ("far near-infrared", 950, 1100),
    ("short-wave infrared", 1500, 1750), ("long short-wave infrared", 2050, 2300),
)  # fmt: skip
ORDINALS = {2: "second", 3: "third"}
BROAD = ("vegetation", "soil", "water", "built")


def interior_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about pixels whose eight neighbours have the same class: their label is least in doubt."""
    inside = np.zeros(block.shape, dtype=bool)
    for name in block.counts:
        inside |= ndimage.binary_erosion(block.mask(name), EIGHT_NEIGHBOURS)
    return pixels_by_class(block, inside, "interior")


def spectrum_pixels(block: Block, _context: Context) -> list[Parameters]:
    """Ask about any labelled pixel with a spectrum."""
    valid = block.labelled & block.valid
    return [{"row": row, "col": col} for row, col in sample_pixels(block, valid, "spectrum", 8)]


@FAMILIES.add(
    "sfr.material_at_pixel",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class has the mean spectrum closest in spectral angle to the spectrum at row {row}, column {col} (counted from 0, top left)?",
        "Compare the spectrum of the pixel in row {row}, column {col} (from 0, top left) with the mean spectrum of each class: which class does it match best by spectral angle?",
        "By spectral angle, the spectrum at row {row}, column {col} (rows and columns from 0 at the top left) is nearest to the mean of which class?",
    ),
    cases=spectrum_pixels,
    per_block=2,
)
def material_at_pixel(block: Block, asked: Asked) -> Judgement | None:
    """Smallest spectral angle (Kruse et al. 1993) to the scene's class means wins.

    Clear where the second angle is larger by a third; other classes are wrong from there on.
    """
    spectrum = block.cube[asked.whole("row"), asked.whole("col")].astype(np.float64)
    if not np.isfinite(spectrum).all():
        return None
    angles = {name: _angle(spectrum, mean) for name, mean in block.references.items()}
    ranked = sorted(angles, key=lambda name: (angles[name], name))
    best = angles[ranked[0]]
    wrong = [name for name in ranked[1:] if angles[name] >= best * 4 / 3]
    return choose(
        {name: -angle for name, angle in angles.items()},
        ranked[0],
        clear=len(wrong) >= 1,
        evidence={"angles_rad": {name: round(a, 6) for name, a in angles.items()}},
        fact=f"material at {asked['row']},{asked['col']}",
        false=wrong,
    )


def wavelength_ranges(block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about every named range in which the sensor has at least two bands."""
    if block.wavelengths_nm is None or len(block.counts) < 2:
        return
    for label, low, high in RANGES:
        inside = (block.wavelengths_nm >= low) & (block.wavelengths_nm <= high)
        if inside.sum() >= 2:
            yield {"range": label, "low_nm": low, "high_nm": high}


@FAMILIES.add(
    "sfr.brightest_in_range",
    question_type="choice",
    layout="pick",
    needs=("labels", "wavelengths"),
    wordings=(
        "Which class present in this block has the highest mean signal between {low_nm} and {high_nm} nm?",
        "In the {range} range ({low_nm}–{high_nm} nm), which class of this block is brightest on average?",
        "Averaged over {low_nm}–{high_nm} nm, which class in the block returns the strongest signal?",
    ),
    cases=wavelength_ranges,
    balance=("range",),
    per_block=2,
)
def brightest_in_range(block: Block, asked: Asked) -> Judgement | None:
    """Largest mean of the block's class mean spectrum over the range; clear from 3 % lead on.

    Classes that the block does not have are wrong: they have no spectrum in it.
    """
    bands = _bands_in(block, asked)
    if len(block.means) < 2 or not bands.any():
        return None
    signal = {name: float(mean[bands].mean()) for name, mean in block.means.items()}
    largest = max(signal.values())
    return judge_lead(
        signal,
        block.references,
        measure="mean_signal",
        fact=f"brightest in {asked['range']}",
        lead=0.03 * abs(largest),
        doubtful=block.small_classes,
    )


def band_pairs(block: Block, _context: Context) -> Iterator[Parameters]:
    """Ask about pairs of wavelengths the sensor has within 15 nm: red edge, moisture, colour."""
    for low, high in ((670, 800), (800, 1650), (550, 670), (1650, 2200)):
        if block.wavelengths_nm is not None and all(
            np.abs(block.wavelengths_nm - nm).min() <= 15 for nm in (low, high)
        ):
            yield {"low_nm": low, "high_nm": high}


@FAMILIES.add(
    "sfr.band_ratio",
    question_type="choice",
    layout="pick",
    needs=("labels", "wavelengths"),
    wordings=(
        "Which class present in this block has the largest ratio of its mean signal near {high_nm} nm to that near {low_nm} nm?",
        "Compare the class mean spectra at {low_nm} and {high_nm} nm: for which class is the second largest relative to the first?",
        "For which class of this block is the mean signal at {high_nm} nm highest relative to that at {low_nm} nm?",
    ),
    cases=band_pairs,
    balance=("low_nm",),
    per_block=2,
)
def band_ratio(block: Block, asked: Asked) -> Judgement | None:
    """Largest ratio of two bands of the class mean; clear from 3 % lead on.

    Classes that the block does not have are wrong: they have no spectrum in it.
    """
    if block.wavelengths_nm is None or len(block.means) < 2:
        return None
    low, high = (
        int(np.abs(block.wavelengths_nm - asked.number(name)).argmin())
        for name in ("low_nm", "high_nm")
    )
    ratios = {
        name: float(mean[high] / mean[low]) if mean[low] > 0 else 0.0
        for name, mean in block.means.items()
    }
    return judge_lead(
        ratios,
        block.references,
        measure="ratio",
        fact=f"ratio {asked['low_nm']}",
        lead=0.03 * max(ratios.values()),
        doubtful=block.small_classes,
    )


def peak_ranges(block: Block, context: Context) -> Iterator[Parameters]:
    """Ask in which range a class peaks, once for each range and class present."""
    for parameters in wavelength_ranges(block, context):
        for name in block.means:
            yield {**parameters, "_name": name}


@FAMILIES.add(
    "sfr.peak_in_range",
    question_type="choice",
    layout="pick",
    needs=("labels", "wavelengths"),
    wordings=(
        "Which of these classes has the peak of its mean spectrum in this block between {low_nm} and {high_nm} nm?",
        "The mean spectrum of only one of these classes reaches its maximum in the {range} range ({low_nm}–{high_nm} nm). Which?",
        "For which class below does the block's mean spectrum peak within {low_nm}–{high_nm} nm?",
    ),
    cases=peak_ranges,
    balance=("range",),
)
def peak_in_range(block: Block, asked: Asked) -> Judgement | None:
    """Classes whose maximum lies in the range are right; wrong are those that stay 2 % below it."""
    bands = _bands_in(block, asked)
    if not bands.any():
        return None
    heights = {name: float(mean[bands].max() / mean.max()) for name, mean in block.means.items()}
    name = asked.text("_name", max(heights, key=lambda n: heights[n], default=""))
    if name not in heights:
        return None
    return choose(
        {other: heights.get(other, 0.0) for other in block.references},
        name,
        clear=heights[name] == 1.0 and block.counts[name] >= 5,
        evidence={"height_of_peak": {n: round(value, 6) for n, value in heights.items()}},
        fact=f"peak of {name}",
        false=[other for other in block.references if heights.get(other, 0.0) < 0.98],
    )


@FAMILIES.add(
    "sfr.abundance_rank",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class is the {ordinal} most abundant among the labelled pixels of this block?",
        "Rank the classes by their labelled pixels: which comes {ordinal}?",
        "By area within the labelled part of the block, which class ranks {ordinal}?",
    ),
    cases=lambda block, _context: (
        {"ordinal": word} for rank, word in ORDINALS.items() if len(block.counts) >= rank
    ),
    balance=("ordinal",),
)
def abundance_rank(block: Block, asked: Asked) -> Judgement | None:
    """The class at that rank of the pixel counts; its neighbours in rank differ by a factor 1.5."""
    rank = next(number for number, word in ORDINALS.items() if word == asked["ordinal"])
    names = list(block.counts)
    if len(names) < rank:
        return None
    counts = [*block.counts.values(), 0]
    above, own, below = counts[rank - 2], counts[rank - 1], counts[rank]
    target = own
    scores = {name: -abs(block.counts.get(name, 0) - target) / target for name in block.references}
    return choose(
        scores,
        names[rank - 1],
        clear=above >= 1.5 * own and own >= 1.5 * below,
        evidence={"pixels": block.counts},
        fact=f"abundance rank {rank} from the top",
    )


@FAMILIES.add(
    "sfr.covers_percent",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class covers about {percent} % of the labelled pixels of this block?",
        "About {percent} % of the labelled pixels belong to one class. Which one?",
        "One class makes up roughly {percent} % of the labelled area here; name it.",
    ),
    cases=lambda block, _context: (
        {"percent": round(100 * share)} for share in block.shares.values() if 0.1 <= share <= 0.9
    ),
)
def covers_percent(block: Block, asked: Asked) -> Judgement | None:
    """The class whose share comes nearest; the next nearest is off by a third of it or more."""
    wanted = asked.number("percent") / 100
    distances = {name: abs(block.shares.get(name, 0.0) - wanted) for name in block.references}
    ranked = sorted(distances, key=lambda name: (distances[name], name))
    return choose(
        {name: -distance for name, distance in distances.items()},
        ranked[0],
        clear=distances[ranked[0]] <= 0.006 and distances[ranked[1]] >= wanted / 3,
        evidence={"shares": {name: round(share, 6) for name, share in block.shares.items()}},
        fact=f"share of {ranked[0]}",
    )


@FAMILIES.add(
    "lcc.class_at_pixel",
    question_type="choice",
    layout="pick",
    wordings=(
        "What is the land cover at row {row}, column {col} (counted from 0, top left)?",
        "Which class does the pixel in row {row}, column {col} (from 0, top left) belong to?",
        "Classify the pixel at row {row}, column {col}; rows and columns start at 0 in the top left corner.",
    ),
    cases=interior_pixels,
    per_block=2,
)
def class_at_pixel(block: Block, asked: Asked) -> Judgement | None:
    """The label of the pixel; every other class is wrong."""
    row, col = asked.whole("row"), asked.whole("col")
    name = block.class_names.get(int(block.labels[row, col]))
    if name is None:
        return None
    scores = {other: float(other == name) for other in block.references}
    return choose(scores, name, clear=True, evidence={"class": name}, fact=f"class at {row},{col}")


@FAMILIES.add(
    "lcc.dominant_class",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class covers most of the labelled pixels of this block?",
        "What is the dominant land cover among the labelled pixels?",
        "Name the class with the largest labelled area in the block.",
    ),
    cases=once,
)
def dominant_class(block: Block, _asked: Asked) -> Judgement | None:
    """The class with most pixels, 1.5 times the next or more."""
    return block.prevailing(np.ones(block.shape, bool), "abundance rank 1 from the top")


@FAMILIES.add(
    "lcc.covers_pixels",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class occupies {pixels} of the labelled pixels of this block?",
        "One class has {pixels} labelled pixels here. Which?",
        "Find the class that is labelled on {pixels} pixels of the block.",
    ),
    cases=lambda block, _context: (
        {"pixels": count} for count in block.counts.values() if count >= 10
    ),
)
def covers_pixels(block: Block, asked: Asked) -> Judgement | None:
    """The class with that count; the next nearest count is off by a third of it or more."""
    wanted = asked.number("pixels")
    distances = {name: abs(block.counts.get(name, 0) - wanted) for name in block.references}
    ranked = sorted(distances, key=lambda name: (distances[name], name))
    return choose(
        {name: -distance for name, distance in distances.items()},
        ranked[0],
        clear=distances[ranked[0]] == 0 and distances[ranked[1]] >= wanted / 3,
        evidence={"pixels": block.counts},
        fact=f"share of {ranked[0]}",
    )


@FAMILIES.add(
    "lcc.dominant_in_part",
    question_type="choice",
    layout="pick",
    wordings=(
        "Which class covers most labelled pixels of {part}?",
        "Looking only at {part}, which land cover is most extensive among the labelled pixels?",
        "Name the class with the largest labelled area in {part}.",
    ),
    cases=lambda _block, _context: ({"part": part} for part in PARTS[1:]),
    per_block=2,
)
def dominant_in_part(block: Block, asked: Asked) -> Judgement | None:
    """The class with most pixels in that half, 1.5 times the next or more."""
    return block.prevailing(block.part(asked.text("part")), f"dominant in {asked['part']}")


@FAMILIES.add(
    "lcc.broad_category",
    question_type="choice",
    layout="pick",
    needs=("labels", "kinds"),
    wordings=(
        "Which broad category do most labelled pixels of the block belong to?",
        "Most of the labelled area falls into which broad category?",
    ),
    cases=once,
    least_options=2,
)
def broad_category(block: Block, _asked: Asked) -> Judgement | None:
    """The kind with most pixels, 1.5 times the next or more."""
    labelled = block.labels > 0
    counts = {kind: float((block.kind_mask(kind) & labelled).sum()) for kind in BROAD}
    return judge_most(counts, measure="pixels", fact="broad category")


def _bands_in(block: Block, asked: Asked) -> NDArray[np.bool_]:
    """Which bands lie in the range that is asked about; none where wavelengths are unknown."""
    if block.wavelengths_nm is None:
        return np.zeros(block.cube.shape[2], dtype=bool)
    low, high = asked.number("low_nm"), asked.number("high_nm")
    return np.asarray((block.wavelengths_nm >= low) & (block.wavelengths_nm <= high))


def _angle(one: np.ndarray, other: np.ndarray) -> float:
    cosine = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))
