"""The log around one turn: a few reads along an index, however long the conversation is."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from bot.adapters.sql.columns import columns
from bot.adapters.sql.entries import past_of
from bot.adapters.sql.tables import entry
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.ports.records import TurnLog

_MOST_BEFORE, _MOST_OWN, _MOST_BEHIND, _MOST_OLDER = 600, 4_000, 200, 60
_A_MOMENT = timedelta(seconds=1)
"""A settlement takes its time a little before its last entry does."""

_OF = entry.c.conversation == bindparam("of")
_ENTRIES = select(*columns(entry, Entry)).where(_OF).limit(bindparam("most"))
_BELOW = _ENTRIES.where(entry.c.seq < bindparam("end")).order_by(entry.c.seq.desc())
_FROM = _ENTRIES.where(entry.c.seq >= bindparam("first")).order_by(entry.c.seq)
_ENDS = select(func.min(entry.c.seq), func.max(entry.c.seq)).where(_OF)
_NEXT = (
    select(entry.c.seq, entry.c.at)
    .where(_OF, entry.c.seq >= bindparam("first"))
    .order_by(entry.c.seq)
    .limit(1)
)


def turn_log(connection: Connection, turn: Turn, below: int | None) -> TurnLog:
    """Returns the entries around a turn; their numbers are in the order of their times."""
    of = turn.conversation
    first = _first_at(connection, of, turn.created_at)
    if turn.ended_at is None:
        own, behind = _from(connection, of, first, _MOST_OWN), list[Entry]()
    else:
        end = _first_at(connection, of, turn.ended_at + _A_MOMENT)
        own = _from(connection, of, first, min(max(end - first, 0), _MOST_OWN))
        own = [one for one in own if one.seq < end]
        behind = _from(connection, of, end, _MOST_BEHIND)
    before = _below(connection, of, first, _MOST_BEFORE + 1)
    shown = before[-_MOST_BEFORE:]
    older = list[Entry]()
    if below is not None and shown and below <= shown[0].seq:
        older = _below(connection, of, below, _MOST_OLDER)
    return TurnLog((*shown, *own, *behind), tuple(older), whole=len(before) == len(shown))


def _from(connection: Connection, of: str, first: int, most: int) -> list[Entry]:
    rows = connection.execute(_FROM, {"of": of, "first": first, "most": most})
    return [Entry(*row) for row in rows]


def _below(connection: Connection, of: str, end: int, most: int) -> list[Entry]:
    """Returns entries below a number, in order; a branch begins with those of its parents."""
    found: list[Any] = []
    for conversation, last in ((of, end - 1), *past_of(connection, of)):
        bounds = {"of": conversation, "end": min(end, last + 1), "most": most - len(found)}
        found += connection.execute(_BELOW, bounds)
        if len(found) >= most:
            break
    return [Entry(*row) for row in reversed(found)]


def _first_at(connection: Connection, of: str, moment: datetime) -> int:
    """Returns the number of the first entry at a moment or later."""
    lowest, highest = connection.execute(_ENDS, {"of": of}).one()
    low, high = lowest or 0, (highest or 0) + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.execute(_NEXT, {"of": of, "first": middle}).first()
        if row is None or row.at >= moment:
            high = middle
        else:
            low = row.seq + 1
    return low
