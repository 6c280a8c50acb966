"""The miniature release, put to replies from a table, gives numbers worked out by hand."""

import json
import math
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.evaluate import captions
from earthexam.evaluate.abstention import behaviour, choice_rates, choice_scores, rates_by_task
from earthexam.evaluate.error_labels import CATEGORIES, error_table, read_labels, set_label
from earthexam.evaluate.folder import Run, ScoreRecord
from earthexam.evaluate.formats import FORMATS_FILE, FormatResults, finish_scores, record_formats
from earthexam.evaluate.judging import apply_verdicts, judge_run
from earthexam.evaluate.lead import scores_by_lead
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.released_omniearth import score_released_omniearth
from earthexam.evaluate.scoring import score_run
from earthexam.evaluate.spheres import sphere_scores
from earthexam.evaluate.summary import RunSummary, summarise
from earthexam.evaluate.verdicts import VERDICTS_FILE, read_verdicts
from earthexam.models.protocol import FaultError, Key, Reply, Request
from earthexam.published.tables import load_taxonomy
from omniearth_run import CHOICE, OPEN, OTHER, Replayed, asked, imported


class Scored:
    """The whole way once: release, import, run, score."""

    def __init__(self, folder: Path) -> None:
        self.benchmark: Benchmark = imported(folder)
        self.run: Run = asked(self.benchmark, CHOICE | OTHER, folder / "run")
        rows = score_run(self.run, self.benchmark)
        self.rows: list[ScoreRecord]
        self.results: FormatResults
        self.rows, self.results = finish_scores(self.run, self.benchmark, rows)
        record_formats(self.run, self.results)
        self.summary: RunSummary = record_scores(self.run, self.rows)
        self.scores: pl.DataFrame = self.run.scores()


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(captions, "_meteor", lambda *_: None)  # half a minute to start
        return Scored(tmp_path_factory.mktemp("omniearth"))


needs_captions = pytest.mark.skipif(
    find_spec("pycocoevalcap") is None, reason="needs pycocoevalcap (extra caption)"
)


def by_id(scored: Scored) -> dict[str, ScoreRecord]:
    return {row.key.id: row for row in scored.rows}


def test_choice_replies_are_right_abstaining_unread_or_refused(scored: Scored) -> None:
    choices = choice_scores(scored.scores, scored.benchmark.by_id)
    rates = choice_rates(choices)
    # 17 replies; right: flood 0, ENSO 0 and 1, palms 1, disaster 0, quake 1, pollution 0, damage 0.
    assert rates.n == 17
    assert rates.accuracy == pytest.approx(8 / 17)
    # Abstaining: flood 1 (C), ENSO 2 (F), quake 0 (A), and the refusal of disaster 1.
    assert rates.unable == pytest.approx(4 / 17)
    assert rates.unread == pytest.approx(1 / 17)
    assert rates.answered_accuracy == pytest.approx(8 / 12)


def test_rates_of_one_task_stand_alone(scored: Scored) -> None:
    rates = rates_by_task(choice_scores(scored.scores, scored.benchmark.by_id))
    flood = rates["cross-flood-predicting"]
    assert (flood.n, flood.accuracy, flood.unable, flood.unread) == pytest.approx(
        (3, 1 / 3, 1 / 3, 1 / 3)
    )
    assert flood.answered_accuracy == 1


def test_a_set_is_right_only_as_a_whole(scored: Scored) -> None:
    rows = by_id(scored)
    assert rows["ocean-marine-pollution-type-classification-0000"].outcome == "right"
    assert rows["ocean-marine-pollution-type-classification-0001"].outcome == "wrong"


def test_boxes_give_overlap_thresholds_and_the_share_unread(scored: Scored) -> None:
    eddy = scored.results.boxes["ocean-eddy-localization"]
    assert (eddy.n, eddy.mean_iou, eddy.unread) == (2, 0.75, 0)
    assert [share for _, share in eddy.accuracy] == [1, 1, 1, 0.5, 0.5]
    land = scored.results.boxes["human-visual-grounding-of-land-types"]
    assert (land.n, land.mean_iou, land.unread) == (1, 0, 1)


