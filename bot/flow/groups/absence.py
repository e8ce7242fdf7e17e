"""Tells whether the bot has left a chat, from the record of its membership."""

from collections.abc import Mapping, Sequence

from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Presence
from bot.ports.ledger import AuditRows

MEMBERSHIP = "bot.membership"
_LOST = (Presence.GONE, Presence.MUTED)
_NEWEST = 1_000
"""Lines of a chat's record that are searched. After the bot has left, few are added."""


class Absence:
    """Looks only where a platform tells of the bot's membership; elsewhere the bot counts as there.

    Chats that moved have another address than the group that the bot left then.
    """

    def __init__(self, ledger: AuditRows) -> None:
        self._ledger = ledger

    async def of(self, place: Address, within: Sequence[Chat]) -> bool:
        """Returns True when the bot has left a place; `within` are all chats of its group."""
        return await self.presence(place, within) is Presence.GONE

    async def presence(self, place: Address, within: Sequence[Chat]) -> Presence:
        """Returns the bot's membership in a place as it was told last."""
        lines = [
            line
            for one in within
            for line in await self._ledger.audit(one.id, _NEWEST)
            if line.action == MEMBERSHIP and line.subject == place.key
        ]
        newest = max(lines, key=lambda line: line.at, default=None)
        return Presence.MEMBER if newest is None else Presence(newest.details["now"])

    async def lost(self, channel: str) -> Mapping[Address, Presence]:
        """Returns the places of a channel that the bot has left, or where it may not write."""
        lines = await self._ledger.newest_of(MEMBERSHIP, f"{channel}:")
        known = {Address.from_key(line.subject): Presence(line.details["now"]) for line in lines}
        return {place: now for place, now in known.items() if now in _LOST}
