"""Read replies as the released OmniEarth-Bench scorers do, faults included.

For comparison with published numbers only (evaluation code of arXiv:2505.23522): letters are found
inside words, letters beyond E never, and a box is read by the first pattern that fits anywhere.
"""

import re
from collections.abc import Sequence

_LEAD_INS = (
    "The best answer is", "The correct answer is", "The answer is", "The answer",
    "The best option is", "The correct option is", "Best answer:", "Best option:",
)  # fmt: skip
_BRACKETED = re.compile(r"\(([a-eA-E])\)")
_ANYWHERE = re.compile(r"[a-eA-E]")
_N = r"(-?\d+(?:\.\d+)?)"
_BOXES = (
    re.compile(rf"\[\s*{_N},\s*{_N},\s*{_N},\s*{_N}\s*\]"),
    re.compile(rf"\(\s*{_N},\s*{_N},\s*{_N},\s*{_N}\s*\)"),
    re.compile(rf"\(\s*{_N},\s*{_N}\),\s*\(\s*{_N},\s*{_N}\)"),
)
NO_BOX = (0.0, 0.0, 0.0, 0.0)
_DELETED = re.compile(r"[#*\n]")

Corners = tuple[float, float, float, float]


def read_letters(reply: str) -> str:
    """Return the letters that the released scorer takes from a reply, sorted; empty for none.

    Examples
    --------
    >>> read_letters("Answer: B"), read_letters("(B)"), read_letters("F")
    ('ABE', 'B', '')
    """
    text = reply.strip()
    for lead_in in _LEAD_INS:
        text = text.replace(lead_in, "")
    if not re.search("[ABCDE]", text):
        return ""
    letters = _BRACKETED.findall(text) or _ANYWHERE.findall(text)
    return "".join(sorted({letter.upper() for letter in letters}))


def read_corners(reply: str) -> Corners:
    """Return the four numbers that the released scorer takes for a box; zeros where none fit."""
    for pattern in _BOXES:
        match = pattern.search(reply)
        if match:
            x0, y0, x1, y1 = (float(value) for value in match.groups())
            return x0, y0, x1, y1
    return NO_BOX


def best_overlap(true: Corners, said: Corners, width: int, height: int) -> float:
    """Return the best overlap over four readings of the numbers, chosen by looking at the truth.

    Parameters
    ----------
    true : tuple of float
        Corners as fractions of the picture.
    said : tuple of float
        Taken as fractions, pixels, thousandths and hundredths in turn.
    """
    readings = (
        said,
        (said[0] / width, said[1] / height, said[2] / width, said[3] / height),
        tuple(value / 1000 for value in said),
        tuple(value / 100 for value in said),
    )
    return max(_overlap(true, reading) for reading in readings)


def clean_caption(text: str) -> str:
    r"""Delete Markdown signs and line breaks, which joins the words around a break.

    Examples
    --------
    >>> clean_caption("rain.\nWind")
    'rain.Wind'
    """
    return _DELETED.sub("", text)


def _overlap(first: Sequence[float], second: Sequence[float]) -> float:
    """Overlap without a look at the corners' order: an area may come out negative."""
    shared = max(0.0, min(first[2], second[2]) - max(first[0], second[0])) * max(
        0.0, min(first[3], second[3]) - max(first[1], second[1])
    )
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    union = sum(areas) - shared
    return shared / union if union else 0.0
