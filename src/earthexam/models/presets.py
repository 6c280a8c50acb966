"""Known servers: where they answer and which environment variable holds their key."""

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from earthexam.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of server; see ``presets.toml`` for the fields."""

    name: str
    title: str
    base_url: str
    key_variable: str
    key_header: str = "Authorization"
    key_optional: bool = False
    token_parameter: str = "max_tokens"
    example_url: str = ""

    def urls(self, given: tuple[str, ...]) -> tuple[str, ...]:
        """Return the base URLs to use: those given, else the preset's own.

        Raises
        ------
        InputError
            Neither exists, or one is no web address.
        """
        urls = tuple(url.rstrip("/") for url in given) or tuple(filter(None, [self.base_url]))
        if not urls:
            message = f"{self.title} has no address of its own; give --base-url {self.example_url}"
            raise InputError(message)
        for url in urls:
            if not url.startswith(("http://", "https://")):
                message = f"--base-url {url!r} is no web address; expected http://… or https://…"
                raise InputError(message)
        return urls

    def key(self, *, own_server: bool) -> str:
        """Read the key from the environment; empty where a server needs none.

        Parameters
        ----------
        own_server : bool
            The user named the server with --base-url, which may need no key.

        Raises
        ------
        InputError
            A key is needed and the variable is not set; the message names the variable.
        """
        key = os.environ.get(self.key_variable, "").strip()
        if not key and not (self.key_optional or own_server):
            message = (
                f"{self.title} needs a key and {self.key_variable} is not set; "
                f"run: export {self.key_variable}=…"
            )
            raise InputError(message)
        return key

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that carries `key`; none for an empty key."""
        if not key:
            return {}
        return {self.key_header: f"Bearer {key}" if self.key_header == "Authorization" else key}


@cache
def load_presets() -> tuple[Preset, ...]:
    """Read the shipped presets."""
    text = Path(__file__).with_name("presets.toml").read_text(encoding="utf-8")
    return tuple(Preset(name=name, **fields) for name, fields in tomllib.loads(text).items())
