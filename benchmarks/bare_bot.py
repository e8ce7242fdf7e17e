"""The floor: the two SDKs doing the same turns with nothing around them, as a process of its own.

It keeps its histories in memory and asks nobody. No bot on these SDKs can cost less. It fetches
the talk of groups and does nothing with it.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from anthropic import AsyncAnthropic
from anthropic.types import ContentBlock, ToolUseBlock
from telegram import Bot, Message
from telegram.request import HTTPXRequest

_MODEL = "claude-sonnet-5-5"
_TOOLS: Any = [
    {
        "name": "current_time",
        "description": "Tells the time.",
        "input_schema": {"type": "object", "properties": {}},
    }
]
_PATIENCE = 120.0


class Answering(Protocol):
    """A bot that answers messages."""

    def answer(self, message: Message) -> Coroutine[Any, Any, None]: ...


class BareBot:
    def __init__(self, bot: Bot, client: AsyncAnthropic) -> None:
        self._bot = bot
        self._client = client
        self._histories: defaultdict[int, list[Any]] = defaultdict(list)

    async def answer(self, message: Message) -> None:
        history = self._histories[message.chat_id]
        history.append({"role": "user", "content": message.text})
        await self._bot.send_message(message.chat_id, await answered(self._client, history))


async def serve(answering: Callable[[Bot, AsyncAnthropic], Answering], *, groups: bool) -> None:
    """Answers messages with words, each in a task of its own, until the process is ended.

    Without `groups` it answers private chats alone.
    """
    bot = Bot(
        os.environ["TELEGRAM_BOT_TOKEN"],
        base_url=f"{os.environ['TELEGRAM_API_URL']}/bot",
        request=_line(256),
        get_updates_request=_line(1),
    )
    offset = 0
    # The model's key and address come from the environment, as for the program.
    async with bot, AsyncAnthropic() as client, asyncio.TaskGroup() as answers:
        own = answering(bot, client)
        while True:
            for update in await bot.get_updates(offset=offset, timeout=50):
                offset = update.update_id + 1
                message = update.message
                if message is None or not message.text:
                    continue
                if groups or message.chat.type == "private":
                    answers.create_task(own.answer(message))


async def answered(client: AsyncAnthropic, history: list[Any]) -> str:
    """Returns the answer to a history, which grows by all that came before it."""
    while results := _results(reply := await _reply(client, history)):
        history.append({"role": "user", "content": results})
    return "".join(block.text for block in reply if block.type == "text")


async def _reply(client: AsyncAnthropic, history: list[Any]) -> Sequence[ContentBlock]:
    async with client.messages.stream(
        model=_MODEL, max_tokens=8000, messages=history, tools=_TOOLS
    ) as stream:
        async for _ in stream:
            pass
        content = (await stream.get_final_message()).content
    history.append({"role": "assistant", "content": [block.model_dump() for block in content]})
    return content


def _results(content: Iterable[ContentBlock]) -> list[dict[str, str]]:
    now = datetime.now(UTC).isoformat()
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": now}
        for block in content
        if isinstance(block, ToolUseBlock)
    ]


def _line(connections: int) -> HTTPXRequest:
    """Returns a line to the platform, as a bot on this SDK would have it."""
    return HTTPXRequest(
        connection_pool_size=connections, read_timeout=_PATIENCE, pool_timeout=_PATIENCE
    )


if __name__ == "__main__":
    asyncio.run(serve(BareBot, groups=False))
