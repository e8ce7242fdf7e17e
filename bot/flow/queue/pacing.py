"""Declines messages that exceed the pace of a person, and tells the person."""

from datetime import UTC, datetime, timedelta

from bot.domain.change import Change, Show, Write
from bot.domain.message import Outbound, OutboundKind, Plain
from bot.domain.person import Person
from bot.domain.rights import Bound, Pace
from bot.flow.queue.arrival import Arrival
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.members import Members
from bot.ports.outbox import Outbox

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Pacing:
    """Checks a person's pace against stored messages, so a restart does not reset the count.

    `common` is the pace of members who have none of their own.
    """

    def __init__(
        self, members: Members, outbox: Outbox, journal: Journal, clock: Clock, common: Pace
    ) -> None:
        self._members = members
        self._outbox = outbox
        self._journal = journal
        self._clock = clock
        self._common = common

    async def admits(self, arrival: Arrival) -> bool:
        """Returns True when a message may be taken; otherwise marks it as declined.

        The person is told once in each chat and each span of the bound.
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
        reason = f"more than {bound.count} messages a {bound.unit}"
        writes: list[Write] = [arrival.declined(reason)]
        window = (self._clock.now() - _EPOCH) // bound.span
        key = f"pace:{chat}:{person.id}:{bound.unit}:{window}"
        if await self._outbox.row(key) is None:
            content = Outbound(OutboundKind.NOTICE, (Plain(_told(person, bound, free)),))
            writes.append(Show(key, chat, content))
        await self._journal.commit(Change(tuple(writes), durable=True))


def _told(person: Person, bound: Bound, free: datetime) -> str:
    # Rounded up to a full second, so that a message at the named time is surely taken.
    at = free if not free.microsecond else free.replace(microsecond=0) + timedelta(seconds=1)
    return (
        f"{person.name}, you may send {bound.count} messages a {bound.unit}, and that many have "
        f"come. I have not taken this one; please send it again after {at:%Y-%m-%d %H:%M:%S} UTC. "
        "Commands work all the time."
    )
