"""All question families of the 13 hyperspectral tasks, found by folder walk."""

import importlib
import pkgutil
from functools import cache

from earthexam.questions import hyperspectral
from earthexam.questions.family import Families
from earthexam.questions.hyperspectral.block import Block
from earthexam.questions.hyperspectral.context import FAMILIES, Context


@cache
def all_families() -> Families[Block, Context]:
    """Import every module of the folder, so that each adds its families, and return them all."""
    for module in pkgutil.iter_modules(hyperspectral.__path__):
        if module.name != "families":
            importlib.import_module(f"{hyperspectral.__name__}.{module.name}")
    return FAMILIES
