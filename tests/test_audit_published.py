"""The audit on HM-Bench as published gives the figures that were counted by hand beforehand."""

import pytest

from earthexam.audit import CHECKS
from earthexam.audit.check import Hit
from earthexam.audit.subject import Subject
from earthexam.benchmark.store import Benchmark
from earthexam.published.tables import load_results


@pytest.fixture(scope="module")
def subject(hm_bench: Benchmark) -> Subject:
    return Subject(hm_bench, published=load_results("hm-bench"))


def hits(subject: Subject, name: str) -> list[Hit]:
    check = CHECKS.get(name)
    return list(check.inspect(subject, check.limits))


def counts(subject: Subject, name: str) -> list[tuple[str, int]]:
    return [(hit.severity, hit.n) for hit in hits(subject, name)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("S2", []),
        ("S3", [("error", 2)]),
        ("S4", [("error", 59), ("warning", 118)]),
        ("S8", [("error", 24)]),
        ("M2", [("error", 66)]),
        ("M3", [("error", 14), ("error", 2)]),
        ("D1", [("error", 305)]),
        ("D2", [("error", 893)]),
        ("D4", [("warning", 446)]),
        ("D5", [("error", 3)]),
        ("D7", [("error", 1167), ("warning", 79)]),  # 1,246 together
    ],
)
def test_item_checks_count_what_the_analysis_counted(
    subject: Subject, name: str, expected: list[tuple[str, int]]
) -> None:
    assert counts(subject, name) == expected


def test_duplicates_come_in_208_groups(subject: Subject) -> None:
    (hit,) = hits(subject, "D1")
    assert hit.example.startswith("208 groups")


def test_templates_are_as_few_as_counted(subject: Subject) -> None:
    (hit,) = hits(subject, "D6")
    assert hit.statistic == pytest.approx(0.319, abs=0.0005)
    assert hit.example.startswith("4192 templates count as 136")


def test_one_letter_and_the_longest_option_reach_what_was_measured(subject: Subject) -> None:
    (always_a,) = subject.guesser("constant A")
    (longest,) = subject.guesser("longest")
    assert 100 * always_a.micro == pytest.approx(35.06, abs=0.005)
    assert 100 * longest.micro == pytest.approx(38.7, abs=0.05)
    assert [hit.severity for hit in hits(subject, "B3")] == ["error"]


def test_thirty_three_rows_are_micro_and_random_is_macro(subject: Subject) -> None:
    odd, mixed = hits(subject, "R1")
    assert (odd.n, odd.denominator) == (3, 36)
    assert odd.example.startswith("33 of 36 rows micro")
    assert {"Kimi-VL-A3B", "Qwen3-VL-4B", "Qwen2.5-VL-7B"} <= {
        name for name in ("Kimi-VL-A3B", "Qwen3-VL-4B", "Qwen2.5-VL-7B") if name in odd.example
    }
    assert mixed.n == 2
    assert "Random (composite) (macro)" in mixed.example


def test_two_cells_are_impossible(subject: Subject) -> None:
    (hit,) = hits(subject, "R2")
    assert (hit.n, hit.denominator) == (2, 468)
    assert "SFR 15.88" in hit.example
    assert "CS 26.82" in hit.example


def test_four_rows_always_answer_a_and_96_cells_are_below_chance(subject: Subject) -> None:
    assert counts(subject, "R3") == [("error", 4)]
    assert counts(subject, "R4") == [("warning", 96)]


def test_the_best_two_published_rows_are_not_told_apart(subject: Subject) -> None:
    assert {hit.severity for hit in hits(subject, "R7")} == {"warning"}
