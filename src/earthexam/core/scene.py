"""A scene: one cube with everything known about it; what readers give and builders take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Cube: TypeAlias = NDArray[np.float32]
Labels: TypeAlias = NDArray[np.int32]
Vector: TypeAlias = NDArray[np.float64]
Quantity: TypeAlias = Literal["counts", "radiance", "reflectance", "unknown"]


@dataclass(frozen=True)
class Source:
    """A file that a scene was read from, and what reading did to its values.

    Attributes
    ----------
    scale, offset : float
        ``value = stored * scale + offset``, applied once on reading.
    nodata : tuple of float
        Stored values that became NaN.
    band_order : tuple of int or None
        Order of the file's bands in the cube, where reading had to sort them by wavelength.
    licence : str
        Licence of the data as its publisher states it; empty where unknown.
    """

    path: str
    sha256: str
    format: str
    scale: float = 1.0
    offset: float = 0.0
    nodata: tuple[float, ...] = ()
    band_order: tuple[int, ...] | None = None
    licence: str = ""


@dataclass(frozen=True)
class Profile:
    """What is known of a scene besides its numbers; from the shipped table or the user's TOML.

    Attributes
    ----------
    quantity : Quantity
        What a cube value is after `scale` and `offset`; thresholds made for reflectance are applied
        only where this is ``reflectance``.
    scale, offset : float
        Turn stored counts into `quantity`, applied by the reader.
    dropped_bands : tuple of int
        0-based bands of the file that are noise or water vapour and are left out.
    class_names : mapping of int to str
        Name of each label value; 0 is unlabelled unless it stands here.
    class_kinds : mapping of str to str
        Broad kind of a class: ``vegetation``, ``soil``, ``water``, ``built``, ``other``.
    resolution_m : float or None
        Ground sampling distance in metres.
    """

    name: str
    sensor: str = ""
    platform: str = ""
    scene_type: str = ""
    resolution_m: float | None = None
    quantity: Quantity = "unknown"
    scale: float = 1.0
    offset: float = 0.0
    nodata: tuple[float, ...] = ()
    wavelengths_nm: tuple[float, ...] = ()
    dropped_bands: tuple[int, ...] = ()
    class_names: Mapping[int, str] = field(default_factory=dict)
    class_kinds: Mapping[str, str] = field(default_factory=dict)
    licence: str = ""
    citation: str = ""


@dataclass(frozen=True)
class Scene:
    """One cube at one date.

    Attributes
    ----------
    cube : array, shape (rows, cols, bands), float32
        Values in `profile.quantity`; masked pixels are NaN; bands sorted by wavelength, rising.
    wavelengths_nm : array, shape (bands,) or None
        Band centres in nanometres, rising; None where unknown.
    labels : array, shape (rows, cols), int32, or None
        Class of each pixel; 0 is unlabelled.
    time : str
        Date as ISO text, or any label of the date; empty where unknown.
    simulated : str
        Empty for measured data; otherwise how the scene was made, in words for the card.
    """

    name: str
    cube: Cube
    profile: Profile
    wavelengths_nm: Vector | None = None
    labels: Labels | None = None
    time: str = ""
    simulated: str = ""
    sources: tuple[Source, ...] = ()
