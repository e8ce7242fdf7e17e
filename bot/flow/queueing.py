"""Queueing a message behind what its chat is doing."""

from collections.abc import Sequence

from bot.domain.change import AskStop, Change, InboundState, MarkInbound, Write
from bot.domain.chat import Chat, QueueMode
from bot.domain.message import InboundMessage
from bot.domain.person import Person
from bot.flow.chat_queue import ChatQueue
from bot.flow.pacing import Pacing
from bot.flow.pieces import Pieces
from bot.flow.reactions import Reactions
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes

_NEW = (InboundState.NEW,)


class Queueing:
    def __init__(
        self,
        inbox: Inbox,
        journal: Journal,
        lanes: Lanes,
        queue: ChatQueue,
        pacing: Pacing,
        reactions: Reactions,
        pieces: Pieces,
    ) -> None:
        self._inbox = inbox
        self._journal = journal
        self._lanes = lanes
        self._queue = queue
        self._pacing = pacing
        self._reactions = reactions
        self._pieces = pieces

    async def put(
        self,
        row: InboundRow,
        message: InboundMessage,
        chat: Chat,
        person: Person,
        also: Sequence[Write] = (),
    ) -> None:
        """Lets the message wait its turn; its chat is woken, or interrupted if it wants that.

        What is over the person's pace is declined instead, with what goes on with it. A piece of a
        message is no new wish: it counts for no pace and stops nothing, but what is asked without
        it is asked anew. Pieces that came before their call wait with it. `also` is written too.
        """
        piece = self._pieces.continues(chat.id, message)
        counts = self._pieces.counts(chat.id, message)
        if not await self._admits(row, message, chat, person, counts=counts):
            self._pieces.remember(chat.id, message, taken=False)
            return
        early = self._pieces.before(chat.id, message)
        busy = self._queue.busy(chat.id)
        interrupts = chat.queue_mode is QueueMode.INTERRUPT and not piece
        stops = await self._stops(chat, person) if interrupts else ()
        waits = (
            *(_wait(r, one, chat, person, piece=True) for r, one in early),
            _wait(row, message, chat, person, piece=not counts),
        )
        await self._journal.commit(Change((*waits, *stops, *also)))
        self._pieces.forget([r for r, _ in early])
        together = sorted((*(one for _, one in early), message), key=lambda one: one.number)
        for one in together:
            self._pieces.remember(chat.id, one)
        self._queue.arrived(chat.id)
        if stops or self._queue.opens(chat.id, message):
            self._lanes.interrupt(chat.id)
        else:
            self._lanes.wake(chat.id)
        if busy and not piece:
            self._reactions.queued(message.address, together[0].message_id)

    async def _admits(
        self, row: InboundRow, message: InboundMessage, chat: Chat, person: Person, *, counts: bool
    ) -> bool:
        if not self._pieces.declined(chat.id, message):
            return not counts or await self._pacing.admits(row, chat, person)
        reason = "it goes on with a message that was declined"
        drop = MarkInbound(row.id, InboundState.DROPPED, _NEW, chat.id, reason=reason)
        await self._journal.commit(Change((drop,)))
        return False

    async def _stops(self, chat: Chat, person: Person) -> tuple[Write, ...]:
        agenda = await self._journal.agenda(chat.id)
        return tuple(
            AskStop(turn.id, f"a newer message of {person.name}")
            for turn in agenda.unfinished
            if person.may_decide_for(turn.asker)
        )

    async def waiting(self, chat: int, message_id: str) -> InboundRow | None:
        """The waiting row of a message, if it still waits."""
        return await self._inbox.message(chat, message_id)


def _wait(
    row: InboundRow, message: InboundMessage, chat: Chat, person: Person, *, piece: bool
) -> MarkInbound:
    return MarkInbound(
        row.id,
        InboundState.WAITING,
        _NEW,
        chat.id,
        message_id=message.message_id,
        person=person.id,
        piece=piece,
    )
