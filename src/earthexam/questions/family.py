"""A question family: one kind of question, its truth rule and its wordings, as a record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar, cast

from earthexam.core.item import JsonValue, QuestionType

BlockT = TypeVar("BlockT")
ContextT = TypeVar("ContextT")
Parameters: TypeAlias = Mapping[str, JsonValue]
Region: TypeAlias = tuple[float, float, float, float]
Layout: TypeAlias = Literal["pick", "scale", "window", "boxes"]

YES_NO = ("Yes", "No")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a family was asked with, read back by type."""

    values: Parameters

    def __getitem__(self, name: str) -> JsonValue:
        """Return a parameter as stored."""
        return self.values[name]

    def text(self, name: str, default: str = "") -> str:
        """Return a text, or the default where the question leaves it out."""
        return str(self.values.get(name, default))

    def number(self, name: str) -> float:
        """Return a number."""
        return float(cast("float", self.values[name]))

    def whole(self, name: str) -> int:
        """Return a whole number."""
        return int(cast("int", self.values[name]))

    def numbers(self, name: str) -> list[float]:
        """Return a list of numbers."""
        return [float(value) for value in cast("Sequence[float]", self.values[name])]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the truth rule of a family says about one block.

    Attributes
    ----------
    answer : str
        The option that is right, or that comes closest where nothing is clear.
    clear : bool
        Whether exactly one option is defensible: margins are kept, nothing lies near an edge. Only
        clear judgements become items.
    scores : mapping of str to float
        Every possible option to how well it fits; larger fits better. Options in their natural
        order where they have one.
    false : frozenset of str
        Options that are certainly wrong; only these serve as distractors.
    evidence : mapping
        The measured values that decide.
    fact : str
        What the question is about, whatever the wording; a fact of a block is asked once.
    region : Region or None
        For boxes, the true one: normalised ``(xmin, ymin, xmax, ymax)``.
    """

    answer: str
    clear: bool
    scores: Mapping[str, float]
    false: frozenset[str]
    evidence: Mapping[str, JsonValue]
    fact: str = ""
    region: Region | None = None

    def fit(self, option: str) -> float:
        """Say how well an option fits: larger is better; unknown options fit worst."""
        if self.region is not None:
            other = parse_region(option)
            return -1.0 if other is None else overlap(self.region, other)
        return self.scores.get(option, float("-inf"))

    def refutes(self, option: str) -> bool:
        """Say whether an option is certainly wrong."""
        if self.region is not None:
            other = parse_region(option)
            return other is not None and overlap(self.region, other) <= MOST_OVERLAP
        return option in self.false


@dataclass(frozen=True)
class Family(Generic[BlockT, ContextT]):
    """One kind of question.

    Attributes
    ----------
    name : str
        Task code in lower case, dot, what is asked: ``lcc.dominant_class``.
    layout : Layout
        How options are laid out: ``pick`` (the answer among others of the pool, any order),
        ``scale`` (the whole pool in its order), ``window`` (consecutive numbers) or ``boxes``.
    wordings : sequence of str
        Templates with the parameters in braces; the builder draws one.
    cases : callable
        Block and context to the parameters the family can be asked with.
    judge : callable
        Block and parameters to what is true; None where the block has no such thing.
    needs : frozenset of str
        Capabilities a block must have, for example ``wavelengths``.
    balance : tuple of str
        Parameters that stay the same inside one draw of the answer: a class, where the answer
        could otherwise be told from the class alone.
    n_options, least_options : int
        Most and fewest options shown.
    per_block : int
        Most items of one block.
    dates : int
        1 where the first date is shown alone, 2 where both are.
    """

    name: str
    task: str
    question_type: QuestionType
    layout: Layout
    wordings: Sequence[str]
    cases: Callable[[BlockT, ContextT], Iterable[Parameters]]
    judge: Callable[[BlockT, Asked], Judgement | None]
    needs: frozenset[str] = frozenset()
    balance: tuple[str, ...] = ()
    n_options: int = 4
    least_options: int = 3
    per_block: int = 1
    dates: int = 1


@dataclass(frozen=True)
class Families(Generic[BlockT, ContextT]):
    """The families of one taxonomy, by name; a module adds its own with the decorator."""

    by_name: dict[str, Family[BlockT, ContextT]] = field(default_factory=dict)

    def add(
        self,
        name: str,
        *,
        question_type: QuestionType,
        layout: Layout,
        wordings: Sequence[str],
        cases: Callable[[BlockT, ContextT], Iterable[Parameters]],
        needs: Iterable[str] = ("labels",),
        balance: tuple[str, ...] = (),
        n_options: int = 4,
        least_options: int = 3,
        per_block: int = 1,
        dates: int = 1,
    ) -> Callable[
        [Callable[[BlockT, Asked], Judgement | None]],
        Callable[[BlockT, Asked], Judgement | None],
    ]:
        """Register the decorated truth rule as a family."""

        def register(
            judge: Callable[[BlockT, Asked], Judgement | None],
        ) -> Callable[[BlockT, Asked], Judgement | None]:
            if name in self.by_name:
                message = f"two question families are called {name!r}; rename one of them"
                raise ValueError(message)
            self.by_name[name] = Family(
                name=name,
                task=name.split(".")[0].upper(),
                question_type=question_type,
                layout=layout,
                wordings=wordings,
                cases=cases,
                judge=judge,
                needs=frozenset(needs),
                balance=balance,
                n_options=n_options,
                least_options=least_options,
                per_block=per_block,
                dates=dates,
            )
            return judge

        return register


MOST_OVERLAP = 0.7
LEAST_OVERLAP = 0.2


def choose(
    scores: Mapping[str, float],
    answer: str,
    *,
    clear: bool,
    evidence: Mapping[str, JsonValue],
    fact: str = "",
    false: Iterable[str] | None = None,
) -> Judgement:
    """Make a judgement over a pool; every other option is wrong unless `false` says less."""
    wrong = frozenset(scores) - {answer} if false is None else frozenset(false) - {answer}
    return Judgement(answer, clear, scores, wrong, evidence, fact)


def judge_most(
    counts: Mapping[str, float],
    pool: Iterable[str] = (),
    *,
    measure: str,
    fact: str,
    least: float = 0.0,
    factor: float = 1.5,
) -> Judgement | None:
    """Judge which option counts most: clear where it leads the next by `factor`.

    Parameters
    ----------
    counts : mapping of str to float
        Whole numbers by option; those of 0 are left out of the evidence.
    pool : iterable of str
        Further options, which count 0.
    measure : str
        What is counted, for the evidence.
    least : float
        With fewer the answer is unclear.

    Returns
    -------
    Judgement or None
        None where nothing counts more than 0.
    """
    first = clearly_first(counts, factor)
    if first is None or counts[first[0]] <= 0:
        return None
    return choose(
        {**dict.fromkeys(pool, 0.0), **counts},
        first[0],
        clear=first[1] and counts[first[0]] >= least,
        evidence={measure: {name: int(count) for name, count in counts.items() if count}},
        fact=fact,
    )


def judge_lead(
    values: Mapping[str, float],
    pool: Iterable[str] = (),
    *,
    measure: str,
    fact: str,
    lead: float,
    absent: float = -1.0,
    doubtful: Iterable[str] = (),
) -> Judgement | None:
    """Judge which option has the largest value: clear where it is ahead of the next by `lead`.

    Parameters
    ----------
    pool : iterable of str
        Further options, certainly wrong, which score `absent`.
    doubtful : iterable of str
        Options that are neither right nor certainly wrong.

    Returns
    -------
    Judgement or None
        None where there are fewer than two values to compare.
    """
    if len(values) < 2:
        return None
    ranked = sorted(values, key=lambda name: (-values[name], name))
    scores = {**dict.fromkeys(pool, absent), **values}
    return choose(
        scores,
        ranked[0],
        clear=values[ranked[0]] - values[ranked[1]] >= lead,
        evidence={measure: {name: round(value, 6) for name, value in values.items()}},
        fact=fact,
        false=set(scores) - set(doubtful),
    )


def judge_yes_no(
    holds: bool, *, clear: bool, evidence: Mapping[str, JsonValue], fact: str = ""
) -> Judgement:
    """Make a judgement of a yes/no question."""
    answer = YES_NO[0] if holds else YES_NO[1]
    scores = {option: float(option == answer) for option in YES_NO}
    return choose(scores, answer, clear=clear, evidence=evidence, fact=fact)


def judge_number(
    value: int, *, least: int, most: int, evidence: Mapping[str, JsonValue], fact: str = ""
) -> Judgement:
    """Make a judgement of a count; options are whole numbers from `least` to `most`."""
    pool = range(min(least, value), max(most, value) + 1)
    scores = {str(number): -float(abs(number - value)) for number in pool}
    return choose(scores, str(value), clear=True, evidence=evidence, fact=fact)


def judge_bins(
    value: float,
    edges: Sequence[float],
    names: Sequence[str],
    *,
    evidence: Mapping[str, JsonValue],
    fact: str = "",
    margin: float = 0.05,
) -> Judgement:
    """Sort a value into named bins; unclear within `margin` (a share of the edge) of an edge."""
    position = sum(value >= edge for edge in edges)
    clear = all(abs(value - edge) > margin * max(abs(edge), 1e-9) for edge in edges)
    scores = {name: -float(abs(number - position)) for number, name in enumerate(names)}
    return choose(scores, names[position], clear=clear, evidence=evidence, fact=fact)


def judge_region(
    region: Region, *, clear: bool, evidence: Mapping[str, JsonValue], fact: str = ""
) -> Judgement:
    """Make a judgement of a box."""
    text = region_text(region)
    return Judgement(text, clear, {text: 1.0}, frozenset(), evidence, fact, region)


def region_text(region: Region) -> str:
    """Write a normalised box as an option: two decimals, ``[xmin, ymin, xmax, ymax]``."""
    return "[" + ", ".join(f"{value:.2f}" for value in region) + "]"


def parse_region(text: str) -> Region | None:
    """Read a box written by `region_text`; None where it is none."""
    try:
        x0, y0, x1, y1 = (float(part) for part in text.strip("[]").split(","))
    except ValueError:
        return None
    return x0, y0, x1, y1


def overlap(one: Region, other: Region) -> float:
    """Return the intersection over union of two boxes, 0 to 1; 0 where both are empty.

    Examples
    --------
    >>> overlap((0, 0, 1, 1), (0, 0, 0.5, 1))
    0.5
    """
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = area(one) + area(other) - shared
    return shared / union if union > 0 else 0.0


def area(region: Region) -> float:
    """Return the area of a box; 0 where its corners are out of order."""
    return max(region[2] - region[0], 0.0) * max(region[3] - region[1], 0.0)


def clearly_first(scores: Mapping[str, float], factor: float = 1.5) -> tuple[str, bool] | None:
    """Return the option with the largest score and whether it leads the next by `factor`.

    None where there is nothing to compare.
    """
    if not scores:
        return None
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    if len(ranked) == 1:
        return ranked[0][0], ranked[0][1] > 0
    return ranked[0][0], ranked[0][1] > 0 and ranked[0][1] >= factor * ranked[1][1]
