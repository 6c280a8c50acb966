"""Indian Pines as the package tensorly ships it: the measured scene of the demonstration.

The values are counts, 500 × radiance + 1000 by the documentation of the product; the scene profile
turns them back. The least count is 955, a radiance of −0.09, which noise in a dark band explains.
"""

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from earthexam.core.errors import MissingLibraryError
from earthexam.core.scene import Profile, Scene
from earthexam.sources.labels import (
    ClassTable,
    read_labels,
    with_labels,
    write_class_table,
)
from earthexam.sources.numpy_array import write_array
from earthexam.sources.profiles import Description, known_profile
from earthexam.sources.scene import read_scene
from earthexam.sources.simulate import simulate_later

_FLOWN = "1992-06-12"


@dataclass(frozen=True)
class DemoSources:
    """The files of the demonstration: a scene at two dates, labels of both, class names."""

    scene: Path
    labels: Path
    later: Path
    later_labels: Path
    classes: Path


def load_indian_pines() -> Scene:
    """Return the scene with its labels, 145 × 145 pixels, 200 bands, radiance.

    Raises
    ------
    MissingLibraryError
        The package tensorly is not installed.
    """
    folder = _data_folder()
    scene = read_scene(folder / "Indian_pines_corrected.npy", profile=_profile(), time=_FLOWN)
    labels = folder / "Indian_pines_gt.npy"
    return with_labels(scene, read_labels(labels), where=str(labels))


def write_sources(folder: Path, *, seed: int = 0, cell: int = 29) -> DemoSources:
    """Lay out the scene as source files, with a simulated second date.

    Parameters
    ----------
    folder : Path
        Made where it does not exist; files in it are overwritten.
    seed, cell : int
        Of the simulation, see `simulate_later`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    profile, data = _profile(), _data_folder()
    first = load_indian_pines()
    later = simulate_later(first, seed=seed, cell=cell)
    files = DemoSources(
        scene=folder / "indian_pines.npy",
        labels=folder / "indian_pines_labels.npy",
        later=folder / "indian_pines_later.npy",
        later_labels=folder / "indian_pines_later_labels.npy",
        classes=folder / "classes.csv",
    )
    counts = np.load(data / "Indian_pines_corrected.npy", allow_pickle=False)
    write_array(counts, Description(profile, time=_FLOWN), files.scene)
    write_array(*_as_stored(later), files.later)
    for labels, path in ((first.labels, files.labels), (later.labels, files.later_labels)):
        np.save(path, np.asarray(labels, dtype=np.uint8), allow_pickle=False)
    write_class_table(ClassTable(profile.class_names, profile.class_kinds), files.classes)
    return files


def _as_stored(
    scene: Scene,
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.uint16]], Description]:
    """Turn radiance back into counts, bands in the order of the cube."""
    profile = scene.profile
    counts = np.rint((scene.cube.astype(np.float64) - profile.offset) / profile.scale)
    limits = np.iinfo(np.uint16)
    stored = np.clip(counts, limits.min, limits.max).astype(np.uint16)
    rising = () if scene.wavelengths_nm is None else tuple(scene.wavelengths_nm.tolist())
    described = replace(profile, wavelengths_nm=rising)
    return stored, Description(described, time=scene.time, simulated=scene.simulated)


def _data_folder() -> Path:
    """Find the package's data without importing it, which would load all its back-ends."""
    spec = importlib.util.find_spec("tensorly")
    if spec is None or not spec.submodule_search_locations:
        package, need = "tensorly", "the scene Indian Pines"
        raise MissingLibraryError.of(package, need, "demo")
    return Path(spec.submodule_search_locations[0]) / "datasets" / "data"


def _profile() -> Profile:
    """Join the shipped profile with the band centres, which stand only in tensorly's loader."""
    from tensorly.datasets import load_indian_pines as load_from_tensorly

    _, wavelengths_nm = load_from_tensorly().ticks
    return replace(known_profile("indian_pines"), wavelengths_nm=tuple(map(float, wavelengths_nm)))
