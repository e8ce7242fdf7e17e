"""What the program has written down, read from its database by somebody else."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, create_engine


class Records:
    """A look at the SQLite file that changes nothing; every question opens it anew."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def there(self) -> bool:
        """Whether the program has made its database yet."""
        return self.path.exists()

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody else write meanwhile, so that the program stops at its next commit."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                connection.execute("ROLLBACK")

    @property
    def written_to(self) -> bool:
        """Whether somebody is in the middle of a transaction that writes."""
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=0.2)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            connection.execute("ROLLBACK")
            return False

    def holding(self, word: str) -> set[str]:
        """Every column, of every table that there is, in which a value holds this word."""
        tables = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {column for (name,) in tables for column in self._columns_with(name, word)}

    def _columns_with(self, table: str, word: str) -> Iterator[str]:
        for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", table):
            # Blobs are compared as bytes, so that none of them is left out.
            held = (
                f"""SELECT 1 FROM "{table}" WHERE instr(CAST("{name}" AS BLOB), CAST(? AS BLOB))"""
            )
            if self.rows(f"{held} LIMIT 1", word):
                yield f"{table}.{name}"

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        """Bodies of one kind of entry, in the order of the log."""
        found = [json.loads(body) for (body,) in self.rows("SELECT body FROM entry ORDER BY seq")]
        return [body for body in found if body["kind"] == kind]

    @property
    def stop_reasons(self) -> list[str | None]:
        """How each turn ended, oldest first; None for those that have not."""
        rows = self.rows("SELECT stop_reason FROM turn ORDER BY created_at, id")
        return [reason for (reason,) in rows]

    @property
    def calls(self) -> list[str]:
        """Ids of all calls that replies made."""
        parts = [part for reply in self.bodies("reply") for part in reply["parts"]]
        return [part["call"]["id"] for part in parts if part["kind"] == "call"]

    @property
    def results(self) -> list[tuple[str, str, str | None]]:
        """Call id, status and code of every result that stands in a turn of its own call."""
        found = [body["result"] for body in self.bodies("result")]
        return [(result["call_id"], result["status"], result["code"]) for result in found]

    @property
    def owed(self) -> list[str]:
        """Keys of messages that are not known to be on the screen."""
        return [key for (key,) in self.rows("SELECT key FROM outbox WHERE state = 'owed'")]

    @property
    def dropped(self) -> list[str]:
        """Reasons for which messages that waited were dropped."""
        rows = self.rows("SELECT reason FROM inbox WHERE state = 'dropped'")
        return [reason for (reason,) in rows]

    @property
    def open_calls(self) -> list[str]:
        answered = {call for call, _, _ in self.results}
        return [call for call in self.calls if call not in answered]

    def history(self, channel: str, account: str) -> list[str]:
        """All that is known of a person's private chat, for somebody who asks what became of it."""
        told = (
            "SELECT 'inbox', id, key, state, received_at, message_id, turn, reason, owner"
            " FROM inbox WHERE chat = ? ORDER BY id",
            "SELECT 'turn', id, created_at, state, stop_reason, rounds, calls, attempts, begun,"
            " stop_asked, owner, ended_at FROM turn WHERE chat = ? ORDER BY created_at",
            "SELECT 'entry', seq, turn, at, body FROM entry WHERE chat = ? ORDER BY seq",
            "SELECT 'card', id, turn, state, created_at, decided_at, reason, set_aside, shown_at"
            " FROM approval WHERE chat = ? ORDER BY created_at",
            "SELECT 'outbox', id, key, state, version, shown_version, created_at, recorded_at,"
            " message_ids, error, maker, content FROM outbox WHERE chat = ? ORDER BY id",
            "SELECT 'sight', message_id, outbox FROM sight WHERE chat = ?",
            "SELECT 'audit', at, action, subject, details FROM audit WHERE chat = ? ORDER BY id",
        )
        found = self.rows("SELECT id, address FROM chat")
        chats = [id for id, address in found if channel in str(address) and account in str(address)]
        return [str(row) for chat in chats for ask in told for row in self.rows(ask, chat)]

    def untidy(self) -> list[str]:
        """All that should not be there once nothing is going on any more."""
        return [
            *self._calls_at_fault(),
            *self._stuck("turn", "id || ' ' || state", "state NOT IN ('settled', 'parked')"),
            *self._stuck("inbox", "key || ' ' || state", "state IN ('new', 'waiting')"),
            *self._stuck("outbox", "key || ' ' || state || ' ' || error", "state <> 'shown'"),
        ]

    def _calls_at_fault(self) -> list[str]:
        times = Counter(call for call, _, _ in self.results)
        parked = bool(self.rows("SELECT 1 FROM turn WHERE state = 'parked'"))
        wrong = [call for call in self.calls if times[call] > 1 or not (times[call] or parked)]
        strays = set(times) - set(self.calls)
        return [f"call {call} has {times[call]} results" for call in (*wrong, *strays)]

    def _stuck(self, table: str, shown: str, condition: str) -> list[str]:
        rows = self.rows(f"SELECT {shown} FROM {table} WHERE {condition}")
        return [f"{table}: {row}" for (row,) in rows]


class ServerRecords(Records):
    """The same look at a PostgreSQL database, which several processes may share."""

    def __init__(self, url: str) -> None:
        super().__init__(Path())
        self.url = url
        self._engine = create_engine(url, poolclass=NullPool)

    @property
    def there(self) -> bool:
        return True

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._engine.connect() as connection:
            ours = statement.replace("%", "%%").replace("?", "%s")
            found = connection.exec_driver_sql(ours, values)
            return [tuple(row) for row in found]

    def holding(self, word: str) -> set[str]:
        told = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        return {column for (name,) in self.rows(told) for column in self._columns_with(name, word)}

    def _columns_with(self, table: str, word: str) -> Iterator[str]:
        named = (
            "SELECT column_name, data_type = 'bytea' FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name = ?"
        )
        for name, raw in self.rows(named, table):
            told = f"""encode("{name}", 'escape')""" if raw else f'"{name}"::text'
            held = f'SELECT 1 FROM "{table}" WHERE position(? in {told}) > 0 LIMIT 1'
            if self.rows(held, word):
                yield f"{table}.{name}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody else change a plan meanwhile: who wants to waits for the other's end."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql("SELECT id FROM plan FOR UPDATE")
            yield

    @contextmanager
    def tables_locked(self, names: str) -> Iterator[None]:
        """Let nobody else look into these tables meanwhile."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")
            yield

    @property
    def waiting(self) -> int:
        """How many writers wait for another one's end."""
        ((count,),) = self.rows(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return count

    def tell(self) -> str:
        """What its processes have at hand, for somebody who asks why nothing happens."""
        told = (
            "SELECT 'inbox', id, owner, chat, state, reason FROM inbox ORDER BY id DESC LIMIT 20",
            "SELECT 'turn', id, chat, state, origin FROM turn ORDER BY created_at DESC LIMIT 20",
            "SELECT 'lock', pid, classid, objid, granted FROM pg_locks"
            " WHERE locktype = 'advisory' AND database = ("
            " SELECT oid FROM pg_database WHERE datname = current_database())",
            "SELECT 'connection', pid, application_name, state, wait_event,"
            " clock_timestamp() - state_change, left(query, 80)"
            " FROM pg_stat_activity WHERE datname = current_database()",
        )
        return "\n".join(str(row) for statement in told for row in self.rows(statement))
