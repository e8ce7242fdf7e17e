"""Takes secrets out of texts that others read."""

from collections.abc import Iterable

_SHORTEST = 8
"""A shorter key may be a part of many words, and is no secret worth the name."""


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Returns the text with `[key]` in the place of each secret."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, "[key]")
    return text
