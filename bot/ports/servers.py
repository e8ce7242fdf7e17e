"""Tool servers, as the flow uses them."""

from collections.abc import Collection, Sequence
from typing import Protocol

from bot.domain.tools.server import ServerCondition, ServerSpec
from bot.ports.tool import Tool


class Servers(Protocol):
    async def tools(self, chat: int, wanted: Sequence[ServerSpec]) -> Sequence[Tool]:
        """Returns the tools of these servers for a chat, in stable order; a failed server has none.

        Ends a server that no chat wants any more.
        """
        ...

    async def meet(self, wanted: Sequence[ServerSpec]) -> None:
        """Learns the tools of servers that nobody knows yet, so that no turn has to wait for them.

        Ends when each has answered or failed; a fault is logged and raises nothing.
        """
        ...

    async def condition(self, wanted: Sequence[ServerSpec]) -> Sequence[ServerCondition]:
        """Returns the states of these servers without starting one."""
        ...

    async def expel(self, identities: Collection[str]) -> None:
        """Ends these servers; none starts again until a chat is allowed to use it anew."""
        ...
