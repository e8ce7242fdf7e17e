"""An insert that yields to a row with the same key; each database writes it differently."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, TextClause
from sqlalchemy.dialects import sqlite

ConflictInsert: TypeAlias = sqlite.Insert
"""The insert of both databases; PostgreSQL has a class of its own with the same methods."""


class Upsert:
    """An insert, built at its first use; `update` gets it and names the changes on a clash.

    Without `update` the existing row stays as it is.
    """

    def __init__(
        self,
        table: Table,
        key: Sequence[str],
        update: Callable[[ConflictInsert], Mapping[str, Any]] | None = None,
        where: Callable[[ConflictInsert], Any] | None = None,
        index_where: TextClause | None = None,
    ) -> None:
        """Takes the condition of a partial index as `index_where`."""
        self._table = table
        self._key = key
        self._update = update
        self._where = where
        self._index_where = index_where
        self._statements: dict[str, Any] = {}

    def _built(self, database: str) -> Any:
        # A dialect takes megabytes: the used one is loaded already, the other one never is.
        insert = import_module(f"sqlalchemy.dialects.{database}").insert(self._table)
        return self._yielding(insert).execution_options(preserve_rowcount=True)

    def _yielding(self, insert: ConflictInsert) -> ConflictInsert:
        if self._update is None:
            return insert.on_conflict_do_nothing(
                index_elements=self._key, index_where=self._index_where
            )
        return insert.on_conflict_do_update(
            index_elements=self._key,
            set_=dict(self._update(insert)),
            where=None if self._where is None else self._where(insert),
        )

    def run(self, connection: Connection, *rows: Mapping[str, Any]) -> int:
        """Returns how many rows were inserted or changed.

        Each row is a statement for the database, so the same key may come twice.
        """
        if not rows:
            return 0
        name = connection.dialect.name
        statement = self._statements.get(name)
        if statement is None:
            statement = self._statements[name] = self._built(name)
        return connection.execute(statement, list(rows)).rowcount


def overwrite(*columns: str) -> Callable[[ConflictInsert], Mapping[str, Any]]:
    """Returns an update that takes these columns from the insert on a clash."""
    return lambda insert: {column: insert.excluded[column] for column in columns}
