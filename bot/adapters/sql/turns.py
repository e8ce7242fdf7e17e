"""Turns: their rows, and the work that is left."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import AT_WORK, UNSETTLED, approval, turn
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import AskStop, CountStart, EndRest, EndWays, SaveTurn
from bot.domain.talk.errors import Conflict
from bot.domain.turn.turn import Turn, TurnState, WaysOn

_FIELDS = tuple(name for name in names(Turn) if name != "stop_asked")
_SAVE = Upsert(turn, ["id"], overwrite(*(name for name in _FIELDS if name != "id")))
_SETTLE_CARDS = Prepared(
    update(approval)
    .where(approval.c.turn == bindparam("of"), ~approval.c.turn_settled)
    .values(turn_settled=True)
)
_ASK_STOP = (
    update(turn)
    .where(turn.c.id == bindparam("of"), turn.c.state != TurnState.SETTLED)
    .values(stop_asked=bindparam("how"))
)
_COUNT_START = (
    update(turn)
    .where(turn.c.id == bindparam("of"), turn.c.state == TurnState.RUNNING)
    .values(attempts=turn.c.attempts + 1, held_back=False)
)
_END_REST = (
    update(turn)
    .where(
        turn.c.id == bindparam("of"),
        turn.c.state == TurnState.RESTING,
        turn.c.rests == bindparam("rest"),
    )
    .values(rests_until=bindparam("until"))
)
_END_WAYS = (
    update(turn)
    .where(turn.c.id == bindparam("of"), turn.c.ways_on == WaysOn.OPEN)
    .values(ways_on=bindparam("how"))
)
_BY_ID = select(*columns(turn, Turn)).where(turn.c.id == bindparam("of"))
_UNSETTLED = Prepared(
    select(*columns(turn, Turn))
    .where(turn.c.chat == bindparam("of"), UNSETTLED)
    .order_by(turn.c.created_at, turn.c.id)
)
_OF_ORIGIN = (
    select(*columns(turn, Turn))
    .where(
        AT_WORK,
        turn.c.origin == bindparam("of"),
        turn.c.state.in_((TurnState.RUNNING, TurnState.QUEUED)),
    )
    .order_by(turn.c.created_at, turn.c.id)
)


class SqlTurns(Reads):
    async def get(self, turn: str) -> Turn | None:
        return await self._one(Turn, _BY_ID, of=turn)

    async def at_work(self, origin: str) -> Sequence[Turn]:
        return await self._all(Turn, _OF_ORIGIN, of=origin)


def save_turns(connection: Connection, writes: Sequence[SaveTurn], _at: datetime) -> None:
    _SAVE.run(connection, *(values(write.turn, _FIELDS) for write in writes))
    settled = (w.turn.id for w in writes if w.turn.state is TurnState.SETTLED)
    _SETTLE_CARDS.run(connection, *({"of": id} for id in settled))


def ask_stops(connection: Connection, writes: Sequence[AskStop], _at: datetime) -> None:
    connection.execute(_ASK_STOP, [{"of": write.turn, "how": write.how} for write in writes])


def count_starts(connection: Connection, writes: Sequence[CountStart], _at: datetime) -> None:
    connection.execute(_COUNT_START, [{"of": write.turn} for write in writes])


def end_rests(connection: Connection, writes: Sequence[EndRest], _at: datetime) -> None:
    for write in writes:
        row = {"of": write.turn, "rest": write.rest, "until": write.at}
        if not connection.execute(_END_REST, row).rowcount:
            raise Conflict(f"turn {write.turn} is not in its rest {write.rest}")


def end_ways(connection: Connection, writes: Sequence[EndWays], _at: datetime) -> None:
    for write in writes:
        if not connection.execute(_END_WAYS, {"of": write.turn, "how": write.how}).rowcount:
            raise Conflict(f"the buttons below turn {write.turn} are not open")


def unsettled(connection: Connection, chat: int) -> list[Turn]:
    """Returns the unsettled turns of a chat, oldest first."""
    return [Turn(*row) for row in _UNSETTLED.rows(connection, {"of": chat})]
