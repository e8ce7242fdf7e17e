"""A store whose process dies at a chosen write: just before it, or just after."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from bot.domain.change import AddUsage, Change, Fence
from bot.domain.memory.meaning import Vector
from bot.domain.memory.passage import Passage, Whose
from bot.domain.talk.message import RawUpdate
from bot.domain.talk.received import ReceivedFile
from bot.domain.turn.transcript import Entry
from bot.ports.inbox import InboundRow, WholeInbox
from bot.ports.journal import Agenda, Journal
from bot.ports.meaning import (
    Begun,
    Leaving,
    MeaningDebts,
    Meant,
    PassagePlace,
    Sample,
    Vectors,
    Weights,
)
from bot.ports.outbox import Delivered, OutboxRow, WholeOutbox
from bot.ports.received import InboxFolder
from bot.ports.sightings import Sighting
from bot.ports.speaking import Sounds

T = TypeVar("T")


@dataclass
class Fate:
    """Death at write number `at`; `after` when the write is still done. Nobody dies twice."""

    at: int | None
    after: bool
    writes: int = 0
    died: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, work: Callable[[], Awaitable[T]]) -> T:
        if self.died.is_set() and self.writes == self.at:
            self.writes += 1
            return await work()
        self.writes += 1
        if self.writes != self.at:
            return await work()
        if self.after:
            await work()
        self.died.set()
        return await asyncio.Future()


def deaths(life: Coroutine[Any, Any, int]) -> Sequence[tuple[int, bool]]:
    """Returns `at` and `after` for a death at every write of a life.

    The life runs here, without a death, and returns how many writes it made.
    """
    writes = asyncio.run(life)
    assert writes > 0, "a life without a write has no death to try"
    return [(at, after) for at in range(1, writes + 1) for after in (False, True)]


async def writes_of(play: Callable[[Fate], Awaitable[object]]) -> int:
    """Returns the writes of a life without a death, for `deaths`."""
    fate = Fate(None, after=False)
    await play(fate)
    return fate.writes


@dataclass(frozen=True)
class DyingJournal:
    journal: Journal
    fate: Fate

    async def claim(self, chat: int) -> Fence:
        return await self.journal.claim(chat)

    async def commit(self, change: Change) -> None:
        await self.fate.write(lambda: self.journal.commit(change))

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        return await self.journal.entries(conversation, after)

    async def agenda(self, chat: int) -> Agenda:
        return await self.journal.agenda(chat)

    async def chats_with_work(self) -> Sequence[int]:
        return await self.journal.chats_with_work()


@dataclass(frozen=True)
class DyingInbox:
    inbox: WholeInbox
    fate: Fate

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        return await self.fate.write(lambda: self.inbox.accept(channel, updates, at))

    async def reached(self, stream: str, since: datetime) -> str:
        return await self.inbox.reached(stream, since)

    async def get(self, id: int) -> InboundRow | None:
        return await self.inbox.get(id)

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        return await self.inbox.asked(chat, span)

    async def unrouted(self, limit: int, besides: Collection[int] = ()) -> Sequence[InboundRow]:
        return await self.inbox.unrouted(limit, besides)

    async def elsewhere(self, since: datetime) -> Sequence[InboundRow]:
        return await self.inbox.elsewhere(since)

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        return await self.inbox.waiting(chat, limit)

    async def message(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        return await self.inbox.message(chats, message_id)

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        return await self.inbox.last_taken(span)

    async def newest(self, channel: str) -> datetime | None:
        return await self.inbox.newest(channel)

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        return await self.inbox.heard(chat, limit)


@dataclass(frozen=True)
class DyingInboxFolder:
    folder: InboxFolder
    fate: Fate

    async def content(self, file: ReceivedFile) -> bytes | None:
        return await self.folder.content(file)

    async def free(self, workspace: Path, name: str, size: int) -> str:
        return await self.folder.free(workspace, name, size)

    async def keep(self, file: ReceivedFile, data: bytes) -> bool:
        return await self.fate.write(lambda: self.folder.keep(file, data))

    async def discard(self, file: ReceivedFile) -> None:
        await self.fate.write(lambda: self.folder.discard(file))


@dataclass(frozen=True)
class DyingSounds:
    sounds: Sounds
    fate: Fate

    async def keep(self, turn: str, sound: bytes) -> str | None:
        return await self.fate.write(lambda: self.sounds.keep(turn, sound))

    async def kept(self, turn: str) -> tuple[str, bytes] | None:
        return await self.sounds.kept(turn)

    async def all(self) -> Sequence[str]:
        return await self.sounds.all()

    async def drop(self, turn: str) -> None:
        await self.sounds.drop(turn)


@dataclass(frozen=True)
class DyingOutbox:
    outbox: WholeOutbox
    fate: Fate

    async def owed(self, chat: int, after: int = 0) -> Sequence[OutboxRow]:
        return await self.outbox.owed(chat, after)

    async def chats_owed(self) -> Sequence[int]:
        return await self.outbox.chats_owed()

    async def sightings(self, channel: str, since: datetime) -> Sequence[Sighting]:
        return await self.outbox.sightings(channel, since)

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        await self.fate.write(lambda: self.outbox.note_sending(chats, over, at))

    async def noted_sending(self) -> Mapping[int, datetime]:
        return await self.outbox.noted_sending()

    async def record(self, delivered: Delivered) -> None:
        await self.fate.write(lambda: self.outbox.record(delivered))

    async def key_of(self, chat: int, message_id: str) -> str | None:
        return await self.outbox.key_of(chat, message_id)

    async def row(self, key: str) -> OutboxRow | None:
        return await self.outbox.row(key)

    async def newest(self, chat: int) -> OutboxRow | None:
        return await self.outbox.newest(chat)

    async def pressable(self, prefix: str) -> Sequence[OutboxRow]:
        return await self.outbox.pressable(prefix)


@dataclass(frozen=True)
class DyingMeant:
    meant: Meant
    fate: Fate

    async def begun(self) -> Begun | None:
        return await self.meant.begun()

    async def begin(self, index: Begun | None) -> None:
        await self.fate.write(lambda: self.meant.begin(index))

    async def held(self) -> bool:
        return await self.meant.held()

    async def places(self, numbers: Sequence[int]) -> Sequence[PassagePlace]:
        return await self.meant.places(numbers)

    async def count_owed(self) -> int:
        return await self.meant.count_owed()


@dataclass(frozen=True)
class DyingWeights:
    weights: Weights
    fate: Fate

    async def sample(self, limit: int) -> Sample:
        return await self.weights.sample(limit)

    async def weigh(self, index: Begun) -> None:
        await self.fate.write(lambda: self.weights.weigh(index))


@dataclass(frozen=True)
class DyingDebts:
    debts: MeaningDebts
    fate: Fate

    async def owed(self, limit: int) -> Sequence[Passage]:
        return await self.debts.owed(limit)

    async def taken_in(
        self, passages: Sequence[Passage], index: str, records: Sequence[AddUsage] = ()
    ) -> None:
        await self.fate.write(lambda: self.debts.taken_in(passages, index, records))

    async def leaving(self, limit: int) -> Sequence[Leaving]:
        return await self.debts.leaving(limit)

    async def taken_out(self, left: Sequence[Leaving], index: str) -> None:
        await self.fate.write(lambda: self.debts.taken_out(left, index))


@dataclass(frozen=True)
class DyingVectors:
    vectors: Vectors
    fate: Fate

    async def open(self, name: str) -> bool:
        return await self.vectors.open(name)

    async def make(self, name: str) -> None:
        await self.fate.write(lambda: self.vectors.make(name))

    async def put(self, whose: Whose, vectors: Sequence[tuple[int, Vector]]) -> None:
        await self.fate.write(lambda: self.vectors.put(whose, vectors))

    async def remove(self, whose: Whose, numbers: Sequence[int]) -> None:
        await self.fate.write(lambda: self.vectors.remove(whose, numbers))

    async def nearest(
        self, whose: Whose, vector: Vector, limit: int
    ) -> Sequence[tuple[int, float]]:
        return await self.vectors.nearest(whose, vector, limit)
