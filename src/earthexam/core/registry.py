"""Find the parts of a kind by walking a folder: adding a part is adding a file."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from earthexam.core.errors import UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Parts of one kind, registered by decorator in the modules of one package.

    Parameters
    ----------
    kind : str
        What a part is called in messages, for example ``"source"``.
    package : str
        The package whose modules register parts; imported at the first look-up, not before.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._parts: dict[str, T] = {}
        self._walked = False

    def add(self, name: str) -> Callable[[T], T]:
        """Register the decorated part under `name`; a name is given once."""

        def register(part: T) -> T:
            if name in self._parts:
                message = f"two {self.kind}s are called {name!r}; rename one of them"
                raise ValueError(message)
            self._parts[name] = part
            return part

        return register

    def get(self, name: str) -> T:
        """Return the part called `name`, or say which names come nearest."""
        self._walk()
        if name not in self._parts:
            raise UnknownNameError.of(self.kind, name, self._parts)
        return self._parts[name]

    def names(self) -> list[str]:
        """List the names, sorted."""
        self._walk()
        return sorted(self._parts)

    def __iter__(self) -> Iterator[tuple[str, T]]:
        """Give (name, part) sorted by name."""
        return iter((name, self._parts[name]) for name in self.names())

    def __contains__(self, name: object) -> bool:
        """Say whether a part has this name."""
        self._walk()
        return name in self._parts

    def _walk(self) -> None:
        if self._walked:
            return
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        self._walked = True
