"""A small made-up benchmark with three runs, for tests of the report: no model was asked."""

import io
import random
from pathlib import Path

from PIL import Image, ImageDraw

from earthexam.benchmark.store import BenchmarkInfo, BenchmarkWriter, write_benchmark, write_info
from earthexam.core.item import Choice, Item, Media, Provenance, View
from earthexam.evaluate.folder import (
    REPLIES_FILE,
    ReplyRecord,
    RunInfo,
    ScoreRecord,
    write_run_info,
    write_scores,
)
from earthexam.models.protocol import Key
from earthexam.published.tables import load_taxonomy

HOSTILE = '</script><img src=x onerror="document.title=1"><b>&amp;'
"""What a careless page would run."""

CLASSES = ("Corn-notill", "Grass-pasture", "Woods", "Soybean-mintill", "Hay-windrowed", "Wheat")
VIEWS: tuple[View, ...] = ("composite", "report")
SKILLS = {"example/spectral": (0.75, 0.6), "example/rgb": (0.45, 0.5), "example/uniform": (0, 0)}


def write_example(
    folder: Path, *, per_task: int = 4, blocks: int = 12, skills: dict = SKILLS
) -> tuple[Path, list[Path]]:
    """Write a benchmark and a run for each of `skills`; return where they lie."""
    bench = folder / "benchmark"
    with write_benchmark(bench) as writer:
        items = _items(writer, per_task, blocks)
        writer.add_items(items)
        info = writer.finish(
            BenchmarkInfo(
                name="example",
                title="Example of a hyperspectral benchmark",
                taxonomy="hm-bench",
                licence="CC0-1.0",
                simulated="The second date is made from the first: patches exchanged, noise added.",
            )
        )
    runs = [
        _run(folder / "runs" / name, name, skill, items, info) for name, skill in skills.items()
    ]
    return bench, runs


def change_benchmark(bench: Path, **changes: object) -> None:
    """Change what ``benchmark.json`` says."""
    from earthexam.benchmark.store import read_info

    write_info(bench, read_info(bench).model_copy(update=changes))


def _items(writer: BenchmarkWriter, per_task: int, blocks: int) -> list[Item]:
    shown = [_block(writer, number) for number in range(blocks)]
    items = []
    for task in load_taxonomy("hm-bench"):
        for number in range(per_task):
            draw = random.Random(f"{task.code}-{number}")
            options = tuple(draw.sample(CLASSES, draw.choice((2, 4, 5))))
            key = draw.randrange(len(options))
            block = draw.randrange(blocks)
            items.append(
                Item(
                    id=f"{task.code}-{draw.getrandbits(32):08x}",
                    task=task.code,
                    levels=task.levels,
                    format="single_choice",
                    question_type="choice",
                    question=f"Which class fits {task.name.lower()} best at row {number}, "
                    f"column {draw.randrange(32)} of this block?"
                    + (HOSTILE if (task.code, number) == ("SFR", 0) else ""),
                    options=options,
                    answer=Choice((key,)),
                    media=shown[block],
                    group=f"block-{block}",
                    source="example scene",
                    provenance=Provenance("example.rule", {"row": number}, {"share": 0.25}),
                )
            )
    return items


def _block(writer: BenchmarkWriter, number: int) -> tuple[Media, ...]:
    draw = random.Random(number)
    files = (
        ("composite", _composite(draw), ".png", (912, 724)),
        ("report", _words(draw).encode(), ".txt", (None, None)),
        ("true_colour", _patch(draw), ".png", (224, 224)),
    )
    media = []
    for view, data, suffix, (width, height) in files:
        path, digest = writer.add_media(data, suffix)
        media.append(Media(view, path, width=width, height=height, sha256=digest))
    return tuple(media)


def _composite(draw: random.Random) -> bytes:
    sheet = Image.new("L", (912, 724), 255)
    pen = ImageDraw.Draw(sheet)
    for panel in range(12):
        grey = bytes(draw.randrange(256) for _ in range(64))
        maps = Image.frombytes("L", (8, 8), grey).resize((224, 224), Image.Resampling.NEAREST)
        x, y = 2 + panel % 4 * 228, 16 + panel // 4 * 242
        sheet.paste(maps, (x, y))
        pen.text((x, y - 14), f"PC{panel + 1} ({42 / (panel + 1):.1f}%)", fill=0)
    return _png(sheet)


def _patch(draw: random.Random) -> bytes:
    colours = bytes(draw.randrange(40, 200) for _ in range(3 * 64))
    return _png(Image.frombytes("RGB", (8, 8), colours).resize((224, 224)))


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _words(draw: random.Random) -> str:
    return "\n".join(
        f"Band {band}: mean {draw.uniform(0.05, 0.5):.4f}, deviation {draw.uniform(0, 0.1):.4f}."
        for band in range(1, 25)
    )


def _run(folder: Path, name: str, skill: tuple, items: list[Item], info: BenchmarkInfo) -> Path:
    folder.mkdir(parents=True)
    pairs = [
        _reply(name, item, view, share)
        for item in items
        for view, share in zip(VIEWS, skill, strict=True)
    ]
    (folder / REPLIES_FILE).write_bytes(b"".join(reply.to_line() for reply, _ in pairs))
    write_scores(folder, [score for _, score in pairs])
    write_run_info(
        folder,
        RunInfo(
            benchmark=info.name,
            benchmark_path=str(folder.parents[2] / "benchmark"),
            benchmark_sha256=info.sha256["items"],
            taxonomy="hm-bench",
            model=name,
            views=list(VIEWS),
            parameters={"temperature": 0},
            finished="2026-01-02T03:04:05+00:00",
            asked=len(pairs),
        ),
    )
    return folder


def _reply(name: str, item: Item, view: View, share: float) -> tuple[ReplyRecord, ScoreRecord]:
    draw = random.Random(f"{name}/{item.id}/{view}")
    key = Key(item.id, view)
    chosen = item.letters[item.answer.indices[0]] if draw.random() < share else (
        draw.choice(item.letters)
    )  # fmt: skip
    right = chosen == item.letters[item.answer.indices[0]]
    text, outcome, rule, answer = f"{chosen}", "right" if right else "wrong", "whole", chosen
    fate = draw.random()
    if fate < 0.03:
        text, outcome, rule, answer = f"Hard to say. {HOSTILE}", "unread", "", ""
    elif fate < 0.05:
        text, outcome, rule, answer = "I cannot answer that.", "refused", "refusal", ""
    elif fate < 0.3:
        text, rule = f"The mean spectrum rises past band 20, so the answer is {chosen}.", "marker"
    score = ScoreRecord(
        key=key,
        task=item.task,
        group=item.group,
        source=item.source,
        answer=f'["{answer}"]' if answer else "",
        rule=rule,
        outcome=outcome,
        score=float(outcome == "right"),
        chance=1 / len(item.options),
        detail=answer,
    )
    order = tuple(range(len(item.options)))
    return ReplyRecord(key=key, status="replied", text=text, option_order=order), score
