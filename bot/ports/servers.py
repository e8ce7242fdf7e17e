"""Tool servers, as the flow uses them."""

from collections.abc import Collection, Sequence
from typing import Protocol

from bot.domain.server import ServerSpec, ServerStanding
from bot.ports.tool import Tool


class Servers(Protocol):
    async def tools(self, chat: int, wanted: Sequence[ServerSpec]) -> Sequence[Tool]:
        """The tools of the servers a chat wants now, in stable order; a failed one has none.

        A server that no chat wants any more is ended.
        """
        ...

    async def standing(self, wanted: Sequence[ServerSpec]) -> Sequence[ServerStanding]:
        """How these servers stand; starts none."""
        ...

    async def expel(self, identities: Collection[str]) -> None:
        """Ends these servers; nothing starts them again before a chat is allowed them anew."""
        ...
