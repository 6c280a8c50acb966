"""Measure a cube: the facts of the structured report, and nothing that is not a quantity.

After HM-Bench (arXiv 2604.08884): shape, missing values, range, saturation; mean spectrum with its
peaks, valleys, entropy and steepest slopes; six indices; a 3 x 3 grid of brightness and variance.
Where the paper leaves a definition open, the attribute says ours. Values are rounded here, once.
"""

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import find_peaks

from earthexam.core.errors import InputError
from earthexam.core.item import JsonValue
from earthexam.core.scene import Cube, Quantity, Vector
from earthexam.spectral.bands import NoSuchBandError
from earthexam.spectral.indices import Index, compute_index, index_named
from earthexam.spectral.screen import saturation_share

REPORTED_INDICES = ("EVI", "NDVI", "NDWI", "PRI", "SAVI", "GNDVI")
SIGNIFICANT_DIGITS = 6
GRID_SIDE = 3
MOST_EXTREMA = 6
MIN_PROMINENCE = 0.03
STEP_RATIO = 3.0
LOW_PERCENTILE = 5
HIGH_PERCENTILE = 95
REFLECTANCE_PERCENTILE = 99


@dataclass(frozen=True, slots=True)
class SpectrumPoint:
    """A place on the spectral axis (nanometres, or 0-based band number) and a value there."""

    position: float
    value: float


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """One index over the valid pixels; None where the cube lacks a band or no pixel has a value.

    Attributes
    ----------
    low, high : float or None
        5th and 95th percentile.
    scaled_by : float or None
        Values were divided by this first, because constants of the formula hold on reflectance and
        the cube holds something else; None where nothing was divided.
    """

    name: str
    mean: float | None
    median: float | None
    low: float | None
    high: float | None
    scaled_by: float | None


@dataclass(frozen=True, slots=True)
class GridCell:
    """Mean and variance of brightness (mean over bands) in one cell; None where none is valid.

    Row and column count from 1 at the top left.
    """

    row: int
    col: int
    brightness: float | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class Description:
    """All facts of a cube, rounded to six significant digits.

    Attributes
    ----------
    nan_count : int
        Values (not pixels) that are NaN or infinite.
    minimum, maximum, mean, std : float
        Over all valid values, in `quantity`.
    saturation_share : float
        Share of valid values equal to the largest one, or at the saturation level where it is known.
    axis : str
        ``nm`` where wavelengths are known, else ``band``: the unit of every position.
    positions, mean_spectrum : tuple of float
        Bands that have a valid value, and their means over valid pixels.
    peaks, valleys : tuple of SpectrumPoint
        The up to six most prominent ones (at least 3 % of the spectrum's range), by position.
    spectral_entropy_bits : float
        Shannon entropy of the mean spectrum taken as a distribution over bands, negative means
        counted as 0.
    steepest_rise, steepest_fall : SpectrumPoint or None
        Largest and smallest first derivative between neighbouring bands, in `quantity` per `axis`
        unit, at the middle of the two; steps a third or three times as long as the usual one, as at
        gaps and where two spectrometers overlap, are left out.
    percentiles : tuple of int
        What `low` and `high` of the indices are.
    """

    rows: int
    cols: int
    bands: int
    quantity: Quantity
    nan_count: int
    minimum: float
    maximum: float
    mean: float
    std: float
    saturation_share: float
    axis: str
    positions: tuple[float, ...]
    mean_spectrum: tuple[float, ...]
    peaks: tuple[SpectrumPoint, ...]
    valleys: tuple[SpectrumPoint, ...]
    spectral_entropy_bits: float
    steepest_rise: SpectrumPoint | None
    steepest_fall: SpectrumPoint | None
    percentiles: tuple[int, int]
    indices: tuple[IndexSummary, ...]
    grid_side: int
    grid: tuple[GridCell, ...]

    def as_json(self) -> Mapping[str, JsonValue]:
        """Return the facts in the form that is stored beside the prose."""
        return asdict(self)


def describe(
    cube: Cube,
    wavelengths_nm: Vector | None = None,
    quantity: Quantity = "unknown",
    saturation_level: float | None = None,
) -> Description:
    """Measure everything the structured report states.

    Parameters
    ----------
    cube : array, shape (rows, cols, bands)
        Masked pixels are NaN.
    wavelengths_nm : array, shape (bands,), or None
        Band centres, rising, nanometres; without them positions are band numbers and indices go by
        band fractions.
    quantity : Quantity
        What the values are. EVI and SAVI need reflectance of 0..1: anything else is divided by its
        99th percentile for them, and the summary says so.
    saturation_level : float or None
        Value from which on the detector is saturated; None for the largest value.

    Raises
    ------
    InputError
        No value is valid.

    Examples
    --------
    >>> describe(np.ones((3, 3, 4), dtype=np.float32)).spectral_entropy_bits
    2.0
    """
    values = cube[np.isfinite(cube)].astype(np.float64)
    if values.size == 0:
        message = f"nothing to describe: all {cube.size} values of the cube are NaN"
        raise InputError(message)
    rows, cols, bands = cube.shape
    positions, spectrum = _mean_spectrum(cube, wavelengths_nm)
    rise, fall = _steepest(positions, spectrum)
    return Description(
        rows=rows,
        cols=cols,
        bands=bands,
        quantity=quantity,
        nan_count=int(cube.size - values.size),
        minimum=_round(values.min()),
        maximum=_round(values.max()),
        mean=_round(values.mean()),
        std=_round(values.std()),
        saturation_share=_round(saturation_share(cube, saturation_level)),
        axis="band" if wavelengths_nm is None else "nm",
        positions=tuple(map(_round, positions)),
        mean_spectrum=tuple(map(_round, spectrum)),
        peaks=_extrema(positions, spectrum, sign=1.0),
        valleys=_extrema(positions, spectrum, sign=-1.0),
        spectral_entropy_bits=_round(_entropy_bits(spectrum)),
        steepest_rise=rise,
        steepest_fall=fall,
        percentiles=(LOW_PERCENTILE, HIGH_PERCENTILE),
        indices=_summarise_indices(cube, wavelengths_nm, quantity, values),
        grid_side=GRID_SIDE,
        grid=_grid(cube),
    )


