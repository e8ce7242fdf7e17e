"""Statements that follow from the marks of columns: whose rows are changed, and how."""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    UniqueConstraint,
    case,
    delete,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from bot.adapters.sql.leaving import leaving_of
from bot.adapters.sql.tables import METADATA, entry, inbox, passage
from bot.adapters.sql.tables.marks import Forget, Names, mark_on, naming
from bot.domain.memory.passage import Whose, person_of

_OWED_AGAIN = ("indexed", "meant")
"""Columns that are false while an index is owed the row."""


def erase_of_turns(connection: Connection, turns: Collection[str], mark: str) -> None:
    """Erases the words of every row of these turns, or of the messages that they took."""
    for table, columns in _by_table(Names.TURN, Forget.ROW):
        connection.execute(delete(table).where(or_(*(one.in_(turns) for one in columns))))
    sent = select(inbox.c.chat, inbox.c.message_id).where(inbox.c.turn.in_(turns))
    for table, (message,) in _by_table(Names.MESSAGE, Forget.ROW):
        connection.execute(delete(table).where(tuple_(table.c.chat, message).in_(sent)))
    for table, columns in _by_table(Names.TURN, Forget.MARK):
        left = _left(table, mark)
        of = (one.in_(turns) for one in columns)
        said = (one.is_not(None) if one.nullable else one != "" for one in left)
        if left:
            connection.execute(update(table).where(or_(*of), or_(*said)).values(left))


def erase_rows(connection: Connection, whose: Whose, chats: Collection[int]) -> None:
    """Removes the rows that go with everything that somebody or a group said in these chats."""
    person = person_of(whose)
    people = () if person is None else (person,)
    for names, ids in ((Names.CHAT, chats), (Names.OWNER, (whose,)), (Names.PERSON, people)):
        for table, columns in _by_table(names, Forget.ROW):
            connection.execute(delete(table).where(or_(*(one.in_(ids) for one in columns))))


def give(connection: Connection, of: int, to: int, *, versioned: bool) -> None:
    """Gives the rows of one person to another one.

    Rows with a version get the next one, so that nobody saves what was read of them before.
    Where both have a row with the same key, that of the other one stays.
    """
    for table, columns in _by_table(Names.PERSON):
        if ("version" in table.c) is not versioned:
            continue
        for column in columns:
            for twice in _doubles(column, to):
                connection.execute(delete(table).where(column == of, twice))
        given: dict[Any, Any] = {one: case((one == of, to), else_=one) for one in columns}
        if versioned:
            given[table.c.version] = table.c.version + 1
        connection.execute(update(table).where(or_(*(one == of for one in columns))).values(given))


def hand_over(connection: Connection, before: Whose, after: Whose) -> None:
    """Gives everything that is remembered of one owner to another one."""
    connection.execute(leaving_of(passage.c.whose == before))
    for column, _ in naming(METADATA, Names.OWNER):
        again = {name: False for name in _OWED_AGAIN if name in column.table.c}
        given = update(column.table).where(column == before)
        connection.execute(given.values({column.name: after, **again}))


def continue_talk(connection: Connection, of: str, into: str) -> None:
    """Names a conversation that continues another one in its place."""
    for column, _ in naming(METADATA, Names.CONVERSATION):
        named = update(column.table).where(column == of)
        connection.execute(named.values({column.name: into}))


def move_rows(connection: Connection, of: int, to: int, last: int) -> None:
    """Gives the rows of one chat to another one, whose log ends at `last`.

    Where both have a row with the same key, that of the other one stays.
    """
    for column, _ in naming(METADATA, Names.CHAT):
        table, moved = column.table, dict[str, Any]({column.name: to})
        if table is entry:
            moved["seq"] = entry.c.seq + last
        else:
            for twice in _doubles(column, to):
                connection.execute(delete(table).where(column == of, twice))
        connection.execute(update(table).where(column == of).values(moved))


def _by_table(names: Names, *forget: Forget) -> Iterator[tuple[Table, list[Column[Any]]]]:
    """Yields tables with those of their columns that have such a mark."""
    for table in METADATA.sorted_tables:
        columns = [
            column
            for column, mark in naming(METADATA, names)
            if column.table is table and (not forget or mark.forget in forget)
        ]
        if columns:
            yield table, columns


def _left(table: Table, mark: str) -> dict[Column[Any], Any]:
    """Returns what is left of the words of a row."""
    left: dict[Column[Any], Any] = {}
    for column in table.c:
        marked = mark_on(column)
        if marked is None or marked.names is not None:
            continue
        if marked.forget is Forget.MARK:
            left[column] = case((column == "", column), else_=literal(mark, column.type))
        elif marked.forget is Forget.EMPTY:
            left[column] = None if column.nullable else ""
    return left


def _doubles(column: Column[Any], to: int) -> Iterator[ColumnElement[bool]]:
    """Yields a condition for each key that this column is a part of: `to` has the same one."""
    table = column.table
    twin = table.alias()
    keys = [one.columns for one in table.constraints if isinstance(one, UniqueConstraint)]
    keys += [one.columns for one in table.indexes if one.unique and not one.info]
    for key in (*keys, table.primary_key.columns):
        others = [twin.c[one.name] == one for one in key if one is not column]
        if column.name in key:
            yield select(twin.c[column.name]).where(twin.c[column.name] == to, *others).exists()
