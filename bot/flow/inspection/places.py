"""Chats in words, for people who see many of them."""

from collections.abc import Iterable

from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import NoSuchChat
from bot.domain.talk.session import PAGE
from bot.domain.text.names import brief_name, plain_name
from bot.domain.tools.call_words import Conceal
from bot.flow.inspection.happenings import channel_name
from bot.ports.chats import Chats, ConversationRows


def place_of(chat: Chat) -> str:
    """Returns the title of a group, or that a chat is private, with its channel."""
    where = f"on {channel_name(chat.address.channel)}"
    if chat.title:
        return f"{plain_name(chat.title)} {where}"
    return f"a private chat {where}" if chat.private else f"a group {where}"


def plan_named(title: str, conceal: Conceal) -> str:
    """Returns a plan as a line of a list."""
    return f"Plan: {plain_name(conceal(title), 'no title')}"


async def titled_place(
    rows: ConversationRows, chat: Chat, conceal: Conceal, conversation: str = ""
) -> str:
    """Returns the place of a chat; on the page, where each has one, the title of a conversation."""
    if chat.title or chat.address.channel != PAGE:
        return conceal(place_of(chat))
    known = await rows.listing(chat.id, conversation or chat.conversation)
    title = "" if known is None else known.conversation.title or known.begins
    told = f"{brief_name(conceal(title))} on {channel_name(PAGE)}"
    return told if title.strip() else place_of(chat)


class Places:
    """The words for the chats of one page, each read once."""

    def __init__(self, chats: Chats, rows: ConversationRows, conceal: Conceal) -> None:
        self._chats = chats
        self._rows = rows
        self._conceal = conceal
        self._told: dict[int, str] = {}

    async def read(self, chats: Iterable[int]) -> None:
        """Reads the chats that are not known yet."""
        for chat in dict.fromkeys(chats):
            if chat not in self._told:
                try:
                    found = await self._chats.get(chat)
                    self._told[chat] = await titled_place(self._rows, found, self._conceal)
                except NoSuchChat:
                    self._told[chat] = "a chat that is gone"

    def of(self, chat: int) -> str:
        """Returns the words for a chat that was read."""
        return self._told.get(chat, "a chat")
