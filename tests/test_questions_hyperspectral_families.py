"""What every question family must keep to, whatever it asks."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from string import Formatter
from typing import Any

import numpy as np
import pytest

from earthexam.benchmark.store import redacted
from earthexam.core.item import Provenance, to_json
from earthexam.published.tables import load_taxonomy
from earthexam.questions.family import Asked, Family, Parameters
from earthexam.questions.hyperspectral.block import Block
from earthexam.questions.hyperspectral.families import all_families
from earthexam.questions.hyperspectral.thresholds import measure_context
from factories import make_item
from tiny_blocks import FIELD, FIELD_LATER, NAMES, POND, SPECTRA, block, context

FAMILIES = all_families().by_name


def field_of_noise(seed: int = 0, **changes: Any) -> Block:
    """A block of 24 × 24 pixels: patches of four classes, gaps, noise, and change at a later date."""
    rng = np.random.default_rng(seed)
    coarse = rng.choice([1, 1, 1, 2, 2, 3, 4], size=(6, 6)).astype(np.int32)
    labels = np.kron(coarse, np.ones((4, 4), dtype=np.int32))
    later = labels.copy()
    later[2:9, 3:10] = 2
    later[15:20, 15:21] = 1
    cubes = []
    for plane in (labels, later):
        spectra = np.stack([SPECTRA[NAMES[code]] for code in range(1, 5)])[plane - 1]
        cubes.append((spectra + rng.normal(0, 0.05, spectra.shape)).astype(np.float32))
    gaps = rng.random(labels.shape) < 0.1
    fields = {
        "place": f"noise/block-{seed:03d}",
        "cube": cubes[0],
        "labels": np.where(gaps, 0, labels).astype(np.int32),
        "later": cubes[1],
        "later_labels": np.where(gaps, 0, later).astype(np.int32),
        # Two bands each in the blue and in the near infrared.
        "wavelengths_nm": np.array([480.0, 495.0, 660.0, 850.0, 865.0, 2200.0]),
    }
    return replace(block(FIELD), **(fields | changes))


def blocks() -> list[Block]:
    noisy = [field_of_noise(seed) for seed in range(3)]
    return [*noisy, block(FIELD, FIELD_LATER), block(POND)]


def asked_of(family: Family[Any, Any], shown: Block) -> Iterator[Parameters]:
    return iter(family.cases(shown, context()))


def visible(parameters: Parameters) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if not name.startswith("_")}


def fields_of(wording: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(wording) if name is not None}


everyone = pytest.mark.parametrize("name", sorted(FAMILIES))


def test_all_thirteen_tasks_have_families_of_their_own():
    tasks = [task.code for task in load_taxonomy("hm-bench")]
    assert len(tasks) == 13
    assert {family.task for family in FAMILIES.values()} == set(tasks)


@everyone
def test_a_family_is_named_after_its_task(name):
    family = FAMILIES[name]
    assert name.split(".")[0].upper() == family.task
    assert family.name == name
    assert family.judge.__doc__, "a truth rule states itself"


@everyone
def test_a_family_has_several_wordings_that_differ(name):
    wordings = FAMILIES[name].wordings
    assert len(set(wordings)) == len(wordings) >= 2
    assert all(wording.strip() == wording and wording[-1] in "?.]" for wording in wordings)


@everyone
def test_no_wording_names_a_hidden_parameter(name):
    for wording in FAMILIES[name].wordings:
        assert not any(name.startswith("_") for name in fields_of(wording))


@everyone
def test_every_case_fills_every_wording(name):
    family = FAMILIES[name]
    asked = 0
    for shown in blocks():
        for parameters in asked_of(family, shown):
            asked += 1
            for wording in family.wordings:
                question = wording.format(**parameters)
                assert "{" not in question
                assert "nan" not in question.split()
    assert asked > 0


@everyone
def test_a_question_names_what_it_depends_on(name):
    """Two cases of a block that read alike in some wording must have one answer."""
    family = FAMILIES[name]
    for shown in blocks():
        for number in range(len(family.wordings)):
            answers: dict[str, set[str]] = defaultdict(set)
            for parameters in asked_of(family, shown):
                judged = family.judge(shown, Asked(parameters))
                if judged is not None and judged.clear and not hides(parameters):
                    answers[family.wordings[number].format(**parameters)].add(judged.answer)
            assert all(len(found) == 1 for found in answers.values())


def hides(parameters: Parameters) -> bool:
    """Several answers are right where one is hidden; the options then refute the others."""
    return len(visible(parameters)) < len(parameters)


@everyone
def test_a_rule_says_the_same_of_the_same_block(name):
    family = FAMILIES[name]
    for one, two in zip(blocks(), blocks(), strict=True):
        assert list(asked_of(family, one)) == list(asked_of(family, two))
        for parameters in asked_of(family, one):
            first, second = (family.judge(shown, Asked(parameters)) for shown in (one, two))
            assert first == second
            if first is not None:
                assert to_json(first.evidence) == to_json(second.evidence)


@everyone
def test_the_answer_is_an_option_and_never_refuted(name):
    family = FAMILIES[name]
    found = 0
    for shown in blocks():
        for parameters in asked_of(family, shown):
            judged = family.judge(shown, Asked(parameters))
            if judged is None:
                continue
            found += 1
            assert judged.answer in judged.scores
            assert judged.false <= set(judged.scores)
            assert not judged.refutes(judged.answer)
            assert judged.fact
            assert judged.evidence
    assert found > 0


@everyone
def test_what_a_model_may_see_of_a_case_is_enough_to_judge_and_holds_no_key(name):
    family = FAMILIES[name]
    for shown in blocks():
        keys: dict[str, set[str]] = defaultdict(set)
        for parameters in asked_of(family, shown):
            judged = family.judge(shown, Asked(parameters))
            if judged is None:
                continue
            provenance = Provenance(name, parameters, judged.evidence)
            seen = redacted(make_item(provenance=provenance)).provenance
            assert seen.parameters == visible(parameters)
            assert not seen.evidence
            again = family.judge(shown, Asked(seen.parameters))
            assert again is not None
            keys[to_json(seen.parameters)].add(again.answer)
            texts = {str(value) for value in seen.parameters.values()}
            assert judged.answer not in texts, "a visible parameter is the key"
        # What is hidden cannot come back: one visible question gives one answer.
        assert all(len(answers) == 1 for answers in keys.values())


@pytest.mark.parametrize("masked", [1, 2, 3, 4])
def test_a_class_without_one_valid_pixel_breaks_no_rule(masked):
    whole = field_of_noise(1)
    cube = whole.cube.copy()
    cube[whole.labels == masked] = np.nan
    shown = replace(whole, cube=cube)
    thresholds = measure_context([shown])
    for family in FAMILIES.values():
        for parameters in family.cases(shown, thresholds):
            judged = family.judge(shown, Asked(parameters))
            if judged is not None:
                to_json(judged.evidence)
    greenest = FAMILIES["vh.greenest_class"].judge(shown, Asked({}))
    assert greenest is None or greenest.answer != NAMES[masked]


def test_a_sensor_without_red_and_near_infrared_is_asked_about_everything_else():
    short_wave = np.array([1000.0, 1100.0, 1250.0, 1550.0, 1650.0, 2200.0])
    shown = [replace(one, wavelengths_nm=short_wave) for one in blocks()[:4]]
    thresholds = measure_context(shown)
    judged = {
        name
        for name, family in FAMILIES.items()
        for one in shown
        for parameters in family.cases(one, thresholds)
        if family.judge(one, Asked(parameters)) is not None
    }
    green = {name for name in FAMILIES if name.startswith(("vh.", "epsa."))} - {"epsa.diversity"}
    assert judged == set(FAMILIES) - green


def test_halves_and_quadrants_share_their_middle_row_and_column():
    odd = field_of_noise(0)
    odd = replace(
        odd, cube=odd.cube[:19, :19], labels=odd.labels[:19, :19], later=None, later_labels=None
    )
    upper, left = odd.part("the block's upper half"), odd.part("the block's left half")
    assert upper[:, 0].sum() == left[0].sum() == 9
    np.testing.assert_array_equal(odd.quadrant_map == 0, upper & left)
    np.testing.assert_array_equal(odd.quadrant_map == 3, ~upper & ~left)
    assert np.bincount(odd.cell_map.ravel()).min() >= 36
