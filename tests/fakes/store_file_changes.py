"""Changes of files in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.tools.file_change import FileChange
from bot.ports.file_changes import KeptSize

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryFileChanges:
    rows: "Rows"

    async def get(self, id: str) -> FileChange | None:
        return self.rows.file_changes.get(id)

    async def of_task(self, turn: str) -> Sequence[FileChange]:
        return [one for one in self._newest() if one.task == turn]

    async def asked_by(self, turn: str) -> Sequence[FileChange]:
        return [one for one in self._newest() if one.by == turn]

    async def newest_task(self, chat: int) -> str | None:
        found = (one.task for one in self._newest() if one.chat == chat and not one.undone)
        return next(found, None)

    async def due(self, before: datetime, limit: int) -> Sequence[FileChange]:
        return [one for one in reversed(self._newest()) if one.at < before][:limit]

    async def sizes(self) -> Sequence[KeptSize]:
        return [
            KeptSize(one.id, one.chat, len(one.content or b"") + len(one.spare or b""))
            for one in self._newest()
        ]

    def _newest(self) -> Sequence[FileChange]:
        rows = self.rows.file_changes.values()
        return sorted(rows, key=lambda one: one.number, reverse=True)
