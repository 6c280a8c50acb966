"""A judge behind a real endpoint that answers badly: no credit, every failure counted."""

from pathlib import Path
from typing import Any

from chat_server import ChatServer
from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.item import Golden
from earthexam.evaluate.judging import apply_verdicts, judge_run
from earthexam.evaluate.scoring import score_run
from earthexam.models.opening import open_model
from earthexam.models.options import ModelOptions
from earthexam.models.profiles import Profile
from factories import make_item
from omniearth_run import asked

SAID = {
    "prose": "The answer is right; I give it full marks, 1 of 1.",
    "cut": '{"reason": "Same class", "score": 1',
    "scale": "Score: 0 (scale 0-1)",
    "between": '{"reason": "Nearly.", "score": 0.7}',
    "words": '{"reason": "Same.", "score": "one"}',
    "nothing": "",
    "valid": '{"reason": "The same place.", "score": 0.5}',
}


def place_benchmark(folder: Path) -> Benchmark:
    with write_benchmark(folder) as writer:
        writer.add_items(
            make_item(
                "open",
                id=name,
                question=f"Where is this, item {name}?",
                answer=Golden("the northern Andes", "place"),
            )
            for name in SAID
        )
        writer.finish(BenchmarkInfo(name="places"))
    return Benchmark.open(folder)


def test_no_bad_reply_of_a_judge_gives_credit_and_each_is_counted(tmp_path: Path) -> None:
    benchmark = place_benchmark(tmp_path / "bench")
    run = asked(benchmark, dict.fromkeys(SAID, "somewhere in Ecuador"), tmp_path / "run")

    def reply(body: dict[str, Any]) -> str:
        text = str(body["messages"])
        return next(said for name, said in SAID.items() if f"item {name}?" in text)

    with ChatServer(reply=reply) as server:
        options = ModelOptions(
            profile=Profile(), base_urls=(server.url,), timeout_s=2.0, patience_s=2.0, seed=1
        )
        judge = open_model("vllm/judge", options)
        scores = score_run(run, benchmark)
        assert {row.outcome for row in scores} == {"unjudged"}
        judge_run(run, benchmark, scores, judge)
    rows, judged = apply_verdicts(run, benchmark, scores)
    assert (judged.verdicts, judged.failed) == (1, 6)
    credit = {row.key.id: row.score for row in rows if row.score}
    assert credit == {"valid": 0.5}
    assert {row.outcome for row in rows if row.key.id != "valid"} == {"unjudged"}
    assert all(row.detail.startswith("the judge failed: ") for row in rows if not row.score)
