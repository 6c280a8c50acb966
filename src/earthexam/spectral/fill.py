"""Fill unlabelled pixels from their spectra: clusters, spectral angle, indices, neighbours."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from earthexam.core.errors import InputError
from earthexam.core.scene import Cube, Labels, Vector
from earthexam.spectral.bands import NoSuchBandError
from earthexam.spectral.composite import principal_components
from earthexam.spectral.indices import compute_index
from earthexam.spectral.unmix import Endmembers, class_means

Mask: TypeAlias = NDArray[np.bool_]

CLUSTERS_PER_CLASS = 3
MIN_PURITY = 0.6
ANGLE_PERCENTILE = 95.0
INDEX_PERCENTILES = (1.0, 99.0)
CHECKED_INDICES = ("NDVI", "MNDWI")
MIN_NEIGHBOURS = 5


@dataclass(frozen=True)
class FilledLabels:
    """Labels after filling, and which step gave how many.

    Attributes
    ----------
    labels : array, shape (rows, cols)
        Given labels are unchanged; 0 is still unlabelled.
    by_cluster : int
        Pixels whose spectral cluster and whose spectral angle name the same class.
    by_angle : int
        Further pixels near a class mean in angle, with indices in the range of that class.
    by_neighbours : int
        Further pixels with at least 5 of 8 neighbours in one class.
    smoothed : int
        Filled pixels whose class the neighbours then overruled.
    left : int
        Pixels that stay unlabelled.
    """

    labels: Labels
    by_cluster: int
    by_angle: int
    by_neighbours: int
    smoothed: int
    left: int


def fill_labels(
    cube: Cube, labels: Labels, wavelengths_nm: Vector | None = None, seed: int = 0
) -> FilledLabels:
    """Label unlabelled pixels where their spectrum speaks for one class.

    Every candidate class is the one whose mean spectrum is nearest in spectral angle. It is taken
    where the pixel's k-means cluster (three clusters a class, on component maps) belongs to the same
    class by at least 60 % of its labelled pixels; or where the angle is within the 95th percentile
    of the class's own labelled pixels. Both times NDVI and MNDWI must lie between the 1st and the
    99th percentile of the class, as far as the cube has their bands. At last a 3 x 3 majority fills
    gaps and overrules single filled pixels. Pixels that no step is sure of stay 0.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN and are filled by neighbours at most.
    labels : array, shape (rows, cols)
        0 is unlabelled.
    wavelengths_nm : array, shape (bands,), or None
        Band centres; without them NDVI goes by band fractions and MNDWI is left out.
    seed : int
        Starts the clustering; the same seed gives the same labels.

    Raises
    ------
    ShapeError
        Cube and labels differ in size.
    InputError
        No labelled pixel is valid.

    References
    ----------
    Kruse et al. (1993), Remote Sens. Environ. 44, 145-163, 10.1016/0034-4257(93)90013-N: the
    spectral angle mapper.
    """
    means = class_means(cube, labels)
    angles = spectral_angles(cube, means)
    classes = np.array(means.names, dtype=np.int32)
    valid = np.asarray(np.isfinite(angles).all(axis=2), dtype=np.bool_)
    nearest = np.where(valid, classes[np.where(valid[:, :, None], angles, 0.0).argmin(axis=2)], 0)
    is_open = (labels == 0) & valid
    plausible = is_open & _has_class_indices(cube, labels, nearest, wavelengths_nm)
    by_cluster = plausible & (_cluster_classes(cube, labels, len(classes), seed) == nearest)
    by_angle = plausible & ~by_cluster & _has_class_angle(angles, labels, nearest, means)
    filled = np.where(by_cluster | by_angle, nearest, labels).astype(np.int32)
    settled = filter_by_neighbours(filled, is_given=labels != 0)
    return FilledLabels(
        labels=settled,
        by_cluster=int(by_cluster.sum()),
        by_angle=int(by_angle.sum()),
        by_neighbours=int(((filled == 0) & (settled != 0)).sum()),
        smoothed=int(((filled != 0) & (settled != filled)).sum()),
        left=int((settled == 0).sum()),
    )


def spectral_angles(cube: Cube, endmembers: Endmembers) -> NDArray[np.float64]:
    """Measure the angle between each pixel's spectrum and each endmember.

    Returns
    -------
    array, shape (rows, cols, k)
        Radians, 0 to pi; NaN where a spectrum is masked or all zero.

    Examples
    --------
    >>> right = Endmembers(np.array([[0.0, 2.0]]), (1,))
    >>> float(spectral_angles(np.array([[[3.0, 0.0]]], dtype=np.float32), right)[0, 0, 0].round(4))
    1.5708
    """
    pixels = cube.astype(np.float64)
    lengths = np.linalg.norm(pixels, axis=2)[:, :, None] * np.linalg.norm(
        endmembers.spectra, axis=1
    )
    products = pixels @ endmembers.spectra.T
    cosines = np.full(products.shape, np.nan)
    np.divide(products, lengths, out=cosines, where=lengths > 0)
    return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)), dtype=np.float64)


def filter_by_neighbours(labels: Labels, is_given: Mask) -> Labels:
    """Give pixels the class that at least 5 of their 8 neighbours have.

    Parameters
    ----------
    labels : array, shape (rows, cols)
        0 is unlabelled and never wins.
    is_given : array of bool, shape (rows, cols)
        Pixels that keep their label whatever their neighbours say.

    Returns
    -------
    array, shape (rows, cols)
    """
    padded = np.pad(labels, 1)
    rows, cols = labels.shape
    result = labels.copy()
    for label in np.unique(labels[labels != 0]):
        is_class = (padded == label).astype(np.int32)
        votes = sum(
            is_class[row : row + rows, col : col + cols] for row in range(3) for col in range(3)
        ) - (labels == label)
        result[(votes >= MIN_NEIGHBOURS) & ~is_given] = label
    return result


def _cluster_classes(cube: Cube, labels: Labels, n_classes: int, seed: int) -> Labels:
    """Return for each pixel the class that its cluster belongs to; 0 where it is mixed."""
    result = np.zeros(labels.shape, dtype=np.int32)
    try:
        maps = principal_components(cube).maps
    except InputError:
        # A cube without variance has no clusters; the other steps still say what they can.
        return result
    valid = np.isfinite(maps).all(axis=2)
    wanted = min(CLUSTERS_PER_CLASS * n_classes, int(valid.sum()))
    kmeans = KMeans(wanted, n_init=1, random_state=seed)
    clusters = np.full(labels.shape, -1)
    clusters[valid] = kmeans.fit_predict(maps[valid])
    for cluster in range(wanted):
        members = clusters == cluster
        known, counts = np.unique(labels[members & (labels != 0)], return_counts=True)
        if counts.size and counts.max() >= MIN_PURITY * counts.sum():
            result[members] = known[counts.argmax()]
    return result


def _has_class_angle(
    angles: NDArray[np.float64], labels: Labels, nearest: Labels, means: Endmembers
) -> Mask:
    near = np.zeros(labels.shape, dtype=np.bool_)
    for position, label in enumerate(means.names):
        own = angles[:, :, position]
        limit = np.nanpercentile(own[labels == label], ANGLE_PERCENTILE)
        near |= (nearest == label) & (own <= limit)
    return near


def _has_class_indices(
    cube: Cube, labels: Labels, nearest: Labels, wavelengths_nm: Vector | None
) -> Mask:
    fits = np.ones(labels.shape, dtype=np.bool_)
    for name in CHECKED_INDICES:
        try:
            values = compute_index(name, cube, wavelengths_nm)
        except NoSuchBandError:
            continue
        for label in np.unique(nearest[nearest != 0]):
            known = values[(labels == label) & np.isfinite(values)]
            if known.size:
                low, high = np.percentile(known, INDEX_PERCENTILES)
                fits &= (nearest != label) | ((values >= low) & (values <= high))
    return fits
