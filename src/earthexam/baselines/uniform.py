"""Guess uniformly: the floor that every other model stands on."""

import random

from earthexam.baselines import BASELINES
from earthexam.baselines.instant import InstantModel
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import LETTERS
from earthexam.models.protocol import Model, Request, UnsupportedItemError


@BASELINES.add("uniform")
def uniform(benchmark: Benchmark, seed: int) -> Model:
    """Make the guesser; each request has its own generator, so order and resume change nothing."""

    def decide(request: Request) -> str:
        key = request.key
        return guess(request, random.Random(f"{seed} {key.id} {key.view} {key.epoch} {key.order}"))

    return InstantModel("baseline/uniform", decide, seed)


def guess(request: Request, chance: random.Random) -> str:
    """Draw one of the possible answers, all alike.

    A multiple-choice answer is one of the non-empty sets of options; a box has two corners drawn
    from the picture.

    Raises
    ------
    UnsupportedItemError
        The answer is free text, which cannot be drawn.
    """
    item = request.item
    match item.format:
        case "single_choice" | "chain_of_thought":
            return LETTERS[chance.randrange(len(item.options))]
        case "multiple_choice":
            chosen = chance.randrange(1, 2 ** len(item.options))
            return ", ".join(
                LETTERS[place] for place in range(len(item.options)) if chosen >> place & 1
            )
        case "true_false":
            return chance.choice(("True", "False"))
        case "grounding":
            width, height = picture_size(request)
            x0, x1 = sorted(chance.sample(range(width + 1), 2))
            y0, y1 = sorted(chance.sample(range(height + 1), 2))
            return f"[{x0}, {y0}, {x1}, {y1}]"
        case _:
            message = f"an answer in the format {item.format} cannot be guessed"
            raise UnsupportedItemError(message)


def picture_size(request: Request) -> tuple[int, int]:
    """Return width and height of the first picture shown.

    Raises
    ------
    UnsupportedItemError
        The item has no picture of known size.
    """
    for media in request.item.media:
        if media.role == "input" and media.width and media.height:
            return media.width, media.height
    message = "the item has no picture of known size"
    raise UnsupportedItemError(message)
