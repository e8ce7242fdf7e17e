"""Carries rows between two databases of one revision, and compares them, as they are stored.

No value is understood on the way, so rows of every revision can be carried. In between, a value
has the form that SQLite stores.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice, zip_longest
from typing import Any

from sqlalchemy import Boolean, Connection, Date, DateTime, LargeBinary, String, inspect

from bot.adapters.sql.faults import translated
from bot.adapters.sql.tables import METADATA
from bot.domain.value import frozen

_AT_ONCE = 100
"""Rows that are in the memory together: some have a file in them."""

_INDEX = "passage_"
"""Beginning of the tables of the index of words, which each database makes by itself."""

_GROWS = frozenset({"entry", "passage", "usage", "verdict"})
"""Tables with most of the rows, which are added and hardly ever changed."""

_VERSION = "alembic_version"
_OWN = frozenset({*METADATA.tables, _VERSION})
_TIME = "%Y-%m-%d %H:%M:%S.%f"

Value = Callable[[Any], Any]
Heard = Callable[[str, int], None]
"""Hears of each table that was copied, and how many rows it has."""


@frozen
class Shape:
    """A table: its columns with their kinds, and those of its key."""

    name: str
    columns: Mapping[str, type]
    key: Sequence[str]

    @property
    def names(self) -> str:
        return ", ".join(f'"{name}"' for name in self.columns)


def shapes(connection: Connection) -> Sequence[Shape]:
    """Returns the tables of a database, each behind those that it refers to."""
    seen = inspect(connection)
    ordered = [name for name, _ in seen.get_sorted_table_and_fkc_names() if name]
    return [
        Shape(
            name,
            {each["name"]: _kind(each["type"]) for each in seen.get_columns(name)},
            seen.get_pk_constraint(name)["constrained_columns"],
        )
        for name in ordered
        if name != _VERSION and not name.startswith(_INDEX)
    ]


def counted(connection: Connection) -> dict[str, int]:
    """Returns the number of rows of each table."""
    return {
        shape.name: connection.exec_driver_sql(f'SELECT count(*) FROM "{shape.name}"').scalar_one()
        for shape in shapes(connection)
    }


def holds_rows(connection: Connection) -> bool:
    """Returns True for a database in which anything stands, also beside the tables of ours."""
    return any(counted(connection).values())


def carry(source: Connection, target: Connection, heard: Heard = lambda *_: None) -> dict[str, int]:
    """Copies all rows into empty tables; returns their numbers."""
    given, taken = shapes(source), {shape.name: shape for shape in shapes(target)}
    return {shape.name: _carry(source, target, shape, taken, heard) for shape in given}


def clear(connection: Connection) -> None:
    """Drops every table of the program, in the transaction of the connection."""
    posix = connection.dialect.name == "postgresql"
    there = inspect(connection).get_table_names()
    for name in [name for name in there if name in _OWN or name.startswith(_INDEX)]:
        connection.exec_driver_sql(f'DROP TABLE "{name}"{" CASCADE" if posix else ""}')


def difference(one: Connection, other: Connection) -> str:
    """Compares every row; returns the first that differs, empty when none does."""
    theirs = {shape.name: shape for shape in shapes(other)}
    for shape in shapes(one):
        pairs = zip_longest(rows(one, shape), rows(other, theirs[shape.name]))
        for mine, yours in pairs:
            if mine != yours:
                row = mine or yours
                return f"{shape.name} {dict(zip(shape.columns, row, strict=True))!r:.120}"
    return ""


def is_as_before(before: Connection, now: Connection, but: Collection[str]) -> bool:
    """Tells if a newer database holds what an older one held, in the columns of both.

    Tables of new rows alone are known by their number; the tables `but` are not looked at.
    """
    theirs = {shape.name: shape for shape in shapes(now)}
    for shape in shapes(before):
        if shape.name in but:
            continue
        if (other := theirs.get(shape.name)) is None:
            return False
        both = {name: kind for name, kind in shape.columns.items() if name in other.columns}
        ours = Shape(shape.name, both, shape.key)
        if not _same_rows(before, now, ours, Shape(shape.name, both, other.key)):
            return False
    return True


def _same_rows(before: Connection, now: Connection, ours: Shape, theirs: Shape) -> bool:
    if ours.name in _GROWS:
        count = f'SELECT count(*) FROM "{ours.name}"'
        one, other = (c.exec_driver_sql(count).scalar_one() for c in (before, now))
        return one == other
    pairs = zip_longest(rows(before, ours), rows(now, theirs))
    return all(mine == yours for mine, yours in pairs)


def rows(connection: Connection, shape: Shape) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a table by their key, which both databases order alike."""
    posix = connection.dialect.name == "postgresql"
    order = ", ".join(
        f'"{name}" COLLATE "C"' if posix and shape.columns[name] is String else f'"{name}"'
        for name in shape.key
    )
    told = f'SELECT {shape.names} FROM "{shape.name}" ORDER BY {order or "1"}'
    options = {"stream_results": True, "yield_per": _AT_ONCE}
    with translated(), connection.exec_driver_sql(told, None, options) as found:
        values = [_NEUTRAL.get(kind, _same) for kind in shape.columns.values()]
        for some in found.partitions():
            for row in some:
                yield tuple(
                    None if value is None else neutral(value)
                    for neutral, value in zip(values, row, strict=True)
                )


