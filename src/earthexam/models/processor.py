"""Load what turns text and pictures into the input of a local model, with or without torchvision.

transformers loads a processor whole, and where one also takes videos, its part for videos needs
torchvision. EarthExam shows pictures, for which Pillow will do, so that part is left out where
torchvision is not installed.
"""

import importlib
from typing import Any

from earthexam.core.errors import InputError, MissingLibraryError

_VIDEO = "video_processor"
_LIBRARY = "torchvision"


def load_processor(path: str, *, remote_code: bool) -> Any:
    """Load the processor of the model at `path`, a folder or an id on the hub.

    Raises
    ------
    InputError
        torchvision is installed, but does not load beside the torch that is.
    MissingLibraryError
        The processor is of a kind that cannot do without torchvision.
    OSError, ValueError
        As transformers raises them: there is no processor at `path`.
    """
    has_torchvision = _has_torchvision()
    transformers: Any = importlib.import_module("transformers")
    if not has_torchvision:
        config = transformers.AutoConfig.from_pretrained(path, trust_remote_code=remote_code)
        kind = transformers.PROCESSOR_MAPPING.get(type(config), None)
        # Left out by place: a processor takes its parts in order, and transformers lets the last lack.
        if kind is not None and kind.get_attributes()[-1] == _VIDEO:
            return _without_video(kind).from_pretrained(path)
    try:
        return transformers.AutoProcessor.from_pretrained(path, trust_remote_code=remote_code)
    except ImportError as error:
        if has_torchvision or _LIBRARY not in str(error).lower():
            raise
        message = (
            f"the processor of {path} needs the package torchvision, which is not installed; "
            "run: pip install torchvision, in the release that fits your torch"
        )
        raise MissingLibraryError(message) from error


def _has_torchvision() -> bool:
    try:
        importlib.import_module(_LIBRARY)
    except ImportError:
        return False
    except (RuntimeError, OSError) as error:
        first_line = str(error).strip().partition("\n")[0]
        message = (
            f"torchvision is installed, but does not load beside this torch ({first_line}); "
            "most models need none: pip uninstall torchvision; or install the build that fits"
        )
        raise InputError(message) from error
    return True


def _without_video(kind: Any) -> Any:
    """Make a kind of processor that is as `kind`, but has no part for videos."""
    names = [name for name in kind.get_attributes() if name != _VIDEO]
    return type(kind.__name__, (kind,), {"get_attributes": classmethod(lambda _: names)})
