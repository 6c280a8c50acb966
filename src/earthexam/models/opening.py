"""Open a model by its name on the command line."""

import re

from earthexam.core.errors import InputError
from earthexam.models import MODELS
from earthexam.models.options import ModelOptions
from earthexam.models.protocol import Model

_SPEC = re.compile(r"(?P<kind>[^/:]+)(?P<mark>[/:])(?P<name>.+)")


def open_model(spec: str, options: ModelOptions) -> Model:
    """Open the model that `spec` names.

    Parameters
    ----------
    spec : str
        ``KIND/NAME``, for example ``openai/gpt-5``, ``vllm/Qwen/Qwen3-VL-8B-Instruct``, ``hf/FOLDER``
        or ``replay/RUN``; a Python function is ``python:MODULE:FUNCTION``.

    Raises
    ------
    InputError
        The name has no kind, or its kind cannot open it.
    UnknownNameError
        Nobody registered the kind.
    """
    kind, name = split_spec(spec)
    return MODELS.get(kind)(name, options)


def split_spec(spec: str) -> tuple[str, str]:
    """Split ``KIND/NAME`` into its two parts.

    Examples
    --------
    >>> split_spec("vllm/Qwen/Qwen3-VL-8B-Instruct")
    ('vllm', 'Qwen/Qwen3-VL-8B-Instruct')
    >>> split_spec("python:my_model:answer")
    ('python', 'my_model:answer')
    """
    found = _SPEC.fullmatch(spec)
    if found is None:
        message = (
            f"--model {spec!r} names no kind of model; expected KIND/NAME such as openai/gpt-5, "
            "hf/FOLDER, replay/RUN, baseline/uniform or python:MODULE:FUNCTION"
        )
        raise InputError(message)
    return found["kind"], found["name"]
