"""Marks of columns: erasing, joining and moving read from them which rows they change, and how.

What `/export` hands out is marked too; a test compares both.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, MetaData

from bot.domain.value import frozen

MARKED = "mark"
"""The name under which a column carries its mark."""


class Names(StrEnum):
    """The thing whose id a column holds."""

    CHAT = "chat"
    """Moves: the rows of a chat that is joined with another one belong to that one."""
    CONVERSATION = "conversation"
    """Moves: the conversation that continues another one is named in its place."""
    PERSON = "person"
    """Joins: the rows of a person belong to the person that they are joined with."""
    OWNER = "owner"
    """Joins and moves: a person or a group, as owner of what is remembered."""
    TURN = "turn"
    """A turn, or in a message a card or a plan of one."""
    MESSAGE = "message"
    """A message that a person sent to the row's chat; a turn took it."""


class Forget(StrEnum):
    """The way in which a column is erased."""

    STAYS = "stays"
    """Nothing is erased, or not on behalf of what the column names."""
    MARK = "mark"
    """A mark takes the place of words. A turn that a column names takes them along."""
    EMPTY = "empty"
    """Nothing takes the place of words."""
    ROW = "row"
    """The whole row goes with the turn, the person, the owner or the chat that is named."""
    BY_HAND = "by hand"
    """Code of its own erases it, since words are a part of the value or the row may go on."""


@frozen
class Mark:
    """The mark of a column."""

    names: Names | None = None
    forget: Forget = Forget.STAYS
    told: bool = False
    """True for words that `/export` hands to the person."""


def mark_on(column: Column[Any]) -> Mark | None:
    """Returns the mark of a column; None for a time, a choice, a switch or a count."""
    return column.info.get(MARKED)


def naming(metadata: MetaData, names: Names) -> Iterator[tuple[Column[Any], Mark]]:
    """Yields the columns that hold such an id, in the order in which tables refer to each other."""
    for table in metadata.sorted_tables:
        for column in table.c:
            mark = mark_on(column)
            if mark is not None and mark.names is names:
                yield column, mark
