"""What a store in memory notes about the index of meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.change import AddUsage
from bot.domain.memory.passage import Passage
from bot.domain.talk.errors import Conflict
from bot.ports.meaning import Begun, Leaving, PassagePlace, Sample
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryMeant:
    rows: Rows

    async def begun(self) -> Begun | None:
        return self.rows.begun

    async def begin(self, index: Begun | None) -> None:
        self.rows.begun = index
        self.rows.meant.clear()
        self.rows.leaving.clear()

    async def held(self) -> bool:
        return True

    async def places(self, numbers: Sequence[int]) -> Sequence[PassagePlace]:
        kept = self.rows.passages.values()
        return [PassagePlace(p.number, p.id, p.at, p.whose) for p in kept if p.number in numbers]

    async def count_owed(self) -> int:
        return sum(id not in self.rows.meant for id in self.rows.passages)


@dataclass(frozen=True, slots=True)
class MemoryMeaningDebts:
    rows: Rows

    async def owed(self, limit: int) -> Sequence[Passage]:
        kept = sorted(self.rows.passages.values(), key=lambda p: p.number)
        return [p for p in kept if p.id not in self.rows.meant][:limit]

    async def taken_in(
        self, passages: Sequence[Passage], index: str, records: Sequence[AddUsage] = ()
    ) -> None:
        self._check(index)
        self.rows.usage.update({one.call: one for one in records})
        for one in passages:
            kept = self.rows.passages.get(one.id)
            if kept is not None and (kept.number, kept.whose) == (one.number, one.whose):
                self.rows.meant.add(one.id)
            else:
                self.rows.leaving.add(Leaving(one.number, one.whose))

    async def leaving(self, limit: int) -> Sequence[Leaving]:
        return sorted(self.rows.leaving, key=lambda one: (one.whose, one.number))[:limit]

    async def taken_out(self, left: Sequence[Leaving], index: str) -> None:
        self._check(index)
        gone = {(one.number, one.whose) for one in left}
        self.rows.leaving.difference_update(left)
        back = {p.id for p in self.rows.passages.values() if (p.number, p.whose) in gone}
        self.rows.meant.difference_update(back)

    def _check(self, index: str) -> None:
        if self.rows.begun is None or self.rows.begun.name != index:
            raise Conflict("another index of meaning was begun")


@dataclass(frozen=True, slots=True)
class MemoryWeights:
    rows: Rows

    async def sample(self, limit: int) -> Sample:
        kept = sorted(self.rows.passages.values(), key=lambda p: p.number)
        if not kept:
            return Sample((), 0)
        first, newest = kept[0].number, kept[-1].number
        wanted = {first + (newest - first) * n // max(limit - 1, 1) for n in range(limit)}
        found = [p for p in kept if p.number in wanted and p.question and p.answer]
        return Sample(found, newest)

    async def weigh(self, index: Begun) -> None:
        if self.rows.begun is None or self.rows.begun.name != index.name:
            raise Conflict("another index of meaning was begun")
        self.rows.begun = index
