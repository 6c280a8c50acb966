"""Give every item the media of an item from another place."""

import random
from collections import defaultdict
from collections.abc import Iterable

from earthexam.core.errors import InputError
from earthexam.core.item import Item, View


def donors(items: Iterable[Item], view: View, seed: int) -> dict[str, Item]:
    """Choose whose media each item is shown: the same view and count, never the same group.

    The groups that hold such items are shuffled into a ring and each takes from the next, so no
    group keeps its own media and each gives as often as it takes.

    Returns
    -------
    dict
        Item id to the giving item; items without any partner are left out.

    Raises
    ------
    InputError
        Not one item has a partner.
    """
    by_count: dict[int, dict[str, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        count = len(item.media_of(view))
        if count:
            by_count[count][item.group].append(item)
    chosen: dict[str, Item] = {}
    for count, by_group in sorted(by_count.items()):
        if len(by_group) < 2:
            continue
        ring = sorted(by_group)
        random.Random(f"{seed} {view} {count}").shuffle(ring)
        for taker, giver in zip(ring, [*ring[1:], ring[0]], strict=True):
            for place, item in enumerate(by_group[taker]):
                chosen[item.id] = by_group[giver][place % len(by_group[giver])]
    if by_count and not chosen:
        message = (
            f"--swap-media needs items of two groups with as many files in the view {view!r}; "
            "all items lie in one group"
        )
        raise InputError(message)
    return chosen
