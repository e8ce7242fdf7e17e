"""Chats and their conversations."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.chat import Chat, Conversation
from bot.domain.message import Address


class Chats(Protocol):
    async def at(self, address: Address, *, private: bool) -> Chat:
        """The chat at an address, made with a first conversation when there is none yet.

        A chat that moved is found at its old address too, as long as no other lives there.
        """
        ...

    async def within(self, address: Address) -> Sequence[Chat]:
        """The chats of a group, its topics among them, that live there or moved away from it."""
        ...

    async def get(self, chat: int) -> Chat: ...

    async def conversations(self, chat: int, limit: int) -> Sequence[Conversation]:
        """Closed conversations of a chat, newest first."""
        ...

    async def conversation(self, chat: int, id: str) -> Conversation | None:
        """A conversation of this chat, open or closed; None for any other id."""
        ...
