"""Tells whether the bot has left a chat, from the record of its membership."""

from collections.abc import Sequence

from bot.domain.chat import Chat
from bot.domain.message import Presence
from bot.flow.groups.membership import MEMBERSHIP
from bot.ports.ledger import Ledger

_NEWEST = 1_000
"""Lines of a chat's record that are searched. After the bot has left, few are added."""


class Absence:
    """Looks only where a platform tells of the bot's membership; elsewhere the bot counts as there.

    Chats that moved have another address than the group that the bot left then.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def of(self, chat: Chat, within: Sequence[Chat]) -> bool:
        """Returns True when the bot has left this chat; `within` are all chats of its group."""
        lines = [
            line
            for one in within
            for line in await self._ledger.audit(one.id, _NEWEST)
            if line.action == MEMBERSHIP and line.subject == chat.address.key
        ]
        newest = max(lines, key=lambda line: line.at, default=None)
        return newest is not None and newest.details["now"] == Presence.GONE
