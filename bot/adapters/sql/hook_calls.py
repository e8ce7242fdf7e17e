"""Calls of hooks, and how their runs stand."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, select, text, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import KEYED, SEALED, TRIED_AGAIN, hook_call
from bot.adapters.sql.upsert import Upsert
from bot.domain.assignments.hook import CALLS_KEPT, HookCall, HookPace
from bot.domain.assignments.task import RunState
from bot.domain.change import AddHookCall, EndTries, SaveHookCall
from bot.domain.talk.errors import Conflict, Crowded

_OF = bindparam("of")
_SINCE = bindparam("since")
_CALLS = select(*columns(hook_call, HookCall))
_BY_ID = _CALLS.where(hook_call.c.hook == _OF, hook_call.c.id == bindparam("call"))
_KEYED = _CALLS.where(
    KEYED, hook_call.c.hook == _OF, hook_call.c.key == bindparam("known"), hook_call.c.at >= _SINCE
)
_SEALED = _CALLS.where(SEALED, hook_call.c.seal == bindparam("known"), hook_call.c.at >= _SINCE)
_OF_TURN = _CALLS.where(hook_call.c.turn == _OF)
_ALL = select(func.count()).where(hook_call.c.at > _SINCE, hook_call.c.at <= bindparam("now"))
_EACH = _ALL.where(hook_call.c.hook == _OF)
_AGAIN = (
    _CALLS.where(TRIED_AGAIN, hook_call.c.again_at <= bindparam("now"))
    .order_by(hook_call.c.again_at, hook_call.c.id)
    .limit(bindparam("most"))
)
_NEXT_TRY = select(func.min(hook_call.c.again_at)).where(TRIED_AGAIN)
_DROP_OLD = delete(hook_call).where(
    hook_call.c.hook == _OF, hook_call.c.at < _SINCE, hook_call.c.ended_at.is_not(None)
)
_LAST = _CALLS.where(hook_call.c.hook == _OF).order_by(hook_call.c.at.desc()).limit(1)
_FREE = (
    update(hook_call)
    .where(
        KEYED,
        hook_call.c.hook == _OF,
        hook_call.c.key == bindparam("known"),
        hook_call.c.at < _SINCE,
    )
    .values(key="")
)
_UNSEAL = (
    update(hook_call)
    .where(SEALED, hook_call.c.seal == bindparam("known"), hook_call.c.at < _SINCE)
    .values(seal="")
)
_ADD = Upsert(hook_call, ["hook", "key"], index_where=KEYED)
_MOVES = ("turn", "state", "ended_at", "why", "words", "data", "tries", "again_at")
_SAVE = update(hook_call).where(hook_call.c.id == _OF)
_MOVE = _SAVE.where(hook_call.c.state == RunState.AGAIN, hook_call.c.tries == bindparam("expect"))
_END = (
    update(hook_call)
    .where(hook_call.c.chat == _OF, TRIED_AGAIN)
    .values(
        state=RunState.STOPPED,
        ended_at=bindparam("now"),
        why=bindparam("reason"),
        words="",
        data="",
        again_at=None,
    )
)
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_LATER_ON_A_DAY = 3_600.0
_LOCK = text("SELECT pg_advisory_xact_lock(8318411711)")
"""Calls that come at once are counted one after another; SQLite has one writer anyway."""


class SqlHookCalls(Reads):
    async def get(self, hook: str, id: str) -> HookCall | None:
        return await self._one(HookCall, _BY_ID, of=hook, call=id)

    async def keyed(self, hook: str, key: str, since: datetime) -> HookCall | None:
        return await self._one(HookCall, _KEYED, of=hook, known=key, since=since)

    async def sealed(self, seal: str, since: datetime) -> HookCall | None:
        return await self._one(HookCall, _SEALED, known=seal, since=since)

    async def of_turn(self, turn: str) -> HookCall | None:
        return await self._one(HookCall, _OF_TURN, of=turn)

    async def again(self, now: datetime, limit: int) -> Sequence[HookCall]:
        return await self._all(HookCall, _AGAIN, now=now, most=limit)

    async def next_try(self) -> datetime | None:
        return await self._scalar(_NEXT_TRY)

    async def last(self, hooks: Sequence[str]) -> Mapping[str, HookCall]:
        def newest(connection: Connection) -> Mapping[str, HookCall]:
            found = (connection.execute(_LAST, {"of": name}).first() for name in hooks)
            return {one.hook: one for one in (HookCall(*row) for row in found if row is not None)}

        return await self._database.read(newest)


def add_hook_calls(connection: Connection, writes: Sequence[AddHookCall], _at: datetime) -> None:
    for write in writes:
        call = write.call
        if write.pace is not None:
            _check(connection, call, write.pace)
        if call.key:
            wanted = {"of": call.hook, "known": call.key, "since": write.since}
            connection.execute(_FREE, wanted)
        if call.seal:
            connection.execute(_UNSEAL, {"known": call.seal, "since": write.since})
        if not _ADD.run(connection, values(call, names(HookCall))):
            raise Conflict(f"hook {call.hook} has a call with this key")
        connection.execute(_DROP_OLD, {"of": call.hook, "since": call.at - CALLS_KEPT})


def _check(connection: Connection, call: HookCall, pace: HookPace) -> None:
    """Raises Crowded when no more calls may come now."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK)

    def came(statement: Select[Any], time: timedelta) -> int:
        wanted = {"of": call.hook, "since": call.at - time, "now": call.at}
        return int(connection.execute(statement, wanted).scalar_one())

    if came(_EACH, _MINUTE) >= pace.each or came(_ALL, _MINUTE) >= pace.all:
        raise Crowded("Too many calls in a minute.", _MINUTE.total_seconds())
    if came(_EACH, _DAY) >= pace.daily:
        raise Crowded("Too many calls in a day.", _LATER_ON_A_DAY)


def save_hook_calls(connection: Connection, writes: Sequence[SaveHookCall], _at: datetime) -> None:
    for write in writes:
        row, wanted = values(write.call, _MOVES), {"of": write.call.id}
        if write.expect is None:
            connection.execute(_SAVE.values(**row), wanted)
        elif not connection.execute(
            _MOVE.values(**row), {**wanted, "expect": write.expect}
        ).rowcount:
            raise Conflict(f"call {write.call.id} is not at try {write.expect}")


def end_tries(connection: Connection, writes: Sequence[EndTries], at: datetime) -> None:
    for write in writes:
        connection.execute(_END, {"of": write.chat, "now": at, "reason": write.why})
