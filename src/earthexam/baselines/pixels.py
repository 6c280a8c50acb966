"""Answer from the cube: classify its pixels, then apply the question's own rule to the map.

The classifier never sees a pixel of a block it is asked about: blocks are dealt into folds, and a
fold's pixels, with those of other blocks that lie on the same ground, are left out of its training.
The rule and its parameters are known, since they say what the question says; keys and evidence are
not.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from earthexam.baselines.instant import InstantModel
from earthexam.benchmark.store import Benchmark
from earthexam.core.errors import InputError
from earthexam.core.files import inside
from earthexam.core.item import LETTERS, Item, Media
from earthexam.core.scene import Cube, Labels, Quantity, Vector
from earthexam.models.protocol import Model, Request, UnsupportedItemError
from earthexam.questions.family import Asked, Judgement
from earthexam.questions.hyperspectral.block import Block
from earthexam.questions.hyperspectral.families import all_families
from earthexam.spectral.change import changed_pixels

FOLDS = 5
# Spectra and class probabilities are averaged over neighbours: fields are larger than pixels.
SMOOTHING_PIXELS = 1.0
COMPONENTS = 40
# A class with fewer pixels of a block than this is taken for a misclassification.
FEWEST_PIXELS = 5

BandChoice = Callable[[int, Vector | None], NDArray[np.intp]]


@dataclass(frozen=True)
class _Sample:
    """One block as the benchmark stores it."""

    place: str
    source: str
    row: int
    col: int
    cube: Media
    labels: Media
    wavelengths: Media | None


@dataclass(frozen=True)
class _Scene:
    """What ``benchmark.json`` says of a scene."""

    names: Mapping[int, str]
    kinds: Mapping[str, str]
    quantity: Quantity


@dataclass(frozen=True)
class _Trained:
    """A classifier of one fold and the class means it was trained on."""

    classifier: Pipeline
    references: Mapping[str, Vector]


class PixelReader:
    """Reads cubes and answers; one for a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Made by ``earthexam build hyperspectral``.
    choose_bands : callable
        Number of bands and wavelengths to the 0-based bands that are used.

    Raises
    ------
    InputError
        The benchmark holds no cubes with labels to learn from.
    """

    def __init__(self, benchmark: Benchmark, choose_bands: BandChoice, seed: int) -> None:
        self._root = benchmark.root
        self._choose_bands = choose_bands
        self._seed = seed
        self._scenes = _scenes_of(benchmark)
        self._samples = {sample.place: sample for sample in _samples_of(benchmark.items)}
        if len(self._samples) < FOLDS or not self._scenes:
            message = (
                f"{benchmark.root} holds {len(self._samples)} cubes with labels; a pixel classifier "
                f"needs {FOLDS} or more, as `earthexam build hyperspectral` makes them"
            )
            raise InputError(message)
        self._blocks: dict[tuple[str, ...], Block] = {}
        self._trained: dict[tuple[str, int], _Trained] = {}

    def answer(self, request: Request) -> str:
        """Answer one request with a letter.

        Raises
        ------
        UnsupportedItemError
            The request shows no cube, or the item states no rule.
        """
        item = request.item
        if request.key.view != "cube" or item.provenance is None:
            message = "this baseline reads cubes of rule-made items; run it with --views cube"
            raise UnsupportedItemError(message)
        family = all_families().by_name.get(item.provenance.rule)
        if family is None:
            message = f"the rule {item.provenance.rule!r} is not known"
            raise UnsupportedItemError(message)
        try:
            judged = family.judge(self._block(item), Asked(item.provenance.parameters))
        except InputError:
            # The bands that are used cannot measure what the rule needs: an honest guess is left.
            judged = None
        return LETTERS[request.prompt.option_order.index(self._best(item, judged))]

    def _best(self, item: Item, judged: Judgement | None) -> int:
        fits = [0.0 if judged is None else judged.fit(option) for option in item.options]
        best = [number for number, fit in enumerate(fits) if fit == max(fits)]
        return random.Random(f"{self._seed} {item.id}").choice(best)

    def _block(self, item: Item) -> Block:
        """Return the block with predicted labels in place of true ones."""
        cubes = item.media_of("cube")
        mask = item.media_of("cube", "mask")
        key = (item.group, *(media.path for media in (*cubes, *mask)))
        if key not in self._blocks:
            self._blocks[key] = self._predict(item, cubes, mask)
        return self._blocks[key]

    def _predict(self, item: Item, cubes: Sequence[Media], mask: Sequence[Media]) -> Block:
        scene = self._scenes[item.source]
        wavelengths = self._wavelengths(item.media_of("cube", "wavelengths"))
        dates = [self._array(media) for media in cubes]
        labelled = self._array(mask[0]).astype(bool) if mask else np.ones(dates[0].shape[:2], bool)
        bands = self._choose_bands(dates[0].shape[2], wavelengths)
        dates = [np.ascontiguousarray(cube[:, :, bands]) for cube in dates]
        trained = self._train(item.source, self._fold(item.group))
        if len(dates) > 1:
            dates[1] = _calibrate(dates[0], dates[1])
        maps = [_classify(trained.classifier, cube, labelled) for cube in dates]
        return Block(
            place=item.group,
            cube=dates[0],
            labels=maps[0],
            class_names=scene.names,
            class_kinds=scene.kinds,
            references=trained.references,
            quantity=scene.quantity,
            wavelengths_nm=None if wavelengths is None else wavelengths[bands],
            later=dates[1] if len(dates) > 1 else None,
            later_labels=maps[1] if len(dates) > 1 else None,
        )

    def _train(self, source: str, fold: int) -> _Trained:
        if (source, fold) not in self._trained:
            spectra, classes = self._training_pixels(source, fold)
            classifier = make_pipeline(
                StandardScaler(),
                PCA(min(COMPONENTS, spectra.shape[1], len(spectra) - 1), random_state=0),
                LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
            )
            names = self._scenes[source].names
            means = {
                names[int(code)]: spectra[classes == code].mean(axis=0, dtype=np.float64)
                for code in np.unique(classes)
            }
            self._trained[source, fold] = _Trained(classifier.fit(spectra, classes), means)
        return self._trained[source, fold]

    def _training_pixels(self, source: str, fold: int) -> tuple[NDArray[np.float32], Labels]:
        held_out = np.zeros((0, 0), dtype=bool)
        own = [sample for sample in self._samples.values() if sample.source == source]
        for sample in own:
            if self._fold(sample.place) == fold:
                held_out = _mark(held_out, sample, self._pixels[sample.place][1].shape)
        spectra, classes = [], []
        for sample in own:
            if self._fold(sample.place) == fold:
                continue
            cube, labels = self._pixels[sample.place]
            rows, cols = labels.shape
            ground = _grown(held_out, sample.row + rows, sample.col + cols)
            free = ~ground[sample.row : sample.row + rows, sample.col : sample.col + cols]
            usable = (labels > 0) & free & np.isfinite(cube).all(axis=2)
            spectra.append(cube[usable])
            classes.append(labels[usable])
        return np.concatenate(spectra), np.concatenate(classes)

    @cached_property
    def _pixels(self) -> dict[str, tuple[Cube, Labels]]:
        """Smoothed cube, bands chosen, and labels of every block."""
        found = {}
        for place, sample in self._samples.items():
            cube = self._array(sample.cube)
            wavelengths = self._wavelengths([sample.wavelengths] if sample.wavelengths else [])
            bands = self._choose_bands(cube.shape[2], wavelengths)
            found[place] = _smooth(cube[:, :, bands]), self._array(sample.labels)
        return found

    def _fold(self, place: str) -> int:
        return self._fold_of[place]

    @cached_property
    def _fold_of(self) -> dict[str, int]:
        """Deal blocks into folds by a hash, so that neighbours do not go together."""
        ordered = sorted(
            self._samples, key=lambda p: hashlib.sha256(f"{self._seed} {p}".encode()).digest()
        )
        return {place: number % FOLDS for number, place in enumerate(ordered)}

    def _wavelengths(self, media: Sequence[Media]) -> Vector | None:
        return self._array(media[0]).astype(np.float64) if media else None

    def _array(self, media: Media) -> NDArray[Any]:
        return np.asarray(np.load(inside(self._root, media.path), allow_pickle=False))


def pixel_model(name: str, benchmark: Benchmark, choose_bands: BandChoice, seed: int) -> Model:
    """Make a baseline that reads the chosen bands of every cube."""
    return InstantModel(name, PixelReader(benchmark, choose_bands, seed).answer, seed)


def _classify(classifier: Pipeline, cube: Cube, labelled: NDArray[np.bool_]) -> Labels:
    """Predict the class of each labelled pixel; stray pixels go to the class around them."""
    smooth = _smooth(cube)
    valid = np.asarray(np.isfinite(smooth).all(axis=2))
    chances = np.zeros((*valid.shape, len(classifier.classes_)))
    if valid.any():
        chances[valid] = classifier.predict_proba(smooth[valid])
    chances = ndimage.gaussian_filter(chances, sigma=(SMOOTHING_PIXELS, SMOOTHING_PIXELS, 0))
    for _ in range(len(classifier.classes_)):
        best = chances.argmax(axis=2)
        counts = np.bincount(best[labelled], minlength=chances.shape[2])
        stray: NDArray[np.bool_] = (counts > 0) & (counts < FEWEST_PIXELS)
        if not stray.any() or stray.sum() == (counts > 0).sum():
            break
        chances[:, :, stray] = -1.0
    codes = np.asarray(classifier.classes_)[chances.argmax(axis=2)]
    return np.where(labelled, codes, 0).astype(np.int32)


def _smooth(cube: Cube) -> Cube:
    """Average spectra over their neighbours; masked pixels stay masked and spread nothing."""
    valid = np.asarray(np.isfinite(cube).all(axis=2))
    sigma = (SMOOTHING_PIXELS, SMOOTHING_PIXELS, 0)
    filled = np.where(valid[:, :, None], cube, 0.0).astype(np.float32)
    weight = ndimage.gaussian_filter(valid.astype(np.float32), SMOOTHING_PIXELS)
    mean = ndimage.gaussian_filter(filled, sigma) / np.maximum(weight, 1e-6)[:, :, None]
    return np.where(valid[:, :, None], mean, np.nan).astype(np.float32)


def _calibrate(before: Cube, after: Cube) -> Cube:
    """Bring the second date to the first: one gain a band, measured on unchanged pixels."""
    valid = np.isfinite(before).all(axis=2) & np.isfinite(after).all(axis=2)
    still = np.asarray(valid & ~changed_pixels(before, after).changed)
    gain = before[still].mean(axis=0, dtype=np.float64) / after[still].mean(
        axis=0, dtype=np.float64
    )
    return np.asarray(after * gain, dtype=np.float32)


def _scenes_of(benchmark: Benchmark) -> dict[str, _Scene]:
    return {
        record["name"]: _Scene(
            {int(code): name for code, name in record["class_names"].items()},
            record["class_kinds"],
            record["quantity"],
        )
        for record in benchmark.info.built.get("scenes", [])
    }


def _samples_of(items: Sequence[Item]) -> Iterator[_Sample]:
    """Give each block once, with the labels of its first date."""
    seen: set[str] = set()
    for item in items:
        cubes, labels = item.media_of("cube"), item.media_of("cube", "labels")
        if item.group in seen or not cubes or not labels:
            continue
        seen.add(item.group)
        wavelengths = item.media_of("cube", "wavelengths")
        yield _Sample(
            place=item.group,
            source=item.source,
            row=int(str(item.meta["row"])),
            col=int(str(item.meta["col"])),
            cube=cubes[0],
            labels=labels[0],
            wavelengths=wavelengths[0] if wavelengths else None,
        )


def _mark(ground: NDArray[np.bool_], sample: _Sample, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    marked = _grown(ground, sample.row + shape[0], sample.col + shape[1])
    marked[sample.row : sample.row + shape[0], sample.col : sample.col + shape[1]] = True
    return marked


def _grown(ground: NDArray[np.bool_], rows: int, cols: int) -> NDArray[np.bool_]:
    """Return the map, enlarged with False where it is too small."""
    more = (max(rows - ground.shape[0], 0), max(cols - ground.shape[1], 0))
    return np.pad(ground, ((0, more[0]), (0, more[1])))
