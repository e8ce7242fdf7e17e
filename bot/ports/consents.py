"""Which tool servers owners have let in."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.server import ServerConsent


class Consents(Protocol):
    async def given(self) -> Sequence[ServerConsent]:
        """The consents that stand, by the names of the servers."""
        ...
