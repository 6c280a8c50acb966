"""What is known of a scene besides its numbers: the shipped table and the user's own description.

A description is a TOML or JSON file with these keys, all but none of them optional: ``name``,
``sensor``, ``platform``, ``scene_type``, ``resolution_m``, ``quantity`` (counts, radiance,
reflectance, unknown), ``scale``, ``offset``, ``nodata``, ``wavelengths_nm``, ``dropped_bands``
(0-based), ``classes`` (list of value, name and, if known, kind), ``licence``, ``citation``, ``time``,
``simulated``.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from earthexam.core.errors import FormatError, MissingFileError, UnknownNameError
from earthexam.core.item import normalise_text
from earthexam.core.scene import Profile, Quantity

ClassKind: TypeAlias = Literal["vegetation", "soil", "water", "built", "other"]


@dataclass(frozen=True)
class Description:
    """A scene profile with what belongs to one file only: its date and how it was simulated."""

    profile: Profile
    time: str = ""
    simulated: str = ""


@dataclass(frozen=True)
class KnownScene:
    """A row of the shipped table.

    Attributes
    ----------
    keys : tuple of str
        Parts of variable or file names, lower-case letters and digits only.
    shape : tuple of int
        Rows, columns, bands of the published file; 0 stands for any number.
    """

    keys: tuple[str, ...]
    shape: tuple[int, int, int]
    profile: Profile


class ClassRow(BaseModel):
    """One class of a label map, as written in a file."""

    model_config = ConfigDict(extra="forbid")

    value: int = Field(ge=0)
    name: str = Field(min_length=1)
    kind: ClassKind | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = ""
    sensor: str = ""
    platform: str = ""
    scene_type: str = ""
    resolution_m: float | None = Field(default=None, gt=0)
    quantity: Quantity = "unknown"
    scale: float = 1.0
    offset: float = 0.0
    nodata: tuple[float, ...] = ()
    wavelengths_nm: tuple[float, ...] = ()
    dropped_bands: tuple[int, ...] = ()
    classes: tuple[ClassRow, ...] = ()
    licence: str = ""
    citation: str = ""
    time: str = ""
    simulated: str = ""


def load_profile(path: Path) -> Profile:
    """Read a scene profile from a TOML or JSON description; see the module for its keys."""
    return load_description(path).profile


def load_description(path: Path) -> Description:
    """Read a TOML or JSON description of a scene.

    Raises
    ------
    UnknownNameError
        A key that a description does not have; names the nearest.
    FormatError
        The file does not parse, or a value has the wrong type or range.
    """
    return _description(read_table(path), str(path), default_name=path.stem)


def read_table(path: Path) -> Mapping[str, Any]:
    """Parse a TOML or JSON file whose top level is a table."""
    if not path.is_file():
        message = f"{path} does not exist; give the path of a TOML or JSON file"
        raise MissingFileError(message)
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except ValueError as error:
        message = f"{path} does not parse: {error}; expected UTF-8 text in TOML, or JSON in a .json"
        raise FormatError(message) from error
    if not isinstance(table, dict):
        message = f"{path} holds a {type(table).__name__}; expected a table of keys and values"
        raise FormatError(message)
    return table


def class_names(rows: Sequence[ClassRow], where: str) -> Mapping[int, str]:
    """Return the name of each label value.

    Refused are a value or a name given twice, and names that options could not tell apart because
    they differ only in case, spaces or punctuation.
    """
    names: dict[int, str] = {}
    plain: dict[str, str] = {}
    for row in rows:
        if row.value in names or row.name in names.values():
            message = f"{where} gives class {row.value} ({row.name!r}) twice; keep one line a class"
            raise FormatError(message)
        like = plain.setdefault(normalise_text(row.name), row.name)
        if like != row.name:
            message = (
                f"{where} calls two classes {like!r} and {row.name!r}, which read the same as "
                "options; give one of them another name"
            )
            raise FormatError(message)
        names[row.value] = row.name
    return names


def class_kinds(rows: Sequence[ClassRow]) -> Mapping[str, str]:
    """Return the kind of each class that has one."""
    return {row.name: row.kind for row in rows if row.kind}


def parse_classes(raw: Any, where: str) -> tuple[ClassRow, ...]:
    """Check rows of value, name and kind that came from a file."""
    if not isinstance(raw, list) or not all(isinstance(row, Mapping) for row in raw):
        message = f"{where}: classes have to be a list of tables with value, name and kind"
        raise FormatError(message)
    for row in raw:
        _refuse_unknown_keys(row, ClassRow, f"class key in {where}")
    try:
        return tuple(ClassRow.model_validate(row) for row in raw)
    except ValidationError as error:
        raise _format_error(error, where) from error


def known_scenes() -> Mapping[str, KnownScene]:
    """Return the shipped table, by its own short names."""
    return _known_scenes()


def known_profile(name: str) -> Profile:
    """Return the profile with this short name in the shipped table."""
    scenes = _known_scenes()
    if name not in scenes:
        kind = "scene profile"
        raise UnknownNameError.of(kind, name, scenes)
    return scenes[name].profile


def recognise(shape: tuple[int, int, int], names: Sequence[str]) -> Profile | None:
    """Find the known scene that has this shape and one of its keys in the variable or file name.

    Parameters
    ----------
    shape : tuple of int
        Rows, columns, bands of the file.
    names : sequence of str
        Name of the variable, stem of the file.
    """
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
    for scene in _known_scenes().values():
        fits = all(want in (0, have) for want, have in zip(scene.shape, shape, strict=True))
        if fits and any(key in name for key in scene.keys for name in plain):
            return scene.profile
    return None


@cache
def _known_scenes() -> dict[str, KnownScene]:
    resource = resources.files("earthexam.sources") / "profiles.toml"
    table = tomllib.loads(resource.read_text(encoding="utf-8"))
    return {name: _known_scene(name, row) for name, row in table.items()}


def _known_scene(name: str, row: dict[str, Any]) -> KnownScene:
    fields = {key: value for key, value in row.items() if key not in ("keys", "shape")}
    rows, cols, bands = row["shape"]
    keys = tuple(re.sub(r"[^a-z0-9]", "", key) for key in row["keys"])
    where = f"profiles.toml, {name}"
    return KnownScene(keys, (rows, cols, bands), _description(fields, where, name).profile)


def _description(table: Mapping[str, Any], where: str, default_name: str) -> Description:
    _refuse_unknown_keys(table, _File, f"key of a scene description in {where}")
    rows = parse_classes(table.get("classes", []), where)
    try:
        file = _File.model_validate({**table, "classes": rows})
    except ValidationError as error:
        raise _format_error(error, where) from error
    profile = Profile(
        name=file.name or default_name,
        sensor=file.sensor,
        platform=file.platform,
        scene_type=file.scene_type,
        resolution_m=file.resolution_m,
        quantity=file.quantity,
        scale=file.scale,
        offset=file.offset,
        nodata=file.nodata,
        wavelengths_nm=file.wavelengths_nm,
        dropped_bands=file.dropped_bands,
        class_names=class_names(rows, where),
        class_kinds=class_kinds(rows),
        licence=file.licence,
        citation=file.citation,
    )
    return Description(profile, file.time, file.simulated)


def _refuse_unknown_keys(table: Mapping[str, Any], model: type[BaseModel], kind: str) -> None:
    for key in table:
        if key not in model.model_fields:
            raise UnknownNameError.of(kind, key, model.model_fields)


def _format_error(error: ValidationError, where: str) -> FormatError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return FormatError(f"{where}: {place} = {first['input']!r}: {first['msg']}; mend this value")
