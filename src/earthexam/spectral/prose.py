"""A description in sentences, and the test that a rewriting of them adds nothing.

The sentences hold quantities only: no kind of land, no sensor, no material, no place. A reader who
knows nothing else must get from them what the numbers say and not what somebody saw.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from earthexam.core.item import JsonValue
from earthexam.core.scene import Quantity
from earthexam.spectral.describe import Description, IndexSummary, SpectrumPoint

PROSE_DIGITS = 4
SAMPLED_BANDS = 16
MAX_ROUNDING = 0.05

QUANTITY_WORDS: dict[Quantity, str] = {
    "counts": "counts",
    "radiance": "radiance",
    "reflectance": "reflectance",
    "unknown": "an unknown unit",
}

FORBIDDEN_WORDS = frozenset(
    word
    for words in (
        # land and its use
        "agricultural agriculture airport bare beach building buildings built-up city cities "
        "coast coastal country crop crops cropland desert farm farmland farms field fields "
        "flood flooded floodplain forest forests garden gardens harbour highway house houses "
        "housing industrial infrastructure island lake lakes land landscape marsh meadow "
        "meadows mine mountain ocean orchard orchards park parking pasture pier pond ponds "
        "port railway reservoir residential river rivers road roads roof roofs rural sea "
        "shore street streets suburban swamp terrain town urban village vineyard vineyards "
        "wetland wetlands",
        # what grows
        "alfalfa algae bush canopy cereal chlorophyll corn cotton foliage grass grasses "
        "grassland grove harvest healthy leaf leaves lawn maize oats plant plants rice shrub "
        "shrubs soybean soybeans stressed tree trees vegetated vegetation wheat wood woodland "
        "woods",
        # materials
        "aluminium asphalt bitumen brick bricks cloud clouds concrete glass gravel ice metal "
        "metals mineral minerals mud paint pavement plastic rock rocks sand sediment shadow "
        "shadows snow soil soils steel stone tar tile tiles turbid water",
        # instruments
        "airborne aviris camera casi drone enmap gaofen hymap hyperion landsat modis platform "
        "prisma rosis satellite satellites sensor sensors sentinel spaceborne spectrometer "
        "uav",
    )
    for word in words.split()
)

_NUMBER = re.compile(r"(?<![\d.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(\s*%)?")


def write_prose(description: Description) -> str:
    """Put a description into sentences, the same for the same description.

    Every number is one of `Description.as_json`, to four significant digits.
    """
    d = description
    unit = "nm" if d.axis == "nm" else "on the band axis"
    sections = [
        f"The cube has {d.rows} rows, {d.cols} columns and {d.bands} bands, its axis running from "
        f"{_number(d.positions[0])} to {_number(d.positions[-1])} {unit}. {d.nan_count} values are "
        f"missing. Values are in {QUANTITY_WORDS[d.quantity]}: minimum {_number(d.minimum)}, maximum "
        f"{_number(d.maximum)}, mean {_number(d.mean)}, standard deviation {_number(d.std)}. The "
        f"share of saturated values is {_number(d.saturation_share)}.",
        f"Mean spectrum, sampled evenly ({_axis(d)}: value): {_sampled(d)}. "
        f"{_extrema('Peaks', d.peaks)} {_extrema('Valleys', d.valleys)} "
        f"The spectral entropy is {_number(d.spectral_entropy_bits)} bits.{_slopes(d)}",
        _indices(d),
        _grid(d),
    ]
    return "\n\n".join(sections) + "\n"


def accept_rewriting(
    prose: str, description: Description, also_forbidden: Iterable[str] = ()
) -> tuple[str, ...]:
    """List what a rewriting of the prose states that the description does not.

    Parameters
    ----------
    also_forbidden : iterable of str
        Further words or phrases, such as class names and places of the scene.

    Returns
    -------
    tuple of str
        One line for each number that no fact rounds to (at the digits written, and by at most 5 %;
        a percentage may state a share) and for each forbidden word; empty where it may be used.

    Examples
    --------
    >>> import numpy as np
    >>> from earthexam.spectral.describe import describe
    >>> accept_rewriting("Water covers 40 %.", describe(np.ones((3, 3, 4), dtype=np.float32)))
    ('the number 40 % is not in the description', "the word 'water' is not a quantity")
    """
    facts = tuple(_facts(description.as_json()))
    numbers = [
        f"the number {match.group(0)} is not in the description"
        for match in _NUMBER.finditer(prose)
        if not _is_stated(match, facts)
    ]
    text = re.sub(r"\s+", " ", prose.casefold())
    forbidden = FORBIDDEN_WORDS | {word.casefold() for word in also_forbidden}
    words = [
        f"the word {word!r} is not a quantity"
        for word in sorted(forbidden)
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    ]
    return tuple(numbers + words)


def _facts(value: JsonValue) -> Iterator[float]:
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _facts(part)
    else:
        for part in value.values():
            yield from _facts(part)


def _is_stated(match: re.Match[str], facts: Sequence[float]) -> bool:
    percent = match.group(1)
    text = match.group(0).removesuffix(percent or "").replace("−", "-").replace(",", "")
    stated = float(text)
    mantissa, _, exponent = text.lower().partition("e")
    half_unit = 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    candidates = [*facts, *(100 * fact for fact in facts)] if percent else facts
    return any(
        abs(fact - stated) <= min(half_unit, MAX_ROUNDING * abs(fact)) + 1e-9 * abs(fact)
        for fact in candidates
    )


def _number(value: float | None) -> str:
    if value is None:
        return "none"
    if value == 0:
        return "0"
    decimals = max(0, PROSE_DIGITS - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _axis(description: Description) -> str:
    return "wavelength in nm" if description.axis == "nm" else "band"


def _sampled(d: Description) -> str:
    count = min(SAMPLED_BANDS, len(d.positions))
    last = len(d.positions) - 1
    places = sorted({round(step * last / max(count - 1, 1)) for step in range(count)})
    return ", ".join(f"{_number(d.positions[p])}: {_number(d.mean_spectrum[p])}" for p in places)


def _extrema(title: str, points: Sequence[SpectrumPoint]) -> str:
    if not points:
        return f"{title}: none."
    listed = ", ".join(f"{_number(p.position)} ({_number(p.value)})" for p in points)
    return f"{title} at {listed}."


def _slopes(d: Description) -> str:
    if d.steepest_rise is None or d.steepest_fall is None:
        return ""
    rise, fall = d.steepest_rise, d.steepest_fall
    return (
        f" The first derivative is largest at {_number(rise.position)} ({_number(rise.value)} per "
        f"{d.axis}) and smallest at {_number(fall.position)} ({_number(fall.value)} per {d.axis})."
    )


def _indices(d: Description) -> str:
    low, high = d.percentiles
    listed = "; ".join(_index(summary) for summary in d.indices)
    scaled = [summary for summary in d.indices if summary.scaled_by is not None]
    note = ""
    if scaled:
        names = " and ".join(summary.name for summary in scaled)
        note = f" {names} were computed on values divided by {_number(scaled[0].scaled_by)}."
    return f"Indices (mean, median, then percentiles {low} and {high} over all pixels): {listed}.{note}"


def _index(summary: IndexSummary) -> str:
    if summary.mean is None:
        return f"{summary.name} not available"
    values = (summary.mean, summary.median, summary.low, summary.high)
    return f"{summary.name} {', '.join(map(_number, values))}"


def _grid(d: Description) -> str:
    rows = [d.grid[start : start + d.grid_side] for start in range(0, len(d.grid), d.grid_side)]
    brightness = " / ".join(", ".join(_number(cell.brightness) for cell in row) for row in rows)
    variance = " / ".join(", ".join(_number(cell.variance) for cell in row) for row in rows)
    return (
        f"On a {d.grid_side} by {d.grid_side} grid, rows from top to bottom parted by strokes and "
        f"cells from left to right: mean brightness {brightness}; variance of brightness {variance}."
    )
