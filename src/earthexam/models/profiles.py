"""What a model can take, how it counts coordinates, and what reports group it by."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from earthexam.answers.reading import Convention, CornerOrder
from earthexam.core.errors import FormatError, MissingFileError

_FOLDER = Path(__file__).with_name("profiles")


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class Profile:
    """A model profile; the defaults are those of a model nobody described.

    Attributes
    ----------
    name : str
        File that the profile comes from; empty for the defaults.
    family, vendor, released : str
        What reports group by; `released` is a date as ``2025-01`` or ``2025-01-31``.
    parameters_billion : float or None
        Size, all experts counted; None where the vendor does not say.
    weights : str
        ``open`` or ``closed``; empty where unknown.
    domain : str
        ``general`` or ``remote-sensing``.
    convention : str
        How the model writes boxes: ``pixels`` of the picture it was sent, ``unit`` (0 to 1),
        ``0-100`` or ``0-1000``.
    order : str
        ``xyxy`` or ``yxyx``.
    frame : str
        What the convention counts on: the ``picture`` sent, or the picture padded to a ``square``
        (content centred), as LLaVA-1.5 sees it.
    side_multiple : int or None
        The model rounds both sides of a picture to multiples of this; its pixels count there.
    most_pictures : int or None
        Most pictures in one request; 0 for a model without eyes.
    most_pixels, most_bytes : int or None
        Most pixels of one picture and most bytes of it after base64.
    most_request_pixels, most_request_bytes : int or None
        The same for all pictures of one request together, shared out evenly.
    most_side : int or None
        Longest side of one picture in pixels.
    system_message : bool
        Whether a system message is allowed; without, its text opens the user message.
    reasoning_tags : tuple of str
        Opening and closing mark of the model's thinking, where they are not the usual ones.
    token_parameter : str
        Name of the most-tokens parameter; empty takes the server preset's.
    parameters : tuple of str
        Sampling parameters that may be sent.
    reply_tokens : int or None
        Most tokens of a reply where the prompt style's own is too few (models that think first).
    input_usd, output_usd : float or None
        Price of a million tokens.
    priced : str
        Day the prices were noted.
    tokens_per_picture, pixels_per_token : float
        Tokens of a picture: the first plus pixels divided by the second (0: no such part).
    serve : str
        How to serve it, in one line.
    """

    name: str = ""
    family: str = ""
    vendor: str = ""
    released: str = ""
    parameters_billion: float | None = None
    weights: Literal["open", "closed", ""] = ""
    domain: Literal["general", "remote-sensing"] = "general"
    convention: Convention = "pixels"
    order: CornerOrder = "xyxy"
    frame: Literal["picture", "square"] = "picture"
    side_multiple: int | None = None
    most_pictures: int | None = None
    most_pixels: int | None = None
    most_bytes: int | None = None
    most_request_pixels: int | None = None
    most_request_bytes: int | None = None
    most_side: int | None = None
    system_message: bool = True
    reasoning_tags: tuple[str, ...] = ()
    token_parameter: str = ""
    parameters: tuple[str, ...] = ("temperature",)
    reply_tokens: int | None = None
    input_usd: float | None = None
    output_usd: float | None = None
    priced: str = ""
    tokens_per_picture: float = 0.0
    pixels_per_token: float = 784.0
    serve: str = ""

    @property
    def has_price(self) -> bool:
        """Whether money can be counted."""
        return self.input_usd is not None and self.output_usd is not None

    def usd(self, input_tokens: float, output_tokens: float) -> float:
        """Return what the tokens cost in US dollars; 0 where no price is known."""
        if self.input_usd is None or self.output_usd is None:
            return 0.0
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1e6

    def picture_tokens(self, width: int, height: int) -> float:
        """Estimate the tokens of one picture of this size."""
        by_size = width * height / self.pixels_per_token if self.pixels_per_token else 0.0
        return self.tokens_per_picture + by_size


@dataclass(frozen=True, slots=True)
class _Settings:
    """The fields that a file or a variant sets, checked, and the names of models they hold for."""

    match: tuple[str, ...]
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _File:
    """A profile file: what holds for all its models, and what for some of them."""

    shared: _Settings
    variants: tuple[_Settings, ...]


def find_profile(model: str, own: Path | None = None) -> Profile:
    """Return the profile of a model: the shipped one that fits its name, and `own` on top.

    Parameters
    ----------
    model : str
        Name as on the command line; matched without case, with or without the kind before it.
    own : Path or None
        The user's TOML file; each field it sets wins over the shipped profile.

    Raises
    ------
    MissingFileError, FormatError
        `own` does not exist or is no profile.
    """
    profile = Profile()
    for name, file in _shipped():
        if _fits(model, file.shared.match):
            profile = _apply(profile, file, name, model)
    if own is None:
        return profile
    if not own.is_file():
        message = (
            f"--profile {own} does not exist; see the shipped ones with: earthexam list models"
        )
        raise MissingFileError(message)
    return _apply(profile, _read(own), own.name, model)


def shipped_profiles() -> list[Profile]:
    """List the shipped profiles, one a file and one a variant, by file name."""
    found = []
    for name, file in _shipped():
        found.append(replace(Profile(name=name), **file.shared.fields))
        found.extend(
            replace(found[-1], **variant.fields, name=f"{name}: {variant.match[0]}")
            for variant in file.variants
        )
    return found


def profile_from_run(stored: Mapping[str, Any]) -> Profile:
    """Make a profile from the form stored in ``run.json``; unknown fields are left out."""
    known = {field.name for field in fields(Profile)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
        if name in known
    }
    return Profile(**values)


def _apply(profile: Profile, file: _File, name: str, model: str) -> Profile:
    profile = replace(profile, **file.shared.fields, name=name)
    for variant in file.variants:
        if _fits(model, variant.match):
            profile = replace(profile, **variant.fields)
    return profile


def _fits(model: str, patterns: Sequence[str]) -> bool:
    lowered = model.lower()
    return any(
        fnmatchcase(lowered, pattern.lower()) or fnmatchcase(lowered, f"*/{pattern.lower()}")
        for pattern in patterns
    )


@cache
def _shipped() -> tuple[tuple[str, _File], ...]:
    return tuple((path.stem, _read(path)) for path in sorted(_FOLDER.glob("*.toml")))


def _read(path: Path) -> _File:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        message = f"{path} is no TOML file: {error}"
        raise FormatError(message) from error
    variants = raw.pop("variant", [])
    if not isinstance(variants, list) or not all(isinstance(one, dict) for one in variants):
        message = f"{path}: variant is {variants!r}; expected tables under [[variant]]"
        raise FormatError(message)
    shared = _check({"match": ["*"], **raw}, str(path))
    return _File(
        shared,
        tuple(_check(one, f"{path}: variant {number}") for number, one in enumerate(variants, 1)),
    )


def _check(raw: Mapping[str, Any], where: str) -> _Settings:
    """Check the fields against the types of `Profile`; JSON is where strict lists become tuples."""
    given = {name: value for name, value in raw.items() if name != "match"}
    match = raw.get("match")
    if not isinstance(match, list) or not all(isinstance(one, str) for one in match) or not match:
        message = f"{where}: match is {match!r}; expected a list of model names"
        raise FormatError(message)
    if "name" in given:
        message = f"{where}: name cannot be set; a profile is called after its file"
        raise FormatError(message)
    try:
        checked = _PROFILE.validate_json(json.dumps(given, default=str), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        message = f"{where}: {field}: {first['msg']} (it holds {first['input']!r})"
        raise FormatError(message) from error
    return _Settings(tuple(match), {name: getattr(checked, name) for name in given})


_PROFILE = TypeAdapter(Profile)
