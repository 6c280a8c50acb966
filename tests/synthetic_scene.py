"""A small scene of two dates made by rule: six classes in patches, gaps, noise, known change."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import ndimage

from earthexam.benchmark.store import Benchmark
from earthexam.core.scene import Profile
from earthexam.questions.hyperspectral.build import BuildReport, BuildSettings, build_hyperspectral
from earthexam.questions.hyperspectral.scenes import SceneFiles
from earthexam.sources.labels import ClassTable, write_class_table
from earthexam.sources.numpy_array import write_array
from earthexam.sources.profiles import Description

SIDE, TILE = 60, 12
WAVELENGTHS_NM = (
    460.0, 490.0, 560.0, 660.0, 850.0, 870.0, 1000.0, 1050.0, 1600.0, 1700.0, 2100.0, 2200.0
)  # fmt: skip
CLASSES = {
    1: ("Corn", "vegetation", (3, 3, 6, 4, 30, 31, 32, 31, 18, 17, 9, 8)),
    2: ("Grass", "vegetation", (3, 4, 7, 5, 24, 25, 27, 27, 21, 20, 12, 11)),
    3: ("Soil", "soil", (8, 9, 13, 17, 22, 23, 26, 27, 33, 34, 30, 29)),
    4: ("Water", "water", (9, 9, 8, 5, 2, 2, 1, 1, 0.6, 0.6, 0.4, 0.4)),
    5: ("Roof", "built", (14, 15, 17, 20, 21, 21, 22, 23, 24, 25, 26, 26)),
    6: ("Woods", "vegetation", (2, 2, 4, 3, 26, 27, 25, 23, 11, 10, 5, 4)),
}
SIMULATED = "The second date is made by a program that moves patches."


@dataclass(frozen=True)
class SyntheticScene:
    """The arrays behind the files of one scene."""

    files: SceneFiles
    cube: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class BuiltScene:
    """A scene, what its build reported and the benchmark that came of it."""

    scene: SyntheticScene
    report: BuildReport
    benchmark: Benchmark


SETTINGS = BuildSettings("meadow", tile=TILE, per_task=12)


def build_scene(folder: Path) -> BuiltScene:
    """Write the scene and build a benchmark beside it."""
    scene = make_scene(folder / "sources")
    report = build_hyperspectral([scene.files], folder / "bench", SETTINGS)
    return BuiltScene(scene, report, Benchmark.open(folder / "bench"))


def make_scene(folder: Path, name: str = "meadow", seed: int = 0) -> SyntheticScene:
    """Write the files of the scene into a folder."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    truth = patches(rng)
    # The first block is not labelled, the second holds one class.
    truth[:TILE, TILE : 2 * TILE] = 1
    cube = spectra_of(truth, rng)
    gaps = ndimage.gaussian_filter(rng.normal(size=truth.shape), 2) > 0.12
    gaps[:TILE, :TILE], gaps[:TILE, TILE : 2 * TILE] = True, False
    labels = np.where(gaps, 0, truth).astype(np.uint8)
    later_truth = truth.copy()
    for row in range(0, SIDE, TILE):
        for col in range(0, SIDE, TILE):
            if rng.random() < 0.75:
                height, width = rng.integers(3, 8, size=2)
                top = row + rng.integers(0, TILE - height)
                left = col + rng.integers(0, TILE - width)
                later_truth[top : top + height, left : left + width] = rng.integers(1, 7)
    fresh = spectra_of(later_truth, rng)
    changed = (truth != later_truth)[:, :, None]
    later = np.where(changed, fresh, cube * 1.01 + rng.normal(0, 0.05, cube.shape))
    later_labels = np.where(gaps, 0, later_truth).astype(np.uint8)

    profile = Profile(name, quantity="radiance", wavelengths_nm=WAVELENGTHS_NM, licence="CC0-1.0")
    write_array(cube.astype(np.float32), Description(profile, time="2020"), folder / "scene.npy")
    write_array(
        later.astype(np.float32),
        Description(profile, time="2021", simulated=SIMULATED),
        folder / "later.npy",
    )
    np.save(folder / "labels.npy", labels)
    np.save(folder / "later-labels.npy", later_labels)
    names = {code: row[0] for code, row in CLASSES.items()}
    kinds = {row[0]: row[1] for row in CLASSES.values()}
    write_class_table(ClassTable(names, kinds), folder / "classes.csv")
    files = SceneFiles(
        scene=folder / "scene.npy",
        labels=folder / "labels.npy",
        later=folder / "later.npy",
        later_labels=folder / "later-labels.npy",
        classes=folder / "classes.csv",
    )
    return SyntheticScene(files, cube.astype(np.float32), labels)


def patches(rng: np.random.Generator) -> np.ndarray:
    """Draw a map of classes: the largest of smooth random fields, one a class, wins."""
    fields = [ndimage.gaussian_filter(rng.normal(size=(SIDE, SIDE)), 2.5) for _ in CLASSES]
    return np.argmax(fields, axis=0) + 1


def spectra_of(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give each pixel its class's spectrum, with brightness and greenness that vary over patches."""
    library = np.array([CLASSES[code][2] for code in sorted(CLASSES)], dtype=float)
    cube = library[truth - 1]
    vigour = ndimage.gaussian_filter(rng.normal(size=truth.shape), 3) * 4
    cube[:, :, 4:8] *= np.clip(1 + 0.5 * vigour, 0.5, 1.5)[:, :, None]
    return cube * (1 + rng.normal(0, 0.03, cube.shape)) + rng.normal(0, 0.1, cube.shape)
