"""Queueing a message behind what its chat is doing."""

from collections.abc import Mapping
from contextlib import suppress

from bot.domain.change import AskStop, Change, InboundState, MarkInbound, Write
from bot.domain.chat import Chat, QueueMode
from bot.domain.errors import ChannelError
from bot.domain.message import InboundMessage, Sign
from bot.domain.person import Person
from bot.flow.chat_queue import ChatQueue
from bot.flow.pacing import Pacing
from bot.ports.channel import Channel
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
        channels: Mapping[str, Channel],
    ) -> None:
        self._inbox = inbox
        self._journal = journal
        self._lanes = lanes
        self._queue = queue
        self._pacing = pacing
        self._channels = channels

    async def put(
        self, row: InboundRow, message: InboundMessage, chat: Chat, person: Person
    ) -> None:
        """Lets the message wait its turn; its chat is woken, or interrupted if it wants that.

        What is over the person's pace is declined instead.
        """
        if not await self._pacing.admits(row, chat, person):
            return
        busy = self._queue.busy(chat.id)
        stops = await self._stops(chat, person) if chat.queue_mode is QueueMode.INTERRUPT else ()
        wait = MarkInbound(
            row.id,
            InboundState.WAITING,
            _NEW,
            chat.id,
            message_id=message.message_id,
            person=person.id,
        )
        await self._journal.commit(Change((wait, *stops)))
        if stops:
            self._lanes.interrupt(chat.id)
        else:
            self._lanes.wake(chat.id)
        if busy:
            with suppress(ChannelError):
                channel = self._channels[message.address.channel]
                await channel.sign(message.address, Sign.QUEUED, message.message_id)

    async def _stops(self, chat: Chat, person: Person) -> tuple[Write, ...]:
        agenda = await self._journal.agenda(chat.id)
        return tuple(
            AskStop(turn.id, f"a newer message of {person.name}")
            for turn in agenda.unfinished
            if person.may_decide_for(turn.asker)
        )

    async def waiting(self, chat: int, message_id: str) -> InboundRow | None:
        """The waiting row of a message, if it still waits."""
        rows = await self._inbox.waiting(chat)
        return next((r for r in rows if r.message_id == message_id), None)
