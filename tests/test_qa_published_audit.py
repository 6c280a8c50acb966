"""Published tables in the audit: which cells concern a benchmark, and which files are refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from audit_items import make_item, sound_items
from earthexam.audit import CHECKS
from earthexam.audit.report import audit_benchmark
from earthexam.audit.subject import Subject
from earthexam.audit.table_file import read_table, shipped_table
from earthexam.audit.tables import rows_of
from earthexam.benchmark.store import Benchmark, BenchmarkInfo
from earthexam.core.errors import FormatError, InputError
from earthexam.core.item import Chain, Choice, Item
from earthexam.published.tables import PublishedScore, load_results


def benchmark(items: list[Item], name: str = "made-up") -> Benchmark:
    return Benchmark(Path("nowhere"), BenchmarkInfo(name=name), tuple(items))


def cell(task: str, accuracy: float, *, model: str = "net", table: str = "") -> PublishedScore:
    return PublishedScore(model, "image", task, accuracy, table, f"{accuracy:.2f}")


def test_a_part_of_a_published_benchmark_is_not_held_against_its_table() -> None:
    assert shipped_table(benchmark(sound_items(), "hm-bench")) == ()
    assert shipped_table(benchmark(sound_items(), "omniearth")) == ()


def test_a_whole_benchmark_is_held_against_all_accuracies_of_its_table(hm_bench: Benchmark) -> None:
    assert shipped_table(hm_bench) == load_results("hm-bench")


def test_only_tasks_with_the_published_size_count(hm_bench: Benchmark) -> None:
    fewer = [item for item in hm_bench.items if item.id != "SFR-0001"]
    tasks = {one.task for one in shipped_table(replace(hm_bench, items=tuple(fewer)))}
    assert {"SFR", "Overall"}.isdisjoint(tasks)
    assert len(tasks) == 12


def test_rows_of_two_tables_are_not_mixed() -> None:
    items = [make_item(n, ("a", "b"), 0, task="SFR") for n in range(50)]
    cells = (cell("SFR", 40.0, table="1"), cell("Overall", 40.0, table="1"))
    other = (cell("SFR", 50.0, table="2"), cell("Overall", 50.0, table="2"))
    subject = Subject(benchmark(items), published=(*cells, *other))
    check = CHECKS.get("R1")
    assert list(check.inspect(subject, check.limits)) == []


def test_a_task_with_half_points_needs_no_whole_count() -> None:
    # 41.2 % of 125 items are 51.5 of them: impossible for right or wrong, not for half right.
    sets = [
        make_item(
            n, ("a", "b", "c"), 0, task="SFR", format="multiple_choice", answer=Choice((0, 1))
        )
        for n in range(125)
    ]
    singles = [make_item(n, ("a", "b"), 0, task="SFR") for n in range(125)]
    cells = (replace(cell("SFR", 41.2), printed="41.2"), cell("Overall", 41.2))
    check = CHECKS.get("R2")
    for items, expected in ((sets, 0), (singles, 1)):
        subject = Subject(benchmark(items), published=cells)
        assert len(list(check.inspect(subject, check.limits))) == expected


def test_a_micro_average_of_half_points_reconciles() -> None:
    def sets(task: str, count: int) -> list[Item]:
        changes = {"format": "multiple_choice", "answer": Choice((0, 1)), "task": task}
        return [make_item(n, ("a", "b", "c"), 0, **changes) for n in range(count)]

    # 30.5 of 60 and 10 of 40 items: 50.8 and 25.0; of all 100 items 40.5 are right.
    cells = [
        replace(cell(task, share), printed=f"{share}")
        for task, share in (("SFR", 50.8), ("CS", 25.0), ("Overall", 40.5))
    ]
    items = sets("SFR", 60) + sets("CS", 40)
    (row,) = rows_of(Subject(benchmark(items), published=tuple(cells)))
    assert row.average == "micro"


def test_experts_are_no_sighted_model() -> None:
    cells = (cell("Overall", 93.4, model="Experts"), cell("Overall", 41.0))
    subject = Subject(benchmark(sound_items()), published=cells)
    assert subject.best_sighted == ("net (image), published", 0.41)


def test_a_table_of_another_benchmark_is_refused() -> None:
    table = (cell("SFR", 40.0), cell("Planning", 30.0), cell("Perception", 39.0))
    with pytest.raises(InputError, match=r"the task 'Planning' \(1 unknown in all\)"):
        audit_benchmark(benchmark(sound_items(30)), table=table, skip={"B5", "B6"})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"model,task,accuracy\n\xff\xfe,SFR,40\n", "is no UTF-8 text"),
        (b"model,task,accuracy\nnet,SFR,40.0\nnet,SFR,41.0\n", "more than once"),
    ],
)
def test_unreadable_and_ambiguous_tables_are_refused(
    tmp_path: Path, data: bytes, message: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_table(path)


def test_a_chain_and_its_choice_twin_are_no_duplicates() -> None:
    choice = make_item(0, ("a", "b", "c"), 1)
    chain = replace(
        choice, id="chain", format="chain_of_thought", answer=Chain((1,), ("It is wet.",))
    )
    check = CHECKS.get("D1")
    assert list(check.inspect(Subject(benchmark([choice, chain])), check.limits)) == []
    again = replace(choice, id="again")
    (hit,) = check.inspect(Subject(benchmark([choice, again])), check.limits)
    assert hit.item_ids == ("again",)


@pytest.mark.parametrize(
    ("name", "glued"),
    [
        ("SeverityAssessment", True),
        ("SpectralFeature Recognition", True),
        ("CoT Reasoning", False),
        ("GeoTIFF reading", False),
        ("Enso forecast", False),
    ],
)
def test_abbreviations_are_no_glued_words(name: str, glued: bool) -> None:
    items = [replace(item, levels=(name, item.task)) for item in sound_items(30)]
    check = CHECKS.get("S7")
    told = " ".join(hit.example for hit in check.inspect(Subject(benchmark(items)), check.limits))
    assert ("glued" in told) == glued
