"""An insert that yields to a row with the same key; each database writes it differently."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from sqlalchemy import Column, Table, TextClause
from sqlalchemy.dialects import sqlite

from bot.adapters.sql.prepared import Prepared

ConflictInsert: TypeAlias = sqlite.Insert
"""The insert of both databases; PostgreSQL has a class of its own with the same methods."""


class Upsert(Prepared):
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
        returning: Sequence[Column[Any]] = (),
    ) -> None:
        """Takes the condition of a partial index as `index_where`.

        The columns that it is `returning` are read of rows that it inserts or changes.
        """
        super().__init__(table.insert())
        self._table = table
        self._key = key
        self._update = update
        self._where = where
        self._index_where = index_where
        self._returning = returning

    def in_words_of(self, database: str) -> Any:
        # A dialect takes megabytes: the used one is loaded already, the other one never is.
        insert = import_module(f"sqlalchemy.dialects.{database}").insert(self._table)
        yielding = self._yielding(insert)
        return yielding.returning(*self._returning) if self._returning else yielding

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


def overwrite(*columns: str) -> Callable[[ConflictInsert], Mapping[str, Any]]:
    """Returns an update that takes these columns from the insert on a clash."""
    return lambda insert: {column: insert.excluded[column] for column in columns}
