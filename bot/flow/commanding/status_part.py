"""A part of the status: some lines that a room tells about itself."""

from collections.abc import Sequence
from typing import Protocol

from bot.flow.commanding.table import Invocation


class StatusPart(Protocol):
    @property
    def title(self) -> str: ...

    async def lines(self, asked: Invocation) -> Sequence[str]: ...
