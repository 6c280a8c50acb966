"""From cases to items: which are drawn, how they are worded, what is recorded."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from earthexam.core.item import Choice, Item, Media, Provenance, to_json
from earthexam.core.taxonomy import Taxonomy
from earthexam.questions.family import Asked, BlockT, ContextT, Families
from earthexam.questions.options import Case, Drawer, Drawn, Ledger, assign_letters
from earthexam.questions.siblings import even_out

# Part of every item id and seed: change it whenever the same source would give other items.
BUILDER_VERSION = "1"


@dataclass(frozen=True, slots=True)
class FamilyCount:
    """What became of the cases of one family.

    Attributes
    ----------
    unclear : int
        Cases whose margin was too small, or that had more than one defensible answer.
    clear : int
        Cases that could have become items.
    drawn : int
        Items made.
    """

    family: str
    unclear: int
    clear: int
    drawn: int

    @property
    def reason(self) -> str:
        """Say in words why clear cases were left over."""
        if self.clear == 0:
            return "no block gives a clear answer"
        if self.drawn == 0:
            return "the answer hardly varies: no set of options could go either way"
        if self.drawn < self.clear:
            return "left over to keep all options equally often right, or the quota was reached"
        return "all used"


@dataclass(frozen=True)
class Cases(Generic[BlockT, ContextT]):
    """Clear cases of all families over all blocks, and how many were unclear."""

    clear: dict[str, list[Case[BlockT, ContextT]]]
    unclear: Counter[str]

    @classmethod
    def empty(cls) -> "Cases[BlockT, ContextT]":
        """Start with no cases."""
        return cls(defaultdict(list), Counter())

    def ask(
        self,
        families: Families[BlockT, ContextT],
        block: BlockT,
        place: str,
        context: ContextT,
        capabilities: Iterable[str],
    ) -> None:
        """Ask every family of one block that has what the family needs."""
        own = frozenset(capabilities)
        for name, family in families.by_name.items():
            if not family.needs <= own:
                continue
            for parameters in family.cases(block, context):
                judgement = family.judge(block, Asked(parameters))
                if judgement is None or not judgement.clear:
                    self.unclear[name] += 1
                else:
                    self.clear[name].append(Case(family, place, parameters, judgement))


@dataclass(frozen=True)
class Selection(Generic[BlockT, ContextT]):
    """The items drawn, each with its options in the order shown, and what was left out."""

    drawn: tuple[tuple[Drawn[BlockT, ContextT], tuple[str, ...]], ...]
    counts: tuple[FamilyCount, ...]


def select(
    cases: Cases[BlockT, ContextT], tasks: Sequence[str], *, per_task: int, seed: int
) -> Selection[BlockT, ContextT]:
    """Draw up to `per_task` items for each task, its families taking turns.

    A fact of a block is asked once over all tasks; blocks with few items go first.
    """
    drawn = even_out(
        _take_turns(cases, tasks, per_task, seed), cases.clear, generator(seed, "siblings")
    )
    ordered: list[tuple[Drawn[BlockT, ContextT], tuple[str, ...]]] = []
    for task in tasks:
        own = [item for item in drawn if item.case.family.task == task]
        orders = assign_letters(own, generator(seed, f"letters {task}"))
        ordered.extend(zip(own, orders, strict=True))
    drawn_of = Counter(item.case.family.name for item, _ in ordered)
    names = sorted({*cases.clear, *cases.unclear})
    counts = tuple(
        FamilyCount(name, cases.unclear[name], len(cases.clear.get(name, ())), drawn_of[name])
        for name in names
    )
    return Selection(tuple(ordered), counts)


def _take_turns(
    cases: Cases[BlockT, ContextT], tasks: Sequence[str], most: int, seed: int
) -> list[Drawn[BlockT, ContextT]]:
    """Let the tasks draw one item after the other, and the families of each task in turn.

    A family that cannot draw stays out from then on.
    """
    ledger = Ledger()
    waiting = {
        task: [
            Drawer(found, generator(seed, name))
            for name, found in sorted(cases.clear.items())
            if found[0].family.task == task
        ]
        for task in tasks
    }
    drawn: list[Drawn[BlockT, ContextT]] = []
    made: Counter[str] = Counter()
    while any(waiting.values()):
        for task, drawers in waiting.items():
            while drawers:
                drawer = drawers.pop(0)
                item = drawer.draw(ledger)
                if item is not None:
                    ledger.enter(item)
                    drawn.append(item)
                    made[task] += 1
                    drawers.append(drawer)
                    break
            if made[task] == most:
                drawers.clear()
    return drawn


def make_items(
    selection: Selection[BlockT, ContextT],
    taxonomy: Taxonomy,
    *,
    source: str,
    scene_hash: str,
    media_of: Callable[[str, int], tuple[Media, ...]],
    meta_of: Callable[[str], Mapping[str, str | int]],
    seed: int,
) -> list[Item]:
    """Word the drawn cases and record how each answer came about, sorted by task and id.

    Parameters
    ----------
    scene_hash : str
        Hash of the source files, part of every id.
    media_of : callable
        Place and number of dates to the files shown.
    meta_of : callable
        Place to what is recorded of the block, never shown to a model.
    """
    items = [
        _make_item(drawn, options, taxonomy, source, scene_hash, media_of, meta_of, seed)
        for drawn, options in selection.drawn
    ]
    order = {task.code: number for number, task in enumerate(taxonomy)}
    return sorted(items, key=lambda item: (order[item.task], item.id))


def _make_item(
    drawn: Drawn[BlockT, ContextT],
    options: tuple[str, ...],
    taxonomy: Taxonomy,
    source: str,
    scene_hash: str,
    media_of: Callable[[str, int], tuple[Media, ...]],
    meta_of: Callable[[str], Mapping[str, str | int]],
    seed: int,
) -> Item:
    case = drawn.case
    family = case.family
    item_id = _item_id(family.task, scene_hash, case)
    wording = family.wordings[int(generator(seed, item_id).integers(len(family.wordings)))]
    return Item(
        id=item_id,
        task=family.task,
        levels=taxonomy.task(family.task).levels,
        format="single_choice",
        question_type=family.question_type,
        question=wording.format(**case.parameters),
        options=options,
        answer=Choice((options.index(case.judgement.answer),)),
        media=media_of(case.place, family.dates),
        group=case.place,
        source=source,
        meta={"family": family.name, **meta_of(case.place)},
        provenance=Provenance(
            rule=family.name,
            parameters=case.parameters,
            evidence=case.judgement.evidence,
            seed=seed,
        ),
    )


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Return a generator that depends on the seed, the purpose and the builder version alone."""
    digest = hashlib.sha256(f"{BUILDER_VERSION}|{seed}|{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def _item_id(task: str, scene_hash: str, case: Case[BlockT, ContextT]) -> str:
    parts = [BUILDER_VERSION, scene_hash, case.place, case.family.name, to_json(case.parameters)]
    return f"{task}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:8]}"
