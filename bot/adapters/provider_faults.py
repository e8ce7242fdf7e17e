"""The faults that the status of an answer means at every provider of models."""

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
