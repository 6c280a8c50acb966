"""Every error that EarthExam raises on purpose.

::

    EarthExamError
    ├── InputError            (ValueError)         something given to us is wrong; exit code 2
    │   ├── MissingFileError  (FileNotFoundError)
    │   ├── FormatError                            a file is not what its name or header says
    │   ├── ShapeError                             arrays do not fit each other
    │   ├── AmbiguousError                         several readings are possible; the user must choose
    │   └── UnknownNameError  (KeyError)           a name nobody registered; says the nearest
    ├── MissingLibraryError   (ImportError)        an optional package is not installed; exit code 2
    ├── CheckFailedError                           a check, an audit or a verification failed; exit code 1
    └── ModelError                                 a model gave no reply; see ``models.protocol``

A message says what is wrong, where, the value, what was expected and the next step, in one line.
"""

import difflib
from collections.abc import Iterable

__all__ = [
    "AmbiguousError",
    "CheckFailedError",
    "EarthExamError",
    "FormatError",
    "InputError",
    "MissingFileError",
    "MissingLibraryError",
    "ModelError",
    "ShapeError",
    "UnknownNameError",
]


class EarthExamError(Exception):
    """The root of all errors raised on purpose."""

    def __str__(self) -> str:
        """Give the message alone; KeyError would print its repr."""
        return str(self.args[0]) if self.args else ""


class InputError(EarthExamError, ValueError):
    """Something the user gave is wrong."""


class MissingFileError(InputError, FileNotFoundError):
    """A file or folder does not exist."""


class FormatError(InputError):
    """A file is not what its name or its header says."""


class ShapeError(InputError):
    """Arrays do not fit each other or the task."""


class AmbiguousError(InputError):
    """Several readings are possible and the user must choose one."""


class UnknownNameError(InputError, KeyError):
    """A name that nobody registered."""

    @classmethod
    def of(cls, kind: str, name: str, known: Iterable[str]) -> "UnknownNameError":
        """Make the error for an unknown `name` of a `kind`, naming the nearest known ones."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        return cls(f"no {kind} called {name!r}; {hint}")


class MissingLibraryError(EarthExamError, ImportError):
    """An optional package is needed and not installed."""

    @classmethod
    def of(cls, package: str, need: str, extra: str) -> "MissingLibraryError":
        """Make the error that says what needs `package` and which extra brings it."""
        return cls(
            f"{need} needs the package {package}, which is not installed; "
            f"run: pip install 'earthexam[{extra}]'"
        )


class CheckFailedError(EarthExamError):
    """A check, an audit or a verification failed."""


class ModelError(EarthExamError):
    """A model gave no reply."""
