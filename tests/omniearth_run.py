"""Run the miniature release against a set of replies kept in a table."""

from collections.abc import Mapping
from pathlib import Path

from earthexam.answers.prompt import load_style
from earthexam.benchmark.store import Benchmark
from earthexam.evaluate.folder import Run
from earthexam.evaluate.protocol import Plan, Selection
from earthexam.evaluate.run import run
from earthexam.exchange import IMPORTERS
from earthexam.models.protocol import FaultError, Reply, Request
from omniearth_release import write_release

CHOICE = {
    "cross-flood-predicting-0000": "Answer: B",
    "cross-flood-predicting-0001": "(C) Unable to decide",
    "cross-flood-predicting-0002": "",
    "ocean-enso-forecast-0000": "A",
    "ocean-enso-forecast-0001": "Neutral",
    "ocean-enso-forecast-0002": "F",
    "ocean-enso-forecast-0003": "A",
    "biosphere-dead-oil-palm-counting-0000": "B",
    "biosphere-dead-oil-palm-counting-0001": "B",
    "human-disaster-prediction-0000": "G",
    "human-disaster-prediction-0001": "I cannot tell from this image.",
    "lithosphere-earthquake-or-noise-classification-0000": "A",
    "lithosphere-earthquake-or-noise-classification-0001": "B. Noise",
    "ocean-marine-pollution-type-classification-0000": "A, C, D",
    "ocean-marine-pollution-type-classification-0001": "A and B",
    "human-individual-building-damage-assessment-0000": "C",
    "human-individual-building-damage-assessment-0001": "D",
}
OTHER = {
    "human-individual-building-damage-assessment-cot-0000": "1. The roof is gone.\nAnswer: C",
    "human-individual-building-damage-assessment-cot-0001": "1. Nothing stands.\nAnswer: D",
    "ocean-eddy-localization-0000": "[228, 168, 299, 242]",
    "ocean-eddy-localization-0001": "[10, 20, 110, 70]",
    "human-visual-grounding-of-land-types-0000": "There is no field.",
    "atmosphere-storm-caption-0000": "Storm A broad storm turns over the sea. Rain falls on the coast.",
    "atmosphere-storm-caption-0001": "A desert road.",
}
OPEN = {
    "biosphere-dead-oil-palm-counting-open-0000": "3",
    "biosphere-dead-oil-palm-counting-open-0001": "5 palms",
    "biosphere-fractional-vegetation-cover-estimation-open-0000": "between 0.4 and 0.6",
    "cryosphere-sit-trend-prediction-open-0000": "1.58 m",
    "ocean-enso-forecast-open-0000": "Neutral",
    "ocean-enso-forecast-open-0001": "an undecided state near the mean",
    "cross-flood-predicting-open-0000": "Yes, it will.",
    "atmosphere-event-onset-identification-open-0000": "It starts in the third one.",
}


class Replayed:
    """Answers from a table; an item the table lacks fails."""

    name = "replayed"
    revision = ""
    endpoint_kind = "python"

    def __init__(self, replies: Mapping[str, str]) -> None:
        self.replies = replies

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        return {}

    async def ask(self, request: Request) -> Reply:
        if request.key.id not in self.replies:
            message = f"no reply to {request.key.id}"
            raise FaultError(message, "permanent")
        return Reply(self.replies[request.key.id])

    async def close(self) -> None:
        pass


def imported(folder: Path, tree: str = "") -> Benchmark:
    """Write the miniature release, import it (or one tree of it) and open it."""
    if not (folder / "release").exists():
        write_release(folder / "release")
    out = folder / f"bench{tree}"
    IMPORTERS.get("omniearth")(folder / "release" / tree, out)
    return Benchmark.open(out)


def asked(benchmark: Benchmark, replies: Mapping[str, str], folder: Path) -> Run:
    """Put the benchmark to the table of replies and open the run."""
    plan = Plan(benchmark, Selection())
    run(plan, Replayed(replies), folder, style=load_style("default"))
    return Run.open(folder)
