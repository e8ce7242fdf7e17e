"""The tool servers that owners have allowed."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.tools.server import ServerConsent


class Consents(Protocol):
    async def given(self) -> Sequence[ServerConsent]:
        """Returns the consents in force, ordered by the servers' names."""
        ...
