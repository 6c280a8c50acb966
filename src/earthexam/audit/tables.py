"""R1–R4: does a published table agree with itself and with the sizes of the tasks."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits
from earthexam.audit.subject import Subject
from earthexam.core.item import LETTERS
from earthexam.published.tables import PublishedScore

OVERALL = "Overall"
_RIGHT_OR_WRONG = ("single_choice", "true_false")
_EXPECTATION_POINTS = (
    0.02  # a row this near to chance in every task prints expectations, not counts
)


@check(
    "R1",
    title="Table arithmetic",
    definition="The overall of each row is the micro or the macro average of its cells to the printed "
    "digits, and all rows use the same one.",
    statistic="rows that do not reconcile",
    fix="Make tables from predictions, and name the average.",
)
def arithmetic(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare each printed overall with both averages."""
    rows = [row for row in rows_of(subject) if row.overall is not None]
    kinds = {row.name: row.average for row in rows}
    model_rows = [row for row in rows if not row.is_expectation]
    odd = [row for row in model_rows if kinds[row.name] == "neither"]
    counts = Counter(kinds[row.name] for row in model_rows)
    if odd:
        told = "; ".join(
            f"{row.name} prints {row.printed_overall}, micro {row.micro:.2f}, macro {row.macro:.2f}"
            for row in odd
        )
        example = (
            f"{counts['micro']} of {len(model_rows)} rows micro, {counts['macro']} macro; {told}"
        )
        yield Hit("error", len(odd), len(model_rows), example, (), float(len(odd)), 0.0)
    used = Counter(kind for kind in kinds.values() if kind != "neither")
    if len(used) > 1:
        usual = used.most_common(1)[0][0]
        other = [row for row in rows if kinds[row.name] not in {usual, "neither"}]
        told = ", ".join(f"{row.name} ({kinds[row.name]})" for row in other)
        example = f"most rows print the {usual} average; not so {told}"
        yield Hit("error", len(other), len(rows), example, (), float(len(other)), 0.0)


