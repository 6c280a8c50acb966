"""Convert between the units that replies use; factors are exact by definition of the units."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Unit:
    """``value in base unit = value * factor + offset``."""

    base: str
    factor: float
    offset: float = 0.0


_UNITS: dict[str, _Unit] = {
    name: _Unit(base, factor, offset)
    for base, factor, offset, names in (
        ("m", 1e-9, 0, "nm nanometre nanometer"),
        ("m", 1e-6, 0, "um μm µm micrometre micrometer micron"),
        ("m", 1e-3, 0, "mm millimetre millimeter"),
        ("m", 1e-2, 0, "cm centimetre centimeter"),
        ("m", 1, 0, "m metre meter"),
        ("m", 1e3, 0, "km kilometre kilometer"),
        ("m", 0.3048, 0, "ft foot feet"),
        ("m", 1609.344, 0, "mi mile"),
        ("m", 1852, 0, "nmi"),
        ("m2", 1, 0, "m2 sqm"),
        ("m2", 1e4, 0, "ha hectare"),
        ("m2", 1e6, 0, "km2 sqkm"),
        ("s", 1, 0, "s sec second"),
        ("s", 60, 0, "min minute"),
        ("s", 3600, 0, "h hr hour"),
        ("s", 86400, 0, "d day"),
        ("m/s", 1, 0, "m/s ms-1 mps"),
        ("m/s", 1 / 3.6, 0, "km/h kmh kph"),
        ("m/s", 1852 / 3600, 0, "kn kt knot"),
        ("Pa", 1, 0, "pa"),
        ("Pa", 100, 0, "hpa mbar millibar"),
        ("Pa", 1000, 0, "kpa"),
        ("K", 1, 0, "k kelvin"),
        ("K", 1, 273.15, "°c c celsius degc"),
        ("K", 5 / 9, 459.67 * 5 / 9, "°f f fahrenheit"),
        ("kg", 1e-3, 0, "g gram"),
        ("kg", 1, 0, "kg kilogram"),
        ("kg", 1e3, 0, "t ton tonne"),
        ("%", 1, 0, "% percent pct"),
    )
    for name in names.split()
}

_NOISE = re.compile(r"[\s^()·.]|square(?=\s?k?m)")
# Words only: "5 classes" names no unit, "5 km2" and "5 km²" (made "km2" by NFKC) do.
UNIT_PATTERN = r"(?:%|°\s?[CF]\b|square\s(?:kilo)?met(?:re|er)s?|[A-Za-zμµ]{1,12}(?:/[A-Za-z]{1,4}|\^?[23]|-1)?)"


def unit_key(unit: str) -> str:
    """Give the spelling under which a unit is known, or an empty text.

    Examples
    --------
    >>> unit_key("square kilometres")
    'km2'
    """
    folded = unit.strip().casefold()
    square = folded.startswith("square ")
    key = _NOISE.sub("", folded.removeprefix("square "))
    if square:
        return {"kilometre": "km2", "kilometer": "km2", "metre": "m2", "meter": "m2"}.get(
            key.removesuffix("s"), ""
        )
    for candidate in (key, key.removesuffix("s")):
        if candidate in _UNITS:
            return candidate
    return ""


def convert(value: float, unit: str, wanted: str) -> float | None:
    """Convert `value` from `unit` to `wanted`; None where the two can't be converted.

    Examples
    --------
    >>> convert(2.5, "km", "m")
    2500.0
    """
    source, target = _UNITS.get(unit_key(unit)), _UNITS.get(unit_key(wanted))
    if source is None or target is None or source.base != target.base:
        return None
    if source == target:
        return value
    exact = (value * source.factor + source.offset - target.offset) / target.factor
    return float(f"{exact:.12g}")  # 300 K are 26.85 °C, not 26.850000000000023
