import pytest

from earthexam.core.errors import InputError
from earthexam.evaluate.metrics import average_items
from earthexam.evaluate.ranks import rank_runs
from score_tables import random_scores, score_table


def run(name, seed, right, **changes):
    return name, average_items(random_scores(seed, right=right, **changes))


def test_clearly_different_runs_get_ranks_without_width():
    rows = rank_runs([run("poor", 1, 0.1), run("good", 2, 0.9), run("fair", 3, 0.5)])
    assert [(row.label, row.rank, row.low, row.high) for row in rows] == [
        ("good", 1, 1, 1),
        ("fair", 2, 2, 2),
        ("poor", 3, 3, 3),
    ]
    assert [row.tied for row in rows] == [True, False, False]


def test_runs_that_cannot_be_told_apart_share_the_tied_set():
    rows = rank_runs([run("a", 1, 0.6), run("b", 2, 0.6), run("c", 3, 0.1)])
    by = {row.label: row for row in rows}
    assert (by["a"].low, by["a"].high) == (by["b"].low, by["b"].high) == (1, 2)
    assert by["a"].tied
    assert by["b"].tied
    assert (by["c"].low, by["c"].high, by["c"].tied) == (3, 3, False)


def test_equal_runs_share_their_rank():
    rows = rank_runs([run("a", 1, 0.6), run("again", 1, 0.6), run("c", 3, 0.1)])
    assert [row.rank for row in rows] == [1, 1, 3]


def test_a_run_below_the_coverage_limit_has_no_rank_and_takes_none():
    failing = score_table(
        {"id": f"q{i:04}", "group": f"scene/{i % 40}", "outcome": "right" if i % 10 else "failed"}
        for i in range(200)
    )
    rows = rank_runs([("gappy", average_items(failing)), run("poor", 1, 0.1)])
    assert [(row.label, row.rank, row.tied) for row in rows] == [
        ("poor", 1, True),
        ("gappy", None, False),
    ]


def test_one_run_is_first():
    (row,) = rank_runs([run("a", 1, 0.5)])
    assert (row.rank, row.low, row.high, row.tied) == (1, 1, 1, True)


def test_no_runs_and_no_shared_items_are_refused():
    with pytest.raises(InputError, match="no run to rank"):
        rank_runs([])
    other = average_items(score_table([{"id": "another"}]))
    with pytest.raises(InputError, match="a, b share no items"):
        rank_runs([run("a", 1, 0.5), ("b", other)])


@pytest.mark.slow  # 400 simulated leaderboards of five equal runs
@pytest.mark.parametrize("groups", [40, 10])
def test_equal_runs_are_all_tied_as_often_as_the_level_says(groups):
    whole = 0
    for trial in range(400):
        runs = [run(str(k), 10 * trial + k, 0.5, groups=groups) for k in range(5)]
        rows = rank_runs(runs, resamples=1000, seed=trial)
        whole += all((row.low, row.high) == (1, 5) for row in rows)
    assert 0.92 <= whole / 400 <= 0.99
