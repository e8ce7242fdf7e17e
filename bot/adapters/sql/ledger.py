"""The record: usage, audit lines, verdicts and whole texts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    select,
)

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import RAN, artifact, audit, budget, passage, turn, usage, verdict
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import AddArtifact, AddAudit, AddUsage, AddVerdict, DropUsage, SetBudget
from bot.domain.money.budget import Budgets, Cause, Limit
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.ports.ledger import AuditLine, Bill, BilledTurn, By, Spender, Spent

_TOKENS = tuple(name for name in names(Usage) if name != "searches")
"""The counts that have a column; searches stand in the cost alone."""
_CAUSE = names(Cause)
_USAGE_FIELDS = tuple(name for name in names(AddUsage) if name not in ("usage", "cause"))
_ADD_USAGE = Upsert(usage, ["call"], overwrite("model", "at", "cost", "estimated", *_TOKENS))
_ASKER = Prepared(select(turn.c.asker).where(turn.c.id == bindparam("of")))
_ADD_AUDIT = Prepared(insert(audit))
_ADD_VERDICT = Prepared(insert(verdict))
_DROP_USAGE = delete(usage).where(usage.c.call == bindparam("of"))
_SET_BUDGET = Upsert(budget, ["scope"], overwrite("money", "by", "at"))
_SUBJECTS: Mapping[By, ColumnElement[str]] = {
    By.MODEL: usage.c.model,
    By.CHAT: cast(usage.c.chat, Text),
    By.PERSON: cast(usage.c.person, Text),
    By.TASK: usage.c.turn,
    By.SKILL: usage.c.skill,
}
_SPENT = (
    select(
        usage.c.model,
        func.count(),
        case((func.count() == func.count(usage.c.cost), func.sum(usage.c.cost))),
        *(func.sum(usage.c[name]) for name in _TOKENS),
    )
    .where(usage.c.at >= bindparam("since"))
    .group_by(usage.c.model)
    .order_by(usage.c.model)
)
_SPENT_IN = _SPENT.where(usage.c.chat == bindparam("of"))
_AUDIT = (
    select(*columns(audit, AuditLine))
    .where(audit.c.chat == bindparam("of"))
    .order_by(audit.c.id.desc())
    .limit(bindparam("most"))
)
_OF_ACTION = (
    select(func.max(audit.c.id))
    .where(
        audit.c.action == bindparam("done"), audit.c.subject.startswith(bindparam("of", type_=Text))
    )
    .group_by(audit.c.subject)
)
_NEWEST_OF = (
    select(*columns(audit, AuditLine)).where(audit.c.id.in_(_OF_ACTION)).order_by(audit.c.id)
)
_RAN_SINCE = (
    select(audit.c.subject)
    .where(audit.c.chat == bindparam("of"), audit.c.at >= bindparam("since"), RAN)
    .order_by(audit.c.at, audit.c.id)
)
_NEVER = datetime.max.replace(tzinfo=UTC)
_ARTIFACT = select(artifact.c.text).where(
    artifact.c.id == bindparam("wanted"), artifact.c.chat == bindparam("of")
)


class SqlLedger(Reads):
    async def spent(self, since: datetime, chat: int | None = None) -> Sequence[Spent]:
        wanted, bounds = _SPENT, {"since": since, "of": chat}
        if chat is None:
            del bounds["of"]
        else:
            wanted = _SPENT_IN
        rows = await self._database.fetch(wanted, bounds)
        return [
            Spent(model, calls, Usage(*map(int, tokens)), cost)
            for model, calls, cost, *tokens in map(tuple, rows)
        ]

    async def bills(self, slots: Sequence[datetime], by: By, whose: Spender) -> Sequence[Bill]:
        return await self._database.read(lambda c: list(_billed(c, slots, by, whose)))

    async def total(
        self,
        since: datetime,
        whose: Spender,
        besides: Collection[str] = (),
        until: datetime | None = None,
    ) -> Nano:
        wanted = select(func.sum(usage.c.cost)).where(usage.c.at >= since, *_of(whose))
        if until is not None:
            wanted = wanted.where(usage.c.at < until)
        if besides:
            wanted = wanted.where(usage.c.call.not_in(besides))
        return int(await self._scalar(wanted) or 0)

    async def tasks(self, turns: Sequence[str]) -> Mapping[str, BilledTurn]:
        wanted = (
            select(
                turn.c.id,
                turn.c.created_at,
                turn.c.asker,
                turn.c.asker_name,
                func.coalesce(passage.c.question, ""),
            )
            .outerjoin(passage, passage.c.id == turn.c.id)
            .where(turn.c.id.in_(turns))
        )
        rows = await self._database.fetch(wanted)
        return {id: BilledTurn(*told) for id, *told in map(tuple, rows)}

    async def budgets(self) -> Budgets:
        wanted = select(budget.c.scope, budget.c.money, budget.c.by)
        rows = await self._database.fetch(wanted)
        return {scope: Limit(money, by) for scope, money, by in map(tuple, rows)}

    async def audit(self, chat: int, limit: int) -> Sequence[AuditLine]:
        return await self._all(AuditLine, _AUDIT, of=chat, most=limit)

    async def newest_of(self, action: str, beginning: str) -> Sequence[AuditLine]:
        return await self._all(AuditLine, _NEWEST_OF, done=action, of=beginning)

    async def ran_since(self, chat: int, since: datetime) -> Sequence[str]:
        return await self._scalars(_RAN_SINCE, of=chat, since=since)

    async def artifact(self, chat: int, id: str) -> str | None:
        return await self._scalar(_ARTIFACT, of=chat, wanted=id)


def _billed(
    connection: Connection, slots: Sequence[datetime], by: By, whose: Spender
) -> Iterator[Bill]:
    """Yields the bills of each stretch of time; to sort calls into stretches takes longer."""
    wanted = _bill(by, whose)
    for slot, (begin, end) in enumerate(zip(slots, (*slots[1:], _NEVER), strict=True)):
        for of, calls, cost, unknown, guessed, *tokens in map(
            tuple, connection.execute(wanted, {"since": begin, "until": end})
        ):
            usage = Usage(*map(int, tokens))
            yield Bill(slot, of, calls, usage, int(cost or 0), unknown, int(guessed))


def _bill(by: By, whose: Spender) -> Select[Any]:
    subject = func.coalesce(_SUBJECTS[by], "")
    return (
        select(
            subject,
            func.count(),
            func.sum(usage.c.cost),
            func.count() - func.count(usage.c.cost),
            func.sum(case((usage.c.estimated, 1), else_=0)),
            *(func.sum(usage.c[name]) for name in _TOKENS),
        )
        .where(usage.c.at >= bindparam("since"), usage.c.at < bindparam("until"), *_of(whose))
        .group_by(subject)
        .order_by(subject)
    )


def _of(whose: Spender) -> list[ColumnElement[bool]]:
    wanted = (
        (usage.c.chat, whose.chat),
        (usage.c.person, whose.person),
        (usage.c.turn, whose.turn),
    )
    return [column == value for column, value in wanted if value is not None]


def add_usage(connection: Connection, writes: Sequence[AddUsage], _at: datetime) -> None:
    put_usage(connection, writes)


def put_usage(connection: Connection, writes: Sequence[AddUsage]) -> None:
    for write in writes:
        of = {**values(write.cause, _CAUSE), **values(write.usage, _TOKENS)}
        of["person"] = _payer(connection, write.cause)
        _ADD_USAGE.run(connection, {**values(write, _USAGE_FIELDS), **of})


def _payer(connection: Connection, cause: Cause) -> int | None:
    """Returns the person a call counts for: the asker of its turn, as it is stored now.

    The asker may have been joined with another person while the call was made.
    """
    if cause.person is None or not cause.turn:
        return cause.person
    asker = _ASKER.first(connection, {"of": cause.turn})
    return cause.person if asker is None else asker[0]


def drop_usage(connection: Connection, writes: Sequence[DropUsage], _at: datetime) -> None:
    connection.execute(_DROP_USAGE, [{"of": write.call} for write in writes])


def set_budgets(connection: Connection, writes: Sequence[SetBudget], _at: datetime) -> None:
    _SET_BUDGET.run(connection, *(values(write, names(SetBudget)) for write in writes))


def add_audit(connection: Connection, writes: Sequence[AddAudit], _at: datetime) -> None:
    _ADD_AUDIT.run(connection, *(values(write, names(AddAudit)) for write in writes))


def add_artifacts(connection: Connection, writes: Sequence[AddArtifact], _at: datetime) -> None:
    connection.execute(insert(artifact), [values(write, names(AddArtifact)) for write in writes])


def add_verdicts(connection: Connection, writes: Sequence[AddVerdict], _at: datetime) -> None:
    _ADD_VERDICT.run(connection, *(values(write, names(AddVerdict)) for write in writes))