def test_spheres_are_macro_over_tasks_and_the_average_is_over_spheres(scored: Scored) -> None:
    ids = [i.id for i in scored.benchmark.items if i.format in ("single_choice", "multiple_choice")]
    choice = summarise(scored.scores.filter(pl.col("id").is_in(ids)), load_taxonomy("omniearth"))
    made = sphere_scores(choice.views[0])
    macro = {group.name: group.macro for group in made.spheres}
    assert macro == pytest.approx(
        {
            "Cross-sphere": 1 / 3,
            "Oceansphere": 1 / 2,  # ENSO 2 of 4, pollution 1 of 2
            "Biosphere": 1 / 2,
            "Human-activity sphere": 1 / 2,  # disaster 1 of 2, damage 1 of 2
            "Lithosphere": 1 / 2,
        }
    )
    assert made.average_over_spheres == pytest.approx((1 / 3 + 4 / 2) / 5)
    assert made.overall.micro == pytest.approx(8 / 17)
    assert made.overall.macro == pytest.approx((1 / 3 + 6 / 2) / 7)
    abilities = {group.name: (group.tasks, group.n) for group in made.abilities}
    assert abilities["Scientific-Knowledge Reasoning"] == (2, 7)


def test_accuracy_is_told_by_lead_of_the_forecast(scored: Scored) -> None:
    rows = scores_by_lead(scored.scores, scored.benchmark.by_id)
    assert [(row.months, row.n, row.score) for row in rows] == [(1, 1, 1), (3, 2, 0.5), (12, 1, 0)]


@needs_captions
def test_captions_are_scored_as_one_corpus(scored: Scored) -> None:
    made = scored.results.captions
    assert made is not None
    assert made.n == 2
    row = by_id(scored)["atmosphere-storm-caption-0000"]
    assert (row.outcome, row.rule, row.score) == ("partial", "ROUGE-L", pytest.approx(1))
    assert by_id(scored)["atmosphere-storm-caption-0001"].score < 0.2


@needs_captions
def test_released_captions_lose_their_line_breaks_and_failed_ones_leave(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captions, "_meteor", lambda *_: None)
    said = "Storm A broad storm turns over the sea. Rain falls on the coast."
    run = asked(scored.benchmark, {"atmosphere-storm-caption-0000": said}, tmp_path / "run")
    rows = {row.key.id: row for row in score_released_omniearth(run, scored.benchmark)}
    joined = rows["atmosphere-storm-caption-0000"]
    # "# Storm\nA broad" has become "StormA broad", so two words of the reply find no match.
    assert (joined.outcome, joined.rule) == ("partial", "ROUGE-L")
    assert 0.5 < joined.score < 0.95
    assert rows["atmosphere-storm-caption-0001"].outcome == "unsupported"


def test_released_open_answers_count_by_verdict_or_not_at_all(
    spoken: tuple[Run, Benchmark],
) -> None:
    run, benchmark = spoken
    judge_run(run, benchmark, score_run(run, benchmark), Judge({"near the mean": PARTLY}))
    rows = {row.key.id: row for row in score_released_omniearth(run, benchmark)}
    counted = {name: row.score for name, row in rows.items() if row.outcome != "unsupported"}
    assert counted == {"ocean-enso-forecast-open-0001": 0.5}


def test_chains_without_a_judge_count_as_failed_verdicts_beside_their_answers(
    scored: Scored,
) -> None:
    total = scored.results.chains[""]
    assert (total.n, total.failed, total.accuracy) == (2, 4, 0.5)
    assert math.isnan(total.f1_of_averages)


def test_the_results_of_formats_are_kept_in_the_run(scored: Scored) -> None:
    kept = json.loads((scored.run.root / FORMATS_FILE).read_text())
    assert kept["boxes"]["ocean-eddy-localization"]["mean_iou"] == 0.75
    assert kept["chains"][""]["recall"] is None


