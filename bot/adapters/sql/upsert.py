"""An insert that yields to a row with the same key; each database has its own word for it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

ConflictInsert = sqlite.Insert | postgresql.Insert
_INSERTS: Mapping[str, Callable[[Table], ConflictInsert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


class Upsert:
    """Built once for each database; `update` gets the insert and names what changes on a clash.

    Without `update` the row that is there stays as it is.
    """

    def __init__(
        self,
        table: Table,
        key: Sequence[str],
        update: Callable[[ConflictInsert], Mapping[str, Any]] | None = None,
        where: Callable[[ConflictInsert], Any] | None = None,
    ) -> None:
        self._statements = {
            name: self._build(insert(table), key, update, where).execution_options(
                preserve_rowcount=True
            )
            for name, insert in _INSERTS.items()
        }

    @staticmethod
    def _build(
        insert: ConflictInsert,
        key: Sequence[str],
        update: Callable[[ConflictInsert], Mapping[str, Any]] | None,
        where: Callable[[ConflictInsert], Any] | None,
    ) -> ConflictInsert:
        if update is None:
            return insert.on_conflict_do_nothing(index_elements=key)
        return insert.on_conflict_do_update(
            index_elements=key,
            set_=dict(update(insert)),
            where=None if where is None else where(insert),
        )

    def run(self, connection: Connection, *rows: Mapping[str, Any]) -> int:
        """Carries it out row by row, since one statement must not meet the same key twice.

        Returns how many rows were inserted or changed.
        """
        statement = self._statements[connection.dialect.name]
        return sum(connection.execute(statement, row).rowcount for row in rows)


def overwrite(*columns: str) -> Callable[[ConflictInsert], Mapping[str, Any]]:
    """On a clash the row takes these columns from the insert."""
    return lambda insert: {column: insert.excluded[column] for column in columns}
