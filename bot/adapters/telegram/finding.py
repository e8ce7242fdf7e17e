"""Finds out whether a message of the bot stands in a chat, where its confirmation was lost.

The Bot API names no messages and shows none. But it refuses to end the live location of a message
in words that depend on the message, and so it tells what stands there and changes nothing.
"""

from collections.abc import Iterator
from itertools import count, islice

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ContentRefused
from bot.domain.talk.message import Address
from bot.ports.sightings import Traces

MOST_QUESTIONS = 20
"""Numbers that are asked about; as many messages of others may stand before the one."""

_SUPERGROUPS = -1_000_000_000_000
"""Their numbers are below this one."""

_OURS = "no live location in the message"
_NOT_OURS = ("message to edit not found", "message can't be edited", "message_id_invalid")


def numbers_of(to: Address, traces: Traces) -> Iterator[int]:
    """Returns the numbers that the message may have, the lowest first.

    They begin behind the last one that was given out before. Private chats and small groups of a
    bot share one counter, so most numbers behind it are known as those of other messages.
    """
    known = {
        int(one.message_id): one.at
        for one in traces.seen
        if one.message_id.isdecimal() and counter_of(one.address) == counter_of(to)
    }
    earlier = [number for number, at in known.items() if at <= traces.since]
    earlier += [int(number) for number in traces.before]
    if not earlier:
        return iter(())
    unknown = (number for number in count(max(earlier) + 1) if number not in known)
    return islice(unknown, MOST_QUESTIONS)


def counter_of(address: Address) -> tuple[str, str]:
    """Returns what counts the messages of a chat: itself for a supergroup, else the bot."""
    alone = int(address.chat) < _SUPERGROUPS
    return address.channel, address.chat if alone else ""


async def stands(api: TelegramApi, to: Address, number: int) -> bool:
    """Tells if a message of the bot stands there; raises ContentRefused for an unknown answer."""
    try:
        async with api.calling() as bot:
            await bot.stop_message_live_location(to.chat, number)
    except ContentRefused as refused:
        told = str(refused).lower()
        if _OURS in told:
            return True
        if any(words in told for words in _NOT_OURS):
            return False
        raise
    return False
