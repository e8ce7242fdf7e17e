"""Follows messages of people that the bot listens to: edits, commands, replies, wishes."""

from bot.domain.change import AmendInbound, Change, InboundState, MarkInbound, Show
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import (
    HOW_TO_PRESS,
    Address,
    InboundMessage,
    Outbound,
    OutboundKind,
    Plain,
    Withdrawn,
)
from bot.domain.value import frozen, replace
from bot.flow.arrivals.marks import marked
from bot.flow.commanding.desks import STAYS_OPEN, Desks, Taken
from bot.flow.commands.dispatch import Commands
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.seams import Seams
from bot.flow.undoing.edits import EditDesk
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal


@frozen
class Heeding:
    """Carries a message out if it is a command or answers a card; else it waits for its turn."""

    _commands: Commands
    _desks: Desks
    _queueing: Queueing
    _seams: Seams
    _chats: Chats
    _journal: Journal
    _edits: EditDesk

    async def heed(self, arrival: Arrival) -> None:
        if arrival.message.edited:
            await self._edit(arrival)
        elif self._is_command(arrival.message, arrival.chat):
            wished = await self._commands.carry_out(arrival)
            if wished is not None:
                await self._queueing.put(arrival, wished)
        else:
            await self._take(arrival, await self._answers_card(arrival))

    def knows(self, command: str) -> bool:
        """Returns true when there is a command that this text begins with."""
        return self._commands.knows(command)

    def _is_command(self, message: InboundMessage, chat: Chat) -> bool:
        """Returns True when the message is a command, a slash that the sender typed.

        A forwarded text is no command, nor is one that another bot composed. An unknown word with a
        slash is no command either if it continues a long text that was cut before the slash.
        """
        if not message.commands or not message.text.startswith("/"):
            return False
        return self.knows(message.text) or not self._seams.continues(chat.id, message)

    async def _take(self, arrival: Arrival, taken: Taken) -> None:
        """Takes a message by what it is to the open cards of the chat."""
        match taken:
            case Taken.DECIDED:
                # The card holds the words: a copy without a turn could not be erased with it.
                why = "words that a card or a question asked for"
                done = marked(arrival.row, InboundState.DONE, why, forget=True)
                await self._journal.commit(done)
            case Taken.ASSENT:
                told = (arrival.done(), _told(arrival, HOW_TO_PRESS))
                await self._journal.commit(Change(told, durable=True))
            case Taken.QUESTION:
                await self._queueing.put(arrival, (_told(arrival, STAYS_OPEN),))
            case Taken.WISHED | Taken.NO:
                await self._queueing.put(arrival)

    async def _answers_card(self, arrival: Arrival) -> Taken:
        message, chat = arrival.message, arrival.chat.id
        text, quote = message.text, message.quote
        if message.composed or message.forwarded_from is not None:
            return Taken.NO
        if quote is None or (quote.message_id is None and not quote.asked):
            if message.attachments:
                return Taken.NO
            return await self._desks.said(chat, text, arrival.person)
        if message.foreign is not None and quote.message_id and not message.attachments:
            # A sticker or a poll: its words are none that the person typed. A location is no
            # answer to a card either, but one desk may have asked for it.
            return await self._desks.located(chat, quote.message_id, text, arrival.person)
        return await self._desks.reply(chat, quote, text, arrival.person, message.message_id)

    async def _edit(self, arrival: Arrival) -> None:
        """Changes a message that still waits; the newest answered one may be answered anew.

        The edit of an older one has no effect, and its writer is told so. Words are kept only where
        a turn names them, since they are erased with it.
        """
        row, message_id = arrival.row, arrival.message.message_id
        waiting = await self._waiting(arrival.chat.address, message_id)
        why = "an edit of a message already taken"
        if waiting is not None:
            amended = AmendInbound(waiting.id, row.body)
            done = replace(arrival.done(), forget=True)
            try:
                await self._journal.commit(Change((amended, done)))
            except Conflict:
                why = "an edit that came too late"
            else:
                return
        offered = await self._edits.offer(row.id, arrival.message, arrival.chat)
        if offered is None:
            done = replace(arrival.done(), reason=why, forget=True)
            declined = await self._edits.declined(arrival.message, arrival.chat)
            told = (_told(arrival, declined),) if declined else ()
            await self._journal.commit(Change((done, *told), durable=bool(told)))
            return
        turn, shown = offered
        # Marked with the turn, the words are erased with it.
        done = replace(arrival.done(), turn=turn, reason="an edit of the newest message")
        await self._journal.commit(Change((done, shown), durable=True))

    async def drop(self, row: InboundRow, withdrawn: Withdrawn) -> None:
        """Drops a deleted message that still waits; of an older one nothing changes."""
        why = "a message deleted that nobody waits for"
        waiting = await self._waiting(withdrawn.address, withdrawn.message_id)
        if waiting is not None:
            expect = (InboundState.WAITING,)
            gone = MarkInbound(
                waiting.id, InboundState.DROPPED, expect, reason="deleted", forget=True
            )
            try:
                await self._journal.commit(Change((gone,)))
                why = "a message deleted before its turn"
            except Conflict:
                why = "a message deleted too late"
        await self._journal.commit(marked(row, InboundState.DONE, why))

    async def _waiting(self, address: Address, message_id: str) -> InboundRow | None:
        """Returns the row of a message that waits there, or in a thread that it was carried to."""
        there = await self._chats.within(address)
        chats = [one.id for one in there if one.address.chat == address.chat]
        return await self._queueing.waiting(chats, message_id) if chats else None


def _told(arrival: Arrival, text: str) -> Show:
    """Returns the notice that answers a message which decides nothing."""
    content = Outbound(
        OutboundKind.NOTICE, (Plain(text),), reply_to=arrival.message.message_id or None
    )
    return Show(f"told:{arrival.row.id}", arrival.chat.id, content)
