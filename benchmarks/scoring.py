"""Time scoring 60,000 saved replies of every format but captions and chains, without a judge.

Run: ``python benchmarks/scoring.py``. Goal: under 20 s.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from earthexam.benchmark.store import Benchmark, BenchmarkInfo, write_benchmark
from earthexam.core.item import Box, Choice, Golden, Item, Media
from earthexam.evaluate.folder import ReplyRecord, Run, RunInfo, write_run_info
from earthexam.evaluate.formats import finish_scores
from earthexam.evaluate.record_scores import record_scores
from earthexam.evaluate.released_omniearth import score_released_omniearth
from earthexam.evaluate.scoring import score_run
from earthexam.models.protocol import Key
from earthexam.published.spheres import SphereTask, sphere_tasks

COUNT = 60_000
CLOCK = time.process_time  # the work itself, whatever else the machine does
GOAL_S = 20.0
OPTIONS = ("North", "East", "South", "West", "Unable to decide")
PICTURE = Media("image", "media/a.png", width=512, height=512, sha256="0" * 64)
CHOICE_REPLIES = (
    "B",
    "The answer is (C).",
    "B. East",
    "The frames shift to the right over time, so the system moves eastward.\nAnswer: B",
    "I cannot tell from these images.",
    "Unable to decide",
    "<think>North or east? The second frame lies right of the first.</think>**B**",
    "It might be A, or it might be B, depending on the projection.",
)
OPEN_REPLIES = ("between 0.3 and 0.6", "0.4", "about 12 km", "It is roughly 55 %, so 0.55.")
BOX_REPLIES = ("[100, 120, 220, 300]", "{<100><120><220><300>}", "no field is seen", "x1=1, y1=2")


def items() -> Iterator[Item]:
    tasks = [task for task in sphere_tasks() if task.format not in ("caption", "chain_of_thought")]
    for number in range(COUNT):
        yield make_item(number, tasks[number % len(tasks)])


def make_item(number: int, task: SphereTask) -> Item:
    form, answer, options, kind = "single_choice", Choice((1,)), OPTIONS, "choice"
    if task.format == "grounding":
        form, answer, options, kind = "grounding", Box((100, 120, 220, 300)), (), "box"
    elif task.open_type == "interval_regression":
        form, options, kind = "open", (), "range"
        answer = Golden("0.25-0.5", "interval", [0.25, 0.5])
    return Item(
        id=f"{task.code}-{number:05d}",
        task=task.code,
        levels=task.levels,
        format=form,
        question_type=kind,
        question="Which way does the system move over the frames shown?",
        options=options,
        answer=answer,
        media=(PICTURE,),
        group=f"scene-{number // 7}",
        source="made-up",
        meta={"unable": 4} if options else {},
    )


def reply(number: int, item: Item) -> ReplyRecord:
    texts = {"open": OPEN_REPLIES, "grounding": BOX_REPLIES}.get(item.format, CHOICE_REPLIES)
    order = tuple(range(len(item.options)))
    return ReplyRecord(
        Key(item.id, "image"),
        "replied",
        texts[number % len(texts)],
        "stop",
        option_order=order,
        shown=(PICTURE.path,),
    )


def saved(folder: Path) -> tuple[Run, Benchmark]:
    with write_benchmark(folder / "bench") as writer:
        writer.add_items(items())
        writer.finish(BenchmarkInfo(name="speed", taxonomy="omniearth"))
    benchmark = Benchmark.open(folder / "bench")
    (folder / "run").mkdir()
    info = RunInfo(
        benchmark="speed",
        benchmark_path=str(benchmark.root),
        benchmark_sha256=benchmark.sha256,
        taxonomy="omniearth",
        model="made-up",
        views=["image"],
    )
    write_run_info(folder / "run", info)
    with (folder / "run" / "replies.jsonl").open("wb") as stream:
        for number, item in enumerate(benchmark.items):
            stream.write(reply(number, item).to_line())
    return Run.open(folder / "run"), benchmark


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run, _ = saved(Path(folder))
        start = CLOCK()
        benchmark = Benchmark.open(run.info.benchmark_path)
        opened = CLOCK()
        rows = score_run(run, benchmark)
        scored = CLOCK()
        rows, _ = finish_scores(run, benchmark, rows)
        record_scores(run, rows)
        written = CLOCK()
        score_released_omniearth(run, benchmark)
        released = CLOCK()
    print(f"open the benchmark           {opened - start:6.2f} s")
    print(f"read and score {COUNT} replies {scored - opened:6.2f} s")
    print(f"summarise and write          {written - scored:6.2f} s")
    print(f"all, goal {GOAL_S:.0f} s               {written - start:6.2f} s")
    print(f"the released way besides     {released - written:6.2f} s")


if __name__ == "__main__":
    main()
