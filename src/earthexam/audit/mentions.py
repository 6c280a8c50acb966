"""M3–M5: what the text speaks of is what the picture shows."""

import re
from collections.abc import Iterator

from earthexam.audit import check
from earthexam.audit.check import Hit, Limits, hit_items
from earthexam.audit.subject import Subject
from earthexam.core.item import Item

_BLOCK = re.compile(r"\bblocks?[ _]?(?P<first>\d+)", re.IGNORECASE)
_GROUP_NUMBER = re.compile(r"(?:^|[^\d])(\d+)\Z")
# "between 2050 and 2300 nm" is no pair of years
_YEAR = re.compile(
    r"\b(?:in|from|to|of|the|between|and|year|since|until)\s+((?:19|20)\d\d)\b(?!\s*(?:(?:and|to|-|–)\s*[\d.]+\s*)?"
    r"(?:pixels?|nm|µm|μm|m|km|cm)\b)",
    re.IGNORECASE,
)
_COLOUR = (
    r"(?:red|orange|yellow|green|cyan|blue|purple|violet|magenta|pink|brown|beige|white|grey|gray"
    r"|turquoise|olive|maroon|teal)"
)
_COLOURED = re.compile(
    rf"\b(?:(?:dark|light|bright|pale|deep)[- ])?{_COLOUR}(?:ish)?(?:[- ](?:colou?red|toned?|labell?ed))?"
    r"(?:[ ,/-]+(?:and|or)?\s*\w+)?\s+(?:\w+[ -])?(?:regions?|areas?|patch(?:es)?|zones?|strips?|spots?|pixels?|parts?|"
    r"blocks?|bands? of|stripes?|blobs?|sections?|polygons?|clusters?|colou?rs?|labels?|trapezoid\w*|rectang\w*|fields?)\b"
    rf"|\b{_COLOUR}-(?:colou?red|toned|labell?ed)\b|\bcolou?rs?\b",
    re.IGNORECASE,
)
_SPECTRAL = re.compile(
    r"\b(?:red|green|blue)[- ](?:edge|band|peak|channel|light|reflectance|wavelength|region of the spectrum)s?",
    re.IGNORECASE,
)
_RENDERED = re.compile(r"\b(?:pseudo|false|true|natural)[- ]?(?:rgb|colou?r)\b|\blabel map\b", re.I)
_UNSEEN = re.compile(
    r"ground[- _]?truth|_gt\b|_gt_|\bdatasets?\b|\b(?:other|another|all|neighbou?ring|adjacent) blocks\b"
    r"|\b(?:entire|whole) scene\b|\bdocumented\b",
    re.IGNORECASE,
)
_COLOUR_VIEWS = frozenset({"true_colour", "colour_infrared", "image"})


@check(
    "M3",
    title="Entity match",
    definition="Block numbers and years named in the question are those of the pictures shown.",
    statistic="share of the items that name one",
    fix="Fill blocks, years and sensors from the media record.",
)
def entities(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Compare named blocks with the group, and named years with the media's dates."""
    for what, compare in (("block", _other_blocks), ("year", _other_years)):
        named = [(item, found) for item in subject.items if (found := compare(item)) is not None]
        odd = [(item, found) for item, found in named if found]
        example = ""
        if odd:
            item, found = odd[0]
            example = (
                f"{item.id} names the {what} {found[0]} and shows {item.group}: {item.question}"
            )
        yield from hit_items("error", [item.id for item, _ in odd], len(named), example)


@check(
    "M4",
    title="Modality match",
    definition="The text names colours of regions, a colour rendering or a label map, and no view of "
    "the item has colour.",
    statistic="share of items",
    fix="Let templates require what the view can show.",
)
def modality(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look for colour words where only grey is shown."""
    odd = [
        item
        for item in subject.items
        if item.views()
        and not _COLOUR_VIEWS & set(item.views())
        and _speaks_of_colour(item.question)
    ]
    example = f"{odd[0].id}: {odd[0].question}" if odd else ""
    yield from hit_items("warning", [item.id for item in odd], len(subject.items), example)


@check(
    "M5",
    title="Unseen evidence",
    definition="The question leans on what nobody is shown: the data set, its ground truth, other "
    "blocks, documents.",
    statistic="share of items",
    fix="Ask only what the shown media can answer.",
)
def unseen(subject: Subject, limits: Limits) -> Iterator[Hit]:
    """Look for words that point outside the picture."""
    odd = [
        (item, match[0])
        for item in subject.items
        if (match := next(filter(None, map(_UNSEEN.search, (item.question, *item.options))), None))
    ]
    example = f"{odd[0][0].id} speaks of {odd[0][1]!r}: {odd[0][0].question}" if odd else ""
    yield from hit_items("warning", [item.id for item, _ in odd], len(subject.items), example)


def _other_blocks(item: Item) -> list[str] | None:
    """Return the named blocks that are not the item's; None where nothing can be compared."""
    named = _BLOCK.findall(item.question)
    own = _GROUP_NUMBER.search(item.group)
    if not named or own is None:
        return None
    return [number for number in named if int(number) != int(own[1])]


def _other_years(item: Item) -> list[str] | None:
    named = _YEAR.findall(item.question)
    own = {media.time[:4] for media in item.media if media.role == "input" and media.time}
    if not named or not own:
        return None
    return [year for year in named if year not in own]


def _speaks_of_colour(question: str) -> bool:
    text = _SPECTRAL.sub(" ", question)
    return bool(_COLOURED.search(text) or _RENDERED.search(text))
