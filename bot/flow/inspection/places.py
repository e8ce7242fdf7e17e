"""Chats in words, for people who see many of them."""

from collections.abc import Iterable

from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import NoSuchChat
from bot.domain.text.names import plain_name
from bot.flow.inspection.happenings import channel_name
from bot.ports.chats import Chats


def place_of(chat: Chat) -> str:
    """Returns the title of a group, or that a chat is private, with its channel."""
    where = f"on {channel_name(chat.address.channel)}"
    if chat.title:
        return f"{plain_name(chat.title)} {where}"
    return f"a private chat {where}" if chat.private else f"a group {where}"


class Places:
    """The words for the chats of one page, each read once."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._told: dict[int, str] = {}

    async def read(self, chats: Iterable[int]) -> None:
        """Reads the chats that are not known yet."""
        for chat in dict.fromkeys(chats):
            if chat not in self._told:
                try:
                    self._told[chat] = place_of(await self._chats.get(chat))
                except NoSuchChat:
                    self._told[chat] = "a chat that is gone"

    def of(self, chat: int) -> str:
        """Returns the words for a chat that was read."""
        return self._told.get(chat, "a chat")
