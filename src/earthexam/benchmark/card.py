"""The dataset card: what a reader must know before using a benchmark."""

import json
from collections.abc import Iterable
from pathlib import Path

from earthexam.benchmark.store import BenchmarkInfo, SourceInfo
from earthexam.core.files import write_whole
from earthexam.published.tables import load_taxonomy, taxonomy_names

CARD_FILE = "README.md"


def write_card(folder: Path, info: BenchmarkInfo) -> None:
    """Write the card of a benchmark into its folder."""
    write_whole(folder / CARD_FILE, card_text(info).encode())


def card_text(info: BenchmarkInfo) -> str:
    """Return the card as Markdown with the front matter that Hugging Face reads."""
    title = info.title or info.name
    parts = [_front_matter(info, title), f"# {title}\n"]
    if info.simulated:
        parts.append(f"> **Simulated data.** {info.simulated}\n")
    counts = info.counts
    parts.append(
        f"{counts.get('items', 0):,} questions on {counts.get('groups', 0):,} locations, "
        f"{counts.get('media', 0):,} media files. Items: `{info.sha256.get('items', '')[:16]}…` "
        f"(sha256), version {info.version}.\n"
    )
    parts.append(_tasks(info))
    if info.sources:
        parts.append(_sources(info.sources))
    parts.append(_making(info))
    if info.citation:
        parts.append(f"## Citation\n\n{info.citation}\n")
    return "\n".join(parts)


def _front_matter(info: BenchmarkInfo, title: str) -> str:
    size = info.counts.get("items", 0)
    category = next(
        name
        for limit, name in (
            (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**9, "100K<n<1M")
        )
        if size < limit
    )  # fmt: skip
    # JSON strings are YAML strings, and quote whatever a title may hold.
    lines = [
        "---",
        f"pretty_name: {json.dumps(title, ensure_ascii=False)}",
        f"license_name: {json.dumps(info.licence or 'unknown', ensure_ascii=False)}",
        "license: other",
        "language:",
        *(f"- {language}" for language in info.languages),
        "task_categories:",
        "- visual-question-answering",
        "tags:",
        "- earth-observation",
        "- earthexam",
        f"size_categories:\n- {category}",
        "configs:",
        "- config_name: default",
        "  data_files: items.parquet",
        "---",
        "",
    ]
    return "\n".join(lines)


def _tasks(info: BenchmarkInfo) -> str:
    names = {}
    if info.taxonomy in taxonomy_names():
        names = {task.code: task.name for task in load_taxonomy(info.taxonomy)}
    rows = [
        f"| {key.removeprefix('task ')} | {names.get(key.removeprefix('task '), '')} | {count:,} |"
        for key, count in info.counts.items()
        if key.startswith("task ")
    ]
    return "\n".join(["## Tasks\n", "| code | task | questions |", "|---|---|---:|", *rows, ""])


def _sources(sources: Iterable[SourceInfo]) -> str:
    rows = [
        f"| {Path(source.path).name} | {source.role} | {source.licence or '–'} | "
        f"`{source.sha256[:16]}…` |"
        for source in sources
    ]
    return "\n".join(
        ["## Sources\n", "| file | role | licence | sha256 |", "|---|---|---|---|", *rows, ""]
    )


def _making(info: BenchmarkInfo) -> str:
    built = info.built
    lines = ["## How it was made\n"]
    if "builder" in built:
        lines.append(
            f"Built by EarthExam {built.get('earthexam')} (`{built['builder']}` builder version "
            f"{built.get('builder_version')}, seed {built.get('seed')}). Every answer follows by a "
            "rule from measured values that `items.parquet` records in `provenance`; "
            "`earthexam verify` computes them again from the sources.\n"
        )
    else:
        lines.append(f"Written by EarthExam {built.get('earthexam')}.\n")
    dropped = built.get("dropped_blocks", [])
    if dropped:
        lines.append(f"{len(dropped)} blocks were dropped:\n")
        lines += [f"- {one['place']}: {one['reason']}" for one in dropped]
        lines.append("")
    return "\n".join(lines)
