"""Translates refusals of Chat Completions servers into faults of the flow."""

from bot.adapters.provider_faults import LONGEST, fault_of_status
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    NoSuchModel,
    PromptTooLong,
    SpoiltThinking,
)

_DENIED = {401: Trouble.KEY, 402: Trouble.CREDIT, 403: Trouble.PERMISSION}
_UNPAID = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LONG = (
    "maximum context length",
    "context_length_exceeded",
    "context length exceeded",
    "available context size",
    "exceeds the context window",
    "exceeds the maximum number of tokens allowed",
    "prompt is too long",
)
_NO_MODEL = (
    "is not a valid model",
    "invalid model",
    "no endpoints found for",
    "unknown model",
    "model not found",
    "does not exist",
    "try pulling it first",
)
_SEALED = "invalid_encrypted_content"
_SPENT = "max_tokens or model output limit was reached"


class OutputSpent(ModelError):
    """The model spent its whole output on reasoning, so the reply is empty and cut."""


def fault(
    status: int, message: str, *, code: str = "", retry_after: str | None = None, setting: str = ""
) -> ModelError:
    """Returns the fault for an error answer; `retry_after` is the text of the header.

    The key stands in the variable `setting`.
    """
    said = " ".join(message.split())[:LONGEST] or "no reason given"
    text = f"{status}: {said}"
    lowered = f"{code} {said}".lower()
    if status in (400, 404, 422) and (found := _of_request(lowered, text)) is not None:
        return found
    if status == 413 or (status >= 500 and any(words in lowered for words in _TOO_LONG)):
        return PromptTooLong(text)
    if status == 404:
        # The address as a whole is wrong, for only the model would be named in the words.
        return NoSuchModel(text) if "model" in lowered else ModelDenied(text, Trouble.MODEL)
    if code in _UNPAID:
        return ModelDenied(text, Trouble.CREDIT)
    if status in _DENIED:
        return ModelDenied(text, _DENIED[status], setting if status == 401 else "")
    return fault_of_status(status, text, retry_after)


def _of_request(lowered: str, text: str) -> ModelError | None:
    """Returns the fault that the words name, whatever the status says."""
    if any(words in lowered for words in _TOO_LONG):
        return PromptTooLong(text)
    if "model_not_found" in lowered or any(words in lowered for words in _NO_MODEL):
        return NoSuchModel(text)
    if _SEALED in lowered:
        return SpoiltThinking(text)
    if _SPENT in lowered:
        return OutputSpent(text)
    return None
