"""Answers presses and dialogues within the three seconds that Discord allows for it."""

import asyncio
import logging
import re
from collections.abc import Coroutine, Mapping
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.cutting import cut
from bot.adapters.discord.dialogues import PresentWords, dialogue_of, filled_in, no_words
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.formatting import plain
from bot.adapters.discord.menu import ABOUT_MESSAGE, suggested
from bot.adapters.discord.presses import read_press
from bot.domain.talk.errors import ChannelError

COMMAND, PRESS, TYPING, WORDS = 2, 3, 4, 5
_NOTICE, _SEEN_TO, _SUGGESTIONS, _DIALOGUE = 4, 6, 8, 9
"""Answers: words for one person; none, as the message is changed later; words to choose from;
and a dialogue that asks for words."""

_TYPED = 1
_FOR_ONE = 1 << 6
_MOST_SUGGESTIONS = 25

_CALLBACK = "/interactions/{webhook_id}/{webhook_token}/callback"
_SECONDS = 2.5
_MOST_AT_WORK = 64
_MENTION = re.compile(r"<@!?([0-9]{1,20})>(?=\s|$)")
_log = logging.getLogger(__name__)


class Interactions:
    """Answers each interaction at once; what it does is decided after it was stored.

    `usages` are the words that may follow a command, by its name. `present_words` returns those
    that a button changes.
    """

    def __init__(self, api: DiscordApi) -> None:
        self._api = api
        self._tasks: set[asyncio.Task[None]] = set()
        self.usages: Mapping[str, str] = {}
        self.present_words: PresentWords = no_words

    async def close(self) -> None:
        """Ends the answers that are under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def helped(self, event: Fields) -> bool:
        """Answers an interaction that only asks for words; returns False for one that does more."""
        match event.number("type"):
            case kind if kind == PRESS and (dialogue := dialogue_of(event)) is not None:
                self._start(event, self._opened(event, dialogue))
                return True
            case kind if kind == TYPING:
                choices = self._fit(event.inner("data"))
                self._start(event, _at_once({"type": _SUGGESTIONS, "data": {"choices": choices}}))
                return True
            case _:
                return False

    async def _opened(self, event: Fields, dialogue: Mapping[str, Any]) -> dict[str, Any]:
        press = read_press(event)
        filled = dialogue if press is None else await filled_in(dialogue, press, self.present_words)
        return {"type": _DIALOGUE, "data": filled}

    def _fit(self, data: Fields) -> list[dict[str, str]]:
        """Returns the words that may go on a command that is being typed."""
        typed = next((one.text("value") or "" for one in data.items("options")), "")
        words = suggested(self.usages.get(data.text("name") or "", ""), typed)
        return [{"name": word, "value": word} for word in words[:_MOST_SUGGESTIONS]]

    def answer(self, event: Fields) -> None:
        """Starts the answer to a stored interaction and returns at once."""
        match event.number("type"):
            case kind if kind == COMMAND:
                told = plain(f"✓ {command_text(event.inner('data')) or ABOUT_MESSAGE}")
                data = {"content": cut(told)[0], "flags": _FOR_ONE}
                self._start(event, _at_once({"type": _NOTICE, "data": data}))
            case kind if kind in (PRESS, WORDS):
                self._start(event, _at_once({"type": _SEEN_TO}))
            case _:
                return

    def _start(self, event: Fields, body: Coroutine[Any, Any, dict[str, Any]]) -> None:
        if len(self._tasks) >= _MOST_AT_WORK:
            body.close()
            return
        task = asyncio.create_task(self._send(event, body), name="discord interaction")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, event: Fields, body: Coroutine[Any, Any, dict[str, Any]]) -> None:
        answer = await body
        number, token = event.id("id"), event.text("token")
        if number is None or not token:
            return
        try:
            async with asyncio.timeout(_SECONDS):
                names = {"webhook_id": number, "webhook_token": token}
                await self._api.call("POST", _CALLBACK, answer, names=names)
        except (ChannelError, TimeoutError) as fault:
            _log.info("a press was not acknowledged: %s", fault or "no answer in time")


async def _at_once(body: dict[str, Any]) -> dict[str, Any]:
    return body


def command_text(data: Fields) -> str:
    """Returns a command as it would be typed; empty for one that is called on a message."""
    name = data.text("name") or ""
    if not name or data.number("type") not in (None, _TYPED):
        return ""
    words = [_numbered(one.text("value") or "") for one in data.items("options")]
    return " ".join(filter(None, (f"/{name}", *words)))


def _numbered(words: str) -> str:
    """Returns words with the number of the person whose mention begins them, as `/allow` wants."""
    found = _MENTION.match(words)
    return words if found is None else f"{found[1]}{words[found.end() :]}"
