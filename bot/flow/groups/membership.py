"""What becomes of a chat when the bot is added, removed, blocked, promoted or restricted."""

import logging
from collections.abc import Sequence

from bot.domain.change import (
    AddAudit,
    AskStop,
    Change,
    InboundState,
    MarkInbound,
    Write,
)
from bot.domain.chat import Chat
from bot.domain.message import Presence, PresenceChange
from bot.domain.person import Person
from bot.domain.tool import clipped
from bot.domain.visible_text import quoted_name
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.news import News
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.ledger import Ledger
from bot.ports.people import People

_LOG = logging.getLogger(__name__)

MOVED = "bot.moved"
_CHANGED = "bot.membership"
_LONGEST_NAME = 60
_RECENT = 50
"""Lines of a chat's record in which its move is looked for."""


class Membership:
    """Ends what a chat without the bot still had going on, and tells the owners of every change."""

    def __init__(
        self,
        people: People,
        chats: Chats,
        ledger: Ledger,
        journal: Journal,
        farewell: Farewell,
        news: News,
        lanes: Lanes,
        clock: Clock,
    ) -> None:
        self._people = people
        self._chats = chats
        self._ledger = ledger
        self._journal = journal
        self._farewell = farewell
        self._news = news
        self._lanes = lanes
        self._clock = clock

    async def heed(self, row: InboundRow, change: PresenceChange) -> None:
        """Writes all that a change brings in one transaction; safe to repeat after a crash."""
        chats = await self._chats.within(change.address)
        person = await self._people.by_sender(change.by)
        here = [chat for chat in chats if chat.address.chat == change.address.chat]
        left = here if change.now is Presence.GONE else []
        ends = [write for chat in left for write in await self._farewell.to(chat, row)]
        news: Sequence[Write] = ()
        if not await self._of_a_move(change, chats, here):
            news = await self._news_of(change, person, ends)
        done = MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,))
        audit = self._audit(change, chats, person)
        _LOG.info("the bot is %s in %s", change.now, change.address.key)
        await self._journal.commit(Change((done, audit, *ends, *news), durable=True))
        for chat in left:
            self._lanes.interrupt(chat.id)

    async def _news_of(
        self, change: PresenceChange, person: Person | None, ends: Sequence[Write]
    ) -> Sequence[Write]:
        """What owners are told; of a stranger's private chat nothing."""
        private = change.kind == "private"
        if private and person is None:
            return ()
        text = f"{_told(change, person)}{_ended(ends)}"
        return await self._news.of(change.address, text, person if private else None)

    async def _of_a_move(
        self, change: PresenceChange, chats: Sequence[Chat], here: Sequence[Chat]
    ) -> bool:
        """A group that becomes a supergroup has the bot join there, and sometimes leave the old."""
        if change.now is Presence.GONE:
            return bool(chats) and not here
        moved = [chat for chat in here if chat.moved_from is not None]
        if change.before is not Presence.GONE or not moved:
            return False
        lines = await self._ledger.audit(moved[0].id, _RECENT)
        newest = next((line.action for line in lines if line.action in (MOVED, _CHANGED)), None)
        return newest == MOVED

    def _audit(
        self, change: PresenceChange, chats: Sequence[Chat], person: Person | None
    ) -> AddAudit:
        return AddAudit(
            self._clock.now(),
            chats[0].id if chats else None,
            person.id if person is not None else None,
            _CHANGED,
            change.address.key,
            {"by": change.by.key, "before": change.before, "now": change.now},
        )


def named(title: str) -> str:
    """A name or title that a stranger chose, in quotation marks it cannot leave."""
    return quoted_name(clipped(" ".join(title.split()), _LONGEST_NAME))


def _told(change: PresenceChange, person: Person | None) -> str:
    who = f"{named(change.by.name)} ({change.by.key})"
    if change.kind == "private":
        return f"{who} has blocked me." if _left(change) else f"{who} has unblocked me."
    where = f"the {change.kind} {named(change.title)}"
    if change.before is Presence.GONE:
        return _added(change, f"I was added to {where} by {who}.", known=person is not None)
    match change.now:
        case Presence.GONE:
            return f"I was removed from {where} by {who}."
        case Presence.MUTED:
            return f"I may not write in {where} any more, by a word of {who}."
        case Presence.ADMIN:
            return f"I am an administrator of {where} now, by a word of {who}. {_SEES}"
        case Presence.MEMBER if change.before is Presence.MUTED:
            return f"I may write in {where} again, by a word of {who}."
        case _:
            return f"I am no administrator of {where} any more, by a word of {who}."


_SEES = (
    "Telegram shows me all that is said there; what is not said to me is dropped, unless /context "
    "is on."
)


def _added(change: PresenceChange, told: str, *, known: bool) -> str:
    parts = [told]
    if change.kind == "channel":
        parts.append("I do nothing in channels.")
    else:
        parts.append(
            "I answer there when I am mentioned or replied to, and only people you let in."
        )
    if change.now is Presence.MUTED:
        parts.append("But I may not write there.")
    if change.now is Presence.ADMIN and change.kind == "group":
        parts.append(f"I am an administrator there. {_SEES}")
    if not known:
        parts.append("I do not know who added me: remove me there if you did not want this.")
    return " ".join(parts)


def _left(change: PresenceChange) -> bool:
    return change.now is Presence.GONE


def _ended(ends: Sequence[Write]) -> str:
    turns = sum(isinstance(write, AskStop) for write in ends)
    waiting = sum(isinstance(write, MarkInbound) for write in ends)
    counted = ((turns, "turn"), (waiting, "waiting message"))
    parts = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counted if n]
    return f" Ended there: {', '.join(parts)}." if parts else ""