@check(
    "R2",
    title="Integrality",
    definition="Each cell is a share k/N of the task's items to the printed digits; tasks with items "
    "that may be half right are left out.",
    statistic="cells that no count gives",
    fix="Make tables from predictions.",
)
def integrality(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look for a count behind every cell."""
    rows = [row for row in rows_of(subject) if not row.is_expectation]
    cells = [cell for row in rows for cell in row.cells if cell.counted]
    odd = [cell for cell in cells if not cell.is_possible]
    if odd:
        told = "; ".join(
            f"{cell.row} {cell.task} {cell.printed} is {cell.count:.2f} of {cell.size}"
            for cell in odd
        )
        power = sum(cell.power for cell in cells) / len(cells)
        example = f"{told} (a wrong cell is noticed in {power:.0%} of cases)"
        yield Hit("error", len(odd), len(cells), example, (), float(len(odd)), 0.0)


@check(
    "R3",
    title="Degenerate responder",
    definition="A row lies within `points`, on average over at least `tasks` tasks, of always answering "
    "one letter; or one letter makes up more than `letter` of the answers of a run, though the keys do "
    "not ask for it.",
    statistic="mean distance in points; share of the letter",
    fix="Print the histogram of answers and the share that could be read.",
    points=1.5,
    tasks=5,
    letter=0.9,
)
def degenerate(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare rows with constant letters, and count the letters of runs."""
    rows = [row for row in rows_of(subject) if not row.is_expectation]
    constants = {
        letter: result.by_task
        for letter in LETTERS[:4]
        for result in subject.guesser(f"constant {letter}")
    }
    found = []
    for row in rows:
        for letter in LETTERS[:4]:
            shares = constants.get(letter, {})
            gaps = [abs(c.accuracy - 100 * shares[c.task]) for c in row.cells if c.task in shares]
            if len(gaps) >= limits["tasks"] and (gap := sum(gaps) / len(gaps)) < limits["points"]:
                found.append((gap, row.name, letter))
    if found:
        told = "; ".join(
            f"{name} always {letter}, {gap:.2f}" for gap, name, letter in sorted(found)
        )
        yield Hit("error", len(found), len(rows), told, (), min(found)[0], limits["points"])
    for run in subject.runs:
        letters = [a for a in run.scores()["answer"].to_list() if a]
        if len(letters) < 20 or run.info.endpoint_kind == "baseline":
            continue
        answer, count = Counter(letters).most_common(1)[0]
        if count > limits["letter"] * len(letters):
            example = f"{run.label} answers {answer} {count} times of {len(letters)}"
            share = count / len(letters)
            yield Hit("error", count, len(letters), example, (), share, limits["letter"])


@check(
    "R4",
    title="Below chance",
    definition="A cell lies more than `z` standard errors below a uniform guess: replies that could not "
    "be read, or refusals, were counted as wrong.",
    statistic="number of such cells",
    fix="Publish the share of valid replies; print chance-corrected scores beside.",
    z=2.58,
)
def below_chance(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare every cell with the expectation of guessing."""
    rows = [row for row in rows_of(subject) if not row.is_expectation]
    chances = _chances(subject)
    cells = [cell for row in rows for cell in row.cells if cell.task in chances]
    odd = []
    for cell in cells:
        mean, error = chances[cell.task]
        if error > 0 and (cell.accuracy / 100 - mean) / error < -limits["z"]:
            odd.append(cell)
    if odd:
        by_row = Counter(cell.row for cell in odd)
        told = ", ".join(f"{name} {count}" for name, count in by_row.most_common(5))
        example = f"{len(by_row)} rows; most: {told}"
        yield Hit("warning", len(odd), len(cells), example, (), float(len(odd)), 0.0)


@dataclass(frozen=True, slots=True)
class Cell:
    """One accuracy of a published row, in percent, with the number of items it rests on.

    Attributes
    ----------
    counted : bool
        Whether every item of the task is right or wrong, so that a whole count lies behind the cell.
    """

    row: str
    task: str
    accuracy: float
    printed: str
    size: int
    counted: bool

    @property
    def digits(self) -> int:
        """Digits printed behind the point."""
        return len(self.printed.partition(".")[2])

    @property
    def count(self) -> float:
        """Items right that the cell implies; whole in a sound table."""
        return self.accuracy * self.size / 100

    @property
    def is_possible(self) -> bool:
        """Whether some whole count gives the printed digits, rounded either way at a half."""
        half = 0.5 * 10.0**-self.digits + 1e-9
        near = (math.floor(self.count), math.ceil(self.count))
        return any(abs(100 * k / self.size - self.accuracy) <= half for k in near)

    @property
    def power(self) -> float:
        """Chance that a wrong cell is noticed: the share of printable values that no count gives."""
        return max(0.0, 1 - self.size / 10.0 ** (self.digits + 2))


@dataclass(frozen=True)
class Row:
    """One published row: a model in a view.

    Attributes
    ----------
    is_expectation : bool
        Every cell is the expectation of a uniform guess: a *random* row, which rests on no counts.
    """

    name: str
    cells: tuple[Cell, ...]
    overall: float | None
    printed_overall: str
    is_expectation: bool

    @cached_property
    def micro(self) -> float:
        """Mean over items, in percent, from the whole counts that the cells imply."""
        counts = [
            round(cell.count) if cell.counted and not self.is_expectation else cell.count
            for cell in self.cells
        ]
        return 100 * sum(counts) / sum(cell.size for cell in self.cells)

    @cached_property
    def macro(self) -> float:
        """Mean of the cells, in percent."""
        return sum(cell.accuracy for cell in self.cells) / len(self.cells)

    @property
    def average(self) -> str:
        """Which average the printed overall is: ``micro``, ``macro`` or ``neither``."""
        half = 0.5 * 10.0 ** -len(self.printed_overall.partition(".")[2]) + 1e-9
        overall = self.overall if self.overall is not None else math.nan
        # Cells without a whole count behind them are rounded themselves, and so is their mean.
        slack = half if self.is_expectation or not all(c.counted for c in self.cells) else 0.0
        if abs(self.micro - overall) <= half + slack:
            return "micro"
        return "macro" if abs(self.macro - overall) <= 2 * half else "neither"


def rows_of(subject: Subject) -> list[Row]:
    """Sort the cells into rows, one a model, view and table; cells of levels are left out."""
    sizes = Counter(item.task for item in subject.items)
    graded = {item.task for item in subject.items if item.format not in _RIGHT_OR_WRONG}
    chances = _chances(subject)
    found: dict[tuple[str, str], list[PublishedScore]] = defaultdict(list)
    for cell in subject.published:
        name = f"{cell.model} ({cell.view})" if cell.view else cell.model
        found[name, cell.table].append(cell)
    rows = []
    for (name, _), cells in found.items():
        own = tuple(
            Cell(name, c.task, c.accuracy, c.printed, sizes[c.task], c.task not in graded)
            for c in cells
            if sizes[c.task]
        )
        if own:
            rows.append(_row(name, own, cells, chances))
    return rows


def _row(
    name: str,
    own: tuple[Cell, ...],
    cells: Sequence[PublishedScore],
    chances: dict[str, tuple[float, float]],
) -> Row:
    expected = all(
        cell.task in chances
        and abs(cell.accuracy - 100 * chances[cell.task][0]) <= _EXPECTATION_POINTS
        for cell in own
    )
    overall = next((cell for cell in cells if cell.task == OVERALL), None)
    return Row(
        name,
        own,
        overall.accuracy if overall else None,
        overall.printed if overall else "",
        expected,
    )


def _chances(subject: Subject) -> dict[str, tuple[float, float]]:
    """Return the expected share and its standard error of a uniform guess in each task."""
    found: dict[str, list[float]] = defaultdict(list)
    table = subject.options
    for item, chance in zip(table.items, table.chance.tolist(), strict=True):
        found[item.task].append(chance)
    return {
        task: (sum(p) / len(p), math.sqrt(sum(x * (1 - x) for x in p)) / len(p))
        for task, p in found.items()
    }
