"""What is audited: a benchmark, runs of it and a published table, with what all checks share."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from earthexam.audit.blind import BlindBench, BlindResult, Grouping, Scorer, result_of
from earthexam.audit.options import Floats, OptionTable
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import Choice, Item, normalise_text
from earthexam.evaluate.folder import Run
from earthexam.published.tables import PublishedScore


@dataclass(frozen=True)
class Subject:
    """A benchmark with what is known about results on it.

    Attributes
    ----------
    published : tuple of PublishedScore
        Cells of a published table; empty without one.
    seed : int
        Of folds, learners and resamples.
    """

    benchmark: Benchmark
    runs: tuple[Run, ...] = ()
    published: tuple[PublishedScore, ...] = ()
    seed: int = 0

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the benchmark."""
        return self.benchmark.items

    @cached_property
    def options(self) -> OptionTable:
        """The options of the items that have exactly one right one."""
        return OptionTable.of(self.items)

    @cached_property
    def same_question(self) -> tuple[tuple[Item, ...], ...]:
        """Single-choice items that ask the same about the same media, in sets of two or more."""
        alike: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        for item in self.items:
            if isinstance(item.answer, Choice) and len(item.answer.indices) == 1:
                alike[normalise_text(item.question), *media_key(item)].append(item)
        return tuple(tuple(items) for items in alike.values() if len(items) > 1)

    @cached_property
    def _bench(self) -> BlindBench:
        return BlindBench.of(self.options)

    @cached_property
    def _blind(self) -> dict[tuple[str, str, bool], BlindResult]:
        return {}

    def blind(
        self, scorer: Scorer, grouping: Grouping, *, redraw_keys: bool = False
    ) -> BlindResult | None:
        """Return the result of a learned blind scorer, computed once; None with one group only."""
        names = self.options.groups if grouping == "group" else self.options.sources
        if len(set(names.tolist())) < 2:
            return None
        key = (scorer, grouping, redraw_keys)
        if key not in self._blind:
            self._blind[key] = self._bench.score(
                scorer, grouping, seed=self.seed, redraw_keys=redraw_keys
            )
        return self._blind[key]

    @cached_property
    def simple_guessers(self) -> tuple[BlindResult, ...]:
        """Guessers that learn nothing: uniform, one letter always, longest, shortest."""
        table = self.options
        place, lengths = table.position.astype(float), table.lengths
        ratings: list[tuple[str, Floats]] = [("uniform", place * 0.0)]
        ratings += [
            (f"constant {'ABCDE'[n]}", (place == n) * 1.0)
            for n in range(min(5, int(table.size.max())))
        ]
        ratings += [("last", place), ("longest", lengths), ("shortest", -lengths)]
        return tuple(
            result_of(
                table,
                name,
                "none",
                table.picked(rating) if name.startswith("constant") else table.credit(rating),
            )
            for name, rating in ratings
        )

    def guesser(self, name: str) -> BlindResult:
        """Return one of the simple guessers."""
        return next(result for result in self.simple_guessers if result.name == name)

    @cached_property
    def best_sighted(self) -> tuple[str, float] | None:
        """Name and micro score, 0 to 1, of the best sighted result known; None without any."""
        known = [
            (f"{cell.model} ({cell.view}), published", cell.accuracy / 100)
            for cell in self.published
            if cell.task == "Overall"
        ]
        for run in self.runs:
            if not run.info.blind and run.info.endpoint_kind != "baseline":
                scores = run.scores()
                known.append((run.label, float(scores["score"].mean() or 0.0)))  # type: ignore[arg-type]
        return max(known, key=lambda pair: pair[1], default=None)


def media_key(item: Item) -> tuple[str, ...]:
    """Return the paths of all files shown with an item: equal keys, same pictures."""
    return tuple(media.path for media in item.media if media.role == "input")
