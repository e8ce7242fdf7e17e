"""Consents to start tool servers."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from bot.adapters.sql.database import Database
from bot.adapters.sql.fields import names, values
from bot.adapters.sql.tables import consent
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import AllowServer
from bot.domain.server import ServerConsent

_FIELDS = names(ServerConsent)
_GIVEN = select(consent.c.identity)
_ALLOW = Upsert(consent, ["identity"])


class SqlConsents:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def given(self) -> frozenset[str]:
        return await self._database.read(lambda c: frozenset(c.execute(_GIVEN).scalars()))


def allow_servers(connection: Connection, writes: Sequence[AllowServer], _at: datetime) -> None:
    _ALLOW.run(connection, *(values(write.consent, _FIELDS) for write in writes))
