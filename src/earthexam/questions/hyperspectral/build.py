"""Build a benchmark from hyperspectral scenes."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from earthexam.benchmark.card import write_card
from earthexam.benchmark.store import (
    INFO_FILE,
    BenchmarkInfo,
    BenchmarkWriter,
    SourceInfo,
    write_benchmark,
)
from earthexam.core.errors import InputError
from earthexam.core.files import refuse_taken, sha256_file
from earthexam.core.item import Item, Media
from earthexam.core.scene import Vector
from earthexam.published.tables import load_taxonomy
from earthexam.questions.builder import (
    BUILDER_VERSION,
    Cases,
    FamilyCount,
    make_items,
    select,
)
from earthexam.questions.hyperspectral.block import Block
from earthexam.questions.hyperspectral.context import Context
from earthexam.questions.hyperspectral.families import all_families
from earthexam.questions.hyperspectral.scenes import (
    DroppedBlock,
    LabelledScene,
    SceneFiles,
    Screening,
    open_scenes,
)
from earthexam.questions.hyperspectral.thresholds import measure_context
from earthexam.questions.hyperspectral.views import store_views
from earthexam.questions.verify import source_names
from earthexam.render.sheet import Thumbnail, contact_sheet
from earthexam.spectral.bands import NoSuchBandError, band_position
from earthexam.spectral.normalise import stretch, to_uint8

TAXONOMY = "hm-bench"
SHEET_FILE = "contact-sheet.png"

Progress = Callable[[str, int, int], None]


class BuildWarning(UserWarning):
    """Something about the sources that the builder can go on with, but a person should look at."""


@dataclass(frozen=True)
class BuildSettings:
    """How to build.

    Attributes
    ----------
    tile : int
        Side of a block in pixels.
    per_task : int
        Most items for each of the 13 tasks, over all scenes.
    fill : bool
        Label unlabelled pixels where their spectrum speaks for one class.
    """

    name: str
    tile: int = 32
    per_task: int = 60
    seed: int = 0
    fill: bool = False
    screening: Screening = field(default_factory=Screening)
    title: str = ""


@dataclass(frozen=True)
class BuildReport:
    """What was built and what was left out.

    Attributes
    ----------
    by_task : mapping of str to int
        Items of each task.
    """

    out: Path
    items: int
    by_task: dict[str, int]
    blocks: int
    dropped: tuple[DroppedBlock, ...]
    families: tuple[FamilyCount, ...]


def build_hyperspectral(
    files: Sequence[SceneFiles],
    out: Path,
    settings: BuildSettings,
    *,
    replace: bool = False,
    progress: Progress | None = None,
) -> BuildReport:
    """Build a benchmark of the 13 hyperspectral tasks from scenes with labels.

    Parameters
    ----------
    files : sequence of SceneFiles
        One or more scenes, each with labels and perhaps a second date.
    out : Path
        Folder of the benchmark; appears only when all is well.
    replace : bool
        Replace a benchmark that is there already.
    progress : callable
        Told the step, how far it is and how far it goes.

    Raises
    ------
    InputError
        The sources do not exist or do not fit, or no block passes the screening.
    """
    refuse_taken(out, marker=INFO_FILE, replace=replace)
    tell = progress or (lambda step, done, total: None)
    scenes = open_scenes(
        files, tile=settings.tile, screening=settings.screening, fill=settings.fill
    )
    for scene in scenes:
        _check_scene(scene)
    with write_benchmark(out, replace_existing=replace) as writer:
        items: list[Item] = []
        counts: list[FamilyCount] = []
        for number, scene in enumerate(scenes):
            # Shares that differ by one at most and add up to what was asked for.
            share = (settings.per_task + number) // len(scenes)
            made, counted = _ask_scene(scene, settings, share, writer, tell)
            items.extend(made)
            counts.extend(counted)
        if not items:
            message = (
                f"no item could be made from {', '.join(s.name for s in scenes)}: no question has "
                "an answer that varies over the blocks; use smaller blocks (--tile) or more scenes"
            )
            raise InputError(message)
        writer.add_items(items)
        dropped = tuple(one for scene in scenes for one in scene.dropped)
        (writer.folder / SHEET_FILE).write_bytes(_sheet(scenes))
        info = writer.finish(_info(scenes, settings, dropped, counts))
        write_card(writer.folder, info)
    tasks = [task.code for task in load_taxonomy(TAXONOMY)]
    return BuildReport(
        out=out,
        items=len(items),
        by_task={code: sum(item.task == code for item in items) for code in tasks},
        blocks=sum(len(scene.kept) for scene in scenes),
        dropped=dropped,
        families=tuple(counts),
    )


def measured_context(scene: LabelledScene, tell: Progress | None = None) -> Context:
    """Choose the thresholds of a scene from its kept blocks."""

    def told() -> Iterator[Block]:
        for number, block in enumerate(scene.blocks(), 1):
            yield block
            if tell is not None:
                tell(f"{scene.name}: reading blocks", number, len(scene.kept))

    return measure_context(told())


def _check_scene(scene: LabelledScene) -> None:
    if not scene.kept:
        first = scene.dropped[0]
        message = (
            f"{scene.files.scene}: none of {len(scene.plans)} blocks passes the screening "
            f"(first: {first.place}, {first.reason}); label more pixels, use other blocks (--tile) "
            "or lower --least-labelled"
        )
        raise InputError(message)
    alignment = scene.alignment
    if not alignment.is_aligned:
        message = (
            f"{scene.files.labels}: label borders fit the edges of {scene.files.scene} better when "
            f"moved by {alignment.row_shift} rows and {alignment.col_shift} columns (correlation "
            f"{alignment.best_correlation:.2f} against {alignment.correlation:.2f}); look at the "
            "contact sheet and check that both have the same grid"
        )
        warnings.warn(message, BuildWarning, stacklevel=3)


def _ask_scene(
    scene: LabelledScene,
    settings: BuildSettings,
    per_task: int,
    writer: BenchmarkWriter,
    tell: Progress,
) -> tuple[list[Item], tuple[FamilyCount, ...]]:
    taxonomy = load_taxonomy(TAXONOMY)
    families = all_families()
    context = measured_context(scene, tell)
    cases: Cases[Block, Context] = Cases.empty()
    for number, block in enumerate(scene.blocks()):
        cases.ask(families, block, block.place, context, block.capabilities)
        tell(f"{scene.name}: asking", number + 1, len(scene.kept))
    selection = select(
        cases, [task.code for task in taxonomy], per_task=per_task, seed=settings.seed
    )
    wanted = sorted({(item.case.place, item.case.family.dates) for item, _ in selection.drawn})
    plans = {plan.place: plan for plan in scene.kept}
    media: dict[tuple[str, int], tuple[Media, ...]] = {}
    for number, (place, dates) in enumerate(wanted):
        media[place, dates] = store_views(scene.block(plans[place]), dates, writer)
        tell(f"{scene.name}: drawing views", number + 1, len(wanted))
    files = _sources(scene)
    names = source_names(source.path for source in files)
    sources = {names[source.path]: source.sha256 for source in files}
    items = make_items(
        selection,
        taxonomy,
        source=scene.name,
        scene_hash="|".join(sorted(sources.values())),
        media_of=lambda place, dates: media[place, dates],
        meta_of=lambda place: {
            key: getattr(plans[place].tile, key) for key in ("row", "col", "height", "width")
        },
        seed=settings.seed,
    )
    return [item.with_sources(sources) for item in items], selection.counts


def _sources(scene: LabelledScene) -> list[SourceInfo]:
    """List the files of a scene with the role each plays."""
    found = []
    for role, opened in (("scene", scene.scene), ("later", scene.later)):
        if opened is None:
            continue
        for number, source in enumerate(opened.sources):
            found.append(
                SourceInfo(
                    path=source.path,
                    sha256=source.sha256,
                    format=source.format,
                    scale=source.scale,
                    offset=source.offset,
                    nodata=list(source.nodata),
                    band_order=None if source.band_order is None else list(source.band_order),
                    licence=source.licence,
                    role=role if number == 0 else f"{role} side file",
                    scene=scene.name,
                )
            )
    files = scene.files
    others = {
        "labels": files.labels,
        "later_labels": files.later_labels,
        "classes": files.classes,
        "profile": files.profile if isinstance(files.profile, Path) else None,
    }
    found += [
        SourceInfo(path=str(path), sha256=sha256_file(path), role=role, scene=scene.name)
        for role, path in others.items()
        if path is not None
    ]
    return found


def _info(
    scenes: Sequence[LabelledScene],
    settings: BuildSettings,
    dropped: Sequence[DroppedBlock],
    counts: Sequence[FamilyCount],
) -> BenchmarkInfo:
    simulated = [scene.later.simulated for scene in scenes if scene.later is not None]
    profiles = [scene.scene.profile for scene in scenes]
    names = ", ".join(scene.name for scene in scenes)
    return BenchmarkInfo(
        name=settings.name,
        title=settings.title or f"Hyperspectral questions on {names}",
        taxonomy=TAXONOMY,
        licence="; ".join(sorted({profile.licence for profile in profiles if profile.licence})),
        citation="; ".join(sorted({profile.citation for profile in profiles if profile.citation})),
        simulated=" ".join(text for text in simulated if text),
        sources=[source for scene in scenes for source in _sources(scene)],
        built={
            "builder": "hyperspectral",
            "builder_version": BUILDER_VERSION,
            "tile": settings.tile,
            "per_task": settings.per_task,
            "seed": settings.seed,
            "fill": settings.fill,
            "screening": asdict(settings.screening),
            "scenes": [_scene_record(scene) for scene in scenes],
            "dropped_blocks": [asdict(one) for one in dropped],
            "families": [{**asdict(one), "reason": one.reason} for one in counts],
        },
    )


def _scene_record(scene: LabelledScene) -> dict[str, object]:
    files = scene.files
    return {
        "name": scene.name,
        "profile": files.profile if isinstance(files.profile, str) else "",
        "variable": files.variable or "",
        "labels_variable": files.labels_variable or "",
        "quantity": scene.scene.profile.quantity,
        "sensor": scene.scene.profile.sensor,
        "platform": scene.scene.profile.platform,
        "resolution_m": scene.scene.profile.resolution_m,
        "scene_type": scene.scene.profile.scene_type,
        "blocks": len(scene.kept),
        "dropped_bands": int((~scene.kept_bands).sum()),
        "class_names": {str(code): name for code, name in sorted(scene.class_names.items())},
        "class_kinds": dict(sorted(scene.class_kinds.items())),
        "filled_pixels": 0
        if scene.filled is None
        else scene.filled.by_cluster + scene.filled.by_angle + scene.filled.by_neighbours,
    }


def _sheet(scenes: Sequence[LabelledScene]) -> bytes:
    """Draw all blocks in true colour, or in the colours that the bands allow."""
    thumbnails = []
    for scene in scenes:
        reasons = {one.place: one.reason for one in scene.dropped}
        bands = _shown_bands(int(scene.kept_bands.sum()), scene.wavelengths_nm)
        for plan in scene.plans:
            shown = stretch(scene.cube_of(plan)[:, :, bands])
            thumbnails.append(
                Thumbnail(
                    pixels=to_uint8(np.nan_to_num(shown)),
                    title=plan.place.rsplit("/", 1)[-1],
                    note=reasons.get(plan.place, f"{1 - plan.quality.unlabelled:.0%} labelled"),
                    dropped=plan.place in reasons,
                )
            )
    return contact_sheet(thumbnails).png


def _shown_bands(n_bands: int, wavelengths_nm: Vector | None) -> list[int]:
    """Find red, green and blue; where the sensor does not see them, three bands as far apart."""
    colours = ("red", "green", "blue")
    try:
        return [band_position(colour, n_bands, wavelengths_nm) for colour in colours]
    except NoSuchBandError:
        return [band_position(colour, n_bands) for colour in colours]
