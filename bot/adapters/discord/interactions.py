"""Answers presses and dialogues within the three seconds that Discord allows for it."""

import asyncio
import logging
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.components import dialogue_for
from bot.adapters.discord.fields import Fields
from bot.domain.errors import ChannelError

PRESS, WORDS = 3, 5
_SEEN_TO, _DIALOGUE = 6, 9
"""Answers: the message is changed later, or not at all; and a dialogue that asks for words."""

_CALLBACK = "/interactions/{webhook_id}/{webhook_token}/callback"
_SECONDS = 2.5
_MOST_AT_WORK = 64
_log = logging.getLogger(__name__)


class Interactions:
    """Answers each interaction at once; what it does is decided after it was stored.

    Use as an async context manager, which owns the answers under way.
    """

    def __init__(self, api: DiscordApi) -> None:
        self._api = api
        self._tasks: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Ends the answers that are under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def asks(self, event: Fields) -> dict[str, Any] | None:
        """Returns the dialogue that a press opens; None for any other event."""
        if event.number("type") != PRESS:
            return None
        custom_id = event.inner("data").text("custom_id") or ""
        return dialogue_for(custom_id, _label(event.inner("message"), custom_id))

    def answer(self, event: Fields, dialogue: dict[str, Any] | None = None) -> None:
        """Starts the answer and returns at once; a flood of interactions gets none."""
        if event.number("type") not in (PRESS, WORDS) or len(self._tasks) >= _MOST_AT_WORK:
            return
        body: dict[str, Any] = {"type": _SEEN_TO}
        if dialogue is not None:
            body = {"type": _DIALOGUE, "data": dialogue}
        task = asyncio.create_task(self._send(event, body), name="discord interaction")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, event: Fields, body: dict[str, Any]) -> None:
        number, token = event.id("id"), event.text("token")
        if number is None or not token:
            return
        try:
            async with asyncio.timeout(_SECONDS):
                names = {"webhook_id": number, "webhook_token": token}
                await self._api.call("POST", _CALLBACK, body, names=names)
        except (ChannelError, TimeoutError) as fault:
            _log.info("a press was not acknowledged: %s", fault or "no answer in time")


def _label(message: Fields, custom_id: str) -> str:
    """Returns the words on a button of a message."""
    for row in message.items("components"):
        for button in row.items("components"):
            if button.text("custom_id") == custom_id:
                return button.line("label", 80)
    return ""
