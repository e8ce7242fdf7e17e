"""Calls of hooks, and how their runs stand."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import KEYED, hook_call
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import AddHookCall, SaveHookCall
from bot.domain.errors import Conflict
from bot.domain.hook import HookCall

_OF = bindparam("of")
_SINCE = bindparam("since")
_CALLS = select(*columns(hook_call, HookCall))
_BY_ID = _CALLS.where(hook_call.c.hook == _OF, hook_call.c.id == bindparam("call"))
_KEYED = _CALLS.where(
    KEYED, hook_call.c.hook == _OF, hook_call.c.key == bindparam("known"), hook_call.c.at >= _SINCE
)
_OF_TURN = _CALLS.where(hook_call.c.turn == _OF)
_COUNT = select(func.count()).where(hook_call.c.hook == _OF, hook_call.c.at >= _SINCE)
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
_ADD = Upsert(hook_call, ["hook", "key"], index_where=KEYED)
_MOVES = ("state", "ended_at", "why", "words", "data")
_SAVE = update(hook_call).where(hook_call.c.id == _OF)


class SqlHookCalls:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, hook: str, id: str) -> HookCall | None:
        wanted = {"of": hook, "call": id}
        return _read(await self._database.read(lambda c: c.execute(_BY_ID, wanted).first()))

    async def keyed(self, hook: str, key: str, since: datetime) -> HookCall | None:
        wanted = {"of": hook, "known": key, "since": since}
        return _read(await self._database.read(lambda c: c.execute(_KEYED, wanted).first()))

    async def of_turn(self, turn: str) -> HookCall | None:
        wanted = {"of": turn}
        return _read(await self._database.read(lambda c: c.execute(_OF_TURN, wanted).first()))

    async def count(self, hook: str, since: datetime) -> int:
        wanted = {"of": hook, "since": since}
        return await self._database.read(lambda c: int(c.execute(_COUNT, wanted).scalar_one()))

    async def last(self, hooks: Sequence[str]) -> Mapping[str, HookCall]:
        def newest(connection: Connection) -> Mapping[str, HookCall]:
            found = (_read(connection.execute(_LAST, {"of": name}).first()) for name in hooks)
            return {one.hook: one for one in found if one is not None}

        return await self._database.read(newest)


def _read(row: Sequence[object] | None) -> HookCall | None:
    return None if row is None else HookCall(*row)  # pyright: ignore[reportArgumentType]


def add_hook_calls(connection: Connection, writes: Sequence[AddHookCall], _at: datetime) -> None:
    for write in writes:
        call = write.call
        if call.key:
            wanted = {"of": call.hook, "known": call.key, "since": write.since}
            connection.execute(_FREE, wanted)
        if not _ADD.run(connection, values(call, names(HookCall))):
            raise Conflict(f"hook {call.hook} has a call with this key")


def save_hook_calls(connection: Connection, writes: Sequence[SaveHookCall], _at: datetime) -> None:
    for write in writes:
        connection.execute(_SAVE.values(**values(write.call, _MOVES)), {"of": write.call.id})
