"""What stands in a person's name, in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain.approval import ApprovalState
from bot.domain.change import InboundState
from bot.domain.turn import TurnState
from bot.ports.members import Standing
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryMembers:
    rows: Rows

    async def standing(self, person: int) -> Standing:
        turns = [t for t in self.rows.turns.values() if t.asker == person]
        cards = [a for a in self.rows.approvals.values() if a.asker == person]
        unsettled = [t for t in turns if t.state is not TurnState.SETTLED]
        waiting = [
            row
            for row in self.rows.inbox.values()
            if row.person == person and row.state is InboundState.WAITING
        ]
        return Standing(
            turns=tuple(sorted(unsettled, key=lambda t: (t.created_at, t.id))),
            cards=tuple(
                sorted(
                    (a for a in cards if a.state is ApprovalState.OPEN),
                    key=lambda a: (a.created_at, a.position, a.id),
                )
            ),
            waiting=len(waiting),
            asked=bool(turns),
        )

    async def seen(self) -> Mapping[int, datetime]:
        newest: dict[int, datetime] = {}
        for row in self.rows.inbox.values():
            if row.person is not None:
                known = newest.get(row.person, row.received_at)
                newest[row.person] = max(known, row.received_at)
        return newest

    async def nth_newest(self, person: int, nth: int) -> datetime | None:
        arrived = [r.received_at for r in self.rows.inbox.values() if r.person == person]
        return sorted(arrived, reverse=True)[nth - 1] if len(arrived) >= nth else None
