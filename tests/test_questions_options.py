"""What is drawn does not tell the answer: statistics over made-up cases with fixed seeds."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest

from earthexam.questions.family import (
    Family,
    Judgement,
    Layout,
    Region,
    area,
    choose,
    judge_number,
    judge_region,
    overlap,
    parse_region,
)
from earthexam.questions.options import (
    Case,
    Drawer,
    Drawn,
    Ledger,
    assign_letters,
    crossed_boxes,
)

CLASSES = ("Corn", "Oats", "Wheat", "Woods", "Hay", "Soy")
SKEWED = (0.72, 0.10, 0.08, 0.05, 0.03, 0.02)
# Two-sided 99.99 %: with a fixed seed the result never changes, this only says what is odd.
FAR = 3.9


def family(layout: Layout, **changes: Any) -> Family[Any, Any]:
    fields: dict[str, Any] = {
        "name": f"lcc.{layout}",
        "task": "LCC",
        "question_type": "choice",
        "layout": layout,
        "wordings": ("Which?", "What?"),
        "cases": lambda _block, _context: (),
        "judge": lambda _block, _asked: None,
    }
    return Family(**(fields | changes))


def case_of(kind: Family[Any, Any], number: int, judgement: Judgement, **parameters: Any) -> Any:
    return Case(kind, f"block-{number}", parameters, judgement)


def text_cases(kind: Family[Any, Any], keys: Sequence[str], pool: Sequence[str]) -> list[Any]:
    return [
        case_of(kind, n, choose(dict.fromkeys(pool, 0.0), key, clear=True, evidence={}))
        for n, key in enumerate(keys)
    ]


def skewed_keys(count: int, pool: Sequence[str] = CLASSES, weights=SKEWED) -> list[str]:
    return list(np.random.default_rng(3).choice(pool, size=count, p=weights))


def draw_all(cases: Sequence[Any], most: int = 10**6, seed: int = 0) -> list[Drawn[Any, Any]]:
    drawer, ledger = Drawer(cases, np.random.default_rng(seed)), Ledger()
    drawn: list[Drawn[Any, Any]] = []
    while len(drawn) < most and (item := drawer.draw(ledger)) is not None:
        ledger.enter(item)
        drawn.append(item)
    return drawn


def key(item: Drawn[Any, Any]) -> str:
    return item.case.judgement.answer


def far_off(right: float, expected: Sequence[float]) -> float:
    """Standard deviations between a count and its expectation under independent chances."""
    spread = sqrt(sum(p * (1 - p) for p in expected))
    return abs(right - sum(expected)) / spread


SCALE = ("low", "middle", "high")
KINDS = {
    "pick": (family("pick"), CLASSES, SKEWED),
    "scale": (family("scale"), SCALE, (0.9, 0.06, 0.04)),
    "yes or no": (family("scale"), ("Yes", "No"), (0.95, 0.05)),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_text_is_right_in_its_share_of_the_items_that_show_it(name):
    kind, pool, weights = KINDS[name]
    drawn = draw_all(text_cases(kind, skewed_keys(1200, pool, weights), pool), most=250)
    assert len(drawn) >= 100
    for text in pool:
        showing = [item for item in drawn if text in item.options]
        right = sum(key(item) == text for item in showing)
        assert showing
        assert far_off(right, [1 / len(item.options) for item in showing]) < FAR


def test_counts_are_right_wherever_they_stand_in_their_window():
    kind = family("window", n_options=4)
    counts = np.random.default_rng(5).geometric(0.35, size=900)
    cases = [
        case_of(kind, n, judge_number(int(c), least=1, most=9, evidence={}))
        for n, c in enumerate(counts)
    ]
    drawn = draw_all(cases, most=250)
    assert len(drawn) >= 100
    places: dict[int, Counter[int]] = defaultdict(Counter)
    for item in drawn:
        numbers = [int(option) for option in item.options]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert 3 <= len(numbers) <= 4
        assert numbers[0] >= 0
        places[len(numbers)][item.options.index(key(item))] += 1
    for size, seen in places.items():
        for place in range(size):
            assert far_off(seen[place], [1 / size] * seen.total()) < FAR


def test_given_the_options_one_key_does_not_tell_the_next():
    drawn = draw_all(
        text_cases(family("scale"), skewed_keys(1500, SCALE, (0.8, 0.1, 0.1)), SCALE), most=400
    )
    by_options = defaultdict(list)
    for item in drawn:
        by_options[item.options].append(key(item))
    same, chances = 0, []
    for options, keys in by_options.items():
        same += sum(one == two for one, two in pairwise(keys))
        chances += [1 / len(options)] * max(len(keys) - 1, 0)
    assert len(chances) > 150
    assert far_off(same, chances) < FAR
    # Exact quotas would close the gap that chance leaves; here the counts still stray.
    assert len(set(Counter(map(key, drawn)).values())) > 1


def test_draws_end_where_an_answer_could_no_longer_be_another():
    cases = text_cases(family("pick"), ["Corn"] * 50, CLASSES)
    assert draw_all(cases) == []


def test_no_option_is_shown_that_the_case_does_not_refute():
    rng = np.random.default_rng(8)
    kind = family("pick")
    cases = []
    for number, answer in enumerate(rng.choice(CLASSES, size=500)):
        doubtful = rng.choice(CLASSES)
        false = [name for name in CLASSES if name not in (answer, doubtful)]
        scores = dict.fromkeys(CLASSES, 0.0)
        judged = choose(scores, str(answer), clear=True, evidence={}, false=false)
        cases.append(case_of(kind, number, judged))
    drawn = draw_all(cases, most=250)
    assert len(drawn) > 100
    for item in drawn:
        others = set(item.options) - {key(item)}
        assert key(item) in item.options
        assert len(set(item.options)) == len(item.options)
        assert others <= item.case.judgement.false


def test_a_fact_of_a_block_is_asked_once_over_all_families():
    cases = [
        Case(
            family("pick", name=f"lcc.way{way}", per_block=9),
            f"block-{block}",
            {"way": way},
            choose(dict.fromkeys(CLASSES, 0.0), answer, clear=True, evidence={}, fact="main"),
        )
        for block, answer in enumerate(skewed_keys(300))
        for way in range(3)
    ]
    drawn = draw_all(cases, most=250)
    assert len({item.case.place for item in drawn}) == len(drawn) > 20


def test_a_case_without_a_named_fact_is_known_by_family_and_parameters():
    judged = choose({"a": 0.0, "b": 0.0}, "a", clear=True, evidence={})
    kind = family("pick")
    assert Case(kind, "p", {"row": 1, "col": 2}, judged).fact == Case(
        kind, "p", {"col": 2, "row": 1}, judged
    ).fact  # fmt: skip
    assert Case(kind, "p", {"row": 1}, judged).fact != Case(kind, "p", {"row": 2}, judged).fact
    assert Case(kind, "p", {"row": 1}, judged).fact != Case(kind, "q", {"row": 1}, judged).fact


@pytest.mark.parametrize("per_block", [1, 4])
def test_a_block_gives_no_more_items_than_its_family_allows(per_block):
    kind = family("pick", per_block=per_block)
    rng = np.random.default_rng(4)
    cases = [
        case_of(kind, block, choose(dict.fromkeys(CLASSES, 0.0), str(a), clear=True, evidence={}), n=n)
        for block in range(16)
        for n, a in enumerate(rng.choice(CLASSES, size=6))
    ]  # fmt: skip
    counts = Counter(item.case.place for item in draw_all(cases))
    assert max(counts.values()) <= per_block
    assert (max(counts.values()) > 1) == (per_block > 1)


def test_a_balanced_parameter_does_not_tell_the_answer():
    """Corn is nearly always there, oats nearly never: the class alone must not say so."""
    kind = family("scale", balance=("name",))
    rng = np.random.default_rng(6)
    cases = [
        case_of(
            kind,
            block,
            choose(
                {"Yes": 0.0, "No": 0.0},
                "Yes" if rng.random() < share else "No",
                clear=True,
                evidence={},
            ),
            name=name,
        )
        for name, share in (("Corn", 0.9), ("Oats", 0.1), ("Water", 1.0))
        for block in range(400)
    ]
    drawn = draw_all(cases, most=250)
    names = Counter(item.case.parameters["name"] for item in drawn)
    assert set(names) == {"Corn", "Oats"}
    for name in names:
        own = [item for item in drawn if item.case.parameters["name"] == name]
        yes = sum(key(item) == "Yes" for item in own)
        assert len(own) >= 40
        assert far_off(yes, [0.5] * len(own)) < FAR


def true_boxes(count: int) -> list[Region]:
    """Boxes as classes of real blocks have them: 5 to 70 % of the block, on a 19-pixel grid."""
    rng = np.random.default_rng(1)
    found: list[Region] = []
    while len(found) < count:
        width, height = rng.integers(6, 18, size=2)
        x, y = rng.integers(0, 20 - width), rng.integers(0, 20 - height)
        corners = [round(int(v) / 19, 2) for v in (x, y, x + width, y + height)]
        box = (corners[0], corners[1], corners[2], corners[3])
        if 0.05 <= area(box) <= 0.7:
            found.append(box)
    return found


@pytest.fixture(scope="module")
def drawn_boxes() -> list[Drawn[Any, Any]]:
    kind = family("boxes", question_type="box", per_block=3)
    cases = [
        case_of(kind, number, judge_region(box, clear=True, evidence={}), n=number)
        for number, box in enumerate(true_boxes(1500))
    ]
    return draw_all(cases, most=600)


def test_boxes_overlap_each_other_and_none_more_than_allowed(drawn_boxes):
    assert len(drawn_boxes) == 600
    for item in drawn_boxes:
        regions = [parse_region(option) for option in item.options]
        assert len(set(item.options)) == 4
        for one, two in combinations(regions, 2):
            assert 0.2 <= overlap(one, two) <= 0.7


def rank_shares(drawn: Sequence[Drawn[Any, Any]], measure) -> list[float]:
    """Share of items in which the true box has each rank of a measure, ties shared out."""
    counts = [0.0] * 4
    for item in drawn:
        boxes = [parse_region(option) for option in item.options]
        values = [measure(box, [other for other in boxes if other != box]) for box in boxes]
        own = values[item.options.index(key(item))]
        first = sum(value < own for value in values)
        tied = values.count(own)
        for rank in range(first, first + tied):
            counts[rank] += 1 / tied
    return [count / len(drawn) for count in counts]


def test_the_true_box_shares_no_more_coordinates_with_the_others_than_they_do(drawn_boxes):
    def shared(box: Region, others: list[Region]) -> int:
        return sum(a == b for other in others for a, b in zip(box, other, strict=True))

    assert rank_shares(drawn_boxes, shared) == pytest.approx([0.25] * 4, abs=0.02)


@pytest.mark.parametrize(
    "measure",
    [
        lambda box, _others: area(box),
        lambda box, others: round(sum(overlap(box, other) for other in others), 9),
        lambda box, _others: round(abs((box[0] + box[2]) / 2 - 0.5), 9),
        lambda box, _others: round((box[2] - box[0]) / (box[3] - box[1]), 9),
    ],
    ids=["area", "overlap with the others", "distance from the middle", "shape"],
)
def test_no_rank_gives_the_true_box_away(drawn_boxes, measure):
    shares = rank_shares(drawn_boxes, measure)
    # A guesser who always took the best rank would gain less than ten points on 25 %.
    assert max(shares) < 0.35


def test_crossed_boxes_take_each_coordinate_from_each_box_twice():
    one, two = (0.0, 0.1, 0.5, 0.6), (0.2, 0.3, 0.9, 0.8)
    options = crossed_boxes(one, two, (2, 0, 3, 1))
    assert options[0] == one
    for axis in range(4):
        values = Counter(option[axis] for option in options)
        assert values == {one[axis]: 2, two[axis]: 2}


def test_letters_of_the_answers_are_balanced_and_ordered_options_stay():
    picks = draw_all(text_cases(family("pick"), skewed_keys(1000), CLASSES), most=120)
    scales = draw_all(
        text_cases(family("scale"), skewed_keys(900, SCALE, (0.6, 0.3, 0.1)), SCALE), 60
    )
    drawn = [*picks, *scales]
    orders = assign_letters(drawn, np.random.default_rng(0))
    for item, order in zip(drawn, orders, strict=True):
        assert sorted(order) == sorted(item.options)
        if not item.shuffled:
            assert order == item.options
    letters: dict[int, Counter[int]] = defaultdict(Counter)
    for item, order in zip(drawn[:120], orders[:120], strict=True):
        letters[len(order)][order.index(key(item))] += 1
    for size, seen in letters.items():
        if seen.total() >= 60:
            for letter in range(size):
                assert seen[letter] == pytest.approx(seen.total() / size, rel=0.25)


def test_the_same_seed_draws_the_same_and_another_another():
    cases = text_cases(family("pick"), skewed_keys(800), CLASSES)
    assert draw_all(cases, 40, seed=1) == draw_all(cases, 40, seed=1)
    assert draw_all(cases, 40, seed=1) != draw_all(cases, 40, seed=2)


def test_no_items_need_no_letters():
    assert assign_letters([], np.random.default_rng(0)) == []
