"""Known answers: every check finds its planted flaw and leaves a sound set of the same shape alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit_items import (
    changed,
    key_of,
    make_item,
    sound_mixture,
    table_of,
    with_key_at,
    with_key_text,
    write_items,
)
from earthexam.answers.reading import Reading
from earthexam.audit import CHECKS, results
from earthexam.audit.blind import BlindBench
from earthexam.audit.check import Hit
from earthexam.audit.options import OptionTable
from earthexam.audit.priors import FoldedRates
from earthexam.audit.subject import Subject
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import Box, Choice, Golden, Item
from earthexam.evaluate.folder import Run, RunInfo, ScoreRecord, write_run_info, write_scores
from earthexam.models.protocol import Key
from earthexam.published.tables import PublishedScore

Plant = Callable[[list[Item]], list[Item]]


def of_task(items: Sequence[Item], task: str) -> list[int]:
    return [n for n, item in enumerate(items) if item.task == task]


def on_first(change: Callable[[Item], Item]) -> Plant:
    return lambda items: [change(items[0]), *items[1:]]


def on_task(task: str, change: Callable[[Item, int], Item]) -> Plant:
    return lambda items: [
        change(item, n) if item.task == task else item for n, item in enumerate(items)
    ]


def ask(item: Item, question: str, **changes: Any) -> Item:
    return replace(item, question=question, **changes)


def numbers(item: Item, n: int) -> Item:
    """Four numbers, of which the second smallest is always right, at a changing place."""
    values = [10 * n + 3, 10 * n + 5, 10 * n + 7, 10 * n + 9]
    order = [(n + k) % 4 for k in range(4)]
    return replace(
        item, options=tuple(str(values[k]) for k in order), answer=Choice((order.index(1),))
    )


def boxes(item: Item, n: int) -> Item:
    options = ("[0, 0, 1, 1]", "[0.01, 0, 1, 1]", "[0, 0.02, 1, 1]", "[0.03, 0, 1, 1]")
    return with_key_at(replace(item, options=options, answer=Choice((0,))), n % 4)


def twice(items: list[Item]) -> list[Item]:
    return [*items, replace(items[0], id="SFR-9999")]


def conflicting(items: list[Item]) -> list[Item]:
    other = Choice(((key_of(items[0]) + 1) % 4,))
    return [*items, replace(items[0], id="SFR-9999", answer=other)]


def nearly_twice(items: list[Item]) -> list[Item]:
    copies = [
        replace(
            item, id=f"SFR-9{n:03d}", question=item.question.replace("is beside", "lies beside")
        )
        for n, item in enumerate(items[:20])
    ]
    return [*items, *copies]


def in_two_tasks(items: list[Item]) -> list[Item]:
    copies = [
        replace(item, id=f"SU-9{n:03d}", task="SU", levels=items[360].levels, question=(
            f"What stands at row {item.question.split()[-1][:-1]} of column "
            f"{item.question.split()[-4]}?"
        ))
        for n, item in enumerate(items[:20])
    ]  # fmt: skip
    return [*items, *copies]


def same_picture(items: list[Item]) -> list[Item]:
    last = items[299].media
    return [replace(item, media=last) if item.group == items[0].group else item for item in items]


def change_task(item: Item) -> Item:
    levels = ("Reasoning", "Change Detection", "Basic Change Identification")
    return replace(item, task="BCI", levels=levels)


def one_stem(item: Item, n: int) -> Item:
    return ask(item, f"Which class lies at pixel {n}?")


def constant_stem(item: Item, n: int) -> Item:
    return with_key_text(one_stem(item, n), "marsh")


def present_and_absent(items: list[Item]) -> list[Item]:
    first = make_item(0, ["Yes", "No"], 0, question="Is marsh present?", task="PD", id="PD-9001")
    second = replace(first, id="PD-9002", question="Is marsh absent?")
    return [*items, first, second]


def printed_value(item: Item, n: int) -> Item:
    value = n % 10 / 10
    question = f"The NDVI value is {value}; is the vegetation healthy (threshold > 0.45)?"
    return ask(item, question, answer=Choice((0 if value > 0.45 else 1,)))


SMALL: dict[str, tuple[str, Plant]] = {
    "S1": ("error", on_first(lambda i: replace(i, group=""))),
    "S2": ("error", on_first(lambda i: replace(i, answer=Choice((4,))))),
    "S3": ("error", on_first(lambda i: replace(i, options=i.options[:1], answer=Choice((0,))))),
    "S4": ("error", on_first(lambda i: with_key_text(i, i.options[key_of(i) - 1].upper()))),
    "S5": (
        "error",
        on_first(
            lambda i: replace(
                i, options=("marsh and fen", "fen and marsh", "a", "b"), answer=Choice((0,))
            )
        ),
    ),
    "S6": ("error", on_first(lambda i: ask(i, "What shows data/block_4.png?"))),
    "S7": ("error", on_first(lambda i: replace(i, levels=("Perception", "Elsewhere", "Task")))),
    "S8": ("error", on_first(lambda i: replace(i, question_by_view={"report": "Which one?"}))),
    "M1": ("warning", same_picture),
    "M2": ("error", on_first(change_task)),
    "M3": ("error", on_first(lambda i: ask(i, "Which class prevails in block 7?"))),
    "M4": ("warning", on_first(lambda i: ask(i, "What is the orange region?"))),
    "M5": ("warning", on_first(lambda i: ask(i, "Which class has the dataset most of?"))),
    "D1": ("error", twice),
    "D2": ("error", conflicting),
    "D3": ("warning", nearly_twice),
    "D4": ("warning", in_two_tasks),
    "D5": ("error", present_and_absent),
    "D6": ("warning", on_task("LCC", one_stem)),
    "D7": ("error", on_task("LCC", constant_stem)),
    "B1": ("error", lambda items: changed(items, lambda i: with_key_at(i, 0), every=2)),
    "B2": ("warning", on_task("PD", lambda i, n: replace(i, answer=Choice((int(n % 10 == 0),))))),
    "B3": (
        "error",
        lambda items: changed(
            items, lambda i: with_key_text(i, f"mostly {i.options[key_of(i)]}"), 2
        ),
    ),
    "B4": ("warning", lambda items: changed(items, lambda i: with_key_text(i, "marsh"), every=2)),
    "B5": ("warning", lambda items: changed(items, lambda i: with_key_text(i, "marsh"), every=2)),
    "B7": ("error", on_task("RD", boxes)),
    "B8": ("error", on_task("PD", printed_value)),
    "B9": (
        "warning",
        on_task("SU", lambda i, n: replace(i, answer=Choice((0, 1)))),
    ),
    "B10": (
        "warning",
        on_task("VH", lambda i, n: replace(i, answer=Golden("5 %", "number", 5.0, "%"))),
    ),
    "B11": ("warning", on_task("EPSA", lambda i, n: replace(i, answer=Box((0, 0, 63, 47))))),
    "R6": ("warning", lambda items: [replace(item, source="one") for item in items]),
}


def hits(name: str, benchmark: Benchmark, table: Sequence[PublishedScore] = ()) -> list[Hit]:
    check = CHECKS.get(name)
    return list(check.inspect(Subject(benchmark, published=tuple(table)), check.limits))


def sound_rows() -> dict[str, Callable[[str, int], int]]:
    return {
        "weak": lambda task, size: int(0.40 * size),
        "middling": lambda task, size: int(0.62 * size),
        "strong": lambda task, size: int(0.85 * size),
    }


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_items(tmp_path_factory.mktemp("sound") / "benchmark", sound_mixture())


@pytest.mark.parametrize("name", CHECKS.names())
def test_a_sound_set_is_not_flagged(name: str, sound: Benchmark) -> None:
    table = table_of(sound.items, sound_rows())
    assert [hit for hit in hits(name, sound, table) if hit.severity != "info"] == []


@pytest.mark.parametrize("name", SMALL)
def test_each_planted_flaw_is_found(name: str, tmp_path: Path) -> None:
    severity, plant = SMALL[name]
    benchmark = write_items(tmp_path / "benchmark", plant(sound_mixture()))
    assert severity in {hit.severity for hit in hits(name, benchmark)}


def test_every_check_has_a_planted_flaw() -> None:
    elsewhere = {"B6", "R1", "R2", "R3", "R4", "R5", "R7"}
    assert set(CHECKS.names()) == set(SMALL) | elsewhere


def test_a_cell_that_no_count_gives_is_found(sound: Benchmark) -> None:
    table = table_of(sound.items, sound_rows())
    odd = replace(
        table[0], accuracy=table[0].accuracy + 0.7, printed=f"{table[0].accuracy + 0.7:.2f}"
    )
    (hit,) = hits("R2", sound, [odd, *table[1:]])
    assert (hit.severity, hit.n) == ("error", 1)


def test_an_overall_that_is_no_average_is_found(sound: Benchmark) -> None:
    table = table_of(sound.items, sound_rows())
    wrong = [
        replace(c, accuracy=c.accuracy + 3, printed=f"{c.accuracy + 3:.2f}")
        if (c.model, c.task) == ("weak", "Overall")
        else c
        for c in table
    ]
    (hit,) = hits("R1", sound, wrong)
    assert (hit.severity, hit.n, hit.denominator) == ("error", 1, 3)


def test_two_kinds_of_average_in_one_table_are_found(sound: Benchmark) -> None:
    rows = {**sound_rows(), "uneven": lambda task, size: size if task == "SFR" else size // 3}
    table = table_of(sound.items, rows)
    cells = [c for c in table if c.model == "uneven" and c.task != "Overall"]
    macro = sum(c.accuracy for c in cells) / len(cells)
    table[-1] = replace(table[-1], accuracy=round(macro, 2), printed=f"{macro:.2f}")
    (hit,) = hits("R1", sound, table)
    assert "uneven (composite) (macro)" in hit.example


def test_a_row_that_always_answers_a_is_found(sound: Benchmark) -> None:
    counts: dict[str, int] = {}
    for item in sound.items:
        first = item.format == "single_choice" and key_of(item) == 0
        counts[item.task] = counts.get(item.task, 0) + first
    table = table_of(sound.items, {**sound_rows(), "stuck": lambda task, size: counts[task]})
    (hit,) = hits("R3", sound, table)
    assert "stuck (composite) always A" in hit.example


def test_a_cell_below_chance_is_found(sound: Benchmark) -> None:
    rows = {**sound_rows(), "silent": lambda task, size: 0 if task == "LCC" else size // 2}
    (hit,) = hits("R4", sound, table_of(sound.items, rows))
    assert hit.n == 1


def test_a_leader_that_cannot_be_told_apart_is_found(sound: Benchmark) -> None:
    rows = {**sound_rows(), "rival": lambda task, size: int(0.84 * size)}
    assert [h.severity for h in hits("R7", sound, table_of(sound.items, rows))] == ["warning"]


def test_a_reader_that_takes_the_first_capital_fails_the_probes(
    sound: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def naive(reply: str, expected: object) -> Reading:
        letter = next((sign for sign in reply if sign in "ABCDEFGHI"), None)
        if letter is None:
            return Reading(None, "unread", "")
        return Reading(Choice(("ABCDEFGHI".index(letter),)), "read", "")

    monkeypatch.setattr(results, "read_reply", naive)
    (hit,) = hits("R5", sound)
    assert hit.severity == "error"
    assert hit.denominator >= 30
    assert hit.n >= 10


def test_cross_validation_that_leaks_fails_its_self_test(
    sound: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = FoldedRates.without
    monkeypatch.setattr(FoldedRates, "without", lambda self, folds, rows: honest(self, (), rows))
    assert {hit.severity for hit in hits("B6", sound)} == {"error"}


def test_the_blind_scorer_above_the_sighted_score_is_an_error(tmp_path: Path) -> None:
    leaking = changed(sound_mixture(), lambda i: with_key_text(i, "marsh"))
    benchmark = write_items(tmp_path / "benchmark", leaking)
    table = table_of(benchmark.items, {"sighted": lambda task, size: size // 2})
    (hit,) = hits("B5", benchmark, table)
    assert hit.severity == "error"
    assert "sighted (composite), published" in hit.example


def test_the_blind_bench_takes_what_options_there_are(sound: Benchmark) -> None:
    result = BlindBench.of(OptionTable.of(sound.items)).score("linear", "source")
    assert len(result.ids) == 360


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("M3", "Which class has the highest mean between 2050 and 2300 nm?"),
        ("B8", "Is there a class with a share below 5 % of the labelled pixels?"),
        ("M4", "Which class is highest at the red edge, and which in the green band?"),
        ("S6", "Is Low-Ca Pyroxene/Olivine at pixel (12,3) or (4,56)?"),
        ("D5", "Is water present in more than 20 pixels?"),
    ],
)
def test_harmless_wording_is_not_flagged(name: str, question: str, sound: Benchmark) -> None:
    items = tuple(
        replace(item, question=question) if item.task == "PD" else item for item in sound.items
    )
    assert hits(name, replace(sound, items=items)) == []


def write_run(root: Path, benchmark: Benchmark, model: str, answers: dict[str, int]) -> Run:
    """Write a scored run that gave these option numbers."""
    root.mkdir()
    info = RunInfo(
        benchmark="made-up", benchmark_path="", benchmark_sha256=benchmark.sha256, model=model,
        endpoint_kind="baseline" if model.startswith("baseline/") else "python",
    )  # fmt: skip
    write_run_info(root, info)
    records = []
    for name, place in answers.items():
        item = benchmark.by_id[name]
        right = key_of(item) == place
        records.append(
            ScoreRecord(
                Key(name, "composite"), item.task, item.group, item.source, f'["{"ABCD"[place]}"]',
                "label", "right" if right else "wrong", float(right), 0.25,
            )
        )  # fmt: skip
    write_scores(root, records)
    return Run.open(root)


@pytest.fixture(scope="module")
def runs(sound: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("runs")
    asked = [item for item in sound.items if item.format == "single_choice"]
    stuck = {item.id: 0 for item in asked}
    good = {
        item.id: key_of(item) if n % 5 else (key_of(item) + 1) % len(item.options)
        for n, item in enumerate(asked)
    }
    other = {
        item.id: key_of(item) if (n + 2) % 5 else (key_of(item) + 1) % len(item.options)
        for n, item in enumerate(asked)
    }
    return {
        name: write_run(folder / name.replace("/", "-"), sound, name, answers)
        for name, answers in (
            ("stuck", stuck), ("good", good), ("other", other), ("baseline/constant", stuck),
        )
    }  # fmt: skip


def test_a_run_that_always_answers_one_letter_is_found(
    sound: Benchmark, runs: dict[str, Run]
) -> None:
    check = CHECKS.get("R3")
    flagged = [
        name
        for name, run in runs.items()
        if list(check.inspect(Subject(sound, runs=(run,)), check.limits))
    ]
    assert flagged == ["stuck"]


def test_runs_of_equal_strength_may_each_be_the_best(
    sound: Benchmark, runs: dict[str, Run]
) -> None:
    check = CHECKS.get("R7")
    equal = Subject(sound, runs=(runs["good"], runs["other"]))
    (hit,) = check.inspect(equal, check.limits)
    assert "good, other may each be the best" in hit.example
    apart = Subject(sound, runs=(runs["good"], runs["stuck"]))
    assert list(check.inspect(apart, check.limits)) == []


def test_the_best_sighted_score_is_none_of_a_guesser(
    sound: Benchmark, runs: dict[str, Run]
) -> None:
    assert Subject(sound, runs=(runs["baseline/constant"],)).best_sighted is None
    name, score = Subject(sound, runs=tuple(runs.values())).best_sighted or ("", 0.0)
    assert name == "good (composite)"
    assert score == pytest.approx(0.8)
