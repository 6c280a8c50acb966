"""What a blind scorer may look at: question and option text, never a picture, never a key."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import FeatureHasher

from earthexam.audit.options import Floats, Integers, OptionTable, plain_text

_HASH_SIZE = 2**18
_ABSENT = -1e9  # what has no value; trees split it off, and their binning fails on a column of NaN
_WORD = re.compile(r"[^\W_]+(?:\.\d+)?%?")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def word_features(table: OptionTable) -> sparse.csr_matrix:
    """Return hashed words and letters of the options, alone and crossed with task and question.

    Returns
    -------
    sparse matrix, shape (rows, 262144)
        1 where a feature is present.
    """
    hasher = FeatureHasher(_HASH_SIZE, input_type="string", alternate_sign=False)
    matrix = hasher.transform(_tokens(table)).tocsr()
    matrix.data[:] = 1.0
    return matrix


def number_features(table: OptionTable) -> Floats:
    """Return the surface features of each option, shape (rows, features).

    Place, length, numeric value and rank, box area, overlap with the question and with the other
    options, and how often the option stands in other questions about the same picture; -1e9 where
    an option has no such value.
    """
    lengths = table.lengths
    words = [frozenset(_WORD.findall(text)) for text in table.texts]
    numbers = np.array([numeric_value(text) for text in table.texts])
    areas = np.array([box_area(text) for text in table.texts])
    columns = [
        table.position,
        table.size,
        table.size - 1 - table.position,
        lengths,
        rank_in_item(table, lengths),
        lengths - mean_of_others(table, lengths),
        np.array([len(found) for found in words]),
        numbers,
        rank_in_item(table, numbers),
        areas,
        rank_in_item(table, areas),
        _question_overlap(table, words),
        _option_overlap(table, words),
        _siblings(table),
    ]
    stacked = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    return np.nan_to_num(stacked, nan=_ABSENT)


def numeric_value(text: str) -> float:
    """Return the only number of an option; NaN where it holds none or several."""
    found = _NUMBER.findall(text)
    return float(found[0]) if len(found) == 1 else float("nan")


def box_of(text: str) -> tuple[float, float, float, float] | None:
    """Return the four numbers of an option that is a box, ``(x0, y0, x1, y1)``."""
    found = _NUMBER.findall(text)
    if len(found) != 4 or re.search(r"[a-z]", text):
        return None
    x0, y0, x1, y1 = (float(number) for number in found)
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def box_area(text: str) -> float:
    """Return the area of an option that is a box; NaN for other options."""
    box = box_of(text)
    return float("nan") if box is None else (box[2] - box[0]) * (box[3] - box[1])


def rank_in_item(table: OptionTable, values: Floats) -> Floats:
    """Rank options within their item, 0 for the smallest, 1 for the largest, ties by their mean.

    NaN where fewer than two options of the item have a value.
    """
    ranks = np.full(len(values), np.nan)
    for start, size in zip(table.starts, table.size[table.starts], strict=True):
        own = values[start : start + size]
        known = np.flatnonzero(~np.isnan(own))
        if len(known) < 2:
            continue
        seen = own[known]
        below = (seen[:, None] > seen).sum(axis=1)
        level = (seen[:, None] == seen).sum(axis=1) - 1
        ranks[start + known] = (below + level / 2) / (len(known) - 1)
    return ranks


def mean_of_others(table: OptionTable, values: Floats) -> Floats:
    """Return the mean value of the other options of the same item, shape (rows,)."""
    totals = np.add.reduceat(values, table.starts)[table.item]
    return np.asarray((totals - values) / np.maximum(table.size - 1, 1))


def best_of_others(table: OptionTable, values: Floats) -> Floats:
    """Return the largest value among the other options of the same item, shape (rows,)."""
    best = table.best(values)[table.item]
    at_best = values >= best
    below = table.best(np.where(at_best, -np.inf, values))[table.item]
    alone = np.add.reduceat(at_best.astype(np.intp), table.starts)[table.item] == 1
    second = np.where(np.isfinite(below), below, best)
    return np.asarray(np.where(at_best & alone, second, best))


def _tokens(table: OptionTable) -> Iterator[list[str]]:
    parts: dict[str, list[str]] = {}
    for row, text in enumerate(table.texts):
        number = table.item[row]
        own = parts.get(text) or parts.setdefault(text, _parts_of(text))
        task, stem = table.items[number].task, table.stems[number]
        opening = " ".join(stem.split()[:4])
        place = f"place {table.position[row]}/{table.size[row]}"
        yield [
            *own,
            *(f"{task}|{part}" for part in own),
            *(f"{opening}|{part}" for part in own if part[0] == "w"),
            f"{task}|{text}", f"{stem}|{text}", place, f"{task}|{place}", f"{stem}|{place}",
        ]  # fmt: skip


def _parts_of(text: str) -> list[str]:
    padded = f" {text} "
    letters = (padded[i : i + 4] for i in range(max(1, len(padded) - 3)))
    return [f"w {word}" for word in _WORD.findall(text)] + [f"c {part}" for part in letters]


def _question_overlap(table: OptionTable, words: Sequence[frozenset[str]]) -> Floats:
    asked = [frozenset(_WORD.findall(plain_text(item.question))) for item in table.items]
    return np.array(
        [len(own & asked[n]) / max(len(own), 1) for own, n in zip(words, table.item, strict=True)]
    )


def _option_overlap(table: OptionTable, words: Sequence[frozenset[str]]) -> Floats:
    """Return the mean share of words (Jaccard) with the other options of the item."""
    result = np.zeros(len(words))
    for start, size in zip(table.starts, table.size[table.starts], strict=True):
        own = words[start : start + size]
        for k, mine in enumerate(own):
            shares = [
                len(mine & other) / max(len(mine | other), 1)
                for j, other in enumerate(own)
                if j != k
            ]
            result[start + k] = sum(shares) / max(len(shares), 1)
    return result


def _siblings(table: OptionTable) -> Floats:
    """Return in what share of the other questions of the group the option stands."""
    groups = table.groups.tolist()
    seen: Counter[tuple[str, str]] = Counter()
    for number in range(len(table)):
        seen.update({(groups[number], text) for text in table.options_of(number)})
    questions = Counter(groups)
    rows: Integers = table.item
    return np.array(
        [
            (seen[groups[n], text] - 1) / max(questions[groups[n]] - 1, 1)
            for n, text in zip(rows.tolist(), table.texts, strict=True)
        ]
    )
