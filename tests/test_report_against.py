import polars as pl
import pytest

from earthexam.core.errors import InputError
from earthexam.published.tables import load_taxonomy
from earthexam.report.against import against_markdown, place_run
from score_tables import score_table

SIZES = {task.code: task.size for task in load_taxonomy("hm-bench")}


def full_run(right, view="composite", **changes):
    """All 19,337 items, the first `right` share of every task right."""
    columns = {name: [] for name in ("id", "task", "group", "outcome", "score")}
    for code, size in SIZES.items():
        hits = round(right * size)
        columns["id"] += [f"{code}-{i}" for i in range(size)]
        columns["task"] += [code] * size
        columns["group"] += [f"g{(i * 7) % 500}" for i in range(size)]
        columns["outcome"] += ["right" if i < hits else "wrong" for i in range(size)]
        columns["score"] += [float(i < hits) for i in range(size)]
    rest = score_table([{}]).drop(columns).with_columns(view=pl.lit(view), **changes)
    return pl.DataFrame(columns).join(rest, how="cross")


def test_a_run_takes_its_place_among_the_published_models():
    (found,) = place_run("mine", full_run(0.40), "hm-bench")
    # Table 2, image: InternVL3.5-14B 43.08, GPT-5.4-mini 42.35, GLM-4.6V-flash 42.06,
    # Qwen3-VL-4B 40.96; then InternVL3-14B 39.15.
    assert [row.label for row in found.rows[:6]] == [
        "InternVL3.5-14B", "GPT-5.4-mini", "GLM-4.6V-flash", "Qwen3-VL-4B", "mine", "InternVL3-14B",
    ]  # fmt: skip
    assert found.run.micro.rank == 5
    assert found.unranked == ""
    assert found.rows[5].micro.rank == 6


def test_the_interval_says_which_ranks_the_run_reaches():
    (found,) = place_run("mine", full_run(0.40), "hm-bench")
    micro = found.run.micro
    assert micro.low < 0.40 < micro.high
    better = [row.micro.score for row in found.rows if row.published and row.label != "Random"]
    assert micro.best_rank == 1 + sum(score > micro.high for score in better)
    assert micro.worst_rank == 1 + sum(score > micro.low for score in better)


def test_averages_of_published_rows_are_computed_from_their_cells():
    (found,) = place_run("mine", full_run(0.40), "hm-bench")
    by = {row.label: row for row in found.rows}
    assert 100 * by["InternVL3.5-14B"].micro.score == pytest.approx(43.08, abs=0.005)
    assert 100 * by["InternVL3.5-14B"].macro.score == pytest.approx(40.87, abs=0.005)
    # The Random row prints its macro average as overall; the Kimi row does not reconcile.
    assert 100 * by["Random"].macro.score == pytest.approx(24.96, abs=0.005)
    assert 100 * by["Kimi-VL-A3B-Instruct"].micro.score == pytest.approx(35.32, abs=0.005)
    assert 100 * by["Kimi-VL-A3B-Instruct"].printed == pytest.approx(38.93)


def test_guessing_at_random_takes_no_rank():
    (found,) = place_run("mine", full_run(0.24), "hm-bench")
    by = {row.label: row for row in found.rows}
    assert by["Random"].micro.rank is None
    assert by["mine"].micro.rank == 16
    assert by["Gemini-2.5-pro"].micro.rank == 17


def test_other_questions_of_the_same_tasks_get_no_rank():
    part = full_run(0.9).filter(pl.int_range(pl.len()) % 10 == 0)
    (found,) = place_run("mine", part, "hm-bench")
    assert found.run.micro.rank is None
    assert "are not the 19,337 published ones" in found.unranked
    assert next(row for row in found.rows if row.label == "InternVL3.5-14B").micro.rank == 1


def test_a_missing_task_and_thin_coverage_cost_the_rank():
    (found,) = place_run("mine", full_run(0.4).filter(pl.col("task") != "CSA"), "hm-bench")
    assert found.unranked == "it has no result for CSA"
    failing = full_run(0.4).with_columns(
        outcome=pl.when(pl.int_range(pl.len()) % 20 == 0)
        .then(pl.lit("failed"))
        .otherwise("outcome")
    )
    (found,) = place_run("mine", failing, "hm-bench")
    assert "below 98 %" in found.unranked


def test_the_text_says_that_published_rows_have_no_interval():
    text = against_markdown(place_run("a|b", full_run(0.4), "hm-bench"))
    assert "no interval and no paired test" in text
    assert "arXiv:2604.08884" in text
    assert "| **a\\|b** |" in text


def test_every_shared_view_has_its_own_table():
    both = pl.concat([full_run(0.4), full_run(0.3, view="report")])
    assert [one.view for one in place_run("m", both, "hm-bench")] == ["composite", "report"]


def test_a_run_that_shares_nothing_with_the_table_is_refused():
    with pytest.raises(InputError, match="shares no view and task"):
        place_run("m", full_run(0.4, view="cube"), "hm-bench")
