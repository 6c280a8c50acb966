"""What is audited: a benchmark, runs of it and a published table, with what all checks share."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from earthexam.audit.blind import BlindBench, BlindResult, Grouping, Scorer
from earthexam.audit.guessers import prior_guessers, simple_guessers
from earthexam.audit.options import OptionTable
from earthexam.benchmark.store import Benchmark
from earthexam.core.item import Choice, Item, normalise_text
from earthexam.evaluate.folder import Run
from earthexam.evaluate.intervals import Interval, mean_interval
from earthexam.evaluate.metrics import average_items
from earthexam.published.tables import NOT_MODELS, PublishedScore

_LOOKING_BASELINES = frozenset({"baseline/rgb", "baseline/spectral"})


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
    def guessers(self) -> tuple[BlindResult, ...]:
        """The guessers that need no learner; empty without choice items."""
        if not len(self.options):
            return ()
        return (*simple_guessers(self.options), *prior_guessers(self.options, self.seed))

    def guesser(self, *names: str) -> list[BlindResult]:
        """Return the guessers called `names`, as far as there are such."""
        return [result for result in self.guessers if result.name in names]

    @cached_property
    def run_scores(self) -> tuple[tuple[str, Interval], ...]:
        """Label and micro score, 0 to 1, of each sighted run in each view.

        Baselines that never look (uniform, constant, longest) are no sighted runs.
        """
        return tuple(
            (f"{run.label} ({view})", mean_interval(items["score"], items["group"]))
            for run in self.runs
            if not run.info.blind and _looks(run)
            for (view,), items in average_items(run.scores())
            .drop_nulls("score")
            .partition_by("view", as_dict=True)
            .items()
        )

    @cached_property
    def best_sighted(self) -> tuple[str, float] | None:
        """Name and micro score, 0 to 1, of the best sighted result known; None without any."""
        known = [
            (f"{cell.model} ({cell.view}), published", cell.accuracy / 100)
            for cell in self.published
            if cell.task == "Overall" and cell.model not in NOT_MODELS
        ]
        known += [
            (label, score.estimate)
            for label, score in self.run_scores
            if not np.isnan(score.estimate)
        ]
        return max(known, key=lambda pair: pair[1], default=None)


def _looks(run: Run) -> bool:
    return run.info.endpoint_kind != "baseline" or run.info.model in _LOOKING_BASELINES


def media_key(item: Item) -> tuple[str, ...]:
    """Return the paths of all files shown with an item: equal keys, same pictures."""
    return tuple(media.path for media in item.media if media.role == "input")
