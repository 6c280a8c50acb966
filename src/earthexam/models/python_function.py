"""Ask a Python function of the user's: the way in for models that nobody serves."""

import asyncio
import importlib
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from earthexam.core.errors import InputError, MissingFileError
from earthexam.core.files import inside
from earthexam.core.item import LETTERS, Format, Role, View
from earthexam.models import MODELS
from earthexam.models.messages import read_text
from earthexam.models.options import ModelOptions
from earthexam.models.protocol import Model, Reply, Request


@dataclass(frozen=True)
class Exhibit:
    """One file of a question.

    Attributes
    ----------
    path : Path
        Where it lies.
    role : str
        ``input``, or ``mask`` for the array that says which pixels of a cube count.
    label, time : str
        What it is called in the prompt, and its date.
    """

    path: Path
    view: View
    role: Role
    label: str
    time: str

    @cached_property
    def array(self) -> NDArray[Any]:
        """The file as an array.

        A ``.npy`` block as stored, (rows, cols, bands) and for a mask (rows, cols); a picture as
        uint8 (rows, cols, 3).
        """
        if self.path.suffix == ".npy":
            stored: NDArray[Any] = np.load(self.path, allow_pickle=False)
            return stored
        with Image.open(self.path) as picture:
            return np.asarray(picture.convert("RGB"))

    @cached_property
    def text(self) -> str:
        """The file as text, for a report."""
        return read_text(self.path.parent, self.path.name)


@dataclass(frozen=True)
class Question:
    """What the user's function is given.

    Attributes
    ----------
    prompt : str
        All text that a chat model would be told, reports included, pictures left out.
    options : mapping
        Letter to text, in the order shown; empty where there are none.
    exhibits : tuple of Exhibit
        The files of the view shown, in order, masks last; empty in a blind run.
    """

    id: str
    view: View | Literal[""]
    format: Format
    question: str
    prompt: str
    options: Mapping[str, str]
    exhibits: tuple[Exhibit, ...]

    @property
    def cubes(self) -> tuple[NDArray[Any], ...]:
        """The blocks of the view ``cube``, one a date, (rows, cols, bands)."""
        return tuple(e.array for e in self.exhibits if e.view == "cube" and e.role == "input")

    @property
    def masks(self) -> tuple[NDArray[Any], ...]:
        """The masks that belong to `cubes`, true or 1 where a pixel counts."""
        return tuple(e.array for e in self.exhibits if e.view == "cube" and e.role == "mask")


class PythonModel:
    """Calls a function, one question at a time, in a thread of its own; or awaits a coroutine.

    Parameters
    ----------
    target : str
        ``MODULE:FUNCTION`` or ``PATH/TO/FILE.py:FUNCTION``; the function takes a `Question` and
        returns the reply as text.
    """

    revision = ""
    endpoint_kind = "python"

    def __init__(self, target: str) -> None:
        self.name = f"python:{target}"
        self._function = _load(target)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")

    @property
    def parameters(self) -> Mapping[str, str | int | float | bool]:
        """None that EarthExam knows of."""
        return {}

    async def ask(self, request: Request) -> Reply:
        """Call the function."""
        started = time.monotonic()
        question = question_of(request)
        if inspect.iscoroutinefunction(self._function):
            text = await self._function(question)
        else:
            loop = asyncio.get_running_loop()
            text = await loop.run_in_executor(self._thread, self._function, question)
        if not isinstance(text, str):
            message = f"{self.name} returned {type(text).__name__}; expected the reply as str"
            raise InputError(message)
        return Reply(text=text, seconds=time.monotonic() - started)

    async def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@MODELS.add("python")
def open_python(name: str, options: ModelOptions) -> Model:
    """Open ``python:MODULE:FUNCTION``."""
    return PythonModel(name)


def question_of(request: Request) -> Question:
    """Turn a request into what a function is given."""
    item, prompt, view = request.item, request.prompt, request.key.view
    texts = [
        read_text(request.root, part.path) if part.kind == "file_text" else part.text
        for part in prompt.parts
        if part.kind in {"text", "file_text"}
    ]
    files = (*item.media_of(view, "input"), *item.media_of(view, "mask")) if view else ()
    return Question(
        id=item.id,
        view=view,
        format=item.format,
        question=item.question_for(view) if view else item.question,
        prompt="\n".join(filter(None, [prompt.system, *texts])),
        options={
            LETTERS[place]: item.options[index] for place, index in enumerate(prompt.option_order)
        },
        exhibits=tuple(
            Exhibit(inside(request.root, m.path), m.view, m.role, m.label, m.time) for m in files
        ),
    )


def _load(target: str) -> Callable[[Question], Any]:
    module_name, _, function_name = target.rpartition(":")
    if not module_name or not function_name:
        message = f"python:{target} names no function; expected python:MODULE:FUNCTION"
        raise InputError(message)
    module = _import_file(module_name) if module_name.endswith(".py") else _import(module_name)
    function = getattr(module, function_name, None)
    if not callable(function):
        message = f"{module_name} has no function {function_name!r}; check python:{target}"
        raise InputError(message)
    made: Callable[[Question], Any] = function
    return made


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        message = (
            f"there is no module {name!r}; install it, or name the file: "
            f"python:PATH/TO/{name.replace('.', '/')}.py:FUNCTION"
        )
        raise InputError(message) from error


def _import_file(name: str) -> Any:
    path = Path(name)
    own_name = f"earthexam_user_{path.stem}"  # the file may be called as a library is
    spec = importlib.util.spec_from_file_location(own_name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        message = f"{path} does not exist; expected python:PATH/TO/FILE.py:FUNCTION"
        raise MissingFileError(message)
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: dataclasses and pickling look their module up by name.
    sys.modules[own_name] = module
    spec.loader.exec_module(module)
    return module
