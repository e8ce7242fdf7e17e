"""Translates refusals of embedding servers into faults of the flow."""

from bot.domain.talk.errors import EmbedderDenied, EmbedderError, EmbedderRefuses

_TOO_LONG = (
    "maximum context length",
    "context_length_exceeded",
    "context length",
    "too long",
    "too many tokens",
    "max_tokens",
    "maximum number of tokens",
    "must have less than",
    "exceed",
    "larger than the max",
)


class TooLong(EmbedderError):
    """A text has more tokens than the server takes."""


def refused(status: int, words: str) -> EmbedderError:
    """Returns the fault for an error answer."""
    said = " ".join(words.split())[:200] or "no reason given"
    text = f"the embedder refuses: {status}: {said}"
    if status in (400, 413, 422, 500) and any(each in said.lower() for each in _TOO_LONG):
        return TooLong(text)
    if status in (401, 402, 403, 404, 405):
        return EmbedderDenied(text)
    if status in (400, 413, 422):
        return EmbedderRefuses(text)
    return EmbedderError(text)