def _round(value: float | np.floating) -> float:
    """Round to six significant digits, without a negative zero."""
    return float(f"{float(value):.{SIGNIFICANT_DIGITS}g}") + 0.0


def _mean_spectrum(cube: Cube, wavelengths_nm: Vector | None) -> tuple[Vector, Vector]:
    finite = np.isfinite(cube)
    counts = finite.sum(axis=(0, 1))
    sums = np.where(finite, cube, 0.0).sum(axis=(0, 1), dtype=np.float64)
    axis = np.arange(cube.shape[2]) if wavelengths_nm is None else wavelengths_nm
    seen = counts > 0
    return np.asarray(axis, dtype=np.float64)[seen], sums[seen] / counts[seen]


def _extrema(positions: Vector, spectrum: Vector, sign: float) -> tuple[SpectrumPoint, ...]:
    least = MIN_PROMINENCE * np.ptp(spectrum)
    if least == 0:
        return ()
    places, found = find_peaks(sign * spectrum, prominence=least)
    strongest = np.argsort(-found["prominences"], kind="stable")[:MOST_EXTREMA]
    return tuple(
        SpectrumPoint(_round(positions[place]), _round(spectrum[place]))
        for place in np.sort(places[strongest])
    )


def _entropy_bits(spectrum: Vector) -> float:
    weights = np.maximum(spectrum, 0.0)
    if weights.sum() == 0:
        return 0.0
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def _steepest(
    positions: Vector, spectrum: Vector
) -> tuple[SpectrumPoint | None, SpectrumPoint | None]:
    if len(positions) < 2:
        return None, None
    steps = np.diff(positions)
    usual = np.median(steps)
    # Where two spectrometers overlap, centres nearly meet and a slope between them means nothing.
    is_near = (steps > usual / STEP_RATIO) & (steps <= usual * STEP_RATIO)
    if not is_near.any():
        return None, None
    slopes = np.diff(spectrum)[is_near] / steps[is_near]
    middles = (positions[:-1] + steps / 2)[is_near]
    rise, fall = int(slopes.argmax()), int(slopes.argmin())
    return (
        SpectrumPoint(_round(middles[rise]), _round(slopes[rise])),
        SpectrumPoint(_round(middles[fall]), _round(slopes[fall])),
    )


def _summarise_indices(
    cube: Cube, wavelengths_nm: Vector | None, quantity: Quantity, values: Vector
) -> tuple[IndexSummary, ...]:
    scale: float | None = None
    if quantity != "reflectance":
        top = _round(np.percentile(values, REFLECTANCE_PERCENTILE))
        scale = top if top > 0 else None
    return tuple(
        _summarise_index(index_named(name), cube, wavelengths_nm, scale)
        for name in REPORTED_INDICES
    )


def _summarise_index(
    index: Index, cube: Cube, wavelengths_nm: Vector | None, scale: float | None
) -> IndexSummary:
    divisor = scale if index.needs_reflectance else None
    scaled = cube if divisor is None else np.asarray(cube / divisor, dtype=np.float32)
    try:
        found = compute_index(index.name, scaled, wavelengths_nm)
    except NoSuchBandError:
        return IndexSummary(index.name, None, None, None, None, None)
    valid = found[np.isfinite(found)].astype(np.float64)
    if valid.size == 0:
        return IndexSummary(index.name, None, None, None, None, divisor)
    low, median, high = np.percentile(valid, (LOW_PERCENTILE, 50, HIGH_PERCENTILE))
    return IndexSummary(
        index.name, _round(valid.mean()), _round(median), _round(low), _round(high), divisor
    )


def _grid(cube: Cube) -> tuple[GridCell, ...]:
    brightness = _brightness(cube)
    return tuple(
        _cell(row, col, part)
        for row, strip in enumerate(np.array_split(brightness, GRID_SIDE, axis=0), start=1)
        for col, part in enumerate(np.array_split(strip, GRID_SIDE, axis=1), start=1)
    )


def _brightness(cube: Cube) -> NDArray[np.float64]:
    finite = np.where(np.isfinite(cube), cube, np.nan)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Mean of empty slice", category=RuntimeWarning)
        return np.asarray(np.nanmean(finite, axis=2, dtype=np.float64), dtype=np.float64)


def _cell(row: int, col: int, part: NDArray[np.float64]) -> GridCell:
    valid = part[np.isfinite(part)]
    if valid.size == 0:
        return GridCell(row, col, None, None)
    return GridCell(row, col, _round(valid.mean()), _round(valid.var()))
