"""Routes updates: it has presses decided, commands carried out, and messages queued."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.bundle import seam_of
from bot.domain.change import AmendInbound, Change, InboundState, MarkInbound
from bot.domain.chat import Activation, Chat
from bot.domain.errors import Conflict
from bot.domain.message import (
    Ignored,
    InboundMessage,
    Moved,
    PresenceChange,
    Press,
    Unreadable,
)
from bot.domain.person import Person
from bot.flow.approvals.desks import Desks, Taken
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.commands import Commands
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.seams import Seams
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People

_NEW = (InboundState.NEW,)


@dataclass(frozen=True, slots=True)
class Destinations:
    """The parts that the router hands updates to."""

    doorway: Doorway
    commands: Commands
    desks: Desks
    acknowledging: Acknowledging
    queueing: Queueing
    overhearing: Overhearing
    moving: Moving
    membership: Membership


class Router:
    """Hands each update to the part that handles it, and marks it; safe to repeat after a crash."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        rows: RowReader,
        people: People,
        chats: Chats,
        journal: Journal,
        seams: Seams,
        to: Destinations,
    ) -> None:
        self._channels = channels
        self._rows = rows
        self._people = people
        self._chats = chats
        self._journal = journal
        self._seams = seams
        self._doorway = to.doorway
        self._commands = to.commands
        self._desks = to.desks
        self._acknowledging = to.acknowledging
        self._queueing = to.queueing
        self._overhearing = to.overhearing
        self._moving = to.moving
        self._membership = to.membership

    async def route(self, row: InboundRow) -> None:
        inbound = self._rows.read(row)
        match inbound:
            case Unreadable(reason):
                await self._mark(row, InboundState.DEAD, reason)
            case Ignored():
                self._overhearing.pass_over(row)
            case Moved():
                await self.flush()
                await self._moving.follow(row, inbound)
            case PresenceChange():
                await self.flush()
                await self._membership.heed(row, inbound)
            case Press():
                await self._press(row, self._channels[row.channel], inbound)
            case InboundMessage():
                await self._message(row, inbound)

    async def flush(self) -> None:
        """Stores the marks of the updates that were not for the bot."""
        await self._overhearing.flush()

    async def _press(self, row: InboundRow, channel: Channel, press: Press) -> None:
        person = await self._people.by_sender(press.sender)
        chat = await self._chats.at(press.address, private=press.private)
        told = await self._desks.press(press, chat.id, person)
        await self._mark(row, InboundState.DONE)
        self._acknowledging.begin(channel, press, told, known=person is not None)

    async def _message(self, row: InboundRow, message: InboundMessage) -> None:
        await self._seams.recall()
        if message.private:
            await self._private(row, message)
            return
        if await self._overhearing.is_new(message) and await self._is_stranger(message):
            # Else strangers could fill the store: each topic they open would be a chat of ours.
            self._overhearing.pass_over(row)
            return
        chat = await self._overhearing.chat(message)
        person = await self._speaker(message, chat)
        if person is not None:
            await self.flush()
            await self._heed(Arrival(row, message, chat, person))
        elif not await self._early(row, message, chat):
            self._overhearing.overhear(row, chat)

    async def _is_stranger(self, message: InboundMessage) -> bool:
        return await self._people.by_sender(message.sender) is None

    async def _private(self, row: InboundRow, message: InboundMessage) -> None:
        person = await self._people.by_sender(message.sender)
        if person is None:
            await self._doorway.knock(row, message)
            return
        chat = await self._chats.at(message.address, private=True)
        await self._heed(Arrival(row, message, chat, person))

    async def _speaker(self, message: InboundMessage, chat: Chat) -> Person | None:
        """Returns the person who speaks to the bot with a message of a group.

        Returns None when the message is not for the bot, or when the bot may not obey its sender.
        """
        fragment = self._seams.continues(chat.id, message)
        command = message.text.startswith("/") and "@" not in message.text.split()[0]
        if command and not fragment and not self._commands.knows(message.text):
            return None
        called = message.addressed or message.edited or chat.activation is Activation.ALWAYS
        called = called or fragment
        if message.anonymous or not called:
            return None
        return await self._people.by_sender(message.sender)

    async def _early(self, row: InboundRow, message: InboundMessage, chat: Chat) -> bool:
        """Returns True when the message stays new because a later fragment may call the bot."""
        if message.edited or message.anonymous or not seam_of(message).open:
            return False
        known = await self._people.by_sender(message.sender)
        return known is not None and self._seams.keep(row, chat.id, message)

    async def _heed(self, arrival: Arrival) -> None:
        if arrival.message.edited:
            await self._edit(arrival)
        elif self._is_command(arrival.message, arrival.chat):
            wished = await self._commands.carry_out(arrival)
            if wished is not None:
                await self._queueing.put(arrival, wished)
        elif await self._answers_card(arrival) is Taken.DECIDED:
            await self._mark(arrival.row, InboundState.DONE, "a denial with its reason")
        else:
            await self._queueing.put(arrival)

    def _is_command(self, message: InboundMessage, chat: Chat) -> bool:
        """Returns True when the message is a command, a slash that the sender typed.

        A forwarded text is no command, nor is one that another bot composed. An unknown word with a
        slash is no command either if it continues a long text that was cut before the slash.
        """
        typed = message.forwarded_from is None and not message.composed
        if not typed or not message.text.startswith("/"):
            return False
        return self._commands.knows(message.text) or not self._seams.continues(chat.id, message)

    async def _answers_card(self, arrival: Arrival) -> Taken:
        chat, text, quote = arrival.chat.id, arrival.message.text, arrival.message.quote
        if quote is None or quote.message_id is None or arrival.message.composed:
            return Taken.NO
        return await self._desks.reply(chat, quote.message_id, text, arrival.person)

    async def _edit(self, arrival: Arrival) -> None:
        """Changes a message that still waits; the edit of an older one has no effect."""
        row, message_id = arrival.row, arrival.message.message_id
        waiting = await self._queueing.waiting(arrival.chat.id, message_id)
        if waiting is None:
            await self._mark(row, InboundState.DONE, "an edit of a message already taken")
            return
        amended = AmendInbound(waiting.id, row.body)
        try:
            await self._journal.commit(Change((amended, arrival.done())))
        except Conflict:
            await self._mark(row, InboundState.DONE, "an edit that came too late")

    async def _mark(self, row: InboundRow, state: InboundState, reason: str = "") -> None:
        mark = MarkInbound(row.id, state, _NEW, reason=reason)
        await self._journal.commit(Change((mark,)))
