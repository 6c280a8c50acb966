"""Label maps and class tables: which class each pixel has, and what the classes are called."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from earthexam.core.errors import FormatError, MissingFileError, ShapeError, UnknownNameError
from earthexam.core.scene import Labels, Scene
from earthexam.sources.profiles import class_kinds, class_names, parse_classes, read_table
from earthexam.sources.reader import Window
from earthexam.sources.scene import open_array

_PICTURES = (".png", ".gif", ".bmp")
_UNLABELLED = 0


@dataclass(frozen=True)
class ClassTable:
    """Names of label values and, where known, the broad kind of each class.

    Attributes
    ----------
    names : mapping of int to str
    kinds : mapping of str to str
        Class name to vegetation, soil, water, built or other.
    """

    names: Mapping[int, str]
    kinds: Mapping[str, str]


def read_labels(path: Path, *, variable: str | None = None) -> Labels:
    """Read a label map.

    Parameters
    ----------
    path : Path
        A ``.mat`` with one 2-D array, a one-band raster, a picture (of a palette picture the indices
        are taken, not the colours) or a 2-D ``.npy``.
    variable : str or None
        Name of the array, for formats that hold several.

    Returns
    -------
    array, shape (rows, cols), int32
        0 where nothing is labelled; nodata and NaN become 0.

    Raises
    ------
    MissingFileError, FormatError, ShapeError, AmbiguousError
        No file, no whole numbers from 0 up, not one band, or several arrays.
    """
    if path.suffix.lower() in _PICTURES:
        return _whole(_read_picture(path), path)
    stored = open_array(path, variable=variable, content="labels")
    rows, cols, _ = stored.shape
    plane = stored.read(Window(0, 0, rows, cols))[:, :, 0]
    missing = np.ma.getmaskarray(plane) | np.isin(plane, stored.coding.nodata)
    return _whole(np.where(missing, _UNLABELLED, np.ma.getdata(plane)), path)


def read_class_table(path: Path) -> ClassTable:
    """Read class names from a CSV with the columns value, name and perhaps kind, or from a TOML.

    A TOML or JSON file has a list ``classes`` of tables with the same keys.

    Raises
    ------
    MissingFileError, FormatError, UnknownNameError
        No file, a value or name twice, a kind or a column that does not exist.
    """
    if path.suffix.lower() in (".toml", ".json"):
        raw: Any = read_table(path).get("classes")
    else:
        raw = _read_csv(path)
    rows = parse_classes(raw, str(path))
    return ClassTable(class_names(rows, str(path)), class_kinds(rows))


def write_class_table(table: ClassTable, path: Path) -> Path:
    """Write a class table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("value", "name", "kind"))
        for value, name in sorted(table.names.items()):
            writer.writerow((value, name, table.kinds.get(name, "")))
    return path


def with_labels(
    scene: Scene, labels: Labels, *, where: str, classes: ClassTable | None = None
) -> Scene:
    """Return the scene with its label map, once both fit.

    Parameters
    ----------
    labels : array, shape (rows, cols)
        Of the size of the cube.
    where : str
        What the labels are called in messages, usually their path.
    classes : ClassTable or None
        Wins over the class names in the scene's profile.

    Raises
    ------
    ShapeError
        Labels of another size, or nothing labelled.
    UnknownNameError
        A label value without a name.
    """
    if classes is not None:
        profile = replace(scene.profile, class_names=classes.names, class_kinds=classes.kinds)
        scene = replace(scene, profile=profile)
    rows, cols, _ = scene.cube.shape
    check_labels(
        labels, (rows, cols), scene.profile.class_names, scene_name=scene.name, where=where
    )
    return replace(scene, labels=labels)


def check_labels(
    labels: Labels,
    shape: tuple[int, int],
    names: Mapping[int, str],
    *,
    scene_name: str,
    where: str,
) -> None:
    """Check that labels have the size of the scene and that every class has a name.

    Raises
    ------
    ShapeError, UnknownNameError
        As in `with_labels`.
    """
    if labels.shape != shape:
        message = (
            f"{where} has {labels.shape[0]}×{labels.shape[1]} pixels, the scene {scene_name} has "
            f"{shape[0]}×{shape[1]}; give the label map of this scene, in the same orientation"
        )
        raise ShapeError(message)
    _check_names(labels, names, where)


def _check_names(labels: Labels, names: Mapping[int, str], where: str) -> None:
    values, counts = np.unique(labels[labels != _UNLABELLED], return_counts=True)
    if values.size == 0:
        message = f"{where} labels no pixel (all are 0); give a label map with classes from 1 up"
        raise ShapeError(message)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        if value not in names:
            known = f"named are {min(names)} to {max(names)}" if names else "no class has a name"
            message = (
                f"{where}: class {value} ({count} pixels) has no name; {known}; "
                "give a class table with --classes (CSV: value,name,kind)"
            )
            raise UnknownNameError(message)


def _read_picture(path: Path) -> NDArray[Any]:
    if not path.is_file():
        message = f"{path} does not exist; give the path of a label file"
        raise MissingFileError(message)
    try:
        with Image.open(path) as image:
            mode = image.mode
            pixels = np.asarray(image)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        message = f"{path} is not a whole picture: {error}; write it anew"
        raise FormatError(message) from error
    if pixels.ndim != 2:
        message = (
            f"{path} is a picture in colours (mode {mode}); expected a palette or grey picture whose "
            "values are the classes; save it with a palette"
        )
        raise FormatError(message)
    return pixels


def _whole(plane: NDArray[Any], path: Path) -> Labels:
    """Check that the values are classes: whole numbers from 0 up."""
    if plane.dtype.kind == "f":
        plane = np.where(np.isnan(plane), _UNLABELLED, plane)
        wrong = ~np.isfinite(plane) | (plane != np.floor(plane))
        if wrong.any():
            message = (
                f"{path} holds {plane[wrong][0]:g} where a class is expected; labels are whole "
                "numbers from 0 up; is this the cube or a map of something else?"
            )
            raise FormatError(message)
    if plane.min() < 0 or plane.max() > np.iinfo(np.int32).max:
        message = (
            f"{path} holds values {plane.min()} to {plane.max()}; labels are whole numbers from 0 "
            "(unlabelled) up; declare the nodata value in the file or mend the map"
        )
        raise FormatError(message)
    return plane.astype(np.int32)


def _read_csv(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        message = f"{path} does not exist; give a class table (CSV: value,name,kind)"
        raise MissingFileError(message)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, skipinitialspace=True, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        message = f"{path} is not a UTF-8 CSV: {error}; expected the columns value,name,kind"
        raise FormatError(message) from error
    if any(None in row for row in rows):
        message = (
            f"{path} has a line with more fields than columns; put names with commas in quotes"
        )
        raise FormatError(message)
    return [{key: value for key, value in row.items() if value} for row in rows]
