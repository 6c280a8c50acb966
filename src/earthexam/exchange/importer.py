"""What an importer is and what it reports."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made.

    Attributes
    ----------
    root : Path
        The new folder.
    n : int
        Items (or replies) taken over.
    missing : tuple of str
        Media that the published files name and that are not there.
    warnings : tuple of str
        What was not as expected and how it was read.
    """

    root: Path
    n: int
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Importer(Protocol):
    """Reads a published layout and writes a folder of ours."""

    def __call__(self, source: Path, out: Path, *, without_media: bool = False) -> Imported:
        """Import the folder or file `source` into the new folder `out`.

        Raises
        ------
        MissingFileError
            The source has not the layout, or media are missing and `without_media` is not set.
        FormatError
            A file of the source is not what the layout says; names file and record.
        """
