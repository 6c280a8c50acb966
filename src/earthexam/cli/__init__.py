"""The command line: parses, calls, prints; one module a group of commands, found by folder walk."""

import errno
import importlib
import pkgutil
import sys
import warnings
from typing import TextIO

from earthexam.cli.app import app
from earthexam.core.errors import CheckFailedError, EarthExamError

__all__ = ["main"]

# What a user can do about what the system refuses; any other refusal is a fault of ours.
_NEXT_STEPS = {
    errno.ENOSPC: "make room or write elsewhere",
    errno.EDQUOT: "make room or write elsewhere",
    errno.EROFS: "write elsewhere",
    errno.EACCES: "ask for the permission or give another path",
    errno.EPERM: "ask for the permission or give another path",
    errno.ENOTDIR: "give a path whose folders are no files",
    errno.EEXIST: "give a path whose folders are no files",
    errno.ENAMETOOLONG: "give a shorter name",
}


def main() -> None:
    """Run the command line; exit 0 fine, 1 a check failed, 2 wrong use."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except CheckFailedError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
    except EarthExamError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) went away: nothing is wrong with us.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in _NEXT_STEPS:
            raise
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror}; {_NEXT_STEPS[error.errno]}\n")
        sys.exit(2)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell a warning as one line; where in the code it was raised helps no user."""
    sys.stderr.write(f"warning: {message}\n")
