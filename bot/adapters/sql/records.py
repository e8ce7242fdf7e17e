"""Rows behind pages: each statement is bounded and goes along an index."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Integer, bindparam, func, literal, select

from bot.adapters.sql.columns import columns, names
from bot.adapters.sql.plans import whole_plan
from bot.adapters.sql.reads import Reads, placed
from bot.adapters.sql.tables import (
    ABOUT,
    ADMITTED,
    ASKED_FOR,
    BEGAN,
    ENDED,
    ON_PLANS,
    OPEN,
    OWED,
    PLANNED,
    SCHEDULED,
    TAKEN,
    UNSETTLED,
    WAITING,
    approval,
    audit,
    chat,
    errand,
    inbox,
    outbox,
    plan,
    rule,
    task,
    turn,
    usage,
    verdict,
)
from bot.adapters.sql.turn_log import turn_log
from bot.domain.assignments.errand import Errand
from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.money.model import Usage
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.turn.turn import TAKEN_UP, Turn, TurnState
from bot.ports.listed import ListPlace, Ways
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

_MOST_STARTS = 100
_MOST_UPDATES = 2_000

_VERDICTS = (
    select(verdict.c.round, verdict.c.at, verdict.c.details)
    .where(verdict.c.turn == bindparam("of"))
    .order_by(verdict.c.id)
)
_TOKENS = ("input", "output", "cache_read", "cache_write")
_PAID = (
    select(
        usage.c.call,
        usage.c.at,
        usage.c.model,
        usage.c.kind,
        usage.c.cost,
        usage.c.estimated,
        *(usage.c[name] for name in _TOKENS),
    )
    .where(usage.c.turn == bindparam("of"))
    .order_by(usage.c.at, usage.c.id)
)
_SHOWN = (
    select(
        outbox.c.key,
        chat.c.address,
        outbox.c.content,
        outbox.c.created_at,
        outbox.c.recorded_at,
        outbox.c.state,
    )
    .join_from(outbox, chat, outbox.c.chat == chat.c.id)
    .where(outbox.c.about == bindparam("of"), ABOUT)
    .order_by(outbox.c.id)
)
_SENT_OUT = (
    select(*columns(errand, Errand))
    .where(errand.c.parent == bindparam("of"))
    .order_by(errand.c.created_at, errand.c.id)
)
_ARRIVED = (
    select(inbox.c.channel, inbox.c.received_at)
    .where(inbox.c.turn == bindparam("of"), TAKEN)
    .order_by(inbox.c.id)
)
_BEGAN = (
    select(audit.c.at)
    .where(BEGAN, audit.c.at >= bindparam("since"), audit.c.at <= bindparam("until"))
    .order_by(audit.c.at)
    .limit(_MOST_STARTS)
)
_CARDS = select(*columns(approval, Approval))
_PLACE = (approval.c.created_at, approval.c.position, approval.c.id)
_OPEN = _CARDS.where(OPEN).limit(bindparam("most"))
_END = (approval.c.decided_at, approval.c.id)
_DECIDED = _CARDS.where(ENDED, approval.c.state != ApprovalState.OPEN).limit(bindparam("most"))
_DECISIONS = (
    select(
        approval.c.decided_by,
        approval.c.decider_name,
        approval.c.state,
        func.coalesce(approval.c.shown_at, approval.c.created_at, type_=approval.c.created_at.type),
        approval.c.decided_at,
    )
    .where(ENDED, approval.c.decided_at >= bindparam("at"))
    .order_by(*(column.desc() for column in _END))
    .limit(bindparam("most"))
)
_REQUESTS = (
    select(func.count())
    .select_from(turn)
    .where(ASKED_FOR, turn.c.created_at >= bindparam("since"), turn.c.created_at < bindparam("to"))
)
_NEWEST = select(usage.c.skill, usage.c.at).order_by(usage.c.at.desc()).limit(bindparam("most"))
_PLAN_FIELDS = tuple(name for name in names(Plan) if name != "steps")
_PLANS = (
    select(*(plan.c[name] for name in _PLAN_FIELDS))
    .where(PLANNED, plan.c.turn.is_(None), plan.c.state != PlanState.COLLECTING)
    .limit(bindparam("most"))
)
# A plan has no place among others that were asked for together: it counts as the first.
_PLAN_PLACE = (plan.c.created_at, literal(0, Integer), plan.c.id)
_AT_WORK = (
    select(*columns(turn, Turn))
    .where(UNSETTLED, turn.c.state != TurnState.PARKED)
    .order_by(turn.c.created_at, turn.c.id)
    .limit(bindparam("most"))
)
_OWED = (
    select(
        chat.c.address,
        func.count(),
        func.min(outbox.c.created_at, type_=outbox.c.created_at.type),
    )
    .join_from(outbox, chat, outbox.c.chat == chat.c.id)
    .where(OWED)
    .group_by(chat.c.id, chat.c.address)
)
_WAITING = (
    select(inbox.c.chat, func.count())
    .where(WAITING, inbox.c.chat.is_not(None))
    .group_by(inbox.c.chat)
    .limit(bindparam("most"))
)
_LATEST = (
    select(inbox.c.channel, inbox.c.received_at)
    .order_by(inbox.c.id.desc())
    .limit(_MOST_UPDATES)
    .subquery()
)
_HEARD_FROM = select(
    _LATEST.c.channel, func.max(_LATEST.c.received_at, type_=inbox.c.received_at.type)
).group_by(_LATEST.c.channel)
_TASKS = (
    select(*columns(task, TimedTask))
    .where(SCHEDULED, (task.c.goal.is_(None) | (task.c.goal != task.c.id)))
    .order_by(task.c.due, task.c.id)
    .limit(bindparam("most"))
)
_PAUSED = (
    select(*columns(task, TimedTask))
    .where(task.c.state == TaskState.PAUSED, task.c.goal.is_(None) | (task.c.goal != task.c.id))
    .order_by(task.c.id)
    .limit(bindparam("most"))
)
_RECORD = select(*columns(audit, RecordLine))
_LINES = _RECORD.limit(bindparam("most"))
_MOST_LOOKED = 50_000
"""Lines of the record that one search looks at; those on plans have an index of their own."""

_NEWEST_LINE = select(func.max(audit.c.id))
_LINE_FROM = (
    select(audit.c.id, audit.c.at)
    .where(audit.c.id >= bindparam("of"))
    .order_by(audit.c.id)
    .limit(1)
)
_ADMITTED = _RECORD.where(ADMITTED, audit.c.subject.in_(bindparam("named", expanding=True)))
_RULES = select(*columns(rule, Rule)).limit(bindparam("most"))


class SqlRecords(Reads):
    async def of_turn(self, turn: str) -> TurnRecord:
        return await self._database.read(lambda c: _record(c, {"of": turn}))

    async def log(self, turn: Turn, below: int | None) -> TurnLog:
        return await self._database.read(lambda c: turn_log(c, turn, below))

    async def began(self, since: datetime, until: datetime) -> Sequence[datetime]:
        return await self._scalars(_BEGAN, since=since, until=until)

    async def taken_up(self, chat: int, since: datetime) -> Sequence[RecordLine]:
        chosen = RecordFilter(chat, action=TAKEN_UP, since=since)
        found = await self._database.read(lambda c: _found(c, chosen, None, _MOST_STARTS))
        return found.lines[::-1]

    async def open(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        return await self._part(Approval, _of(asker, _OPEN), _PLACE, _by_age(place), most=limit)

    async def decided(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        at = None if place is None else ListPlace((place.key.at, place.key.id), place.back)
        wanted = _of(asker, _DECIDED)
        return await self._part(Approval, wanted, _END, at, falling=True, most=limit)

    async def decisions(self, asker: int | None, since: datetime, limit: int) -> Sequence[Decided]:
        return await self._all(Decided, _of(asker, _DECISIONS), at=since, most=limit)

    async def requests(self, asker: int | None, since: datetime, until: datetime) -> int:
        wanted = _REQUESTS if asker is None else _REQUESTS.where(turn.c.asker == asker)
        return await self._scalar(wanted, since=since, to=until)

    async def skills_used(self, asker: int | None, limit: int) -> Mapping[str, datetime]:
        newest = _NEWEST if asker is None else _NEWEST.where(usage.c.person == asker)
        # Oldest first: the last use of a skill counts.
        rows = await self._database.read(lambda c: list(c.execute(newest, {"most": limit})))
        return {skill: at for skill, at in reversed(rows) if skill is not None}

    async def plans(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Plan]:
        wanted = _PLANS if asker is None else _PLANS.where(plan.c.asker == asker)
        wanted = placed(wanted, _PLAN_PLACE, _by_age(place))
        found = await self._database.read(
            lambda c: [whole_plan(c, Plan(*row)) for row in c.execute(wanted, {"most": limit})]
        )
        return found[::-1] if place is not None and place.back else found

    async def at_work(self, asker: int | None, limit: int) -> Sequence[Turn]:
        wanted = _AT_WORK if asker is None else _AT_WORK.where(turn.c.asker == asker)
        return await self._all(Turn, wanted, most=limit)

    async def owed(self) -> Sequence[OwedCount]:
        counts: dict[str, OwedCount] = {}
        for address, owed, since in map(tuple, await self._database.fetch(_OWED)):
            known = counts.get(address.channel, OwedCount(address.channel, 0, since))
            first = min(known.since, since)
            counts[address.channel] = OwedCount(address.channel, known.owed + owed, first)
        return list(counts.values())

    async def heard_from(self) -> Mapping[str, datetime]:
        return dict(map(tuple, await self._database.fetch(_HEARD_FROM)))

    async def tasks(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        wanted = _TASKS if asker is None else _TASKS.where(task.c.asker == asker)
        return await self._all(TimedTask, wanted, most=limit)

    async def paused(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        wanted = _PAUSED if asker is None else _PAUSED.where(task.c.asker == asker)
        return await self._all(TimedTask, wanted, most=limit)

    async def waiting(self, limit: int) -> Mapping[int, int]:
        return dict(map(tuple, await self._database.fetch(_WAITING, {"most": limit})))

    async def lines(
        self, chosen: RecordFilter, place: ListPlace[int] | None, limit: int
    ) -> FoundLines:
        return await self._database.read(lambda c: _found(c, chosen, place, limit))

    async def admitted(self, accounts: Collection[str]) -> Mapping[str, RecordLine]:
        lines = await self._all(RecordLine, _ADMITTED, named=list(accounts))
        return {one.subject: one for one in sorted(lines, key=lambda line: line.id)}

    async def rules(
        self, person: int | None, place: ListPlace[int] | None, limit: int
    ) -> Sequence[Rule]:
        wanted = _RULES if person is None else _RULES.where(rule.c.person == person)
        at = None if place is None else ListPlace((place.key,), place.back)
        return await self._part(Rule, wanted, (rule.c.id,), at, most=limit)


def _found(
    c: Connection, chosen: RecordFilter, place: ListPlace[int] | None, limit: int
) -> FoundLines:
    end = int(c.execute(_NEWEST_LINE).scalar() or 0) + 1
    first = 0 if chosen.since is None else _first_at(c, chosen.since, end)
    end = end if chosen.until is None else min(end, _first_at(c, chosen.until, end))
    most = end if chosen.plans else _MOST_LOOKED
    if place is not None and place.back:
        floor = max(first, place.key + 1)
        top = min(end, floor + most)
        lines = _lines(c, chosen, (floor, top), audit.c.id, limit)[::-1]
        if len(lines) > limit or top < end:
            newest = lines[-limit:]
            older = newest[-1].id if newest else floor
            newer = newest[0].id if len(lines) > limit else top - 1
            return FoundLines(newest, Ways(newer, older))
        # So near the newest line, they are shown from there.
        place = None
    end = end if place is None else min(end, place.key)
    floor = max(first, end - most)
    lines = _lines(c, chosen, (floor, end), audit.c.id.desc(), limit)
    shown = lines[:limit]
    newer = None if place is None else shown[0].id if shown else place.key - 1
    left = shown[-1].id if len(lines) > limit else floor if floor > first + 1 else None
    return FoundLines(shown, Ways(newer, left))


def _lines(
    c: Connection, chosen: RecordFilter, within: tuple[int, int], order: Any, limit: int
) -> tuple[RecordLine, ...]:
    """Returns the chosen lines with a number from one on and below another, and one too many."""
    wanted = _LINES.where(audit.c.id >= within[0], audit.c.id < within[1]).order_by(order)
    if chosen.chat is not None:
        wanted = wanted.where(audit.c.chat == chosen.chat)
    if chosen.person is not None:
        wanted = wanted.where(audit.c.person == chosen.person)
    if chosen.plans:
        wanted = wanted.where(ON_PLANS)
    if chosen.planner is not None:
        own = select(plan.c.chat).where(plan.c.asker == chosen.planner)
        wanted = wanted.where(audit.c.chat.in_(own))
    if chosen.action:
        wanted = wanted.where(audit.c.action.startswith(chosen.action, autoescape=True))
    return tuple(RecordLine(*row) for row in c.execute(wanted, {"most": limit + 1}))


def _first_at(connection: Connection, moment: datetime, end: int) -> int:
    """Returns the number of the first line of that moment or later: their order is that of time."""
    low = 0
    while low < end:
        middle = (low + end) // 2
        row = connection.execute(_LINE_FROM, {"of": middle}).first()
        if row is None or row.at >= moment:
            end = middle
        else:
            low = row.id + 1
    return low


def _by_age(place: ListPlace[RowKey] | None) -> ListPlace[Any] | None:
    """Returns a place among cards or plans by the values that put them in order."""
    return place and ListPlace((place.key.at, place.key.position, place.key.id), place.back)


def _of(asker: int | None, wanted: Any) -> Any:
    return wanted if asker is None else wanted.where(approval.c.asker == asker)


def _record(connection: Connection, of: Mapping[str, str]) -> TurnRecord:
    """Returns the rows of one turn, read on one snapshot."""
    return TurnRecord(
        tuple(RoundRecord(*row) for row in connection.execute(_VERDICTS, of)),
        tuple(_paid(*row) for row in connection.execute(_PAID, of)),
        tuple(_shown(*row) for row in connection.execute(_SHOWN, of)),
        tuple(Errand(*row) for row in connection.execute(_SENT_OUT, of)),
        tuple(Arrived(*row) for row in connection.execute(_ARRIVED, of)),
    )


def _paid(*row: Any) -> PaidCall:
    call, at, model, kind, cost, estimated, *tokens = row
    return PaidCall(call, at, model, kind, Usage(*tokens), cost, bool(estimated))


def _shown(*row: Any) -> ShownRow:
    key, address, content, created_at, recorded_at, state = row
    return ShownRow(key, address, content.kind, created_at, recorded_at, state)
