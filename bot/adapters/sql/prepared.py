"""Statements that are compiled once, and then asked of the driver itself.

What SQLAlchemy does around a statement each time costs several times as much as the database does.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, Executable
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

Values: TypeAlias = Mapping[str, Any]
_Process: TypeAlias = Callable[[Any], Any]


class _Compiled(NamedTuple):
    """A statement in the words of one database."""

    sql: str
    places: Sequence[str] | None
    """The names of the values in their order; None where the driver knows them by name."""
    fixed: Values
    """The values that are the same each time."""
    bound: Sequence[tuple[str, _Process | None]]
    """The names of the other values, each with the processor that makes a value of the driver."""
    read: Sequence[_Process | None]
    """Processors of the columns of a row, which make values of the domain."""

    def bind(self, values: Values) -> Any:
        row = {
            name: values[name] if process is None else process(values[name])
            for name, process in self.bound
        }
        if self.places is None:
            return {**self.fixed, **row}
        fixed = self.fixed
        return [row[name] if name in row else fixed[name] for name in self.places]


class Prepared:
    """A statement that has the same words each time, so it has no list of values."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[tuple[str, ...], _Compiled] = {}

    def rows(self, connection: Connection, values: Values | None = None) -> list[tuple[Any, ...]]:
        """Returns the rows that the statement finds, or that it returns of what it writes."""
        values = values or {}
        wanted = self._for(connection, tuple(values))
        cursor = _executed(connection, wanted.sql, wanted.bind(values))
        found, read = cursor.fetchall(), wanted.read
        if not any(read):
            return found
        return [
            tuple(
                [
                    value if process is None else process(value)
                    for process, value in zip(read, row, strict=True)
                ]
            )
            for row in found
        ]

    def first(self, connection: Connection, values: Values | None = None) -> tuple[Any, ...] | None:
        return next(iter(self.rows(connection, values)), None)

    def run(self, connection: Connection, *rows: Values) -> int:
        """Carries it out for each row of values; returns how many rows it wrote."""
        if not rows:
            return 0
        wanted = self._for(connection, tuple(rows[0]))
        bound = [wanted.bind(row) for row in rows]
        if len(bound) == 1:
            return _executed(connection, wanted.sql, bound[0]).rowcount
        return _executed(connection, wanted.sql, bound, many=True).rowcount

    def _for(self, connection: Connection, keys: tuple[str, ...]) -> _Compiled:
        named = (connection.dialect.name, *keys)
        found = self._compiled.get(named)
        if found is None:
            found = self._compiled[named] = self._made(connection, keys)
        return found

    def in_words_of(self, database: str) -> Any:
        """Returns the statement for one database."""
        return self._statement

    def _made(self, connection: Connection, keys: tuple[str, ...]) -> _Compiled:
        dialect = connection.dialect
        statement = self.in_words_of(dialect.name)
        compiled = statement.compile(
            dialect=dialect,
            column_keys=keys or None,
            # Else an insert on PostgreSQL returns the number of its row.
            for_executemany=True,
        )
        binds = {compiled.bind_names[bind]: bind for bind in compiled.bind_names}
        if any(bind.expanding for bind in binds.values()):
            raise TypeError("a prepared statement has no list of values")

        def process(of: TypeEngine[Any]) -> _Process | None:
            return of.dialect_impl(dialect).bind_processor(dialect)

        fixed, bound = dict[str, Any](), list[tuple[str, _Process | None]]()
        for name, bind in binds.items():
            made = process(bind.type)
            if bind.required:
                bound.append((name, made))
            else:
                fixed[name] = bind.value if made is None else made(bind.value)
        read = [
            column.type.dialect_impl(dialect).result_processor(dialect, None)
            for column in getattr(statement, "exported_columns", ())
        ]
        return _Compiled(compiled.string, compiled.positiontup, fixed, bound, read)


def fetched(
    connection: Connection, statement: Executable | Prepared, values: Values | None
) -> Sequence[Any]:
    """Returns the rows that a statement finds."""
    if isinstance(statement, Prepared):
        return statement.rows(connection, values)
    return connection.execute(statement, values).all()


def _executed(connection: Connection, sql: str, values: Any, *, many: bool = False) -> Any:
    cursor = connection.connection.cursor()
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, cursor, sql, values, None, many)
    fault = connection.dialect.loaded_dbapi.Error
    try:
        (cursor.executemany if many else cursor.execute)(sql, values)
    except fault as error:
        raise DBAPIError.instance(sql, None, error, fault, hide_parameters=True) from error
    return cursor
