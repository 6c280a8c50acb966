"""Why a reply is wrong: six categories that a reviewer sets on the replies of a run.

The categories are those of the error analysis in the OmniEarth-Bench paper (arXiv:2505.23522,
appendix A.7).
"""

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from earthexam.core.errors import FormatError, InputError, UnknownNameError
from earthexam.evaluate.folder import Run
from earthexam.models.protocol import Key

LABELS_FILE = "error_labels.jsonl"

CATEGORIES: dict[str, str] = {
    "order": "A time sequence, direction or coordinate frame is misread, so a trend or place is reversed.",
    "number": "A value is read wrongly, or the wrong threshold is applied.",
    "visual": "Texture, colour or shape is misread; an artefact taken for a feature, or one missed.",
    "knowledge": "The wrong ecological, climatic or hazard pattern is applied.",
    "abstention": "There is enough to decide, yet the reply abstains or hedges.",
    "target": "The object or area asked for is not found.",
}
"""Name to what it means."""


@dataclass(frozen=True, slots=True)
class ErrorLabel:
    """What a reviewer found wrong with one reply."""

    key: Key
    category: str
    reviewer: str = ""
    note: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class ErrorTable:
    """Labels of several runs: ``counts[category][i]`` belongs to ``runs[i]``."""

    runs: tuple[str, ...]
    counts: dict[str, tuple[int, ...]]


def reply_key(run: Run, item: str, *, view: str = "", epoch: int = 0, order: int = 0) -> Key:
    """Return the key of a scored reply; without a view, of the only view the item was asked in.

    Raises
    ------
    InputError
        The item has no scored reply, or several views to choose from.
    """
    own = run.scores().filter(id=item, epoch=epoch, order=order)
    views = [name for name in own["view"].to_list() if not view or name == view]
    if len(views) != 1:
        asked = ", ".join(own["view"].to_list()) or "none"
        message = f"{run.root}: name one view of {item} with --view; it was asked in: {asked}"
        raise InputError(message)
    return Key(item, views[0], epoch, order)


def set_label(
    run: Run, key: Key, category: str, *, reviewer: str = "", note: str = ""
) -> ErrorLabel:
    """Label a reply of a run; a later label of the same reply replaces an earlier one.

    Raises
    ------
    UnknownNameError
        There is no such category.
    InputError
        The run has no scored reply of this key, or it is right.
    """
    if category not in CATEGORIES:
        raise UnknownNameError.of(kind="error category", name=category, known=CATEGORIES)
    rows = run.scores().filter(id=key.id, view=key.view, epoch=key.epoch, order=key.order)
    if rows.is_empty():
        message = (
            f"{run.root} has no scored reply to {key.id} in the view {key.view!r} (epoch "
            f"{key.epoch}, order {key.order}); see its scores"
        )
        raise InputError(message)
    if rows["outcome"][0] == "right":
        message = f"the reply to {key.id} is right; only a wrong one has an error category"
        raise InputError(message)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    label = ErrorLabel(key, category, reviewer, note, now)
    record = asdict(label)
    with (run.root / LABELS_FILE).open("ab") as stream:
        stream.write(orjson.dumps({**record.pop("key"), **record}) + b"\n")
    return label


def read_labels(run: Run) -> dict[Key, ErrorLabel]:
    """Read the labels of a run, the last one of each reply."""
    return {label.key: label for label in _labels(run.root / LABELS_FILE)}


def error_table(runs: Sequence[Run]) -> ErrorTable:
    """Count the labels of each category in each run."""
    counted = [Counter(label.category for label in read_labels(run).values()) for run in runs]
    return ErrorTable(
        runs=tuple(run.label for run in runs),
        counts={name: tuple(counts[name] for counts in counted) for name in CATEGORIES},
    )


def _labels(path: Path) -> Iterator[ErrorLabel]:
    if not path.is_file():
        return
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = orjson.loads(line)
            key = Key(*(record.pop(name) for name in ("id", "view", "epoch", "order")))
            yield ErrorLabel(key=key, **record)
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            message = f"{path}, line {number}: {error}; expected one label as JSON a line"
            raise FormatError(message) from error
