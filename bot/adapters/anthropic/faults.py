"""Translates refusals of the provider into faults of the flow."""

from collections.abc import Callable

from bot.adapters.provider_faults import LONGEST, fault_of_status
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    NoSuchModel,
    PromptTooLong,
    SpoiltThinking,
)

STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The HTTP status of each error type, for errors that come inside a stream."""

KEY_SETTING = "ANTHROPIC_API_KEY"
"""The setting that holds the key."""


def _without_credit(text: str) -> ModelDenied:
    return ModelDenied(text, Trouble.CREDIT)


_DENIED: dict[int, Callable[[str], ModelDenied]] = {
    401: lambda text: ModelDenied(text, Trouble.KEY, KEY_SETTING),
    402: _without_credit,
    403: lambda text: ModelDenied(text, Trouble.PERMISSION),
}
_TOO_LONG = ("prompt is too long", "exceed context limit")
_SPOILT = (
    "invalid `signature` in `thinking` block",
    "blocks in the latest assistant message cannot be modified",
    "bound to a different conversation",
)


def fault(status: int, message: str, retry_after: str | None = None) -> ModelError:
    """Returns the fault for an error answer; `retry_after` is the text of the header."""
    said = " ".join(message.split())[:LONGEST]
    text = f"{status}: {said}"
    lowered = said.lower()
    if status == 413 or (status == 400 and any(words in lowered for words in _TOO_LONG)):
        return PromptTooLong(text)
    if status == 400 and any(words in lowered for words in _SPOILT):
        return SpoiltThinking(text)
    if status == 404:
        return NoSuchModel(text)
    if status in _DENIED or "credit balance is too low" in lowered:
        return _DENIED.get(status, _without_credit)(text)
    return fault_of_status(status, text, retry_after)
