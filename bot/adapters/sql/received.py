"""The record of files that people sent."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, union

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import (
    KEPT,
    OPEN,
    PLANNED,
    UNSETTLED,
    WAITING,
    approval,
    inbox,
    plan,
    received,
    turn,
)
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import SaveReceived
from bot.domain.talk.received import ReceivedFile

_FIELDS = tuple(name for name in names(ReceivedFile) if name != "id")
_FILES = select(*columns(received, ReceivedFile))
_GET = _FILES.where(received.c.chat == bindparam("of"), received.c.key == bindparam("named"))
_DUE = (
    _FILES.where(received.c.kept_at < bindparam("before"), received.c.id > bindparam("after"), KEPT)
    .order_by(received.c.id)
    .limit(bindparam("most"))
)
_DIGESTS = (
    select(received.c.size, received.c.digest)
    .where(received.c.size.in_(bindparam("sizes", expanding=True)))
    .distinct()
)
_IN_USE = union(
    select(turn.c.chat, turn.c.asker).where(UNSETTLED),
    select(approval.c.chat, approval.c.asker).where(OPEN),
    select(plan.c.chat, plan.c.asker).where(PLANNED),
    select(inbox.c.chat, inbox.c.person).where(WAITING, inbox.c.person.is_not(None)),
)
_SAVE = Upsert(received, ["chat", "key"], overwrite(*_FIELDS))


class SqlReceived(Reads):
    async def get(self, chat: int, key: str) -> ReceivedFile | None:
        return await self._one(ReceivedFile, _GET, of=chat, named=key)

    async def due(self, before: datetime, after: int, limit: int) -> Sequence[ReceivedFile]:
        return await self._all(ReceivedFile, _DUE, before=before, after=after, most=limit)

    async def digests(self, sizes: Collection[int]) -> Collection[tuple[int, str]]:
        wanted = {"sizes": list(sizes)}
        return await self._database.read(
            lambda c: {(size, digest) for size, digest in c.execute(_DIGESTS, wanted)}
        )

    async def in_use(self) -> Sequence[tuple[int, int]]:
        return await self._database.read(
            lambda c: sorted((chat, person) for chat, person in c.execute(_IN_USE))
        )


def save_received(connection: Connection, writes: Sequence[SaveReceived], _at: datetime) -> None:
    _SAVE.run(connection, *(values(write.file, _FIELDS) for write in writes))
