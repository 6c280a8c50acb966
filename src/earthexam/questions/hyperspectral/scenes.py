"""Scenes to blocks: open the files, check that they fit, cut, screen, and give blocks one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import InputError, ShapeError
from earthexam.core.scene import Cube, Labels, Vector
from earthexam.questions.hyperspectral.block import Block
from earthexam.sources.labels import check_labels, read_class_table, read_labels
from earthexam.sources.scene import OpenScene, open_scene
from earthexam.spectral.bands import water_vapour_bands
from earthexam.spectral.fill import FilledLabels, fill_labels
from earthexam.spectral.screen import Alignment, BlockQuality, check_alignment, screen_block
from earthexam.spectral.tiles import Tile, cut_tiles

# Values of a scene (rows × columns × bands × dates) that are kept in memory; of larger scenes each
# pass reads its blocks anew.
KEPT_VALUES = 300_000_000
ALIGNMENT_SIDE = 1024


@dataclass(frozen=True)
class SceneFiles:
    """The files of one scene.

    Attributes
    ----------
    later, later_labels : Path or None
        Second date and its labels; without its labels only questions on spectral change are asked.
    classes : Path or None
        Class table; None takes the names of the scene profile.
    profile : Path, str or None
        Scene description (TOML) or the name of a shipped one; None recognises the scene.
    variable, labels_variable : str or None
        Arrays to take from files that hold several.
    """

    scene: Path
    labels: Path
    later: Path | None = None
    later_labels: Path | None = None
    classes: Path | None = None
    profile: Path | str | None = None
    variable: str | None = None
    labels_variable: str | None = None


@dataclass(frozen=True)
class Screening:
    """Limits that a block must keep, as shares of its pixels.

    Attributes
    ----------
    least_labelled, least_classes : float, int
        Below these there is too little to ask about.
    most_invalid, most_saturated, most_outlying : float
        Above these the block is distorted.
    """

    least_labelled: float = 0.2
    least_classes: int = 2
    most_invalid: float = 0.2
    most_saturated: float = 0.2
    most_outlying: float = 0.1

    def reason_against(self, quality: BlockQuality) -> str:
        """Say why a block of this quality is dropped; empty where it stays."""
        if 1 - quality.unlabelled < self.least_labelled:
            return f"{1 - quality.unlabelled:.1%} labelled, needs {self.least_labelled:.0%}"
        if quality.classes < self.least_classes:
            return f"{quality.classes} class, needs {self.least_classes}"
        for name in ("invalid", "saturated", "outlying"):
            share, limit = getattr(quality, name), getattr(self, f"most_{name}")
            if share > limit:
                return f"{share:.1%} of the pixels {name}, allowed {limit:.0%}"
        return ""


@dataclass(frozen=True)
class DroppedBlock:
    """A block that is not asked about, and why."""

    place: str
    reason: str


@dataclass(frozen=True)
class BlockPlan:
    """Where a block lies and how good it is."""

    place: str
    tile: Tile
    quality: BlockQuality


class LabelledScene:
    """A scene cut into blocks; values stay in the files until a block is asked for.

    Parameters
    ----------
    files : SceneFiles
    tile : int
        Side of a block in pixels.
    fill : bool
        Label unlabelled pixels where their spectrum speaks for one class (`spectral.fill`).

    Raises
    ------
    InputError
        Files that do not exist, do not fit each other or cannot be read; see the readers.
    """

    def __init__(
        self,
        files: SceneFiles,
        *,
        tile: int,
        screening: Screening | None = None,
        fill: bool = False,
    ) -> None:
        self.files = files
        self.screening = screening or Screening()
        self.scene = open_scene(files.scene, variable=files.variable, profile=files.profile)
        self.later = self._open_later()
        table = read_class_table(files.classes) if files.classes else None
        profile = self.scene.profile
        self.class_names: Mapping[int, str] = table.names if table else profile.class_names
        self.class_kinds: Mapping[str, str] = table.kinds if table else profile.class_kinds
        rows, cols, _ = self.scene.shape
        self.tiles = cut_tiles(rows, cols, tile)
        for opened in (self.scene, self.later):
            if opened is not None:
                self._refuse_empty_bands(opened)
        self.labels = self._read_labels(files.labels)
        self.later_labels = self._read_labels(files.later_labels) if files.later_labels else None
        self.filled = self._fill() if fill else None

    @property
    def name(self) -> str:
        """Name of the scene."""
        return self.scene.name

    @cached_property
    def kept_bands(self) -> NDArray[np.bool_]:
        """Bands that are used: those outside the water-vapour absorptions, where known."""
        if self.scene.wavelengths_nm is None:
            return np.ones(self.scene.shape[2], dtype=bool)
        return np.asarray(~water_vapour_bands(self.scene.wavelengths_nm))

    @cached_property
    def wavelengths_nm(self) -> Vector | None:
        """Band centres of the kept bands."""
        known = self.scene.wavelengths_nm
        return None if known is None else known[self.kept_bands]

    @cached_property
    def references(self) -> dict[str, Vector]:
        """Mean spectrum of each class over the valid labelled pixels of the whole scene."""
        sums = {code: np.zeros(int(self.kept_bands.sum())) for code in self.class_names}
        counts = dict.fromkeys(self.class_names, 0)
        for rows in self._strips():
            cube, labels = self._read(self.scene, rows), rows.cut(self.labels)
            valid = np.isfinite(cube).all(axis=2)
            for code in np.unique(labels[labels > 0]).tolist():
                pixels = cube[valid & (labels == code)]
                sums[code] += pixels.sum(axis=0, dtype=np.float64)
                counts[code] += len(pixels)
        return {
            self.class_names[code]: sums[code] / count for code, count in counts.items() if count
        }

    @property
    def saturation_level(self) -> float:
        """The largest value that the stored integers can hold; infinite for floating point."""
        if self.scene.dtype.kind not in "iu":
            return float("inf")
        coding = self.scene.coding
        return float(np.iinfo(self.scene.dtype).max * min(coding.scale) + min(coding.offset))

    @cached_property
    def plans(self) -> tuple[BlockPlan, ...]:
        """All blocks, screened, in the order they lie in the scene."""
        return tuple(
            BlockPlan(
                f"{self.name}/block-{tile.index:03d}",
                tile,
                screen_block(self._cached_cube(tile), tile.cut(self.labels), self.saturation_level),
            )
            for tile in self.tiles
        )

    @cached_property
    def kept(self) -> tuple[BlockPlan, ...]:
        """Blocks that pass the screening."""
        return tuple(p for p in self.plans if not self.screening.reason_against(p.quality))

    @cached_property
    def dropped(self) -> tuple[DroppedBlock, ...]:
        """Blocks that do not, each with the reason."""
        reasons = ((p.place, self.screening.reason_against(p.quality)) for p in self.plans)
        return tuple(DroppedBlock(place, reason) for place, reason in reasons if reason)

    @cached_property
    def alignment(self) -> Alignment:
        """How well label borders lie on edges of the cube, over the middle of the scene at most."""
        rows, cols, _ = self.scene.shape
        height, width = min(rows, ALIGNMENT_SIDE), min(cols, ALIGNMENT_SIDE)
        middle = Tile(0, (rows - height) // 2, (cols - width) // 2, height, width)
        return check_alignment(self._read(self.scene, middle), middle.cut(self.labels))

    def blocks(self) -> Iterator[Block]:
        """Give the kept blocks one by one."""
        return (self.block(plan) for plan in self.kept)

    def cube_of(self, plan: BlockPlan) -> Cube:
        """Read the first date of any block, kept or dropped."""
        return self._cached_cube(plan.tile)

    def block(self, plan: BlockPlan) -> Block:
        """Read one block, all dates."""
        known = self._blocks.get(plan.place)
        if known is not None:
            return known
        made = self._make_block(plan)
        if self._fits_memory:
            self._blocks[plan.place] = made
        return made

    @cached_property
    def _blocks(self) -> dict[str, Block]:
        return {}

    @property
    def _fits_memory(self) -> bool:
        rows, cols, bands = self.scene.shape
        return rows * cols * bands * (1 if self.later is None else 2) <= KEPT_VALUES

    def _make_block(self, plan: BlockPlan) -> Block:
        tile = plan.tile
        return Block(
            place=plan.place,
            cube=self._cached_cube(tile),
            labels=tile.cut(self.labels),
            class_names=self.class_names,
            class_kinds=self.class_kinds,
            references=self.references,
            quantity=self.scene.profile.quantity,
            wavelengths_nm=self.wavelengths_nm,
            later=None if self.later is None else self._read(self.later, tile),
            later_labels=None if self.later_labels is None else tile.cut(self.later_labels),
            corner=(tile.row, tile.col),
            times=(self.scene.time,) if self.later is None else (self.scene.time, self.later.time),
        )

    @cached_property
    def _cubes(self) -> dict[int, Cube]:
        return {}

    def _cached_cube(self, tile: Tile) -> Cube:
        if tile.index not in self._cubes:
            cube = self._read(self.scene, tile)
            if not self._fits_memory:
                return cube
            self._cubes[tile.index] = cube
        return self._cubes[tile.index]

    def _read(self, scene: OpenScene, tile: Tile) -> Cube:
        cube = scene.read_window(tile.row, tile.col, tile.height, tile.width)
        return cube if self.kept_bands.all() else np.ascontiguousarray(cube[:, :, self.kept_bands])

    def _refuse_empty_bands(self, scene: OpenScene) -> None:
        """Look for a value in every band that is used; one strip is enough for most scenes."""
        without = self.kept_bands.copy()
        for rows in self._strips():
            cube = scene.read_window(rows.row, rows.col, rows.height, rows.width)
            without &= ~np.isfinite(cube).any(axis=(0, 1))
            if not without.any():
                return
        scene.refuse_empty(np.flatnonzero(without).tolist())

    def _strips(self) -> Iterator[Tile]:
        rows, cols, bands = self.scene.shape
        height = max(1, 20_000_000 // (cols * bands))
        for number, row in enumerate(range(0, rows, height)):
            yield Tile(number, row, 0, min(height, rows - row), cols)

    def _open_later(self) -> OpenScene | None:
        if self.files.later is None:
            return None
        later = open_scene(
            self.files.later, variable=self.files.variable, profile=self.files.profile
        )
        if later.shape != self.scene.shape:
            message = (
                f"{self.files.later} is {later.shape} (rows, columns, bands), {self.files.scene} is "
                f"{self.scene.shape}; give both dates on one grid with the same bands"
            )
            raise ShapeError(message)
        return later

    def _read_labels(self, path: Path) -> Labels:
        labels = read_labels(path, variable=self.files.labels_variable)
        rows, cols, _ = self.scene.shape
        check_labels(labels, (rows, cols), self.class_names, scene_name=self.name, where=str(path))
        return labels

    def _fill(self) -> FilledLabels:
        if not self._fits_memory:
            message = (
                f"{self.files.scene} is too large to fill its labels ({self.scene.shape}); "
                "filling works on the whole scene: cut it first or leave --fill out"
            )
            raise InputError(message)
        rows, cols, _ = self.scene.shape
        whole = self._read(self.scene, Tile(0, 0, 0, rows, cols))
        filled = fill_labels(whole, self.labels, self.wavelengths_nm)
        self.labels = filled.labels
        return filled


def open_scenes(
    files: Sequence[SceneFiles],
    *,
    tile: int,
    screening: Screening | None = None,
    fill: bool = False,
) -> tuple[LabelledScene, ...]:
    """Open several scenes; their names must differ, since they name the blocks.

    Raises
    ------
    InputError
        Two scenes of one name.
    """
    scenes = tuple(LabelledScene(one, tile=tile, screening=screening, fill=fill) for one in files)
    names = [scene.name for scene in scenes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"two scenes are called {twice[0]!r}; give them different names in their profiles"
        raise InputError(message)
    return scenes
