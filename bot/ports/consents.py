"""Which tool servers owners have let in."""

from typing import Protocol


class Consents(Protocol):
    async def given(self) -> frozenset[str]:
        """The identities of all servers that may be started."""
        ...
