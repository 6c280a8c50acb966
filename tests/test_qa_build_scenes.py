"""Faults that turned up when benchmarks were built from scenes unlike the demonstration's."""

import numpy as np
import pytest

from earthexam.core.errors import FormatError
from earthexam.sources.labels import read_class_table
from earthexam.spectral.screen import screen_block


def water_in_meadow():
    """A bright meadow with a dark pond on a quarter of the block."""
    draw = np.random.default_rng(0)
    labels = np.ones((20, 20), dtype=np.int32)
    labels[:10, :10] = 2
    brightness = np.where(labels == 2, 0.02, 0.30)[:, :, None]
    cube = brightness + draw.normal(0, 0.005, (20, 20, 4))
    return cube.astype(np.float32), labels


def test_a_pond_among_fields_is_not_outlying():
    assert screen_block(*water_in_meadow()).outlying == 0


def test_pixels_unlike_their_own_class_are_outlying():
    cube, labels = water_in_meadow()
    cube[15, 10:20] = 5.0
    assert screen_block(cube, labels).outlying == pytest.approx(10 / 400)


def test_unlabelled_pixels_are_held_against_the_whole_block():
    cube, labels = water_in_meadow()
    labels[labels == 2] = 0
    assert screen_block(cube, labels).outlying == pytest.approx(0.25)


@pytest.mark.parametrize("other", ["corn", "Corn ", "CORN.", "Ｃorn"])
def test_classes_that_read_the_same_are_refused_with_both_names(tmp_path, other):
    path = tmp_path / "classes.csv"
    path.write_text(f"value,name,kind\n1,Corn,vegetation\n2,{other},soil\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"two classes 'Corn' and .*another name"):
        read_class_table(path)
