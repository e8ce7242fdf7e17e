"""Hears what is said to the bot in private, and in groups among other talk."""

from bot.domain.talk.bundle import seam_of
from bot.domain.talk.chat import Activation, Chat
from bot.domain.talk.message import InboundMessage, Withdrawn
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.echoes import Echoes
from bot.flow.arrivals.heeding import Heeding
from bot.flow.arrivals.threads import Threads
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.seams import Seams
from bot.flow.reading.overhearing import Overhearing
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.people import People


@frozen
class PrivateTalk:
    """Hears messages of private chats; strangers are sent to the doorway."""

    _people: People
    _chats: Chats
    _doorway: Doorway
    _heeding: Heeding
    _echoes: Echoes

    async def hear(self, row: InboundRow, message: InboundMessage) -> None:
        person, chat = await self._people.met(message.sender, message.address)
        if person is None:
            await self._doorway.knock(row, message)
            return
        chat = chat or await self._chats.at(message.address, private=True)
        if message.elsewhere:
            await self._echoes.show(row, message, chat)
        await self._heeding.heed(Arrival(row, message, chat, person))

    async def drop(self, row: InboundRow, withdrawn: Withdrawn) -> None:
        await self._heeding.drop(row, withdrawn)


@frozen
class GroupTalk:
    """Hears messages of groups; what is not for the bot is passed over, or kept as heard."""

    _people: People
    _overhearing: Overhearing
    _seams: Seams
    _threads: Threads
    _heeding: Heeding

    async def hear(self, row: InboundRow, message: InboundMessage) -> None:
        if await self._overhearing.concerns_nobody(message):
            # Else strangers could fill the store: each topic they open would be a chat of ours.
            self._overhearing.pass_over(row)
            return
        chat = await self._overhearing.chat(message)
        message, chat = await self._threads.continued(message, chat)
        person = await self._speaker(message, chat)
        if person is not None:
            await self._overhearing.flush()
            message, chat = await self._threads.opened(message, chat)
            await self._heeding.heed(Arrival(row, message, chat, person))
        elif not await self._early(row, message, chat):
            self._overhearing.overhear(row, chat)

    async def drop(self, row: InboundRow, withdrawn: Withdrawn) -> None:
        await self._overhearing.flush()
        await self._heeding.drop(row, await self._threads.followed(withdrawn))

    async def _speaker(self, message: InboundMessage, chat: Chat) -> Person | None:
        """Returns the person who speaks to the bot with a message of a group.

        Returns None when the message is not for the bot, or when the bot may not obey its sender.
        """
        fragment = self._seams.continues(chat.id, message)
        command = message.text.startswith("/") and "@" not in message.text.split()[0]
        if command and not fragment and not self._heeding.knows(message.text):
            return None
        called = (
            message.addressed or message.edited or chat.settings.activation is Activation.ALWAYS
        )
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
