"""Tells whether the bot has left a chat, from the record of its membership."""

from collections.abc import Collection, Sequence

from bot.domain.chat import Chat
from bot.domain.message import Address, Presence
from bot.ports.ledger import Ledger

MEMBERSHIP = "bot.membership"
_NEWEST = 1_000
"""Lines of a chat's record that are searched. After the bot has left, few are added."""


class Absence:
    """Looks only where a platform tells of the bot's membership; elsewhere the bot counts as there.

    Chats that moved have another address than the group that the bot left then.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def of(self, place: Address, within: Sequence[Chat]) -> bool:
        """Returns True when the bot has left a place; `within` are all chats of its group."""
        lines = [
            line
            for one in within
            for line in await self._ledger.audit(one.id, _NEWEST)
            if line.action == MEMBERSHIP and line.subject == place.key
        ]
        newest = max(lines, key=lambda line: line.at, default=None)
        return newest is not None and newest.details["now"] == Presence.GONE

    async def left(self, channel: str) -> Collection[Address]:
        """Returns all places of a channel that the bot has left."""
        lines = await self._ledger.newest_of(MEMBERSHIP, f"{channel}:")
        return {Address.from_key(o.subject) for o in lines if o.details["now"] == Presence.GONE}
