"""The floor of drafts and edits: the two SDKs showing a streamed answer, as a process of its own.

Every piece of the answer is shown: in a private chat as a draft, in a group by editing a message.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from anthropic import AsyncAnthropic
from telegram import Bot, Message
from telegram.error import NetworkError

from benchmarks.bare_bot import serve

_MODEL = "claude-sonnet-5-5"
_DRAFT = 1
T = TypeVar("T")


class ShowingBot:
    def __init__(self, bot: Bot, client: AsyncAnthropic) -> None:
        self._bot = bot
        self._client = client

    async def answer(self, message: Message) -> None:
        asked: list[Any] = [{"role": "user", "content": message.text}]
        shown: Message | None = None
        so_far = ""
        async with self._client.messages.stream(
            model=_MODEL, max_tokens=8000, messages=asked
        ) as stream:
            async for piece in stream.text_stream:
                so_far += piece
                shown = await _sure(partial(self._show, message, so_far, shown))
        await _sure(partial(self._bot.send_message, message.chat_id, so_far))
        if shown is not None:
            await _sure(partial(self._bot.delete_message, message.chat_id, shown.message_id))

    async def _show(self, message: Message, text: str, shown: Message | None) -> Message | None:
        """Shows the text so far; returns the message of a group in which it stands."""
        chat = message.chat_id
        if message.chat.type == "private":
            await self._bot.send_message_draft(chat, _DRAFT, text)
            return None
        if shown is None:
            return await self._bot.send_message(chat, text)
        await self._bot.edit_message_text(text, chat_id=chat, message_id=shown.message_id)
        return shown


async def _sure(call: Callable[[], Awaitable[T]]) -> T:
    """Makes a call, and makes it again where the server had closed the line meanwhile."""
    try:
        return await call()
    except NetworkError:
        return await call()


if __name__ == "__main__":
    asyncio.run(serve(ShowingBot, groups=True))
