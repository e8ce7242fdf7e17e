"""Opens the dialogue of a button, which begins with the words that the button changes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from bot.adapters.discord.components import begun_with, dialogue_for
from bot.adapters.discord.fields import Fields
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Press

PresentWords: TypeAlias = Callable[[Press], Awaitable[str]]
_PATIENCE_SECONDS = 1.0
"""A dialogue has to open within three seconds, with its words or without."""

_log = logging.getLogger(__name__)


async def no_words(press: Press) -> str:
    """Returns nothing: the words that a button changes are not known."""
    del press
    return ""


def dialogue_of(event: Fields) -> Mapping[str, Any] | None:
    """Returns the dialogue that a press opens; None for one that opens none."""
    custom_id = event.inner("data").text("custom_id") or ""
    return dialogue_for(custom_id, _label(event.inner("message"), custom_id))


async def filled_in(dialogue: Mapping[str, Any], press: Press, words: PresentWords) -> Any:
    """Returns a dialogue with the present words in its field, where they are known in time."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return begun_with(dialogue, await words(press))
    except (StoreError, TimeoutError) as fault:
        _log.info("a dialogue begins without its words: %s", fault or "no answer in time")
        return dialogue


def _label(message: Fields, custom_id: str) -> str:
    """Returns the words on a button of a message."""
    for row in message.items("components"):
        for button in row.items("components"):
            if button.text("custom_id") == custom_id:
                return button.line("label", 80)
    return ""
