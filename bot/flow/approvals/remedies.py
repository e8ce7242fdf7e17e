"""Says what people can do so that a foreign text pauses their rules no more."""

from collections.abc import Sequence

from bot.domain.memory.recalled import SOURCE
from bot.domain.text.visible_text import visible

_MOST_WAYS = 2
"""The most origins whose trust is offered by name."""


def is_recalled(source: str) -> bool:
    """Returns true for text that an earlier answer brought along: a fresh start is no remedy."""
    return source.startswith(SOURCE)


def remedy(source: str, trustable: Sequence[str], fresh: str) -> str:
    """Returns what helps; `fresh` are the words where nothing but a fresh start does.

    `trustable` are the origins of all foreign texts, if an owner could trust them.
    """
    erase = "/forget shows how to erase that answer."
    if 0 < len(trustable) <= _MOST_WAYS:
        ways = " and ".join(f"/rules trust {origin}" for origin in trustable)
        trust = visible(f"An owner can trust it: {ways}, then /new.")
        return f"{trust} Or {erase}" if is_recalled(source) else trust
    return erase if is_recalled(source) else fresh
