"""What stands in a person's name, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.change import InboundState
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.turn.turn import TurnState
from bot.ports.members import OpenWork, Waiting
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryMembers:
    rows: Rows

    async def open_work(self, person: int) -> OpenWork:
        turns = [t for t in self.rows.turns.values() if t.asker == person]
        cards = [a for a in self.rows.approvals.values() if a.asker == person]
        unsettled = [t for t in turns if t.state is not TurnState.SETTLED]
        waiting = [
            Waiting(self.rows.chats[row.chat].address, row.message_id or "", row.received_at)
            for row in self.rows.inbox.values()
            if row.person == person and row.state is InboundState.WAITING and row.chat is not None
        ]
        return OpenWork(
            turns=tuple(sorted(unsettled, key=lambda t: (t.created_at, t.id))),
            cards=tuple(
                sorted(
                    (a for a in cards if a.state is ApprovalState.OPEN),
                    key=lambda a: (a.created_at, a.position, a.id),
                )
            ),
            waiting=tuple(waiting),
            asked=bool(turns)
            or any(row.person == person for row in self.rows.inbox.values())
            or any(task.asker == person for task in self.rows.tasks.values()),
        )

    async def seen(self) -> Mapping[int, datetime]:
        newest: dict[int, datetime] = {}
        for row in self.rows.inbox.values():
            if row.person is not None and not row.fragment:
                known = newest.get(row.person, row.received_at)
                newest[row.person] = max(known, row.received_at)
        return newest

    async def owner_chats(self) -> Sequence[int]:
        people = self.rows.people
        keys = sorted((id, key) for key, id in self.rows.accounts.items() if people[id].is_owner)
        found: list[int] = []
        for _, key in keys:
            chats = [c for c in self.rows.chats.values() if c.private and _is_with(c, key)]
            if chats and not key.startswith(f"{AT_THE_MACHINE}:"):
                found.append(max(chats, key=lambda c: (c.address.thread is None, c.id)).id)
        return found

    async def for_owners(self) -> Sequence[Approval]:
        cards = [a for a in self.rows.approvals.values() if a.owner_chats]
        opened = [a for a in cards if a.state is ApprovalState.OPEN]
        return sorted(opened, key=lambda a: (a.created_at, a.position, a.id))

    async def nth_newest(self, person: int, nth: int, until: datetime) -> datetime | None:
        rows = [r for r in self.rows.inbox.values() if r.person == person and not r.fragment]
        arrived = [r.received_at for r in rows if r.received_at <= until]
        return sorted(arrived, reverse=True)[nth - 1] if len(arrived) >= nth else None


def _is_with(chat: Chat, account: str) -> bool:
    """Whether a private chat is the one with this account."""
    return f"{chat.address.channel}:{chat.address.chat}" == account
