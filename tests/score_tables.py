"""Score tables for tests, written down row by row."""

from collections.abc import Iterable

import numpy as np
import polars as pl


def score_table(rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    """A score table; what a row leaves out is that of a right answer to a question of four options."""
    default = {
        "id": "q1",
        "view": "composite",
        "epoch": 0,
        "order": 0,
        "task": "SFR",
        "group": "scene/1",
        "source": "scene",
        "answer": "[0]",
        "rule": "whole_reply",
        "outcome": "right",
        "score": None,
        "chance": 0.25,
        "iou": None,
        "detail": "",
    }
    full = [{**default, **row} for row in rows]
    for row in full:
        if row["score"] is None:
            row["score"] = 1.0 if row["outcome"] == "right" else 0.0
    schema = {"iou": pl.Float64, "score": pl.Float64, "epoch": pl.Int32, "order": pl.Int32}
    return pl.DataFrame(full, schema_overrides=schema)


def random_scores(
    seed: int,
    *,
    right: float = 0.5,
    n: int = 200,
    groups: int = 40,
    tasks: tuple[str, ...] = ("SFR", "CS"),
    view: str = "composite",
) -> pl.DataFrame:
    """A table of `n` items; ids, groups and tasks do not depend on the seed."""
    rng = np.random.default_rng(seed)
    return score_table(
        {
            "id": f"q{index:04}",
            "view": view,
            "task": tasks[index % len(tasks)],
            "group": f"scene/{index * groups // n}",
            "outcome": "right" if rng.random() < right else "wrong",
        }
        for index in range(n)
    )
