"""Errands: their rows, and those that wait to be taken."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.portions import portions
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import UNTAKEN, chat, errand, turn
from bot.domain.assignments.errand import Errand
from bot.domain.change import SaveErrand
from bot.domain.talk.errors import Conflict
from bot.domain.turn.turn import TurnState
from bot.ports.errands import ErrandProgress

_FIELDS = names(Errand)
_ERRANDS = select(*columns(errand, Errand))
_AGE = (errand.c.created_at, errand.c.id)
_BY_ID = _ERRANDS.where(errand.c.id == bindparam("of"))
_UNTAKEN = _ERRANDS.where(errand.c.chat == bindparam("of"), UNTAKEN).order_by(*_AGE)
_AT_HOME = _ERRANDS.where(errand.c.home == bindparam("of"))
_PROGRESS = (
    select(*columns(errand, Errand), turn.c.rounds, turn.c.calls, turn.c.state.label("stage"))
    .join_from(errand, turn, turn.c.id == errand.c.id)
    .where(errand.c.chat == bindparam("of"), ~errand.c.taken)
    .order_by(*_AGE)
)
_MOVE = (
    update(errand)
    .where(errand.c.id == bindparam("of"), errand.c.version == bindparam("expect"))
    .values({name: bindparam(name) for name in _FIELDS if name != "id"})
)
_SHOW_HOME = update(chat).where(chat.c.id == bindparam("of")).values(screen=bindparam("shown"))


class SqlErrands(Reads):
    async def get(self, id: str) -> Errand | None:
        return await self._one(Errand, _BY_ID, of=id)

    async def of_chat(self, chat: int) -> Sequence[ErrandProgress]:
        rows = await self._database.fetch(_PROGRESS, {"of": chat})
        return [_progress(Errand(*tuple(row)[:-3]), *tuple(row)[-3:]) for row in rows]


def _progress(errand: Errand, rounds: int, calls: int, state: TurnState) -> ErrandProgress:
    return ErrandProgress(errand, rounds, calls, state is TurnState.RESTING)


def save_errands(connection: Connection, writes: Sequence[SaveErrand], _at: datetime) -> None:
    for write in writes:
        row = values(write.errand, _FIELDS)
        if write.expect is None:
            connection.execute(insert(errand), row)
            shown = {"of": write.errand.home, "shown": write.errand.chat}
            connection.execute(_SHOW_HOME, shown)
            continue
        del row["id"]
        moved = {**row, "of": write.errand.id, "expect": write.expect}
        if not connection.execute(_MOVE, moved).rowcount:
            raise Conflict(f"errand {write.errand.id} is not at version {write.expect}")


def untaken(connection: Connection, chat: int) -> list[Errand]:
    """Returns the errands of a chat whose results are not taken, oldest first."""
    return [Errand(*row) for row in connection.execute(_UNTAKEN, {"of": chat})]


def at_home(connection: Connection, home: int) -> list[Errand]:
    """Returns the errand of a home."""
    return [Errand(*row) for row in connection.execute(_AT_HOME, {"of": home})]


def sent_by(connection: Connection, turns: Iterable[str]) -> list[str]:
    """Returns the errands of these turns; an errand and its turn have one id."""
    return [
        id
        for some in portions(turns)
        for id in connection.execute(select(errand.c.id).where(errand.c.parent.in_(some))).scalars()
    ]
