"""Declines messages that exceed the pace of a person, and tells the person."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from weakref import WeakValueDictionary

from bot.domain.change import Change, Show, Write
from bot.domain.clock.span import lasting
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person
from bot.domain.talk.rights import Bound, Pace
from bot.flow.queue.arrival import Arrival
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.members import Members
from bot.ports.outbox import Outbox

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True, eq=False)
class Pacing:
    """Checks a person's pace against stored messages, so a restart does not reset the count.

    `common` is the pace of members who have none of their own.
    """

    _members: Members
    _outbox: Outbox
    _journal: Journal
    _clock: Clock
    _common: Pace
    _counting: WeakValueDictionary[int, asyncio.Lock] = field(
        default_factory=WeakValueDictionary, init=False
    )

    def counting(self, person: Person) -> asyncio.Lock:
        """Returns the lock that is held from the check of a message until it is stored.

        A person may write in several chats at once, and each message counts for the next one.
        """
        return self._counting.setdefault(person.id, asyncio.Lock())

    async def admits(self, arrival: Arrival) -> bool:
        """Returns True when a message may be taken; otherwise marks it as declined.

        The person is told in one message for each chat and each span of the bound: it counts.
        """
        now, person = self._clock.now(), arrival.person
        for bound in person.effective_pace(self._common).bounds:
            reached = await self._members.nth_newest(person.id, bound.count, now)
            if reached is not None and now < reached + bound.span:
                await self._decline(arrival, bound, reached + bound.span)
                return False
        return True

    async def _decline(self, arrival: Arrival, bound: Bound, free: datetime) -> None:
        chat, person = arrival.chat.id, arrival.person
        reason = f"more than {bound}"
        writes: list[Write] = [arrival.declined(reason)]
        now = self._clock.now()
        key = f"pace:{chat}:{person.id}:{bound.unit}:{(now - _EPOCH) // bound.span}"
        told = await self._outbox.row(key)
        # Each declined message shows it once more, so its version is their number.
        declined = told.version + 1 if told is not None else 1
        who = "" if arrival.message.private else person.name
        text = _told(who, bound, declined, free - now)
        writes.append(Show(key, chat, Outbound(OutboundKind.NOTICE, (Plain(text),))))
        await self._journal.commit(Change(tuple(writes), durable=True))


def _told(who: str, bound: Bound, declined: int, wait: timedelta) -> str:
    named = f"{who}, you" if who else "You"
    these = "this message" if declined == 1 else f"your last {declined} messages"
    again = "it" if declined == 1 else "them"
    free = lasting(wait.total_seconds(), roughly=True)
    return (
        f"{named} can send {bound}. I did not take {these}. "
        f"Please send {again} again in {free}. Commands always work."
    )
