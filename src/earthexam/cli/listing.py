"""`earthexam list`: every registered part, known scene and shipped table."""

import inspect
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from earthexam.cli.app import app, print_table

listing = typer.Typer(help="List what is there, by kind.", no_args_is_help=True)
app.add_typer(listing, name="list")

_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Taxonomy = Annotated[str | None, typer.Option(help="Only of this taxonomy, for example hm-bench.")]

# Taxonomies whose questions are built here, and so have families.
_BUILT = "hm-bench"


@listing.command("models")
def list_models(as_json: _Json = False) -> None:
    """List servers, other kinds of models, baselines, and the profiles of known models."""
    from earthexam.baselines import BASELINES
    from earthexam.models import MODELS
    from earthexam.models.presets import load_presets
    from earthexam.models.profiles import shipped_profiles

    servers = {preset.name: preset for preset in load_presets()}
    rows = [
        (
            "server",
            f"{name}/NAME",
            f"{preset.title}: {preset.base_url or '--base-url ' + preset.example_url}, "
            f"key in {preset.key_variable}{' if it needs one' if preset.key_optional else ''}",
        )
        for name, preset in servers.items()
    ]
    rows += [("kind", name, _first_line(opener)) for name, opener in MODELS if name not in servers]
    rows += [("baseline", f"baseline/{name}", _first_line(part)) for name, part in BASELINES]
    for profile in shipped_profiles():
        size = "" if profile.parameters_billion is None else f"{profile.parameters_billion:g} B"
        known = (profile.vendor, profile.released, size, f"boxes {profile.convention}")
        rows.append(("profile", profile.name, ", ".join(filter(None, known))))
    print_table(rows, ("kind", "name", "detail"), as_json=as_json)


@listing.command("tasks")
def list_tasks(taxonomy: _Taxonomy = None, as_json: _Json = False) -> None:
    """List the tasks of the taxonomies, with their levels and what can be built for them."""
    from earthexam.published.tables import load_taxonomy, taxonomy_names
    from earthexam.questions.hyperspectral.families import all_families

    chosen = [load_taxonomy(name) for name in ([taxonomy] if taxonomy else taxonomy_names())]
    families = Counter(family.task for family in all_families().by_name.values())
    rows = [
        (
            one.name,
            task.code,
            " > ".join(task.levels),
            "" if task.size is None else str(task.size),
            str(families[task.code]) if one.name == _BUILT else "",
        )
        for one in chosen
        for task in one
    ]
    header = ("taxonomy", "code", "levels", "published items", "question families")
    print_table(rows, header, as_json=as_json)


@listing.command("sources")
def list_sources(as_json: _Json = False) -> None:
    """List the file formats that can be read, and the scenes that are recognised."""
    from earthexam.sources import SOURCES
    from earthexam.sources.profiles import known_scenes

    rows = [
        ("format", name, f"{_first_line(type(reader))} {' '.join(filter(None, reader.suffixes))}")
        for name, reader in SOURCES
    ]
    for name, scene in known_scenes().items():
        shape = "×".join(str(side) if side else "any" for side in scene.shape)
        profile = scene.profile
        known = (
            shape,
            profile.sensor,
            f"{len(profile.class_names)} classes named" if profile.class_names else "",
            profile.licence,
        )
        rows.append(("scene", name, ", ".join(filter(None, known))))
    print_table(rows, ("kind", "name", "detail"), as_json=as_json)


@listing.command("metrics")
def list_metrics(as_json: _Json = False) -> None:
    """List how each format of answer is scored, and what a report computes from the scores."""
    print_table(_metric_rows(), ("of", "metric", "what it is"), as_json=as_json)


@listing.command("published")
def list_published(taxonomy: _Taxonomy = None, as_json: _Json = False) -> None:
    """List the shipped taxonomies and result tables, where they come from and what is wrong in them."""
    from earthexam.published.tables import (
        contradictions,
        load_results,
        load_taxonomy,
        result_names,
        source_note,
        taxonomy_names,
    )

    # An unknown name is refused with the nearest ones.
    names = [load_taxonomy(taxonomy).name] if taxonomy else taxonomy_names()
    rows = [
        (
            "taxonomy",
            name,
            f"{len(load_taxonomy(name).tasks)} tasks",
            source_note("taxonomies", name),
        )
        for name in names
    ]
    for name in result_names():
        if name in names:
            cells = f"{len(load_results(name))} cells"
            rows.append(("results", name, cells, source_note("results", name)))
            rows += [("contradiction", name, "", sentence) for sentence in contradictions(name)]
    print_table(rows, ("kind", "name", "size", "source"), as_json=as_json)


def _metric_rows() -> Sequence[tuple[str, str, str]]:
    from earthexam.answers.score import RIGHT_FROM_IOU
    from earthexam.evaluate.captions import METRICS
    from earthexam.evaluate.grounding import THRESHOLDS
    from earthexam.evaluate.metrics import RANKED_COVERAGE

    return (
        (
            "single_choice, multiple_choice",
            "accuracy",
            "right as a set: all right options, no other",
        ),
        ("true_false", "accuracy", "right or wrong"),
        ("fill_blank", "share of blanks", "texts equal after normalising; some right is partial"),
        ("open", "accuracy", "by rule where one can decide, else by a judge; unjudged counts 0"),
        ("grounding", "accuracy", f"right from an overlap (IoU) of {RIGHT_FROM_IOU}"),
        ("grounding", "mean IoU", "mean overlap; no box counts 0"),
        *(("grounding", f"accuracy@{least}", f"share of IoU from {least}") for least in THRESHOLDS),
        *(("caption", name, "over all captions as one corpus (pycocoevalcap)") for name in METRICS),
        ("chain_of_thought", "accuracy", "right final answers"),
        ("chain_of_thought", "recall, precision, F1", "of the reasoning steps, by a judge"),
        ("all", "micro average", "mean over items"),
        ("all", "macro average", "mean over tasks"),
        ("all", "coverage", f"share of replies that came; below {RANKED_COVERAGE:.0%} no rank"),
        ("all", "answered", "mean score of the items whose answer could be read"),
        ("all", "above chance", "0 for a uniform guess, 1 for all right"),
    )


def _first_line(part: object) -> str:
    """Return the first line of a docstring as plain text."""
    return (inspect.getdoc(part) or "").partition("\n")[0].replace("``", "").replace("`", "")
