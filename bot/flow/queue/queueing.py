"""Puts a message into the queue of its chat."""

from collections.abc import Collection, Sequence

from bot.domain.change import AskStop, Change, CheckAccess, Write
from bot.domain.talk.chat import QueueMode
from bot.domain.talk.message import InboundMessage
from bot.domain.text.names import plain_name
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen, replace
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.seams import Seams
from bot.flow.signs.reactions import Reactions
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Agenda, Journal
from bot.ports.lanes import Lanes


@frozen
class Queueing:
    """Stores that messages wait, and wakes or interrupts their chats."""

    _inbox: Inbox
    _journal: Journal
    _lanes: Lanes
    _queue: ChatQueue
    _pacing: Pacing
    _reactions: Reactions
    _seams: Seams

    async def put(self, arrival: Arrival, also: Sequence[Write] = ()) -> bool:
        """Lets a message wait for its turn; returns False when it is declined instead.

        The chat is woken, or interrupted if its queue mode says so. A message over the person's
        pace is declined, and so are later fragments of it. A fragment of a taken message is not
        counted in the pace and stops no turn; if the model is being asked without it, that request
        is interrupted and made again with it. Fragments that came before the one that calls the
        bot wait together with it. `also` is written in the same transaction; when it stops a turn,
        the chat is interrupted.
        """
        async with self._pacing.counting(arrival.person):
            return await self._put(arrival, also)

    async def _put(self, arrival: Arrival, also: Sequence[Write]) -> bool:
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
        """Returns stops for busy turns that the person may end, if the chat's mode is interrupt.

        A card goes on waiting, as beside any other words, and so does a turn before its next try.
        """
        if arrival.chat.settings.queue_mode is not QueueMode.INTERRUPT:
            return ()
        agenda = await self._journal.agenda(arrival.chat.id)
        return tuple(
            AskStop(turn.id, f"a newer message of {plain_name(arrival.person.name)}")
            for turn in agenda.unfinished
            if _is_at_work(turn, agenda) and arrival.person.may_decide_for(turn.asker)
        )

    async def _store(
        self, arrival: Arrival, also: Sequence[Write], *, counts: bool
    ) -> InboundMessage:
        """Stores that the message and its earlier fragments wait; returns the first of them."""
        chat, message = arrival.chat.id, arrival.message
        early = self._seams.before(chat, message)
        waits = [
            *(replace(arrival, row=row, message=one).waiting(fragment=True) for row, one in early),
            arrival.waiting(fragment=not counts),
        ]
        # Else a message could wait for a person who was joined with another one a moment ago.
        known = CheckAccess(arrival.person.id)
        await self._journal.commit(Change((known, *waits, *also)))
        if early:
            self._seams.forget([row for row, _ in early])
        together = sorted((*(one for _, one in early), message), key=lambda one: one.number)
        for one in together:
            self._seams.remember(chat, one)
        return together[0]

    async def waiting(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        """Returns the row of a message that still waits in one of the chats, otherwise None."""
        return await self._inbox.message(chats, message_id)


def _is_at_work(turn: Turn, agenda: Agenda) -> bool:
    """Returns True for a turn that runs, or whose helpers do."""
    parked = turn.state is TurnState.PARKED
    sent = parked and any(errand.parent == turn.id for errand in agenda.errands)
    return turn.state is TurnState.RUNNING or sent
