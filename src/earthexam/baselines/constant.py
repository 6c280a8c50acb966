"""Always the first letter: what a bias in the answer positions is worth."""

from earthexam.baselines import BASELINES
from earthexam.baselines.instant import InstantModel
from earthexam.baselines.uniform import picture_size
from earthexam.benchmark.store import Benchmark
from earthexam.models.protocol import Model, Request, UnsupportedItemError


@BASELINES.add("constant")
def constant(benchmark: Benchmark, seed: int) -> Model:
    """Make the model that says A, True, or the whole picture."""
    return InstantModel("baseline/constant", _first, seed)


def _first(request: Request) -> str:
    match request.item.format:
        case "single_choice" | "multiple_choice" | "chain_of_thought":
            return "A"
        case "true_false":
            return "True"
        case "grounding":
            width, height = picture_size(request)
            return f"[0, 0, {width}, {height}]"
        case _:
            message = f"there is no constant {request.item.format} answer"
            raise UnsupportedItemError(message)
