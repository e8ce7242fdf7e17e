"""The record: usage, audit lines, verdicts and whole texts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, case, func, insert, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import RAN, artifact, audit, usage, verdict
from bot.domain.change import AddArtifact, AddAudit, AddUsage, AddVerdict
from bot.domain.model import Usage
from bot.ports.ledger import AuditLine, Spent

_TOKENS = names(Usage)
_USAGE_FIELDS = tuple(name for name in names(AddUsage) if name != "usage")
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
_RAN_SINCE = (
    select(audit.c.subject)
    .where(audit.c.chat == bindparam("of"), audit.c.at >= bindparam("since"), RAN)
    .order_by(audit.c.at, audit.c.id)
)
_ARTIFACT = select(artifact.c.text).where(
    artifact.c.id == bindparam("wanted"), artifact.c.chat == bindparam("of")
)


class SqlLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def spent(self, since: datetime, chat: int | None = None) -> Sequence[Spent]:
        wanted, bounds = _SPENT, {"since": since, "of": chat}
        if chat is None:
            del bounds["of"]
        else:
            wanted = _SPENT_IN
        rows = await self._database.read(lambda c: c.execute(wanted, bounds).all())
        return [
            Spent(model, calls, Usage(*map(int, tokens)), cost)
            for model, calls, cost, *tokens in map(tuple, rows)
        ]

    async def audit(self, chat: int, limit: int) -> Sequence[AuditLine]:
        wanted = {"of": chat, "most": limit}
        return await self._database.read(
            lambda c: [AuditLine(*row) for row in c.execute(_AUDIT, wanted)]
        )

    async def ran_since(self, chat: int, since: datetime) -> Sequence[str]:
        wanted = {"of": chat, "since": since}
        return await self._database.read(lambda c: list(c.execute(_RAN_SINCE, wanted).scalars()))

    async def artifact(self, chat: int, id: str) -> str | None:
        wanted = {"of": chat, "wanted": id}
        return await self._database.read(lambda c: c.execute(_ARTIFACT, wanted).scalar())


def add_usage(connection: Connection, writes: Sequence[AddUsage], _at: datetime) -> None:
    rows = [{**values(w, _USAGE_FIELDS), **values(w.usage, _TOKENS)} for w in writes]
    connection.execute(insert(usage), rows)


def add_audit(connection: Connection, writes: Sequence[AddAudit], _at: datetime) -> None:
    connection.execute(insert(audit), [values(write, names(AddAudit)) for write in writes])


def add_artifacts(connection: Connection, writes: Sequence[AddArtifact], _at: datetime) -> None:
    connection.execute(insert(artifact), [values(write, names(AddArtifact)) for write in writes])


def add_verdicts(connection: Connection, writes: Sequence[AddVerdict], _at: datetime) -> None:
    connection.execute(insert(verdict), [values(write, names(AddVerdict)) for write in writes])
