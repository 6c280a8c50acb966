"""Answer from all bands of the cube: what the data give away without any language."""

import numpy as np
from numpy.typing import NDArray

from earthexam.baselines import BASELINES
from earthexam.baselines.pixels import pixel_model
from earthexam.benchmark.store import Benchmark
from earthexam.core.scene import Vector
from earthexam.models.protocol import Model


@BASELINES.add("spectral")
def spectral(benchmark: Benchmark, seed: int) -> Model:
    """Make the baseline that classifies pixels by their whole spectrum."""
    return pixel_model("baseline/spectral", benchmark, every_band, seed)


def every_band(n_bands: int, _wavelengths_nm: Vector | None) -> NDArray[np.intp]:
    """Use all bands."""
    return np.arange(n_bands)
