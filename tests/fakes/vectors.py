"""An index of meaning in memory, which compares a question with every vector."""

from collections.abc import Sequence

from bot.domain.memory.meaning import Vector, nearness
from bot.domain.memory.passage import Whose
from bot.domain.talk.errors import MeaningError, VectorsLost


class FakeVectors:
    """Keeps what it was given while the test runs; `fault` is raised instead while it is set."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.held: dict[Whose, dict[int, Vector]] = {}
        self.opened: str | None = None
        self.fault: MeaningError | None = None
        self.puts = 0

    async def open(self, name: str) -> bool:
        self._check()
        self.opened = name if name == self.name else None
        return self.opened is not None

    async def make(self, name: str) -> None:
        self._check()
        self.name = self.opened = name
        self.held = {}

    async def put(self, whose: Whose, vectors: Sequence[tuple[int, Vector]]) -> None:
        self._check(opened=True)
        self.puts += len(vectors)
        self.held.setdefault(whose, {}).update(vectors)

    async def remove(self, whose: Whose, numbers: Sequence[int]) -> None:
        self._check(opened=True)
        for number in numbers:
            self.held.get(whose, {}).pop(number, None)

    async def nearest(
        self, whose: Whose, vector: Vector, limit: int
    ) -> Sequence[tuple[int, float]]:
        self._check(opened=True)
        found = [(n, nearness(vector, v)) for n, v in self.held.get(whose, {}).items()]
        return sorted(found, key=lambda each: -each[1])[:limit]

    async def close(self) -> None:
        self.opened = None

    def lose(self) -> None:
        """Is as if its folder had been deleted."""
        self.name = None
        self.held = {}

    def _check(self, *, opened: bool = False) -> None:
        if self.fault is not None:
            raise self.fault
        if opened and (self.opened is None or self.opened != self.name):
            raise VectorsLost("the index is gone")
