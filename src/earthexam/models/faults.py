"""Tell faults that may pass from those that will not, and say what to do about them."""

import re
import time
from email.utils import parsedate_to_datetime

from earthexam.models.protocol import FaultError, FaultKind

RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|(?:no such|unknown|invalid) model|not a valid model"
    r"|model\b.{0,80}\b(?:not found|does not exist|not supported)",
    re.IGNORECASE | re.DOTALL,
)
_NO_CREDIT = re.compile(r"insufficient_quota|credit balance is too low", re.IGNORECASE)
_QUOTE = 300


def fault_of_status(
    status: int, said: str, *, url: str, model: str, key_variable: str, retry_after: str = ""
) -> FaultError:
    """Make the fault for an HTTP status that is no success.

    Parameters
    ----------
    said : str
        The body of the answer, keys already taken out.
    retry_after : str
        The header of that name, seconds or a date.
    """
    quoted = " ".join(said.split())[:_QUOTE]
    kind, fix = _judge(status, said, model, key_variable)
    message = f"{url} answered {status} for {model!r}: {quoted or 'no text'}"
    if fix:
        message = f"{message}; {fix}"
    return FaultError(message, kind, retry_after_s=seconds_to_wait(retry_after))


def _judge(status: int, said: str, model: str, key_variable: str) -> tuple[FaultKind, str]:
    if status == 402 or (status in {400, 403, 429} and _NO_CREDIT.search(said)):
        return "fatal", "the account has no credit left; add some, then run the same command again"
    if 300 <= status < 400:
        # Not followed: the key would go to a server that the user did not name.
        return "fatal", "the server sends elsewhere; give the address it means as --base-url"
    if status in {401, 403}:
        return "fatal", f"check the key in {key_variable} and that it may use this model"
    if status == 404 or (status in {400, 422} and _UNKNOWN_MODEL.search(said)):
        return "fatal", f"check --base-url and the model name {model!r} (list: GET …/models)"
    if status in RETRYABLE_STATUS or status >= 500:
        return "retryable", ""
    return "permanent", ""


def seconds_to_wait(header: str) -> float | None:
    """Read a Retry-After header, seconds or an HTTP date; None when there is nothing to read.

    Examples
    --------
    >>> seconds_to_wait("2")
    2.0
    >>> seconds_to_wait("soon") is None
    True
    """
    text = header.strip()
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
