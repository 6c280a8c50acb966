"""Ask a model: protocol, HTTP, local weights, profiles, pictures, cache, cost."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from earthexam.core.registry import Registry

if TYPE_CHECKING:
    from earthexam.models.options import ModelOptions
    from earthexam.models.protocol import Model

ModelOpener: TypeAlias = "Callable[[str, ModelOptions], Model]"

MODELS: Registry[ModelOpener] = Registry("model kind", "earthexam.models")
"""Opener of each kind of model by the first part of its name: ``openai`` in ``openai/gpt-5``."""
