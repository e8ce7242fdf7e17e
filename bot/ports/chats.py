"""Chats and their conversations."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.talk.chat import Chat, Conversation, ListedConversation
from bot.domain.talk.message import Address


class Chats(Protocol):
    """Chats by their address or number."""

    async def at(self, address: Address, *, private: bool) -> Chat:
        """Returns the chat at an address; creates a new one with its first conversation.

        A moved chat is found at its old address too, until another chat gets that address.
        """
        ...

    async def within(self, address: Address) -> Sequence[Chat]:
        """Returns the chats of a group and its topics, including chats that moved away from it."""
        ...

    async def of_channel(self, channel: str, limit: int) -> Sequence[Address]:
        """Returns the addresses of a channel's chats, the newest chats first."""
        ...

    async def get(self, chat: int) -> Chat: ...


class ConversationRows(Protocol):
    async def conversations(self, chat: int, limit: int) -> Sequence[Conversation]:
        """Returns closed conversations of a chat, newest first."""
        ...

    async def listed(self, chat: int, limit: int, skip: int = 0) -> Sequence[ListedConversation]:
        """Returns the conversations of a chat that people can open, those left last first.

        The open one is first. Those of runs, and those in which nothing was said, are left out.
        """
        ...

    async def listing(self, chat: int, id: str) -> ListedConversation | None:
        """Returns one conversation as a list shows it; None for one that people cannot open."""
        ...

    async def conversation(self, chat: int, id: str) -> Conversation | None:
        """Returns a conversation of this chat, open or closed; None for any other id."""
        ...


class WholeChats(Chats, ConversationRows, Protocol):
    """All of these, as the store has them."""