def test_tasks_without_a_hit_and_with_one_answer_are_named(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    run = asked(benchmark, {item.id: "B" for item in benchmark.items}, tmp_path / "run")
    rows = score_run(run, benchmark)
    record_scores(run, rows)
    made = behaviour(choice_scores(run.scores(), benchmark.by_id), benchmark.by_id)
    assert "human-disaster-prediction" in made.zero_tasks
    # No task of the miniature release has five questions.
    assert made.one_answer_tasks == ()


def test_a_reviewer_labels_wrong_replies_and_the_table_counts_them(scored: Scored) -> None:
    key = Key("ocean-enso-forecast-0003", "image")
    set_label(scored.run, key, "number", reviewer="mara")
    set_label(scored.run, key, "knowledge", reviewer="mara", note="a winter pattern")
    set_label(scored.run, Key("cross-flood-predicting-0001", "image"), "abstention")
    assert read_labels(scored.run)[key].note == "a winter pattern"
    table = error_table([scored.run])
    assert table.runs == ("replayed",)
    assert {name: counts[0] for name, counts in table.counts.items() if counts[0]} == {
        "knowledge": 1,
        "abstention": 1,
    }
    assert len(CATEGORIES) == 6
    with pytest.raises(InputError, match="is right"):
        set_label(scored.run, Key("ocean-enso-forecast-0000", "image"), "order")
    with pytest.raises(InputError, match="no scored reply"):
        set_label(scored.run, Key("nowhere", "image"), "order")
    with pytest.raises(InputError, match="did you mean knowledge"):
        set_label(scored.run, key, "knowlege")


class Judge(Replayed):
    """Decides by what the case holds; keeps what it was asked."""

    name = "judge"

    def __init__(self, verdicts: dict[str, str]) -> None:
        super().__init__({})
        self.verdicts = verdicts
        self.asked: list[str] = []

    async def ask(self, request: Request) -> Reply:
        text = request.prompt.parts[0].text
        self.asked.append(request.key.id)
        assert request.item.answer.__class__.__name__ == "Choice"  # the key is not handed on
        for part, reply in self.verdicts.items():
            if part in text:
                return Reply(reply)
        message = "503 overloaded"
        raise FaultError(message, "retryable")


SAME = '{"reason": "The same.", "score": 1}'
PARTLY = '{"reason": "Nearly.", "score": 0.5}'


@pytest.fixture
def spoken(tmp_path: Path) -> tuple[Run, Benchmark]:
    benchmark = imported(tmp_path, "jsons_open")
    return asked(benchmark, OPEN, tmp_path / "run"), benchmark


def outcomes(run: Run, benchmark: Benchmark) -> dict[str, tuple[str, float, str]]:
    rows, _ = apply_verdicts(run, benchmark, score_run(run, benchmark))
    return {row.key.id: (row.outcome, row.score, row.rule) for row in rows}


def test_rules_decide_open_answers_before_any_judge(spoken: tuple[Run, Benchmark]) -> None:
    made = {row.key.id: (row.outcome, row.score) for row in score_run(spoken[0], spoken[1])}
    assert made == {
        "biosphere-dead-oil-palm-counting-open-0000": ("right", 1),
        "biosphere-dead-oil-palm-counting-open-0001": ("partial", 0.5),  # 5 for 4
        "biosphere-fractional-vegetation-cover-estimation-open-0000": ("right", 1),
        "cryosphere-sit-trend-prediction-open-0000": ("right", 1),  # 1.58 for 1.5
        "ocean-enso-forecast-open-0000": ("wrong", 0),  # another label of the set
        "ocean-enso-forecast-open-0001": ("unjudged", 0),
        "cross-flood-predicting-open-0000": ("right", 1),
        "atmosphere-event-onset-identification-open-0000": ("unjudged", 0),
    }


def test_a_judge_decides_the_rest_and_its_failure_is_a_state_of_its_own(
    spoken: tuple[Run, Benchmark],
) -> None:
    run, benchmark = spoken
    judge = Judge({"near the mean": PARTLY, "How many": SAME, "Cover": SAME})
    assert judge_run(run, benchmark, score_run(run, benchmark), judge, concurrency=1) == 8
    rows, judged = apply_verdicts(run, benchmark, score_run(run, benchmark))
    kept = {row.key.id: row for row in rows}
    assert kept["ocean-enso-forecast-open-0001"].outcome == "partial"
    assert kept["ocean-enso-forecast-open-0001"].rule == "judge"
    failed = kept["atmosphere-event-onset-identification-open-0000"]
    assert (failed.outcome, failed.score) == ("unjudged", 0)
    assert failed.detail == "the judge failed: no reply from the judge: 503 overloaded"
    # The rule's score stands: 0.5 for the second count, where the judge said 1.
    assert kept["biosphere-dead-oil-palm-counting-open-0001"].score == 0.5
    assert (judged.judge, judged.prompt_versions) == ("judge", ("open-1",))
    assert (judged.verdicts, judged.failed) == (4, 4)
    assert (judged.compared, judged.agreed) == (3, 2)
    assert judged.agreement == pytest.approx(2 / 3)


def test_verdicts_are_kept_and_only_failures_are_asked_again(spoken: tuple[Run, Benchmark]) -> None:
    run, benchmark = spoken
    scores = score_run(run, benchmark)
    judge_run(run, benchmark, scores, Judge({"near the mean": PARTLY}), concurrency=1)
    again = Judge({"third one": SAME})
    judge_run(run, benchmark, scores, again, concurrency=1)
    assert "ocean-enso-forecast-open-0001" not in again.asked
    made = outcomes(run, benchmark)
    assert made["ocean-enso-forecast-open-0001"] == ("partial", 0.5, "judge")
    assert made["atmosphere-event-onset-identification-open-0000"] == ("right", 1, "judge")


def test_a_verdict_on_another_reply_does_not_count(
    spoken: tuple[Run, Benchmark], tmp_path: Path
) -> None:
    run, benchmark = spoken
    judge_run(run, benchmark, score_run(run, benchmark), Judge({"third one": SAME}))
    other = asked(
        benchmark,
        OPEN | {"atmosphere-event-onset-identification-open-0000": "I would say late."},
        tmp_path / "other",
    )
    (other.root / VERDICTS_FILE).write_bytes((run.root / VERDICTS_FILE).read_bytes())
    made = outcomes(other, benchmark)
    assert made["atmosphere-event-onset-identification-open-0000"][0] == "unjudged"


def test_a_judge_that_can_never_be_asked_stops_at_once(spoken: tuple[Run, Benchmark]) -> None:
    class Locked(Judge):
        async def ask(self, request: Request) -> Reply:
            message = "401 wrong key"
            raise FaultError(message, "fatal")

    run, benchmark = spoken
    with pytest.raises(InputError, match="cannot be asked: 401 wrong key"):
        judge_run(run, benchmark, score_run(run, benchmark), Locked({}))


def test_chains_are_judged_for_recall_and_precision(tmp_path: Path) -> None:
    benchmark = imported(tmp_path)
    run = asked(benchmark, CHOICE | OTHER, tmp_path / "run")
    steps = [{"step_index": n, "judgment": j} for n, j in enumerate(
        ["Matched", "Unmatched", "Unmatched", "Matched"], 1)]  # fmt: skip
    recall = json.dumps({"steps": steps})
    precision = json.dumps(
        {
            "steps": [
                {"step": "a", "step_type": "logical inference", "judgment": "Match"},
                {"step": "b", "step_type": "image description", "judgment": "Wrong"},
            ]
        }
    )
    # The second chain's recall list is short: a failure, not a score.
    short = json.dumps({"steps": steps[:2]})

    class ChainJudge(Judge):
        async def ask(self, request: Request) -> Reply:
            if "Key steps" not in request.prompt.parts[0].text:
                return Reply(precision)
            return Reply(recall if request.key.id.endswith("0000") else short)

    scores = score_run(run, benchmark)
    assert judge_run(run, benchmark, scores, ChainJudge({})) == 4
    assert len(read_verdicts(run.root)) == 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(captions, "_meteor", lambda *_: None)
        _, results = finish_scores(run, benchmark, scores)
    total = results.chains[""]
    assert (total.n, total.n_recall, total.n_precision, total.failed) == (2, 1, 2, 1)
    assert (total.recall, total.recall_all, total.precision) == (0.5, 0.25, 0.5)
    assert total.f1_of_averages == pytest.approx(0.5)
    assert results.judged.failed == 1
