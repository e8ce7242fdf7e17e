"""The floor of drafts and edits: the bare SDK making the same calls, as a process of its own.

Prints the processor time of a draft and of an edit in ms, as JSON, and waits to be ended.
"""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable

from telegram import Bot

from benchmarks.bare_bot import line

WARM_UP = 5
_PAUSE = 1.0
"""Seconds before each call: one that follows at once finds everything in the caches."""


async def main() -> None:
    url, chat = os.environ["TELEGRAM_API_URL"], int(os.environ["BARE_CHAT"])
    times = int(os.environ["BARE_TIMES"])
    bot = Bot(os.environ["TELEGRAM_BOT_TOKEN"], base_url=f"{url}/bot", request=line(8))
    async with bot:
        shown = await bot.send_message(chat, "It begins.")

        async def draft(number: int) -> None:
            await bot.send_message_draft(chat, 1, f"It goes on, {number}.")

        async def edit(number: int) -> None:
            await bot.edit_message_text(
                f"It goes on, {number}.", chat_id=chat, message_id=shown.message_id
            )

        found = {"draft": await _cost(draft, times), "edit": await _cost(edit, times)}
    print(json.dumps(found), flush=True)
    await asyncio.Event().wait()


async def _cost(call: Callable[[int], Awaitable[None]], times: int) -> float:
    """Returns the processor time of one call in ms."""
    for number in range(WARM_UP):
        await call(number)
    before = time.process_time()
    for number in range(times):
        await asyncio.sleep(_PAUSE)
        await call(WARM_UP + number)
    return (time.process_time() - before) / times * 1000


if __name__ == "__main__":
    asyncio.run(main())
