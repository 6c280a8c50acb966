"""GeoTIFF through rasterio: bands, nodata, scales, offsets, wavelengths from the band tags."""

import logging
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earthexam.core.errors import FormatError, MissingLibraryError, ShapeError
from earthexam.sources import SOURCES
from earthexam.sources.reader import (
    EXAMPLE_NODATA,
    EXAMPLE_WAVELENGTHS_NM,
    Content,
    StoredArray,
    Window,
    choose_variable,
    example_cube,
)
from earthexam.sources.values import Coding
from earthexam.sources.wavelengths import to_nanometres

_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


class GeoTiff:
    """A TIFF with any number of bands; of several pages one has to be chosen."""

    suffixes = (".tif", ".tiff")

    def recognises(self, path: Path, head: bytes) -> bool:
        """Look for the signature of TIFF or BigTIFF, or for the suffix."""
        return head.startswith(_SIGNATURES) or path.suffix.lower() in self.suffixes

    def open(self, path: Path, *, variable: str | None, content: Content) -> StoredArray:
        """Describe the raster; `variable` is the page number, 1-based, where there are several."""
        page = _choose_page(path, variable)
        with _dataset(path, page) as dataset:
            if content == "labels" and dataset.count != 1:
                message = f"{path} has {dataset.count} bands; a label map has one; give that file"
                raise ShapeError(message)
            nodata = {float(value) for value in dataset.nodatavals if value is not None}
            return StoredArray(
                format="geotiff",
                files=(path,),
                shape=(dataset.height, dataset.width, dataset.count),
                dtype=np.result_type(*dataset.dtypes),
                read=partial(_read, path, page),
                variable=page,
                coding=Coding(
                    tuple(map(float, dataset.scales)),
                    tuple(map(float, dataset.offsets)),
                    tuple(sorted(nodata)),
                ),
                wavelengths_nm=_wavelengths(dataset, path),
            )

    def write_example(self, folder: Path) -> Path:
        """Write a file with the wavelengths as band tags."""
        rasterio = _rasterio("writing a GeoTIFF")
        cube = example_cube()
        cube[0, 0] = EXAMPLE_NODATA
        rows, cols, bands = cube.shape
        path = folder / "example.tif"
        options = {"driver": "GTiff", "dtype": "int16", "nodata": EXAMPLE_NODATA}
        with (
            _without_georeference_warning(rasterio),
            rasterio.open(path, "w", height=rows, width=cols, count=bands, **options) as dataset,
        ):
            dataset.write(cube.transpose(2, 0, 1))
            for band, wavelength in enumerate(EXAMPLE_WAVELENGTHS_NM, start=1):
                dataset.update_tags(band, wavelength=f"{wavelength:g}", wavelength_units="nm")
        return path


def _rasterio(need: str) -> Any:
    try:
        import rasterio
    except ImportError as error:
        package = "rasterio"
        raise MissingLibraryError.of(package, need, "build") from error
    return rasterio


@contextmanager
def _dataset(path: Path, page: str) -> Iterator[Any]:
    """Open a file or one of its pages; what GDAL cannot read becomes one error of ours."""
    rasterio = _rasterio(f"reading {path.name}")
    name = f"GTIFF_DIR:{page}:{path}" if page else path
    complaints = _Complaints()
    logger = logging.getLogger("rasterio")
    logger.addHandler(complaints)
    with _without_georeference_warning(rasterio):
        try:
            with rasterio.open(name) as dataset:
                complaints.refuse_lost_tags(path)
                yield dataset
        except rasterio.errors.RasterioIOError as error:
            message = (
                f"{path} cannot be read as TIFF: {error}; the file may be cut off; copy it anew"
            )
            raise FormatError(message) from error
        finally:
            logger.removeHandler(complaints)


class _Complaints(logging.Handler):
    """Collects what GDAL only logs: it opens a file whose tags with scale and wavelengths are cut off."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of a record."""
        self._texts.append(record.getMessage())

    def refuse_lost_tags(self, path: Path) -> None:
        """Raise where a tag could not be read."""
        lost = [text for text in self._texts if "IO error during reading" in text]
        if lost:
            message = f"{path} is cut off: {lost[0]}; copy the file anew"
            raise FormatError(message)


@contextmanager
def _without_georeference_warning(rasterio: Any) -> Iterator[None]:
    """Keep rasterio quiet where a file has no map position, which no question needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        yield


def _choose_page(path: Path, variable: str | None) -> str:
    """Return the page to open; empty where the file has only one."""
    with _dataset(path, "") as dataset:
        pages: dict[str, tuple[int, ...]] = {
            name.split(":")[1]: (dataset.height, dataset.width)
            for name in dataset.subdatasets
            if name.startswith("GTIFF_DIR:")
        }
    if len(pages) < 2 and variable is None:
        return ""
    return choose_variable(path, pages, variable, "page")


def _read(path: Path, page: str, window: Window) -> NDArray[Any]:
    rasterio = _rasterio(f"reading {path.name}")
    box = rasterio.windows.Window(window.col, window.row, window.width, window.height)
    with _dataset(path, page) as dataset:
        part: NDArray[Any] = dataset.read(window=box)
        by_mask = rasterio.enums.MaskFlags.per_dataset in dataset.mask_flag_enums[0]
        valid = dataset.dataset_mask(window=box) if by_mask else None
    cube = part.transpose(1, 2, 0)
    if valid is None:
        return cube
    return np.ma.MaskedArray(cube, np.broadcast_to((valid == 0)[:, :, np.newaxis], cube.shape))


def _wavelengths(dataset: Any, path: Path) -> tuple[float, ...]:
    """Read band centres from the tags that GDAL, ENVI exports and band descriptions use."""
    found = [
        _wavelength(
            {
                **{key.lower(): value for key, value in dataset.tags(band).items()},
                **{key.lower(): value for key, value in dataset.tags(band, "IMAGERY").items()},
            },
            description or "",
        )
        for band, description in enumerate(dataset.descriptions, start=1)
    ]
    values = [float(value) for value, _ in found if value]
    if len(values) < dataset.count:
        return ()
    return to_nanometres(values, found[0][1], path)


def _wavelength(tags: Mapping[str, str], description: str) -> tuple[str, str]:
    """Return a band centre and its unit as texts; empty where the file does not say."""
    if "central_wavelength_um" in tags:
        return tags["central_wavelength_um"], "um"
    if "wavelength" in tags:
        return tags["wavelength"], tags.get("wavelength_units", "")
    named = re.search(r"(\d+(?:\.\d+)?)\s*(nanomet\w+|micromet\w+|nm|um|µm)\b", description, re.I)
    return (named[1], named[2]) if named else ("", "")


SOURCES.add("geotiff")(GeoTiff())
