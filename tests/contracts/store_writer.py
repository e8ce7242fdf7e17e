"""A process that commits whole changes without end and tells the number of each: made to be killed.

Run as `python -m tests.contracts.store_writer <database url>`.
"""

import asyncio
import sys

from bot.adapters.sql.store import open_store
from bot.domain.change import Change, SaveTurn
from bot.domain.talk.message import Address
from tests.contracts.store_samples import a_turn, lines, shown


async def write(url: str) -> None:
    async with open_store(url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        fence = await store.journal.claim(chat.id)
        number = chat.last_seq // 2
        while True:
            number += 1
            writes = (
                lines(chat, 2 * number - 1, 2 * number),
                SaveTurn(a_turn(chat, rounds=number)),
                shown(chat, text=f"round {number}"),
            )
            await store.journal.commit(Change(writes, fence, durable=number % 3 == 0))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1]))
