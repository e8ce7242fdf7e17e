"""Finds plans."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.plans.plan import Plan


class Plans(Protocol):
    """Finds plans, each with the steps of its newest revision."""

    async def by_token(self, token: str) -> Plan | None: ...

    async def get(self, id: str) -> Plan | None: ...

    async def live(self, chat: int) -> Plan | None:
        """Returns the live plan of a chat, if there is one."""
        ...

    async def of_chat(self, chat: int, limit: int) -> Sequence[Plan]:
        """Returns the newest plans of a chat, newest first."""
        ...
