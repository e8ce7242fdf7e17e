"""Queueing a message behind what its chat is doing."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import AskStop, Change, Write
from bot.domain.chat import QueueMode
from bot.domain.message import InboundMessage
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.seams import Seams
from bot.flow.signs.reactions import Reactions
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes


class Queueing:
    def __init__(
        self,
        inbox: Inbox,
        journal: Journal,
        lanes: Lanes,
        queue: ChatQueue,
        pacing: Pacing,
        reactions: Reactions,
        seams: Seams,
    ) -> None:
        self._inbox = inbox
        self._journal = journal
        self._lanes = lanes
        self._queue = queue
        self._pacing = pacing
        self._reactions = reactions
        self._seams = seams

    async def put(self, arrival: Arrival, also: Sequence[Write] = ()) -> bool:
        """Lets a message wait its turn; its chat is woken, or interrupted if it wants that.

        What is over the person's pace is declined instead, with what goes on with it. A fragment of
        a message is no new wish: it counts for no pace and stops nothing, but what is asked without
        it is asked anew. Fragments that came before their call wait with it. `also` is written
        too, and what it stops is interrupted. True when the message waits.
        """
        chat, message = arrival.chat.id, arrival.message
        fragment = self._seams.continues(chat, message)
        counts = self._seams.counts(chat, message)
        if not await self._admits(arrival, counts=counts):
            self._seams.remember(chat, message, taken=False)
            return False
        busy = self._queue.busy(chat)
        stops = () if fragment else await self._stops(arrival)
        also = (*stops, *also)
        first = await self._store(arrival, also, counts=counts)
        self._queue.arrived(chat)
        stopping = any(isinstance(write, AskStop) for write in also)
        if stopping or self._queue.opens(chat, message):
            self._lanes.interrupt(chat)
        else:
            self._lanes.wake(chat)
        if busy and not fragment:
            self._reactions.queued(message.address, first.message_id)
        return True

    async def _admits(self, arrival: Arrival, *, counts: bool) -> bool:
        if not self._seams.declined(arrival.chat.id, arrival.message):
            return not counts or await self._pacing.admits(arrival)
        drop = arrival.declined("it goes on with a message that was declined")
        await self._journal.commit(Change((drop,)))
        return False

    async def _stops(self, arrival: Arrival) -> tuple[Write, ...]:
        """The end of what its person may end, in a chat where a new message interrupts."""
        if arrival.chat.queue_mode is not QueueMode.INTERRUPT:
            return ()
        agenda = await self._journal.agenda(arrival.chat.id)
        return tuple(
            AskStop(turn.id, f"a newer message of {arrival.person.name}")
            for turn in agenda.unfinished
            if arrival.person.may_decide_for(turn.asker)
        )

    async def _store(
        self, arrival: Arrival, also: Sequence[Write], *, counts: bool
    ) -> InboundMessage:
        """Writes that it waits with its earlier fragments; returns the first of them all."""
        chat, message = arrival.chat.id, arrival.message
        early = self._seams.before(chat, message)
        waits = [
            *(replace(arrival, row=row, message=one).waiting(fragment=True) for row, one in early),
            arrival.waiting(fragment=not counts),
        ]
        await self._journal.commit(Change((*waits, *also)))
        self._seams.forget([row for row, _ in early])
        together = sorted((*(one for _, one in early), message), key=lambda one: one.number)
        for one in together:
            self._seams.remember(chat, one)
        return together[0]

    async def waiting(self, chat: int, message_id: str) -> InboundRow | None:
        """The waiting row of a message, if it still waits."""
        return await self._inbox.message(chat, message_id)
