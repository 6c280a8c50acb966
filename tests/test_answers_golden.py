"""The words of a right answer become the number, range or label that they mean."""

import pytest

from earthexam.answers.golden import golden_from_text
from earthexam.published.spheres import OpenType


@pytest.mark.parametrize(
    ("text", "open_type", "kind", "value", "unit"),
    [
        ("980 hPa", "exact_regression", "number", 980, "hPa"),
        ("1,234 km", "exact_regression", "number", 1234, "km"),
        ("-3.0", "exact_regression", "number", -3, ""),
        ("about 7", "exact_regression", "number", 7, ""),
        ("0.5 μmol m-2 s-1", "exact_regression", "number", 0.5, "μmol m-2 s-1"),
        ("3.5 × 10^6 km²", "exact_regression", "number", 3.5e6, "km²"),
        ("15.2 10^3 km^3", "exact_regression", "number", 15200, "km^3"),
        ("[100,200,300,400]", "exact_regression", "vector", [100, 200, 300, 400], ""),
        ("<1><2><3><4>", "exact_regression", "vector", [1, 2, 3, 4], ""),
        ("(12.5°, -3.1°)", "exact_regression", "vector", [12.5, -3.1], ""),
        ("[0.25, 0.5)", "interval_regression", "interval", [0.25, 0.5], ""),
        ("0.75–1", "interval_regression", "interval", [0.75, 1], ""),
        ("20%-40%", "interval_regression", "interval", [20, 40], "%"),
        ("-5--3", "interval_regression", "interval", [-5, -3], ""),
        ("between 3 and 4 m/s", "interval_regression", "interval", [3, 4], "m/s"),
        ("12 m", "interval_regression", "number", 12, "m"),
        ("above 50", "interval_regression", "label", None, ""),
        ("Yes", "small_label_set", "yes_no", True, ""),
        ("No, it is dry", "small_label_set", "yes_no", False, ""),
        ("North-west", "large_label_set", "label", None, ""),
        ("Mature stage", "small_label_set", "stage", None, ""),
        ("Northern pines", "large_label_set", "label", None, ""),
    ],
)
def test_words_become_values(
    text: str, open_type: OpenType, kind: str, value: object, unit: str
) -> None:
    golden = golden_from_text(text, open_type)
    assert (golden.text, golden.kind, golden.value, golden.unit) == (text, kind, value, unit)


def test_a_place_is_left_to_a_judge() -> None:
    assert golden_from_text("Central Chile", "large_label_set", place=True).kind == "place"


def test_bounds_the_wrong_way_round_are_no_range() -> None:
    assert golden_from_text("9-3", "interval_regression").kind == "label"
