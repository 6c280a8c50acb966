"""The blind scorer: it finds what leaks, and nothing where nothing leaks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_items import changed, make_item, sound_items, with_key_text
from earthexam.audit.blind import BlindBench, blind_scores
from earthexam.audit.features import best_of_others, box_area, numeric_value, rank_in_item
from earthexam.audit.folds import grouped_folds
from earthexam.audit.options import OptionTable, codes_of
from earthexam.audit.priors import FoldedRates
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.item import Choice, Truth


def test_ties_give_each_option_its_share() -> None:
    items = [make_item(0, ["aa", "bb", "c"], 0), make_item(1, ["a", "bbb"], 0)]
    table = OptionTable.of(items)
    assert table.credit(table.lengths).tolist() == [0.5, 0.0]
    assert table.chance.tolist() == pytest.approx([1 / 3, 1 / 2])


def test_items_without_exactly_one_right_option_are_left_out() -> None:
    several = make_item(1, ["a", "b"], 0, format="multiple_choice", answer=Choice((0, 1)))
    truth = make_item(2, [], 0, format="true_false", answer=Truth(False))
    table = OptionTable.of([make_item(0, ["a", "b"], 1), several, truth])
    assert [item.id for item in table.items] == ["SFR-0000", "CS-0002"]
    assert table.options_of(1) == ("true", "false")
    assert table.key_position.tolist() == [1, 1]


def test_ranks_run_from_zero_to_one_within_each_item() -> None:
    table = OptionTable.of([make_item(0, ["7", "3", "5"], 0), make_item(1, ["4", "4", "x"], 0)])
    values = np.array([numeric_value(text) for text in table.texts])
    assert rank_in_item(table, values)[:5].tolist() == [1.0, 0.0, 0.5, 0.5, 0.5]
    assert np.isnan(rank_in_item(table, values)[5])
    assert best_of_others(table, np.array([7.0, 3, 5, 4, 4, 1])).tolist() == [5, 7, 7, 4, 4, 4]


def test_the_area_of_a_box_is_read_from_its_text() -> None:
    assert box_area("[0.2, 0.1, 0.7, 0.5]") == pytest.approx(0.2)
    assert np.isnan(box_area("between 1, 2, 3 and 4"))


@given(st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=60), st.integers(0, 9))
def test_folds_keep_groups_whole(groups: list[str], seed: int) -> None:
    names = np.array(groups)
    if len(set(groups)) < 2:
        with pytest.raises(InputError, match="two or more"):
            grouped_folds(names, np.random.default_rng(seed))
        return
    folds = grouped_folds(names, np.random.default_rng(seed))
    assert len({(g, f) for g, f in zip(groups, folds.tolist(), strict=True)}) == len(set(groups))
    assert len(set(folds.tolist())) == min(5, len(set(groups)))


def test_hidden_keys_do_not_move_a_rate_by_one_bit() -> None:
    items = sound_items(200)
    table = OptionTable.of(items)
    fold = grouped_folds(table.groups, np.random.default_rng(1))[table.item]
    codes = codes_of(table.texts)
    hidden = {n for n, f in zip(table.item.tolist(), fold.tolist(), strict=True) if f in {0, 3}}
    other = OptionTable.of(
        replace(item, answer=Choice((0,))) if n in hidden else item for n, item in enumerate(items)
    )
    rows = np.flatnonzero(fold == 0)
    before = FoldedRates(table, codes, fold).without((0, 3), rows)
    after = FoldedRates(other, codes, fold).without((0, 3), rows)
    assert before.tobytes() == after.tobytes()


@pytest.mark.parametrize("scorer", ["linear", "trees"])
def test_a_text_that_is_always_right_is_learned(scorer: str) -> None:
    items = changed(sound_items(300), lambda item: with_key_text(item, "marsh"))
    assert blind_scores(items, scorer=scorer).ci.low > 0.8  # type: ignore[arg-type]


@pytest.mark.parametrize("scorer", ["linear", "trees"])
def test_a_sound_set_is_not_solved_blind(scorer: str) -> None:
    results = [blind_scores(sound_items(300, seed=s), scorer=scorer, seed=s) for s in range(3)]  # type: ignore[arg-type]
    assert np.mean([r.micro for r in results]) == pytest.approx(0.25, abs=0.05)


def test_redrawn_keys_give_chance_where_the_set_leaks() -> None:
    items = changed(sound_items(300), lambda item: with_key_text(item, "marsh"))
    result = blind_scores(items, redraw_keys=True)
    assert result.ci.low <= result.chance <= result.ci.high


def test_the_same_seed_gives_the_same_result() -> None:
    items = sound_items(120)
    first, second = (blind_scores(items, group="source", seed=4) for _ in range(2))
    assert first.correct.tobytes() == second.correct.tobytes()


def test_one_source_cannot_be_held_out() -> None:
    items = [replace(item, source="only") for item in sound_items(20)]
    with pytest.raises(InputError, match="two or more"):
        blind_scores(items, group="source")
    with pytest.raises(InputError, match="nothing to guess"):
        blind_scores([])


@pytest.mark.slow  # 25 s of learning on 89,227 options
def test_published_questions_are_answered_without_a_picture(hm_bench: Benchmark) -> None:
    bench = BlindBench.of(OptionTable.of(hm_bench.items))
    assert bench.score("trees", "group").micro > 0.60
    assert bench.score("trees", "source").micro > 0.40
    assert bench.score("trees", "group", redraw_keys=True).micro == pytest.approx(0.2513, abs=0.01)
