"""Consents to start tool servers."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import consent
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import AllowServer, DropConsent
from bot.domain.tools.server import ServerConsent

_FIELDS = names(ServerConsent)
_GIVEN = select(*columns(consent, ServerConsent)).order_by(consent.c.server, consent.c.given_at)
_ALLOW = Upsert(consent, ["identity"])
_DROP = delete(consent).where(consent.c.identity == bindparam("of"))


class SqlConsents(Reads):
    async def given(self) -> Sequence[ServerConsent]:
        return await self._all(ServerConsent, _GIVEN)


def allow_servers(connection: Connection, writes: Sequence[AllowServer], _at: datetime) -> None:
    _ALLOW.run(connection, *(values(write.consent, _FIELDS) for write in writes))


def drop_consents(connection: Connection, writes: Sequence[DropConsent], _at: datetime) -> None:
    connection.execute(_DROP, [{"of": write.identity} for write in writes])
