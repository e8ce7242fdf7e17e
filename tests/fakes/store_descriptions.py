"""Vectors of descriptions in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.change import AddUsage
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryDescriptions:
    rows: Rows

    async def held(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        kept = self.rows.descriptions
        return {key: held for key in keys if (held := kept.get(key, (None,))[0]) is not None}

    async def claim(self, keys: Sequence[str], at: datetime, before: datetime) -> Collection[str]:
        kept = self.rows.descriptions
        free = [key for key in keys if key not in kept or _is_left(kept[key], at, before)]
        kept.update((key, (None, at)) for key in free)
        return set(free)

    async def keep(
        self, vectors: Mapping[str, bytes], at: datetime, records: Sequence[AddUsage]
    ) -> None:
        self.rows.usage.update({one.call: one for one in records})
        self.rows.descriptions.update((key, (held, at)) for key, held in vectors.items())

    async def drop(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.rows.descriptions.pop(key, None)

    async def sweep(self, used: Sequence[str], at: datetime, before: datetime) -> None:
        kept = self.rows.descriptions
        kept.update((key, (kept[key][0], at)) for key in used if key in kept)
        for key in [key for key, (_, used_at) in kept.items() if used_at < before]:
            del kept[key]


def _is_left(row: tuple[bytes | None, datetime], at: datetime, before: datetime) -> bool:
    return row[0] is None and not before <= row[1] <= at + (at - before)