def _carry(
    source: Connection, target: Connection, shape: Shape, taken: Mapping[str, Shape], heard: Heard
) -> int:
    """Copies one table; returns the number of its rows."""
    posix = target.dialect.name == "postgresql"
    marks = ", ".join(("%s" if posix else "?") for _ in shape.columns)
    put = f'INSERT INTO "{shape.name}" ({shape.names}) VALUES ({marks})'
    kinds = [taken[shape.name].columns[name] for name in shape.columns]
    own = [_OF_POSTGRES.get(kind, _same) if posix else _same for kind in kinds]
    found, count = rows(source, shape), 0
    while some := list(islice(found, _AT_ONCE)):
        given = [
            tuple(None if v is None else form(v) for form, v in zip(own, row, strict=True))
            for row in some
        ]
        with translated():
            target.exec_driver_sql(put, given)
        count += len(some)
    _count_on(source, target, shape)
    if count:
        heard(shape.name, count)
    return count


def _count_on(source: Connection, target: Connection, shape: Shape) -> None:
    """Lets the numbers of new rows begin behind those that were ever given."""
    if len(shape.key) != 1 or shape.columns[shape.key[0]] is String:
        return
    last, name = _last_number(source, shape), shape.name
    if target.dialect.name == "postgresql":
        told = "SELECT pg_get_serial_sequence(%s, %s)"
        counter = target.exec_driver_sql(told, (f'"{name}"', shape.key[0])).scalar()
        if counter and last:
            target.exec_driver_sql("SELECT setval(%s::regclass, %s)", (counter, last))
    elif _counts(target, name):
        target.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        target.exec_driver_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, last))


def _last_number(connection: Connection, shape: Shape) -> int:
    key, name = shape.key[0], shape.name
    greatest = connection.exec_driver_sql(f'SELECT max("{key}") FROM "{name}"').scalar() or 0
    if connection.dialect.name == "postgresql":
        told = "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)"
        given = connection.exec_driver_sql(told, (f'"{name}"', key)).scalar()
    elif _counts(connection, name):
        told = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        given = connection.exec_driver_sql(told, (name,)).scalar()
    else:
        given = 0
    return max(greatest, given or 0)


def _counts(connection: Connection, name: str) -> bool:
    """Returns True for a table of SQLite that gives no number twice."""
    told = "SELECT sql LIKE '%AUTOINCREMENT%' FROM sqlite_master WHERE name = ? AND type = 'table'"
    return bool(connection.exec_driver_sql(told, (name,)).scalar())


def _kind(of: object) -> type:
    known = (Boolean, DateTime, Date, LargeBinary, String)
    return next((kind for kind in known if isinstance(of, kind)), object)


def _same(value: Any) -> Any:
    return value


def _moment(value: Any) -> str:
    if isinstance(value, str):
        return value
    return value.astimezone(UTC).strftime(_TIME)


_NEUTRAL: Mapping[type, Value] = {
    Boolean: int,
    DateTime: _moment,
    Date: str,
    LargeBinary: bytes,
}
"""The form of a value of each kind, from either database."""

_OF_POSTGRES: Mapping[type, Value] = {
    Boolean: bool,
    DateTime: lambda value: datetime.strptime(value, _TIME).replace(tzinfo=UTC),
    Date: date.fromisoformat,
}
