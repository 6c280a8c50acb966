"""Answer from three visible bands: what a colour photograph would give away."""

import numpy as np
from numpy.typing import NDArray

from earthexam.baselines import BASELINES
from earthexam.baselines.pixels import pixel_model
from earthexam.benchmark.store import Benchmark
from earthexam.core.scene import Vector
from earthexam.models.protocol import Model
from earthexam.spectral.bands import band_position


@BASELINES.add("rgb")
def rgb(benchmark: Benchmark, seed: int) -> Model:
    """Make the baseline that classifies pixels by blue, green and red alone."""
    return pixel_model("baseline/rgb", benchmark, visible_bands, seed)


def visible_bands(n_bands: int, wavelengths_nm: Vector | None) -> NDArray[np.intp]:
    """Use blue, green and red, by wavelength where known, else by band fraction."""
    positions = [band_position(name, n_bands, wavelengths_nm) for name in ("blue", "green", "red")]
    return np.array(sorted(positions), dtype=np.intp)
