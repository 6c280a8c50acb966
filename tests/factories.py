"""Make records for tests: only what a test is about has to be said."""

from typing import Any

from earthexam.core.item import Answer, Blanks, Box, Chain, Choice, Golden, Item, References, Truth

ANSWERS: dict[str, Answer] = {
    "single_choice": Choice((1,)),
    "multiple_choice": Choice((0, 2)),
    "true_false": Truth(True),
    "fill_blank": Blanks(("kiln", "yard")),
    "open": Golden("12", "number", 12),
    "grounding": Box((10.0, 20.0, 30.0, 40.0)),
    "caption": References(("A river bends around a village.",)),
    "chain_of_thought": Chain((1,), ("The near infrared is low.", "Water absorbs it.")),
}
WITH_OPTIONS = ("single_choice", "multiple_choice", "chain_of_thought")


def make_item(item_format: str = "single_choice", **changes: Any) -> Item:
    """Make an item of a format, with four options where it has any; `changes` win."""
    fields: dict[str, Any] = {
        "id": "LCC-00000001",
        "task": "LCC",
        "levels": ("Perception", "LCC"),
        "format": item_format,
        "question_type": "choice",
        "question": "Which class covers most of the block?",
        "options": ("Concrete", "Asphalt", "Bare Soil", "Water")
        if item_format in WITH_OPTIONS
        else (),
        "answer": ANSWERS[item_format],
        "media": (),
        "group": "block-1",
        "source": "made-up",
    }
    return Item(**(fields | changes))
