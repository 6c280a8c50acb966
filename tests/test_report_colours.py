"""The page's colours can be read in light and in dark, and told apart by colour-blind readers."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

CSS = (files("earthexam.report") / "templates" / "page.css").read_text(encoding="utf-8")
TEXT = ("ink", "faint", "accent", "good", "bad")
GROUNDS = ("paper", "panel", "sunk")
SERIES = tuple(f"s{number}" for number in range(8))


def palette(scheme: str) -> dict[str, str]:
    light, dark = re.findall(r":root \{(.*?)\}", CSS, flags=re.DOTALL)[:2]
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))


def linear(colour: str) -> np.ndarray:
    share = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.1, 1 to 21."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    bright, dim = sorted((float(weights @ linear(c)) for c in (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


# Machado, Oliveira & Fernandes (2009), doi:10.1109/TVCG.2009.113, severity 1, linear RGB.
SIGHTS = {
    "all colours": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB under D65."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    ratio = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_that_small_print_needs(scheme):
    colours = palette(scheme)
    for name in TEXT:
        for ground in GROUNDS:
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_and_lines_stand_out_from_the_panel(scheme):
    colours = palette(scheme)
    for name in (*SERIES, "focus"):
        assert contrast(colours[name], colours["panel"]) >= 3, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_the_first_four_runs_and_outcomes_are_told_apart(scheme, sight):
    colours = palette(scheme)
    seen = {name: lab(SIGHTS[sight] @ linear(colours[name])) for name in SERIES[:4]}
    for one, other in combinations(seen, 2):
        # A difference of 10 is plain at a glance; marks and dashes differ besides.
        assert np.linalg.norm(seen[one] - seen[other]) > 10, (one, other)
