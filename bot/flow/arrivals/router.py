"""Routes updates: each goes to the part of the flow that handles what it holds."""

from bot.domain.change import InboundState
from bot.domain.talk.message import (
    Ignored,
    Inbound,
    InboundMessage,
    LeftOut,
    Moved,
    PresenceChange,
    Press,
    Reaction,
    Unreadable,
    Withdrawn,
)
from bot.domain.value import frozen
from bot.flow.arrivals.left_out_messages import LeftOutMessages
from bot.flow.arrivals.marks import marked
from bot.flow.arrivals.talk import GroupTalk, PrivateTalk
from bot.flow.arrivals.thumbs import Touches
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.reading.overhearing import MOST_COLLECTED, Overhearing
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal


@frozen
class Router:
    """Hands each update to the part that handles it, and marks it; safe to repeat after a crash."""

    _touches: Touches
    _private_talk: PrivateTalk
    _group_talk: GroupTalk
    _overhearing: Overhearing
    _moving: Moving
    _membership: Membership
    _left_out: LeftOutMessages
    _journal: Journal

    async def route(self, row: InboundRow, inbound: Inbound) -> None:
        match inbound:
            case Unreadable(reason):
                await self._journal.commit(marked(row, InboundState.DEAD, reason))
            case Ignored():
                self._overhearing.pass_over(row)
            case Moved() | PresenceChange() | LeftOut():
                await self.flush()
                await self._follow(row, inbound)
            case Press():
                await self._touches.presses.take(row, inbound)
            case Reaction():
                await self._touches.thumbs.take(row, inbound)
            case Withdrawn():
                talk = self._private_talk if inbound.private else self._group_talk
                await talk.drop(row, inbound)
            case InboundMessage():
                talk = self._private_talk if inbound.private else self._group_talk
                await talk.hear(row, inbound)
        if len(self._overhearing.collected) >= MOST_COLLECTED:
            await self.flush()

    async def _follow(self, row: InboundRow, told: Moved | PresenceChange | LeftOut) -> None:
        match told:
            case Moved():
                await self._moving.follow(row, told)
            case PresenceChange():
                await self._membership.heed(row, told)
            case LeftOut():
                await self._left_out.tell(row, told)

    async def flush(self) -> None:
        """Stores the marks of the updates that were not for the bot."""
        if self._overhearing.in_use:
            await self._overhearing.flush()
