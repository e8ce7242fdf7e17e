"""Follows the bot's own membership: added, removed, blocked, promoted, restricted."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from bot.domain.change import AddAudit, Change, InboundState, MarkInbound, Write
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Presence, PresenceChange
from bot.domain.talk.person import Person
from bot.flow.groups.absence import MEMBERSHIP, Absence
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.news import News, may_leave, told_of, told_to_doer, with_title
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.ledger import AuditRows
from bot.ports.people import People

_LOG = logging.getLogger(__name__)

MOVED = "bot.moved"
_RECENT = 50
"""Newest audit lines of a chat that are searched for its move."""


class Membership:
    """Ends the work of a chat that the bot has left, and tells the owners of every change."""

    def __init__(
        self,
        people: People,
        chats: Chats,
        ledger: AuditRows,
        journal: Journal,
        farewell: Farewell,
        news: News,
        clock: Clock,
    ) -> None:
        self._people = people
        self._chats = chats
        self._ledger = ledger
        self._journal = journal
        self._absence = Absence(ledger)
        self._farewell = farewell
        self._news = news
        self._clock = clock
        self._telling = asyncio.Lock()

    async def heed(self, row: InboundRow, change: PresenceChange) -> None:
        """Stores a change and its consequences in one transaction; safe to repeat after a crash."""
        groups = await self._groups(change)
        chats = [chat for within in groups.values() for chat in within]
        change = with_title(change, chats)
        person = None if change.by is None else await self._people.by_sender(change.by)
        here = [c for at, within in groups.items() for c in within if c.address.chat == at.chat]
        left = here if change.now is Presence.GONE else []
        ends = [write for chat in left for write in await self._farewell.to(chat, row)]
        done = MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,), forget=person is None)
        audits = [self._audit(change, at, within, person) for at, within in groups.items()]
        for at in groups:
            _LOG.info("the bot is %s in %s", change.now, at.key)
        # One at a time: the news of many groups are summed up in one message that counts them.
        async with self._telling:
            news: Sequence[Write] = ()
            if groups and not await self._of_a_move(change, chats, here):
                news = await self._news_of(change, person, ends)
            await self._journal.commit(Change((done, *audits, *ends, *news), durable=True))
        for chat in left:
            self._farewell.interrupt(chat)

    async def _groups(self, change: PresenceChange) -> Mapping[Address, Sequence[Chat]]:
        """Returns the groups that a change concerns, with the known chats of each.

        A change that nobody is named for may concern places without a chat, or be known already.
        A server is no place itself, and told of once.
        """
        groups: dict[Address, Sequence[Chat]] = {}
        for at in (change.address, *change.besides):
            within = await self._chats.within(at)
            told = change.by is not None or change.kind == "server"
            if told or (within and change.now is not await self._absence.presence(at, within)):
                groups[at] = within
        return groups

    async def _news_of(
        self, change: PresenceChange, person: Person | None, ends: Sequence[Write]
    ) -> Sequence[Write]:
        """Returns the messages to owners; a change in a stranger's private chat brings none."""
        private = change.kind == "private"
        if private and person is None:
            return ()
        told, leaves = told_of(change, person, ends), may_leave(change)
        if person is None:
            # Back in a place that it knew, it was not invited by somebody unknown.
            leaves = leaves and (change.by is not None or change.kind == "server")
            return await self._news.of_stranger(change.address, told, leaves=leaves)
        own = "" if private else told_to_doer(change, ends)
        return [
            *await self._news.of(change.address, told, besides=person, leaves=leaves),
            *await self._news.of(change.address, own, to=person),
        ]

    async def _of_a_move(
        self, change: PresenceChange, chats: Sequence[Chat], here: Sequence[Chat]
    ) -> bool:
        """Returns True when the change is only part of a group's move to a supergroup.

        The platform says then that the bot joined the supergroup, and sometimes that it left the
        old group.
        """
        if change.now is Presence.GONE:
            return bool(chats) and not here
        moved = [chat for chat in here if chat.moved_from is not None]
        if change.before is not Presence.GONE or not moved:
            return False
        lines = await self._ledger.audit(moved[0].id, _RECENT)
        newest = next((line.action for line in lines if line.action in (MOVED, MEMBERSHIP)), None)
        return newest == MOVED

    def _audit(
        self, change: PresenceChange, at: Address, chats: Sequence[Chat], person: Person | None
    ) -> AddAudit:
        by = {} if change.by is None else {"by": change.by.key}
        return AddAudit(
            self._clock.now(),
            chats[0].id if chats else None,
            person.id if person is not None else None,
            MEMBERSHIP,
            at.key,
            {**by, "before": change.before, "now": change.now},
        )
