"""What an importer is, what it reports, and how it takes over pictures."""

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PIL import Image, UnidentifiedImageError

from earthexam.core.errors import FormatError

_ENDINGS = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "TIFF": ".tif"}


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


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """Size of a picture in pixels, and the file ending of its format."""

    width: int
    height: int
    ending: str


def picture_facts(data: bytes) -> PictureFacts:
    """Read what the header of a picture says; its name is not believed, its pixels are not read.

    Raises
    ------
    FormatError
        No picture, of another format than PNG, JPEG, WebP and TIFF, or with more pixels than
        Pillow takes for an attack.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=tuple(_ENDINGS)) as picture:
                return PictureFacts(*picture.size, _ENDINGS[picture.format or ""])
    except UnidentifiedImageError as error:
        message = f"no picture that can be read; expected {', '.join(_ENDINGS)}"
        raise FormatError(message) from error
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        message = f"no picture that can be read ({error})"
        raise FormatError(message) from error
