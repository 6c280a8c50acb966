"""Compute every rule-made answer again from the sources and compare."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from earthexam.benchmark.store import Benchmark, SourceInfo
from earthexam.core.errors import InputError, MissingFileError
from earthexam.core.files import sha256_file
from earthexam.core.item import Choice, Item, to_json
from earthexam.questions.family import (
    Asked,
    BlockT,
    ContextT,
    Families,
    Family,
    Judgement,
    Parameters,
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An item whose stored answer is not what its source says."""

    id: str
    problem: str


def compare(item: Item, block: BlockT, families: Families[BlockT, ContextT]) -> Iterator[Mismatch]:
    """Judge an item anew on its block and list what differs from what is stored."""
    provenance = item.provenance
    if provenance is None or provenance.rule not in families.by_name:
        rule = "none" if provenance is None else repr(provenance.rule)
        yield Mismatch(item.id, f"rule {rule} is not known to this version; expected a rule")
        return
    family = families.by_name[provenance.rule]
    if item.question not in _wordings(family, provenance.parameters):
        yield Mismatch(item.id, f"the question does not ask {provenance.rule} as recorded")
        return
    try:
        judged = family.judge(block, Asked(provenance.parameters))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        yield Mismatch(item.id, f"the recorded parameters do not fit the source ({error})")
        return
    if judged is None:
        yield Mismatch(item.id, "the source no longer gives this question an answer")
        return
    yield from _compare_options(item, judged)
    if not judged.clear:
        yield Mismatch(item.id, "the answer is not clear: a margin is not kept")
    if to_json(judged.evidence) != to_json(provenance.evidence):
        yield Mismatch(
            item.id,
            f"the evidence is {to_json(provenance.evidence)}, the source gives "
            f"{to_json(judged.evidence)}",
        )


def _wordings(family: Family[BlockT, ContextT], parameters: Parameters) -> set[str]:
    """Return the questions that can be asked with these parameters; none where some lack."""
    try:
        return {wording.format(**parameters) for wording in family.wordings}
    except (KeyError, TypeError, ValueError):
        return set()


def _compare_options(item: Item, judged: Judgement) -> Iterator[Mismatch]:
    if not isinstance(item.answer, Choice) or len(item.answer.indices) != 1:
        yield Mismatch(item.id, f"the stored answer {item.answer} is not one option")
        return
    index = item.answer.indices[0]
    stored = item.options[index] if index < len(item.options) else None
    if stored != judged.answer:
        yield Mismatch(
            item.id, f"the stored answer is {stored!r}, the source gives {judged.answer!r}"
        )
    doubtful = [o for o in item.options if o != judged.answer and not judged.refutes(o)]
    if doubtful:
        yield Mismatch(item.id, f"the options {doubtful} are not certainly wrong")


def locate_sources(benchmark: Benchmark, folder: Path | None) -> dict[str, Path]:
    """Find the recorded source files and check their hashes.

    Parameters
    ----------
    folder : Path or None
        Where the files lie, under their recorded names; None for the recorded paths.

    Returns
    -------
    mapping of str to Path
        Recorded path to where the file lies now.

    Raises
    ------
    MissingFileError
        A file is not there.
    InputError
        A file is not the one the benchmark was built from.
    """
    found = {}
    recorded = list(_recorded(benchmark))
    names = source_names(source.path for source in recorded)
    for source in recorded:
        path = Path(source.path) if folder is None else folder / names[source.path]
        if not path.is_file():
            message = f"{path} does not exist; say where the sources lie: --sources DIR"
            raise MissingFileError(message)
        digest = sha256_file(path)
        if digest != source.sha256:
            message = (
                f"{path} has the hash {digest[:12]}…, the benchmark was built from "
                f"{source.sha256[:12]}…; give the same file"
            )
            raise InputError(message)
        found[source.path] = path
    return found


def source_names(paths: Iterable[str]) -> dict[str, str]:
    """Name source files by as few last parts of their paths as tell them apart.

    Examples
    --------
    >>> source_names(["/data/2018/cube.npy", "/data/2020/cube.npy"])
    {'/data/2018/cube.npy': '2018/cube.npy', '/data/2020/cube.npy': '2020/cube.npy'}
    """
    parts = {path: Path(path).parts for path in paths}
    longest = max((len(own) for own in parts.values()), default=1)
    for kept in range(1, longest + 1):
        names = {path: "/".join(own[-kept:]) for path, own in parts.items()}
        if len(set(names.values())) == len(names):
            return names
    return {path: path for path in parts}


def _recorded(benchmark: Benchmark) -> Iterable[SourceInfo]:
    if not benchmark.info.sources:
        message = (
            f"{benchmark.root} records no source files, so no answer can be computed again; "
            "only benchmarks made by `earthexam build` can be verified"
        )
        raise InputError(message)
    return benchmark.info.sources
