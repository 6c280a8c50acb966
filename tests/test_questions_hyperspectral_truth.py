"""The truth rule of every family on blocks small enough to count by hand."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from earthexam.questions.family import Asked, Judgement
from earthexam.questions.hyperspectral.families import all_families
from tiny_blocks import (
    BAND,
    DIAGONAL,
    FIELD,
    FIELD_LATER,
    FRAME,
    HEALTH,
    POND,
    PUDDLE,
    SCATTERED,
    STRESSED_CORNER,
    SWAPPED,
    block,
)


@dataclass(frozen=True)
class Hand:
    """A family, what it is asked, what a person counted; None where nothing may be asked."""

    family: str
    answer: str | None
    clear: bool = True
    asked: dict[str, Any] = field(default_factory=dict)
    text: str = FIELD
    later: str | None = None


def hand(
    family: str, answer: str | None, *, clear: bool = True, on: str = FIELD, **asked: Any
) -> Hand:
    later = FIELD_LATER if family[:3] in {"bci", "cal", "csa"} or family in TWO_DATES else None
    # Most families can be asked of a part; the whole block is meant where nothing else is said.
    return Hand(family, answer, clear, {"part": "the block", **asked}, on, later)


TWO_DATES = {"sad.significant_cell", "cs.changed_regions", "rd.change_box"}
BLUE = {"range": "blue", "low_nm": 450, "high_nm": 500}
NIR = {"range": "near-infrared", "low_nm": 780, "high_nm": 900}

CASES = (
    # Spectra: the peaks stand in tiny_blocks.SPECTRA.
    hand("sfr.material_at_pixel", "Corn", row=1, col=1),
    hand("sfr.material_at_pixel", "Water", row=11, col=11),
    hand("sfr.brightest_in_range", "Water", **BLUE),
    hand("sfr.brightest_in_range", "Corn", **NIR),
    hand("sfr.brightest_in_range", None, range="none", low_nm=900, high_nm=950),
    hand("sfr.band_ratio", "Corn", low_nm=660, high_nm=850),
    hand("sfr.band_ratio", "Soil", low_nm=1650, high_nm=2200),
    hand("sfr.peak_in_range", "Corn", **NIR, _name="Corn"),
    hand("sfr.peak_in_range", "Water", **BLUE, _name="Water"),
    hand("sfr.peak_in_range", "Soil", clear=False, **BLUE, _name="Soil"),
    hand("sfr.abundance_rank", "Soil", ordinal="second"),
    hand("sfr.abundance_rank", "Water", ordinal="third"),
    hand("sfr.abundance_rank", None, ordinal="third", on=POND),
    hand("sfr.covers_percent", "Corn", percent=69),  # 48 of 70 are 68.6 %
    hand("sfr.covers_percent", "Soil", percent=23),  # 16 of 70 are 22.9 %
    hand("sfr.covers_percent", "Corn", clear=False, percent=67),
    hand("lcc.class_at_pixel", "Soil", row=7, col=5),
    hand("lcc.class_at_pixel", None, row=0, col=11),
    hand("lcc.dominant_class", "Corn"),
    hand("lcc.dominant_class", "Soil", clear=False, on=PUDDLE.replace("C" * 12, "S" * 12, 3)),
    hand("lcc.covers_pixels", "Soil", pixels=16),
    hand("lcc.covers_pixels", "Soil", clear=False, pixels=15),
    hand("lcc.dominant_in_part", "Soil", part="the block's lower half"),
    hand("lcc.dominant_in_part", "Corn", part="the block's right half"),  # 12, 8 and 6 pixels
    hand("lcc.broad_category", "vegetation"),
    hand("lcc.broad_category", "soil", on=SWAPPED),
    # Places: centroids are (2.5, 3.5) corn, (7.5, 5.5) soil, (10, 10.5) water.
    hand("olr.direction", "south-east", name="Water", other="Corn"),
    hand("olr.direction", "north-west", name="Corn", other="Water"),
    hand("olr.direction", "south", clear=False, name="Soil", other="Corn"),  # 68° of 67.5
    hand("olr.direction", None, name="Roof", other="Corn"),
    hand("olr.class_in_cell", "Corn", cell="top left"),
    hand("olr.class_in_cell", None, cell="bottom right"),  # six pixels are too few
    hand("olr.quadrant_of_class", "upper left", name="Corn"),  # 36 of 48
    hand("olr.quadrant_of_class", "lower right", name="Water"),
    hand("olr.quadrant_of_class", "lower left", clear=False, name="Soil"),  # 8 and 8
    hand("olr.shape", "one compact cluster", name="Soil"),
    hand("olr.shape", "an elongated band", name="Corn", on=BAND),
    hand("olr.shape", "scattered patches", name="Corn", on=SCATTERED),
    hand("olr.shape", "along the block's edge", name="Corn", on=FRAME),
    hand("olr.shape", None, name="Water"),
    hand("rd.class_box", "[0.00, 0.00, 0.67, 0.50]", name="Corn"),
    hand("rd.class_box", "[0.33, 0.50, 0.67, 0.83]", name="Soil"),
    hand("rd.class_box", "[0.83, 0.75, 1.00, 1.00]", clear=False, name="Water"),  # 4 %
    hand("rd.class_box", None, name="Roof"),
    hand("rd.change_box", "[0.00, 0.00, 0.50, 0.67]"),
    hand("rd.widest_extent", "Corn"),
    hand("rd.least_extent", "Water"),
    hand("rd.class_in_window", "Soil", xmin=0.33, ymin=0.5, xmax=0.67, ymax=0.84),
    hand("rd.class_in_window", "Corn", xmin=0.0, ymin=0.0, xmax=0.5, ymax=0.5),
    hand("rd.class_in_window", None, xmin=0.7, ymin=0.0, xmax=1.0, ymax=0.5),
    # Counts.
    hand("pd.present", "Yes", name="Water"),
    hand("pd.present", "No", name="Roof"),
    hand("pd.present", "Yes", clear=False, name="Water", on=PUDDLE),
    hand("pd.absent", "No", name="Water"),
    hand("pd.absent", "Yes", name="Roof"),
    hand("pd.both", "Yes", name="Corn", other="Soil"),
    hand("pd.both", "No", name="Corn", other="Roof"),
    hand("pd.both", "Yes", clear=False, name="Corn", other="Water", on=PUDDLE),
    hand("pd.which_present", "Soil", _name="Soil"),
    hand("pd.which_present", "Water", clear=False, _name="Water", on=PUDDLE),
    hand("pd.which_absent", "Roof", _name="Roof"),
    hand("cs.regions_of_class", "1", name="Corn"),
    hand("cs.regions_of_class", "2", name="Corn", on=DIAGONAL),
    hand("cs.regions_of_class", "12", clear=False, name="Corn", on=SCATTERED),
    hand("cs.classes", "3"),
    hand("cs.classes_above_share", "2", percent=20),
    hand("cs.classes_above_share", "1", percent=25),
    hand("cs.classes_above_share", "2", clear=False, percent=22),
    hand("cs.classes_below_share", "1", percent=20),
    hand("cs.classes_below_share", "2", percent=30),
    hand("cs.classes_below_share", "1", clear=False, percent=22),
    hand("cs.changed_regions", "1", least=6),  # 12 and 4 pixels
    hand("cs.changed_regions", "2", least=2),
    hand("cs.changed_regions", "1", clear=False, least=5),
    # Composition.
    hand("sad.rarest_class", "Water"),
    hand("sad.second_rarest_class", "Soil"),
    hand("sad.class_under", "Yes", percent=20),
    hand("sad.class_under", "No", percent=5),
    hand("sad.class_under", "Yes", clear=False, percent=9),  # water has 8.57 %
    hand("sad.significant_cell", "Yes", cell="top left"),
    hand("sad.significant_cell", "No", cell="bottom right"),
    hand("sad.significant_cell", "Yes", clear=False, cell="centre"),  # four pixels
    hand("su.boundary_pair", "Corn and Soil", row=6, col=3),
    hand("su.boundary_pair", "Corn and Soil", clear=False, row=0, col=11),  # no class nearby
    hand("su.dominant_endmember", "Corn", row=6, col=3),  # 70 %
    hand("su.dominant_endmember", "Corn", clear=False, row=6, col=2),  # 55 %
    hand("su.dominant_endmember", "Soil", row=7, col=5),
    hand("su.endmember_count", "3"),
    hand("su.pure_share", "40 % or more", edges=[0.2, 0.4]),
    # Health: 36 of 48 corn pixels stand at NDVI 0.8, 12 at 1/3, soil at 0.2.
    hand("vh.pixel_healthy", "Yes", ndvi=0.6, row=1, col=1, on=HEALTH),
    hand("vh.pixel_healthy", "No", ndvi=0.6, row=1, col=7, on=HEALTH),
    hand("vh.pixel_healthy", "Yes", clear=False, ndvi=0.78, row=1, col=1, on=HEALTH),
    hand("vh.healthy_to_stressed", "2 or more", ndvi=0.6, part="the block", edges=[0.5, 1.0, 2.0],
         on=HEALTH),
    hand("vh.healthy_to_stressed", "below 0.5", ndvi=0.6, part="the block's right half",
         edges=[0.5, 1.0, 2.0], on=HEALTH),
    hand("vh.class_health", "Yes", ndvi=0.6, name="Corn", on=HEALTH),
    hand("vh.class_health", "No", ndvi=0.9, name="Corn", on=HEALTH),
    hand("vh.greenest_class", "Corn", on=HEALTH),
    hand("vh.healthy_share", "70 % or more", ndvi=0.6, part="the block", edges=[0.25, 0.5, 0.7],
         on=HEALTH),
    hand("vh.healthy_share", "below 25 %", ndvi=0.6, part="the block's right half",
         edges=[0.25, 0.5, 0.7], on=HEALTH),
    hand("epsa.rating", "moderate", ndvi=0.25, part="the block", edges=[0.2, 0.5]),  # 16 of 64
    hand("epsa.rating", "severe", ndvi=0.25, part="the block's lower half", edges=[0.2, 0.5]),
    hand("epsa.soil_degradation", "marked", ndvi=0.25, part="the block", edges=[0.05, 0.2, 0.5]),
    hand("epsa.soil_degradation", "none", ndvi=0.25, part="the block's upper half",
         edges=[0.05, 0.2, 0.5]),
    hand("epsa.diversity", "medium", part="the block", edges=[0.4, 0.9]),  # evenness 0.734
    hand("epsa.diversity", "medium", clear=False, part="the block", edges=[0.4, 0.75]),
    hand("epsa.diversity", None, part="the block's upper half", edges=[0.4, 0.9]),
    hand("epsa.stressed_quadrant", "lower right", ndvi=0.5, on=STRESSED_CORNER),
    hand("epsa.stressed_quadrant", "lower left", clear=False, ndvi=0.1, on=STRESSED_CORNER),
    hand("epsa.class_stress", "Soil", ndvi=0.5, on=HEALTH),  # all against a quarter
    hand("epsa.water_distortion", "Yes", limit=0.2, on=POND),  # 1 : 3
    hand("epsa.water_distortion", "No", limit=0.5, on=POND),
    hand("epsa.water_distortion", "No", clear=False, limit=0.34, on=POND),
    hand("epsa.water_distortion", None, limit=0.2),
    # Change: 12 pixels corn to soil in the upper left, 4 soil to water in the lower left.
    hand("bci.class_after", "Soil", row=1, col=1),
    hand("bci.class_after", "Water", row=6, col=4),
    hand("bci.class_after", "Corn", clear=False, row=5, col=5),
    hand("bci.transition", "Corn to Soil", row=1, col=1),
    hand("bci.transition", "Soil to Water", row=7, col=5),
    hand("bci.transition", None, row=0, col=11),
    hand("bci.pixel_changed", "Yes", row=1, col=1),
    hand("bci.pixel_changed", "No", row=5, col=5),
    hand("bci.any_change", "Yes"),  # 16 of 144
    hand("bci.main_class_changed", "No"),  # corn leads, 36 to 24
    hand("bci.share_change", "fell by more than 10 percentage points", name="Corn"),
    hand("bci.share_change", "rose by 2 to 10 percentage points", name="Water"),
    hand("bci.share_change", "rose by more than 10 percentage points", name="Soil"),
    hand("bci.share_change", "changed by less than 2 percentage points", name="Roof"),
    hand("cal.densest_cell", "top left"),
    hand("cal.quadrant", "upper left"),
    hand("cal.centroid_cell", "top left"),  # row 2.375, column 2.25
    hand("cal.grown_in_quadrant", "Soil", quadrant="upper left"),
    hand("cal.grown_in_quadrant", "Water", clear=False, quadrant="lower left"),  # four pixels
    hand("cal.part_changed_more", "Yes", part="the block's upper half"),
    hand("cal.part_changed_more", "No", part="the block's right half"),
    hand("csa.intensity", "Increase"),  # band means 3.75 before, 4.20 after
    hand("csa.cover_trend", "significant decrease", kind="vegetation"),  # 48 to 36 of 70
    hand("csa.cover_trend", "significant increase", kind="artificial or bare"),
    hand("csa.cover_trend", "stable", kind="built"),
    hand("csa.conversion", "Corn to Soil"),
    hand("csa.most_changed_class", "Corn"),
    hand("csa.stable_class", "Corn"),  # 36, 12 and 6 stayed
)  # fmt: skip


def judge(case: Hand) -> Judgement | None:
    family = all_families().by_name[case.family]
    return family.judge(block(case.text, case.later), Asked(case.asked))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.family} {case.answer}")
def test_the_rule_says_what_a_person_counts(case):
    judged = judge(case)
    if case.answer is None:
        assert judged is None or not judged.clear
        return
    assert judged is not None
    assert (judged.answer, judged.clear) == (case.answer, case.clear), judged.evidence
    assert not judged.refutes(judged.answer)
    if case.clear:
        best = judged.fit(judged.answer)
        assert all(judged.fit(wrong) < best for wrong in judged.false)


def test_every_family_is_worked_by_hand_with_a_clear_answer():
    assert {case.family for case in CASES if case.clear and case.answer} == set(
        all_families().by_name
    )


@pytest.mark.parametrize(
    ("case", "wrong"),
    [
        (hand("pd.which_present", "Soil", _name="Soil"), {"Roof"}),
        (hand("pd.which_absent", "Roof", _name="Roof"), {"Corn", "Soil", "Water"}),
        # Water has too few pixels for a mean of its own, so it is not certainly less green.
        (hand("vh.greenest_class", "Corn"), {"Soil", "Roof"}),
        (hand("sfr.peak_in_range", "Corn", **NIR, _name="Corn"), {"Soil", "Water", "Roof"}),
        (
            hand("olr.direction", "south-east", name="Water", other="Corn"),
            {"north", "north-east", "north-west", "west", "south-west"},
        ),
    ],
    ids=lambda value: value.family if isinstance(value, Hand) else "",
)
def test_only_what_is_certainly_wrong_may_stand_beside_the_answer(case, wrong):
    judged = judge(case)
    assert judged is not None
    assert judged.answer == case.answer
    assert judged.false == wrong


def test_abundances_are_the_shares_a_pixel_was_mixed_from():
    field = block(FIELD)
    assert list(field.means) == ["Corn", "Soil", "Water"]
    np.testing.assert_allclose(field.abundances[6, 3], [0.7, 0.3, 0.0], atol=1e-5)
    np.testing.assert_allclose(field.abundances[0, 11], [0.5, 0.5, 0.0], atol=1e-5)


def test_evidence_holds_the_numbers_that_were_counted():
    judged = judge(hand("bci.share_change", "", name="Corn"))
    assert judged is not None
    assert judged.evidence == {"before": 0.685714, "after": 0.514286}
    judged = judge(hand("csa.conversion", ""))
    assert judged is not None
    assert judged.evidence == {"conversions": {"Corn to Soil": 12, "Soil to Water": 4}}
