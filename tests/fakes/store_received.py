"""The record of files that people sent, in memory."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.change import InboundState
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.received import ReceivedFile
from bot.domain.turn.turn import TurnState
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryReceived:
    rows: Rows

    async def get(self, chat: int, key: str) -> ReceivedFile | None:
        files = self.rows.received.values()
        return next((f for f in files if (f.chat, f.key) == (chat, key)), None)

    async def due(self, before: datetime, after: int, limit: int) -> Sequence[ReceivedFile]:
        files = sorted(self.rows.received.values(), key=lambda f: f.id)
        old = [f for f in files if f.kept_at < before and f.id > after and not f.swept]
        return old[:limit]

    async def digests(self, sizes: Collection[int]) -> Collection[tuple[int, str]]:
        return {(f.size, f.digest) for f in self.rows.received.values() if f.size in sizes}

    async def in_use(self) -> Sequence[tuple[int, int]]:
        rows = self.rows
        turns = rows.turns.values()
        found = {(t.chat, t.asker) for t in turns if t.state is not TurnState.SETTLED}
        cards = rows.approvals.values()
        found |= {(a.chat, a.asker) for a in cards if a.state is ApprovalState.OPEN}
        found |= {(p.chat, p.asker) for p in rows.plans.values() if p.live}
        for row in rows.inbox.values():
            if row.state is InboundState.WAITING and row.chat and row.person:
                found.add((row.chat, row.person))
        return sorted(found)
