"""Blocks of 12 × 12 pixels drawn as text, whose facts can be counted by eye."""

from typing import Any

import numpy as np

from earthexam.questions.hyperspectral.block import Block
from earthexam.questions.hyperspectral.context import Context

WAVELENGTHS_NM = np.array([480.0, 560.0, 660.0, 850.0, 1650.0, 2200.0])
NAMES = {1: "Corn", 2: "Soil", 3: "Water", 4: "Roof"}
KINDS = {"Corn": "vegetation", "Soil": "soil", "Water": "water", "Roof": "built"}
# NDVI: Corn (9 − 1) / 10 = 0.8, Soil 0.2, Water −1/3, Roof 0.
SPECTRA = {
    "Corn": np.array([1.0, 2.0, 1.0, 9.0, 5.0, 2.0]),
    "Soil": np.array([2.0, 3.0, 4.0, 6.0, 7.0, 8.0]),
    "Water": np.array([4.0, 3.0, 2.0, 1.0, 0.5, 0.25]),
    "Roof": np.full(6, 6.0),
}
CODES = {"C": 1, "S": 2, "W": 3, "R": 4, "c": 1}
PIXELS = {
    **{letter: SPECTRA[NAMES[code]] for letter, code in CODES.items()},
    # Stressed corn: NDVI (6 − 3) / 9 = 1/3.
    "c": np.array([1.0, 2.0, 3.0, 6.0, 5.0, 2.0]),
    ".": 0.5 * SPECTRA["Corn"] + 0.5 * SPECTRA["Soil"],
    # Unlabelled mixtures of corn and soil: 70 to 30, 55 to 45.
    "m": 0.7 * SPECTRA["Corn"] + 0.3 * SPECTRA["Soil"],
    "n": 0.55 * SPECTRA["Corn"] + 0.45 * SPECTRA["Soil"],
}

# 48 pixels of corn, 16 of soil, 6 of water; 70 labelled.
FIELD = """
CCCCCCCC....
CCCCCCCC....
CCCCCCCC....
CCCCCCCC....
CCCCCCCC....
CCCCCCCC....
..nmSSSS....
....SSSS....
....SSSS....
....SSSS..WW
..........WW
..........WW
"""
# 12 pixels of corn became soil (top left), 4 of soil became water.
FIELD_LATER = """
SSSSCCCC....
SSSSCCCC....
SSSSCCCC....
CCCCCCCC....
CCCCCCCC....
CCCCCCCC....
..nmWWSS....
....WWSS....
....SSSS....
....SSSS..WW
..........WW
..........WW
"""
# A quarter of the corn is stressed.
HEALTH = "\n".join(row.replace("CCCCCCCC", "CCCCCCcc") for row in FIELD.split("\n"))
STRESSED_CORNER = "\n".join(["C" * 12] * 6 + ["C" * 6 + "c" * 6] * 3 + ["C" * 12] * 3)
POND = "\n".join(["C" * 12] * 11 + ["W" * 12])
BAND = "\n".join(["." * 12] * 6 + ["C" * 12] + ["." * 12] * 5)
SCATTERED = "\n".join("...C.C.C...." if row in (2, 4, 6, 8) else "." * 12 for row in range(12))
FRAME = "\n".join("C" * 12 if row in (0, 11) else "C..........C" for row in range(12))
# Two squares that touch by a corner, and one apart.
DIAGONAL = "\n".join(
    ["CCC........."] * 3 + ["...CCC......"] * 3 + ["." * 12] * 3 + [".........CCC"] * 3
)
# Four pixels of water: neither certainly present nor absent.
PUDDLE = "\n".join(["C" * 12] * 8 + ["S" * 12] * 3 + ["S" * 8 + "WWWW"])
SWAPPED = "\n".join(row.translate(str.maketrans("CS", "SC")) for row in FIELD.split("\n"))


def draw(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Turn letters into a cube and its labels."""
    rows = text.split()
    cube = np.array([[PIXELS[letter] for letter in row] for row in rows], dtype=np.float32)
    labels = np.array([[CODES.get(letter, 0) for letter in row] for row in rows], dtype=np.int32)
    return cube, labels


def block(text: str, later: str | None = None, **changes: Any) -> Block:
    """Make a block from letters, with a second date where one is given."""
    cube, labels = draw(text)
    later_cube, later_labels = (None, None) if later is None else draw(later)
    fields: dict[str, Any] = {
        "place": "tiny/block-000",
        "cube": cube,
        "labels": labels,
        "class_names": NAMES,
        "class_kinds": KINDS,
        "references": SPECTRA,
        "quantity": "reflectance",
        "wavelengths_nm": WAVELENGTHS_NM,
        "later": later_cube,
        "later_labels": later_labels,
    }
    return Block(**(fields | changes))


def context(**changes: Any) -> Context:
    """Make thresholds under which the tiny blocks have clear answers."""
    fields: dict[str, Any] = {
        "healthy_ndvi": 0.6,
        "stress_ndvi": 0.25,
        "bare_ndvi": 0.25,
        "classes": tuple(sorted(SPECTRA)),
        "stress_edges": (0.2, 0.5),
        "bare_edges": (0.05, 0.2, 0.5),
        "evenness_edges": (0.4, 0.9),
        "pure_edges": (0.2, 0.4),
        "healthy_edges": (0.25, 0.5, 0.7),
        "ratio_edges": (0.5, 1.0, 2.0),
        "rare_share": 0.2,
        "water_limit": 0.2,
    }
    return Context(**(fields | changes))
