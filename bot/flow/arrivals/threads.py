"""Gives a message that calls the bot a thread of its own, where the group's owner wants that."""

from collections.abc import Mapping

from bot.domain.change import Change, NameChat, SaveSettings
from bot.domain.talk.chat import Activation, Chat
from bot.domain.talk.message import Address, InboundMessage, Withdrawn
from bot.domain.value import frozen, replace
from bot.flow.queue.seams import Seams
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.journal import Journal


@frozen
class Threads:
    """Finds the chat of a message's own thread; the platform opens it with the first send to it."""

    _channels: Mapping[str, Channel]
    _chats: Chats
    _seams: Seams
    _journal: Journal

    async def continued(self, message: InboundMessage, chat: Chat) -> tuple[InboundMessage, Chat]:
        """Returns a later fragment in the thread that its beginning opened; others as they are."""
        if not chat.settings.threads or message.edited:
            return message, chat
        for number in self._seams.continued_by(message):
            thread = await self._chats.get(number)
            if thread.address.thread is not None and thread.address.chat == chat.address.chat:
                return replace(message, address=thread.address), thread
        return message, chat

    async def opened(self, message: InboundMessage, chat: Chat) -> tuple[InboundMessage, Chat]:
        """Returns the message in its thread, with the chat of that; both as they are for others."""
        if not chat.settings.threads or not self._begins_a_task(message, chat):
            return message, chat
        address = self._at(message.address, message.message_id)
        if address is None or (message.edited and not await self._known(address, chat.address)):
            return message, chat
        thread = await self._chats.at(address, private=False)
        self._seams.carry_over(chat.id, thread.id, message)
        if thread.last_seq == 0 and thread.settings.activation is not Activation.ALWAYS:
            # The thread is new: it is the bot's own, and has the settings of its channel.
            settings = replace(
                chat.settings, activation=Activation.ALWAYS, listens=False, threads=False
            )
            saved = SaveSettings(thread, settings)
            await self._journal.commit(Change((saved, NameChat(thread.id, chat.title))))
            thread = replace(thread, settings=settings)
        return replace(message, address=address), thread

    def _begins_a_task(self, message: InboundMessage, chat: Chat) -> bool:
        """Returns False for commands, answers to the bot, and later parts of such a message."""
        if message.text.startswith("/") or not message.posted:
            return False
        if message.quote is not None and message.quote.own:
            return False
        return not self._seams.continues(chat.id, message)

    async def followed(self, withdrawn: Withdrawn) -> Withdrawn:
        """Returns the deletion of a message in the thread that it opened, if it opened one."""
        address = self._at(withdrawn.address, withdrawn.message_id)
        if address is None or not await self._known(address, withdrawn.address):
            return withdrawn
        return replace(withdrawn, address=address)

    async def _known(self, thread: Address, group: Address) -> bool:
        return any(chat.address == thread for chat in await self._chats.within(group))

    def _at(self, address: Address, message_id: str) -> Address | None:
        channel = self._channels.get(address.channel)
        return None if channel is None else channel.thread_at(address, message_id)
