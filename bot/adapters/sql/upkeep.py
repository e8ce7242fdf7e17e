"""Upkeep: old rows go in bites, and the sizes of the parts of the database are noted day by day."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select

from bot.adapters.sql.database import Database
from bot.adapters.sql.faults import translated
from bot.adapters.sql.own_thread import OwnThread
from bot.adapters.sql.retention import bite
from bot.adapters.sql.tables import measure, sweep
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.talk.keeping import Ageing
from bot.ports.upkeep import Bite, KeptSizes, Sizes

PARTS: Mapping[str, tuple[str, ...]] = {
    "conversations": ("conversation", "entry", "turn", "artifact", "errand", "feedback"),
    "messages shown": ("outbox", "sight", "sending"),
    "messages received": ("inbox", "stream", "received", "hearing", "voice_note"),
    "memory": ("passage", "note", "past", "meaning", "leaving", "description"),
    "rounds": ("verdict",),
    "the record": ("audit",),
    "costs": ("usage", "budget"),
    "cards and plans": ("approval", "rule", "consent", "plan", "plan_step"),
    "files to put back": ("file_change",),
    "tasks, goals and hooks": ("task", "run", "goal", "diary", "goal_turn", "hook_call"),
    "people and settings": (
        *("person", "account", "chat", "pairing", "greeting", "sign_in", "session"),
        *("sweep", "measure", "folder"),
    ),
}
"""The parts of the database as people read of them, each with its tables."""

_INDEX, _FREE = "passage_words", "free for new rows"
_KEY = 8_318_411_712
"""Held by the process that does the upkeep."""

_NIGHT = "night"
_WEEK = timedelta(days=7)
_DAYS_KEPT = timedelta(days=400)
_MEASURES = select(measure.c.at, measure.c.part, measure.c.bytes).order_by(measure.c.at)
_NEWEST = select(func.max(measure.c.day)).scalar_subquery()
_OLDEST = select(func.min(measure.c.day)).scalar_subquery()
_PAST = (
    select(func.max(measure.c.day)).where(measure.c.day <= bindparam("week_ago")).scalar_subquery()
)
_PUT = Upsert(measure, ["day", "part"], overwrite("at", "bytes"))
_TOO_OLD = delete(measure).where(measure.c.day < bindparam("first"))
_NOTE = Upsert(sweep, ["name"], overwrite("up_to", "at"))
_SWEPT = select(sweep.c.at).where(sweep.c.name == _NIGHT)
_OF_TABLES = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"
    " AND relnamespace = current_schema()::regnamespace"
)
_TREES = (
    "SELECT name, tbl_name, type FROM sqlite_master WHERE rootpage > 0"
    " AND sql NOT LIKE '%WITHOUT ROWID'"
)
"""Tables without numbers are small ones of the index of words."""

_SOME = 100
"""Rows at the end of a table, and in its middle, of which the mean size is taken."""

_OF_AN_INDEX = 30
"""Bytes that a row takes in an index, more or less."""


class SqlUpkeep:
    """Measures a file by a connection of its own, so that nobody waits for it."""

    def __init__(self, database: Database, file: Path | None) -> None:
        self._database = database
        self._file = file

    async def is_ours(self) -> bool:
        return await self._database.hold(_KEY)

    async def kept(self) -> KeptSizes:
        return await self._database.read(_kept)

    async def bite(self, passing: Ageing, before: datetime, now: datetime) -> Bite:
        work = partial(bite, passing=passing, before=before, now=now)
        return await self._database.write(work, repeatable=True)

    async def measure(self, now: datetime, *, swept: bool) -> None:
        tables = await self.tables()
        parts = by_part(tables)
        await self._database.write(
            partial(_noted, parts=parts, now=now, swept=swept), repeatable=True
        )

    async def tables(self) -> Mapping[str, int]:
        """Returns the bytes of each table with its indexes."""
        if self._file is None:
            return await self._database.read(_of_server)
        thread, look = OwnThread("store-sizes"), Look(self._file)
        try:
            return await thread.run(look.tables)
        finally:
            # A year's file takes long, and a program that ends does not wait for its sizes. SQLite
            # ends the statement that runs; one that begins right after that would run on.
            thread.end(look.end)


def by_part(tables: Mapping[str, int]) -> Mapping[str, int]:
    """Returns the bytes of each part, the tables of the index of words with the memory."""
    part_of = {table: part for part, tables in PARTS.items() for table in tables}
    found = dict.fromkeys(PARTS, 0)
    for table, bytes in tables.items():
        part = "memory" if table.startswith(_INDEX) else part_of.get(table, _FREE)
        if table != _FREE and part == _FREE:
            continue
        found[part] = found.get(part, 0) + bytes
    return found


class Look:
    """A look at the sizes of a SQLite file, which can be ended by another thread."""

    def __init__(self, file: Path) -> None:
        self._address = f"{file.absolute().as_uri()}?mode=rw"
        self._connection: sqlite3.Connection | None = None
        self._ended = False

    def end(self) -> None:
        self._ended = True
        if self._connection is not None:
            # It may be closed by now.
            with suppress(sqlite3.ProgrammingError):
                self._connection.interrupt()

    def tables(self) -> Mapping[str, int]:
        """Returns about how many bytes each table has; their sum is the file's size.

        Tables are counted, and some rows are looked at: to look at all pages takes minutes of a
        year's file. Each look is a moment of its own, so that none keeps the log from ending.
        """
        with translated(), closing(sqlite3.connect(self._address, uri=True)) as connection:
            self._connection = connection
            connection.execute("PRAGMA query_only = ON")
            pages, free, page = (
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
            trees = connection.execute(_TREES).fetchall()
            indexes = Counter(table for _, table, kind in trees if kind == "index")
            weights = {
                name: _weight(connection, name, indexes[name])
                for name, _, kind in trees
                if kind == "table" and not self._ended
            }
        used, whole = (pages - free) * page, sum(weights.values()) or 1
        return {**{name: of * used // whole for name, of in weights.items()}, _FREE: free * page}


def _weight(connection: sqlite3.Connection, table: str, indexes: int) -> int:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    length = " + ".join(f'coalesce(length(CAST("{name}" AS BLOB)), 1)' for name in columns)
    (rows,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    some = f'SELECT {length} AS bytes FROM "{table}" WHERE rowid'
    half = f'(SELECT max(rowid) / 2 FROM "{table}")'
    (mean,) = connection.execute(
        f"SELECT avg(bytes) FROM (SELECT * FROM ({some} >= {half} LIMIT {_SOME}) UNION ALL"
        f" SELECT * FROM ({some} >= 0 ORDER BY rowid DESC LIMIT {_SOME}))"
    ).fetchone()
    return int(rows * ((mean or 0) + _OF_AN_INDEX * indexes))


def _of_server(connection: Connection) -> Mapping[str, int]:
    return {table: int(bytes) for table, bytes in connection.exec_driver_sql(_OF_TABLES)}


def _noted(connection: Connection, parts: Mapping[str, int], now: datetime, swept: bool) -> None:
    day = now.astimezone(UTC).date()
    rows = [{"day": day, "part": part, "at": now, "bytes": of} for part, of in parts.items()]
    _PUT.run(connection, *rows)
    connection.execute(_TOO_OLD, {"first": day - _DAYS_KEPT})
    if swept:
        _NOTE.run(connection, {"name": _NIGHT, "up_to": 0, "at": now})


def _kept(connection: Connection) -> KeptSizes:
    newest = _sizes(connection, measure.c.day == _NEWEST)
    if newest is None:
        return KeptSizes(swept_at=connection.execute(_SWEPT).scalar())
    ago = {"week_ago": newest.at.astimezone(UTC).date() - _WEEK}
    before = _sizes(connection, measure.c.day == func.coalesce(_PAST, _OLDEST), ago)
    if before is not None and before.at >= newest.at:
        before = None
    return KeptSizes(newest, before, connection.execute(_SWEPT).scalar())


def _sizes(
    connection: Connection, which: Any, values: Mapping[str, Any] | None = None
) -> Sizes | None:
    found = {
        part: (at, bytes)
        for at, part, bytes in connection.execute(_MEASURES.where(which), dict(values or {}))
    }
    if not found:
        return None
    ordered = [*(part for part in (*PARTS, _FREE) if part in found)]
    return Sizes(max(at for at, _ in found.values()), {part: found[part][1] for part in ordered})
