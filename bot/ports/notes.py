"""Notes that people wanted to be remembered."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.memory.note import Note
from bot.domain.memory.passage import Whose
from bot.ports.listed import ListPlace
from bot.ports.records import RowKey


class Notes(Protocol):
    """Notes as they are stored; they are written by changes of the journal."""

    async def of(self, whose: Whose, limit: int, skip: int = 0) -> Sequence[Note]:
        """Returns notes of a person or a group, the newest first, without the first `skip`."""
        ...

    async def part(
        self, whose: Whose, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Note]:
        """Returns notes at a place in the list of the newest first; None is its beginning."""
        ...

    async def get(self, id: str) -> Note | None: ...
