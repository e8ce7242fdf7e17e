"""Rows behind pages, found in memory."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter

from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.change import InboundState
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.money.model import Usage
from bot.domain.plans.plan import LIVE, Plan, PlanState
from bot.domain.turn.turn import TAKEN_UP, Turn, TurnState
from bot.flow.inspection.listing import part_among
from bot.ports.listed import ListPlace, part_of
from bot.ports.outbox import DeliveryState
from bot.ports.records import (
    Arrived,
    Decided,
    FoundLines,
    OwedCount,
    PaidCall,
    RecordFilter,
    RecordLine,
    RoundRecord,
    RowKey,
    ShownRow,
    TurnLog,
    TurnRecord,
)
from tests.fakes.store_branches import past_of
from tests.fakes.store_rows import Rows

_ON_PLANS = ("plan.ready", "plan.approved", "plan.changed", "plan.cancelled")


@dataclass(frozen=True, slots=True)
class MemoryRecords:
    rows: Rows

    async def of_turn(self, turn: str) -> TurnRecord:
        rows = self.rows
        paid = [line for line in rows.usage.values() if line.cause.turn == turn]
        shown = [row for row in rows.outbox.values() if row.about == turn]
        errands = [one for one in rows.errands.values() if one.parent == turn]
        taken = [rows.inbox[id] for id, by in sorted(rows.taken.items()) if by == turn]
        return TurnRecord(
            tuple(RoundRecord(v.round, v.at, v.details) for v in rows.verdicts if v.turn == turn),
            tuple(
                PaidCall(p.call, p.at, p.model, p.cause.kind, counted(p.usage), p.cost, p.estimated)
                for p in sorted(paid, key=lambda line: line.at)
            ),
            tuple(
                ShownRow(
                    row.key,
                    row.address,
                    row.content.kind,
                    row.created_at,
                    rows.recorded.get(row.key),
                    row.state,
                )
                for row in sorted(shown, key=lambda row: row.id)
            ),
            tuple(sorted(errands, key=lambda one: (one.created_at, one.id))),
            tuple(Arrived(row.channel, row.received_at) for row in taken),
        )

    async def log(self, turn: Turn, below: int | None) -> TurnLog:
        last = dict(past_of(self.rows, turn.conversation))
        found = [
            e
            for e in self.rows.entries.values()
            if e.conversation == turn.conversation or e.seq <= last.get(e.conversation, 0)
        ]
        every = sorted(found, key=lambda e: e.seq)
        before = [e for e in every if e.at < turn.created_at]
        end = None if turn.ended_at is None else turn.ended_at + timedelta(seconds=1)
        later = every[len(before) :]
        own = [e for e in later if end is None or e.at < end]
        shown = before[-600:]
        older = [e for e in every if below is not None and shown and e.seq < below][-60:]
        if below is None or not shown or below > shown[0].seq:
            older = []
        entries = (*shown, *own, *later[len(own) :][:200])
        return TurnLog(entries, tuple(older), whole=len(before) == len(shown))

    async def began(self, since: datetime, until: datetime) -> Sequence[datetime]:
        starts = (one.at for one in self.rows.audit if one.action == "program.started")
        return sorted(at for at in starts if since <= at <= until)[:100]

    async def taken_up(self, chat: int, since: datetime) -> Sequence[RecordLine]:
        chosen = RecordFilter(chat, action=TAKEN_UP, since=since)
        return (await self.lines(chosen, None, 100)).lines[::-1]

    async def open(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        cards = [c for c in self._cards(asker) if c.state is ApprovalState.OPEN]
        at = place and ListPlace((place.key.at, place.key.position, place.key.id), place.back)
        return part_of(cards, _place, at, limit)

    async def decided(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        ended = [c for c in self._cards(asker) if c.decided_at is not None]
        at = place and ListPlace((place.key.at, place.key.id), place.back)
        return part_of(ended, lambda c: (c.decided_at, c.id), at, limit, falling=True)

    async def decisions(self, asker: int | None, since: datetime, limit: int) -> Sequence[Decided]:
        found = await self.decided(asker, None, len(self.rows.approvals))
        return [_told(c) for c in found if c.decided_at is not None and c.decided_at >= since][
            :limit
        ]

    async def requests(self, asker: int | None, since: datetime, until: datetime) -> int:
        return sum(
            since <= one.created_at < until and asker in (None, one.asker)
            for one in self.rows.turns.values()
            if one.origin == "message"
        )

    async def skills_used(self, asker: int | None, limit: int) -> Mapping[str, datetime]:
        paid = [
            one
            for one in sorted(self.rows.usage.values(), key=lambda one: one.at)
            if asker in (None, one.cause.person)
        ]
        return {one.cause.skill: one.at for one in paid[-limit:] if one.cause.skill is not None}

    async def plans(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Plan]:
        waiting = [
            one
            for one in self.rows.plans.values()
            if one.state in LIVE and one.state is not PlanState.COLLECTING and one.turn is None
        ]
        own = [one for one in waiting if asker in (None, one.asker)]
        at = place and ListPlace((place.key.at, place.key.position, place.key.id), place.back)
        return part_of(own, lambda one: (one.created_at, 0, one.id), at, limit)

    async def at_work(self, asker: int | None, limit: int) -> Sequence[Turn]:
        over = (TurnState.PARKED, TurnState.SETTLED)
        every = (t for t in self.rows.turns.values() if t.state not in over)
        turns = [t for t in every if asker in (None, t.asker)]
        return sorted(turns, key=lambda one: (one.created_at, one.id))[:limit]

    async def owed(self) -> Sequence[OwedCount]:
        rows = [row for row in self.rows.outbox.values() if row.state is DeliveryState.OWED]
        counts = Counter(row.address.channel for row in rows)
        return [
            OwedCount(name, owed, min(r.created_at for r in rows if r.address.channel == name))
            for name, owed in counts.items()
        ]

    async def heard_from(self) -> Mapping[str, datetime]:
        rows = list(self.rows.inbox.values())[-2_000:]
        return {row.channel: row.received_at for row in rows}

    async def tasks(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        found = [
            (one.due, one.id, one)
            for one in self.rows.tasks.values()
            if one.state is TaskState.ACTIVE and one.due is not None and not one.paces
            if asker in (None, one.asker)
        ]
        return [one for _, _, one in sorted(found, key=lambda one: one[:2])][:limit]

    async def paused(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        tasks = [one for one in self.rows.tasks.values() if one.state is TaskState.PAUSED]
        own = [one for one in tasks if asker in (None, one.asker) and not one.paces]
        return sorted(own, key=lambda one: one.id)[:limit]

    async def waiting(self, limit: int) -> Mapping[int, int]:
        waiting = (r for r in self.rows.inbox.values() if r.state is InboundState.WAITING)
        counts = Counter(row.chat for row in waiting if row.chat is not None)
        return dict(list(counts.items())[:limit])

    async def lines(
        self, chosen: RecordFilter, place: ListPlace[int] | None, limit: int
    ) -> FoundLines:
        rows = [one for one in self._record() if _chosen(one, chosen)]
        if chosen.planner is not None:
            planned = (one for one in self.rows.plans.values() if one.asker == chosen.planner)
            chats = {one.chat for one in planned}
            rows = [one for one in rows if one.chat in chats]
        lines, ways = await part_among(rows, attrgetter("id"), place, limit, falling=True)
        return FoundLines(tuple(lines), ways)

    async def admitted(self, accounts: Collection[str]) -> Mapping[str, RecordLine]:
        ways = ("person.allowed", "person.paired")
        lines = (one for one in self._record() if one.action in ways)
        return {one.subject: one for one in lines if one.subject in accounts}

    async def rules(
        self, person: int | None, place: ListPlace[int] | None, limit: int
    ) -> Sequence[Rule]:
        found = [r for r in self.rows.rules.values() if person in (None, r.person)]
        return part_of(found, attrgetter("id"), place, limit)

    def _record(self) -> list[RecordLine]:
        return [
            RecordLine(n, one.at, one.chat, one.person, one.action, one.subject, one.details)
            for n, one in enumerate(self.rows.audit, 1)
        ]

    def _cards(self, asker: int | None) -> Iterable[Approval]:
        return (c for c in self.rows.approvals.values() if asker in (None, c.asker))


def counted(usage: Usage) -> Usage:
    """Returns the counts that have a column: searches stand in the cost alone."""
    return Usage(usage.input, usage.output, usage.cache_read, usage.cache_write)


def _place(card: Approval) -> tuple[datetime, int, str]:
    return card.created_at, card.position, card.id


def _chosen(line: RecordLine, chosen: RecordFilter) -> bool:
    return (
        chosen.chat in (None, line.chat)
        and chosen.person in (None, line.person)
        and line.action.startswith(chosen.action)
        and (line.action in _ON_PLANS or not chosen.plans)
        and (chosen.since is None or line.at >= chosen.since)
        and (chosen.until is None or line.at < chosen.until)
    )


def _told(card: Approval) -> Decided:
    assert card.decided_at is not None
    since = card.shown_at or card.created_at
    name, state = card.decider_name, card.state
    return Decided(card.decided_by, name, state, since, card.decided_at)
