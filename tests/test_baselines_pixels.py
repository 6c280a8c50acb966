"""The baselines that look: they answer from pixels, and never learn from those they are asked about."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from earthexam.answers.prompt import load_style
from earthexam.baselines import BASELINES
from earthexam.baselines.pixels import PixelReader
from earthexam.baselines.rgb import visible_bands
from earthexam.baselines.spectral import every_band
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import LETTERS, Choice, Item, Provenance
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Request, UnsupportedItemError
from small_benchmark import make_benchmark
from synthetic_scene import SIDE, TILE, WAVELENGTHS_NM, BuiltScene

STYLE = load_style("default")


def requests(bench: Benchmark, view: str = "cube") -> Iterator[Request]:
    plan = Plan(bench, Selection(views=(view,)))
    return (plan.request(key, STYLE, Profile()) for key in plan)


def right_answers(name: str, bench: Benchmark) -> dict[str, bool]:
    model = BASELINES.get(name)(bench, 0)

    async def go() -> dict[str, bool]:
        found = {}
        for request in requests(bench):
            place = LETTERS.index((await model.ask(request)).text)
            item = bench.by_id[request.key.id]
            assert isinstance(item.answer, Choice)
            found[item.id] = request.prompt.option_order[place] == item.answer.indices[0]
        return found

    return asyncio.run(go())


@pytest.fixture(scope="module")
def spectral(meadow: BuiltScene) -> dict[str, bool]:
    return right_answers("spectral", meadow.benchmark)


@pytest.fixture(scope="module")
def rgb(meadow: BuiltScene) -> dict[str, bool]:
    return right_answers("rgb", meadow.benchmark)


def test_the_spectrum_answers_far_more_than_chance(meadow, spectral):
    chances = [1 / len(item.options) for item in meadow.benchmark.items]
    spread = sqrt(sum(p * (1 - p) for p in chances))
    right = sum(spectral.values())
    assert right > sum(chances) + 6 * spread
    assert right / len(chances) > 0.6


def test_three_visible_bands_answer_less_than_the_spectrum(spectral, rgb):
    assert set(rgb) == set(spectral)
    assert sum(spectral.values()) > sum(rgb.values())


def test_answers_depend_on_the_benchmark_and_the_seed_alone(meadow, spectral):
    assert right_answers("spectral", meadow.benchmark) == spectral


def test_keys_labels_and_evidence_do_not_matter_to_a_reader(meadow):
    """What a model may not see could be anything: the reply stays."""
    reader = PixelReader(meadow.benchmark, every_band, 0)
    for request in list(requests(meadow.benchmark))[::9]:
        provenance = request.item.provenance
        assert provenance is not None
        lying = replace(
            request.item,
            answer=Choice((0,)),
            meta={"key": "A"},
            provenance=Provenance(provenance.rule, provenance.parameters, {"class": "Roof"}),
        )
        assert reader.answer(replace(request, item=lying)) == reader.answer(request)


def ground_of(item: Item) -> np.ndarray:
    ground = np.zeros((SIDE, SIDE), dtype=bool)
    row, col = int(str(item.meta["row"])), int(str(item.meta["col"]))
    ground[row : row + TILE, col : col + TILE] = True
    return ground


def overlapping(meadow: BuiltScene) -> Benchmark:
    """The same benchmark, its blocks moved so that each lies half over another."""
    places = sorted({item.group for item in meadow.benchmark.items})
    corners = {place: (0, number * TILE // 2) for number, place in enumerate(places)}
    items = tuple(
        replace(item, meta={**item.meta, "row": corners[item.group][0], "col": corners[item.group][1]})
        for item in meadow.benchmark.items
    )  # fmt: skip
    return replace(meadow.benchmark, items=items)


class Learned:
    """Records which pixels a reader learned from, by place and fold."""

    def __init__(self, bench: Benchmark) -> None:
        self.reader = PixelReader(bench, every_band, 0)
        self.by_place = {item.group: item for item in bench.items}

    def fold(self, place: str) -> int:
        return self.reader._fold(place)

    def pixels(self, fold: int) -> int:
        source = next(iter(self.by_place.values())).source
        return len(self.reader._training_pixels(source, fold)[1])

    def labelled(self, place: str) -> np.ndarray:
        return self.reader._pixels[place][1] > 0


def test_a_block_is_never_learned_from_when_it_is_asked_about(meadow):
    learned = Learned(meadow.benchmark)
    folds = Counter(learned.fold(place) for place in learned.by_place)
    assert len(folds) == 5
    assert max(folds.values()) - min(folds.values()) <= 1
    for fold in folds:
        others = [place for place in learned.by_place if learned.fold(place) != fold]
        assert learned.pixels(fold) == sum(int(learned.labelled(p).sum()) for p in others)


def test_ground_that_overlapping_blocks_share_is_not_learned_from_either(meadow):
    bench = overlapping(meadow)
    learned = Learned(bench)
    places = sorted(learned.by_place)
    for fold in range(5):
        held_out = {p for p in places if learned.fold(p) == fold}
        expected = 0
        for number, place in enumerate(places):
            if place in held_out:
                continue
            free = learned.labelled(place).copy()
            # A block shares its left half with the one before it and its right half with the next.
            if number > 0 and places[number - 1] in held_out:
                free[:, : TILE // 2] = False
            if number + 1 < len(places) and places[number + 1] in held_out:
                free[:, TILE // 2 :] = False
            expected += int(free.sum())
        assert learned.pixels(fold) == expected
        assert expected < sum(int(learned.labelled(p).sum()) for p in places if p not in held_out)


def test_rgb_uses_the_bands_that_an_eye_sees():
    wavelengths = np.array(WAVELENGTHS_NM)
    picked = wavelengths[visible_bands(12, wavelengths)]
    assert len(picked) == 3
    assert sorted(picked)[0] < 500
    assert all(450 <= nm <= 700 for nm in picked)
    # Without wavelengths: a tenth, a quarter and 45 % of the band axis.
    assert visible_bands(100, None).tolist() == [10, 25, 45]
    assert every_band(5, wavelengths).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("view", ["composite", "report"])
def test_a_view_without_the_cube_is_not_answered(meadow, view):
    reader = PixelReader(meadow.benchmark, every_band, 0)
    request = next(requests(meadow.benchmark, view))
    with pytest.raises(UnsupportedItemError, match="run it with --views cube"):
        reader.answer(request)


def test_an_item_without_a_rule_or_with_an_unknown_one_is_not_answered(meadow):
    reader = PixelReader(meadow.benchmark, every_band, 0)
    request = next(requests(meadow.benchmark))
    for provenance, said in ((None, "rule-made"), (Provenance("lcc.unheard"), "not known")):
        asked = replace(request, item=replace(request.item, provenance=provenance))
        with pytest.raises(UnsupportedItemError, match=said):
            reader.answer(asked)


def test_a_benchmark_without_cubes_cannot_be_read(tmp_path):
    bench = make_benchmark(tmp_path / "b", 12)
    with pytest.raises(InputError, match="holds 0 cubes with labels; a pixel classifier needs 5"):
        BASELINES.get("spectral")(bench, 0)
