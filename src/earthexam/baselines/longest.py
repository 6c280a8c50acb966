"""Always the longest option: what a truth that stands out by its length is worth."""

import random

from earthexam.baselines import BASELINES
from earthexam.baselines.instant import InstantModel, option_at
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import LETTERS
from earthexam.models.protocol import Model, Request, UnsupportedItemError


@BASELINES.add("longest")
def longest(benchmark: Benchmark, seed: int) -> Model:
    """Make the model that picks the option with the most characters, equals by lot."""

    def decide(request: Request) -> str:
        options = [option_at(request, place) for place in range(len(request.item.options))]
        if not options:
            message = f"a {request.item.format} item has no options to measure"
            raise UnsupportedItemError(message)
        most = max(map(len, options))
        equals = [place for place, text in enumerate(options) if len(text) == most]
        key = request.key
        chance = random.Random(f"{seed} {key.id} {key.view} {key.epoch} {key.order}")
        return LETTERS[chance.choice(equals)]

    return InstantModel("baseline/longest", decide, seed)
