"""Band centres as files state them: units, plausibility, rising order."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from earthexam.core.errors import FormatError, ShapeError
from earthexam.sources.reader import SourceWarning

_NM_PER_UNIT: Mapping[str, float] = {
    "nm": 1.0, "nanometer": 1.0, "nanometers": 1.0, "nanometre": 1.0, "nanometres": 1.0,
    "um": 1e3, "µm": 1e3, "μm": 1e3, "micron": 1e3, "microns": 1e3, "micrometer": 1e3,
    "micrometers": 1e3, "micrometre": 1e3, "micrometres": 1e3,
    "m": 1e9, "meter": 1e9, "meters": 1e9, "metre": 1e9, "metres": 1e9,
    "angstrom": 0.1, "angstroms": 0.1,
}  # fmt: skip

# No imaging spectrometer measures reflected light outside; a number outside betrays the unit.
_PLAUSIBLE_NM = (100.0, 100_000.0)


def to_nanometres(values: Sequence[float], unit: str, path: Path) -> tuple[float, ...]:
    """Convert band centres to nanometres.

    An absent or unknown unit is told from the magnitude: below 100 the numbers are micrometres. This
    is warned of.

    Examples
    --------
    >>> to_nanometres([0.45, 2.5], "Micrometers", Path("scene.hdr"))
    (450.0, 2500.0)
    """
    if not values:
        return ()
    factor = _NM_PER_UNIT.get(unit.strip().lower())
    if factor is None:
        factor = 1e3 if max(values) < _PLAUSIBLE_NM[0] else 1.0
        taken = "micrometres" if factor > 1 else "nanometres"
        message = f"{path}: wavelength unit is {unit.strip()!r}; taken as {taken}"
        warnings.warn(message, SourceWarning, stacklevel=2)
    centres = tuple(round(value * factor, 6) for value in values)
    low, high = _PLAUSIBLE_NM
    for band, centre in enumerate(centres):
        if not low <= centre <= high:
            message = (
                f"{path}: band {band} has its centre at {centre:g} nm; expected {low:g} to {high:g}; "
                f"mend the wavelengths or their unit ({unit.strip()!r})"
            )
            raise FormatError(message)
    return centres


def band_order(
    bands: int, wavelengths_nm: Sequence[float], dropped: Sequence[int], where: str
) -> tuple[int, ...]:
    """Return the file's bands in the order of the cube: dropped ones left out, rising wavelength.

    Parameters
    ----------
    bands : int
        Bands in the file.
    wavelengths_nm : sequence of float
        One a band, or empty: the order of the file stays.
    dropped : sequence of int
        0-based bands of the file.

    Examples
    --------
    >>> band_order(4, [400.0, 700.0, 690.0, 800.0], [3], "scene.hdr")
    (0, 2, 1)
    """
    outside = [band for band in dropped if not 0 <= band < bands]
    if outside:
        message = (
            f"{where}: dropped band {outside[0]} does not exist; bands are 0 to {bands - 1}; "
            "mend dropped_bands in the profile"
        )
        raise ShapeError(message)
    if wavelengths_nm and len(wavelengths_nm) != bands:
        message = (
            f"{where}: {len(wavelengths_nm)} wavelengths for {bands} bands; give one a band of the "
            "file, dropped bands included"
        )
        raise ShapeError(message)
    kept = np.setdiff1d(np.arange(bands), np.asarray(dropped, dtype=int))
    if wavelengths_nm:
        kept = kept[np.argsort(np.asarray(wavelengths_nm)[kept], kind="stable")]
    return tuple(kept.tolist())
