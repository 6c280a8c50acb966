"""What is asked: which items, in which views, how often, with which option orders and media."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from earthexam.answers.prompt import Style, build_prompt
from earthexam.benchmark.store import Benchmark, redacted
from earthexam.core.errors import InputError
from earthexam.core.item import VIEWS, Item, View
from earthexam.evaluate.folder import RunInfo
from earthexam.evaluate.swap import donors
from earthexam.models.profiles import Profile
from earthexam.models.protocol import Key, Request

_STANDING_VIEWS: tuple[View, ...] = ("composite", "report")


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user chose to ask.

    Attributes
    ----------
    tasks, views : tuple of str
        Empty asks all tasks; empty views are ``composite`` and ``report`` where the benchmark has
        them, else every view but ``cube``.
    limit : int or None
        Most items, taken from the tasks in turn.
    sample_per_task : int or None
        Most items of each task, drawn by a hash of item id and seed: more items in the benchmark
        do not change which of the old ones are drawn before one another.
    epochs : int
        How often each request is put.
    shuffle_options : bool
        Ask each choice item once for every rotation of its options (circular evaluation).
    blind : bool
        Show no media.
    swap_media : bool
        Show another item's media of the same view and count, from another group.
    seed : int
        Of the sample and of the swap.
    """

    tasks: tuple[str, ...] = ()
    views: tuple[View, ...] = ()
    limit: int | None = None
    sample_per_task: int | None = None
    epochs: int = 1
    shuffle_options: bool = False
    blind: bool = False
    swap_media: bool = False
    seed: int = 0

    @property
    def protocol(self) -> str:
        """Name of the protocol, which reports print beside every number."""
        marks = [
            name
            for name, on in (
                ("circular", self.shuffle_options),
                ("blind", self.blind),
                ("swapped-media", self.swap_media),
            )
            if on
        ]
        return "+".join(marks) or "default"

    @classmethod
    def of_run(cls, info: RunInfo) -> "Selection":
        """Return the selection that a run was made with."""
        return cls(
            tasks=tuple(info.tasks),
            views=tuple(view for view in VIEWS if view in info.views),
            limit=info.limit,
            sample_per_task=info.sample_per_task,
            epochs=info.epochs,
            shuffle_options=info.shuffle_options,
            blind=info.blind,
            swap_media=info.swap_media,
            seed=info.seed,
        )


class Plan:
    """All requests of a run, made one at a time when they are needed.

    Raises
    ------
    InputError
        A task or view does not occur, a number is not positive, or two choices exclude each other.
    """

    def __init__(self, benchmark: Benchmark, selection: Selection) -> None:
        _check(benchmark, selection)
        self.benchmark = benchmark
        self.selection = selection
        self.views = selection.views or _usual_views(benchmark)
        self.items = _select(benchmark, selection, self.views)
        if not self.items:
            message = (
                f"no item is left to ask in {benchmark.root}; widen --tasks, --views or --limit"
            )
            raise InputError(message)
        self._shown = {item.id: self._views_of(item) for item in self.items}

    def __len__(self) -> int:
        """Count the requests."""
        return self.selection.epochs * sum(
            len(self._shown[item.id]) * self._orders(item) for item in self.items
        )

    def __iter__(self) -> Iterator[Key]:
        """Give the key of every request: all items once before any is repeated."""
        for epoch in range(self.selection.epochs):
            for view in ("", *VIEWS):
                for item in self.items:
                    if view in self._shown[item.id]:
                        for order in range(self._orders(item)):
                            yield Key(item.id, view, epoch, order)

    def request(self, key: Key, style: Style, profile: Profile) -> Request:
        """Make one request; the item in it is redacted, boxes are asked for as `profile` says."""
        item = self.shown_item(key)
        order = option_order(item, key.order)
        prompt = build_prompt(
            item,
            key.view or None,
            style,
            option_order=order,
            blind=self.selection.blind,
            convention=profile.convention,
            order=profile.order,
        )
        return Request(key=key, item=redacted(item), prompt=prompt, root=self.benchmark.root)

    def shown_item(self, key: Key) -> Item:
        """Return the item with the media that are shown for it."""
        item = self.benchmark.by_id[key.id]
        if not self.selection.swap_media or not key.view:
            return item
        donor = self._donors[key.view][item.id]
        kept = tuple(media for media in item.media if media.view != key.view)
        given = tuple(media for media in donor.media if media.view == key.view)
        return replace(item, media=(*kept, *given))

    @cached_property
    def _donors(self) -> dict[str, dict[str, Item]]:
        return {
            view: donors(self.benchmark.items, view, self.selection.seed) for view in self.views
        }

    def _views_of(self, item: Item) -> tuple[View | Literal[""], ...]:
        own = item.views()
        if self.selection.blind or not own:
            return ("",)
        shown = tuple(view for view in own if view in self.views)
        if self.selection.swap_media:
            shown = tuple(view for view in shown if item.id in self._donors[view])
        return shown

    def _orders(self, item: Item) -> int:
        return max(1, len(item.options)) if self.selection.shuffle_options else 1


def option_order(item: Item, order: int) -> tuple[int, ...]:
    """Rotate the options by `order` places: place i shows option (i + order) mod n.

    Examples
    --------
    With four options, order 1 is (1, 2, 3, 0): what was B is now A.
    """
    count = len(item.options)
    return tuple((place + order) % count for place in range(count))


def _check(benchmark: Benchmark, selection: Selection) -> None:
    numbers = {
        "--limit": selection.limit,
        "--sample-per-task": selection.sample_per_task,
        "--epochs": selection.epochs,
    }
    for name, number in numbers.items():
        if number is not None and number < 1:
            message = f"{name} is {number}; expected 1 or more"
            raise InputError(message)
    if selection.blind and (selection.swap_media or selection.views):
        message = "--blind shows no media; leave out --views and --swap-media"
        raise InputError(message)
    tasks = {item.task for item in benchmark.items}
    for kind, asked, known in (
        ("task", selection.tasks, tasks),
        ("view", selection.views, set(benchmark.views())),
    ):
        unknown = [name for name in asked if name not in known]
        if unknown:
            message = (
                f"{benchmark.root} has no {kind} {unknown[0]!r}; it has {', '.join(sorted(known))}"
            )
            raise InputError(message)


def _usual_views(benchmark: Benchmark) -> tuple[View, ...]:
    own = benchmark.views()
    standing = tuple(view for view in _STANDING_VIEWS if view in own)
    return standing or tuple(view for view in own if view != "cube") or own


def _select(
    benchmark: Benchmark, selection: Selection, views: tuple[View, ...]
) -> tuple[Item, ...]:
    wanted = set(views)
    by_task: dict[str, list[Item]] = defaultdict(list)
    for item in benchmark.items:
        in_task = not selection.tasks or item.task in selection.tasks
        own = item.views()
        if in_task and (selection.blind or not own or wanted.intersection(own)):
            by_task[item.task].append(item)
    if selection.sample_per_task is not None:
        for task, items in by_task.items():
            items.sort(key=lambda item: _rank(item, selection.seed))
            by_task[task] = items[: selection.sample_per_task]
    chosen = {item.id for items in by_task.values() for item in items}
    if selection.limit is not None:
        in_turn = (item.id for row in zip_longest(*by_task.values()) for item in row if item)
        chosen = {name for name, _ in zip(in_turn, range(selection.limit), strict=False)}
    return tuple(item for item in benchmark.items if item.id in chosen)


def _rank(item: Item, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{item.id}".encode()).digest()
