"""The faults that the status of an answer means at every provider of models."""

from collections.abc import Mapping
from typing import Any

from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelError, ModelOverloaded, ModelUnreachable, RequestInvalid

LONGEST = 400
"""Signs of a provider's own words in a fault."""

_BUSY = {429: Trouble.RATE, 503: Trouble.OVERLOADED, 529: Trouble.OVERLOADED}
_DAY_SECONDS = 86_400


def fault_of_status(status: int, text: str, retry_after: str | None) -> ModelError:
    """Returns the fault for an answer whose words say no more; `retry_after` is the header."""
    if status == 408:
        return ModelUnreachable(text)
    if status == 429 or status >= 500:
        kind = _BUSY.get(status, Trouble.DOWN)
        return ModelOverloaded(text, _seconds(retry_after), kind)
    return RequestInvalid(text)


def _seconds(header: str | None) -> float | None:
    """Returns the header's seconds; None when it is missing, a date, or not a sensible number."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < _DAY_SECONDS else None


def error_told(error: object, status: int) -> tuple[int, str, str]:
    """Returns the status, the words and the code of an error body, in whatever form it comes.

    Servers put the error into `error`, `detail` or `message`; inside a stream the code may be the
    status.
    """
    if isinstance(error, Mapping):
        fields: Mapping[str, Any] = error
        inner = fields.get("error") or fields.get("detail")
        if isinstance(inner, Mapping | str | list):
            return error_told(inner, status)
        code = fields.get("code")
        if isinstance(code, int) and 400 <= code < 600:
            status = code
        words = fields.get("message") or fields.get("msg") or fields.get("type") or ""
        return status, str(words), str(code or fields.get("type") or "")
    if isinstance(error, list) and error:
        return error_told(error[0], status)
    return status, error if isinstance(error, str) else "", ""
