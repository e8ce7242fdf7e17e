"""The place of an update: a press decided, a command carried out, a message queued."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.domain.change import AmendInbound, Change, InboundState, MarkInbound, MoveChat, Write
from bot.domain.chat import Activation, Chat
from bot.domain.errors import ChannelError, Conflict
from bot.domain.message import Ignored, InboundMessage, Moved, Press, Unreadable
from bot.domain.person import Person
from bot.flow.approvals import ApprovalDesk
from bot.flow.commands import Commands
from bot.flow.doorway import Doorway
from bot.flow.overhearing import Overhearing
from bot.flow.queueing import Queueing
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People

_NEW = (InboundState.NEW,)


@dataclass(frozen=True, slots=True)
class Destinations:
    """Where an update may belong."""

    doorway: Doorway
    commands: Commands
    desk: ApprovalDesk
    queueing: Queueing
    overhearing: Overhearing


class Router:
    """Brings each update to where it belongs and marks it; safe to repeat after a crash."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        people: People,
        chats: Chats,
        journal: Journal,
        to: Destinations,
    ) -> None:
        self._channels = channels
        self._people = people
        self._chats = chats
        self._journal = journal
        self._doorway = to.doorway
        self._commands = to.commands
        self._desk = to.desk
        self._queueing = to.queueing
        self._overhearing = to.overhearing

    async def route(self, row: InboundRow) -> None:
        channel = self._channels.get(row.channel)
        if channel is None:
            await self._mark(row, InboundState.DEAD, f"no channel named {row.channel}")
            return
        inbound = channel.parse(row.body)
        match inbound:
            case Unreadable(reason):
                await self._mark(row, InboundState.DEAD, reason)
            case Ignored():
                self._overhearing.pass_over(row)
            case Moved(old, new):
                await self._move(row, MoveChat(old, new))
            case Press():
                await self._press(row, channel, inbound)
            case InboundMessage():
                await self._message(row, inbound)

    async def settle(self) -> None:
        """Stores what became of the updates that were nobody's business."""
        await self._overhearing.settle()

    async def _move(self, row: InboundRow, move: MoveChat) -> None:
        await self.settle()
        done = MarkInbound(row.id, InboundState.DONE, _NEW, reason="a chat that moved")
        await self._journal.commit(Change((move, done)))

    async def _press(self, row: InboundRow, channel: Channel, press: Press) -> None:
        person = await self._people.by_sender(press.sender)
        chat = await self._chats.at(press.address, private=press.private)
        told = await self._desk.press(press, chat.id, person)
        await self._mark(row, InboundState.DONE)
        with suppress(ChannelError):
            await channel.acknowledge(press, told)

    async def _message(self, row: InboundRow, message: InboundMessage) -> None:
        if message.private:
            await self._private(row, message)
            return
        chat = await self._overhearing.chat(message)
        person = await self._speaker(message, chat)
        if person is None:
            self._overhearing.overhear(row, chat)
            return
        await self.settle()
        await self._heed(row, message, chat, person)

    async def _private(self, row: InboundRow, message: InboundMessage) -> None:
        person = await self._people.by_sender(message.sender)
        if person is None:
            await self._doorway.knock(row, message)
            return
        chat = await self._chats.at(message.address, private=True)
        await self._heed(row, message, chat, person)

    async def _speaker(self, message: InboundMessage, chat: Chat) -> Person | None:
        """Who says a group's message to the bot; None when it is not for it, or no one's order."""
        command = message.text.startswith("/") and "@" not in message.text.split()[0]
        if command and not self._commands.knows(message.text):
            return None
        called = message.addressed or message.edited or chat.activation is Activation.ALWAYS
        if message.anonymous or not called:
            return None
        return await self._people.by_sender(message.sender)

    async def _heed(
        self, row: InboundRow, message: InboundMessage, chat: Chat, person: Person
    ) -> None:
        if message.edited:
            await self._edit(row, message, chat)
        elif message.text.startswith("/") and message.forwarded_from is None:
            await self._commands.carry_out(row, message, chat, person)
        elif await self._is_reply_to_card(message, chat, person):
            await self._mark(row, InboundState.DONE, "a denial with its reason")
        else:
            await self._queueing.put(row, message, chat, person)

    async def _is_reply_to_card(self, message: InboundMessage, chat: Chat, person: Person) -> bool:
        quote = message.quote
        if quote is None or quote.message_id is None:
            return False
        return await self._desk.reply(chat.id, quote.message_id, message.text, person)

    async def _edit(self, row: InboundRow, message: InboundMessage, chat: Chat) -> None:
        """An edit changes a message that still waits; an answered one starts nothing."""
        waiting = await self._queueing.waiting(chat.id, message.message_id)
        if waiting is None:
            await self._mark(row, InboundState.DONE, "an edit of a message already taken")
            return
        done = MarkInbound(row.id, InboundState.DONE, _NEW, chat.id)
        writes: tuple[Write, ...] = (AmendInbound(waiting.id, row.body), done)
        try:
            await self._journal.commit(Change(writes))
        except Conflict:
            await self._mark(row, InboundState.DONE, "an edit that came too late")

    async def _mark(self, row: InboundRow, state: InboundState, reason: str = "") -> None:
        mark = MarkInbound(row.id, state, _NEW, reason=reason)
        await self._journal.commit(Change((mark,)))
