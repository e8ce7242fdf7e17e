"""The rows that may be removed once they are old: a list of what is known to be safe.

A rule names its table, the rows of it that are over, and what goes: the whole row, or some of its
columns. No other statement of the upkeep changes a row, so a table without a rule loses nothing.
The rows that a rule may not take are left by its own condition, however old they are.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    exists,
    func,
    select,
    true,
    type_coerce,
    update,
)

from bot.adapters.sql.scheduled import ASKS
from bot.adapters.sql.tables import (
    UNSETTLED,
    audit,
    hook_call,
    inbox,
    outbox,
    run,
    sight,
    sweep,
    turn,
    verdict,
)
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import InboundState
from bot.domain.talk.keeping import Ageing
from bot.domain.tools.call_words import CALLS
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.ports.outbox import DeliveryState
from bot.ports.upkeep import Bite

AT_ONCE = 200
"""Rows of one bite: a transaction of a few milliseconds."""

_ANEW_DAYS = 30
"""Days after which the rows of a kind are looked at from the first one again.

What was not over yet when it was looked at is found then.
"""

_SAFE_DETAILS = ("arguments",)
"""The parts of a line of the record that go: the log has them too."""

_OTHER = run.alias()


@frozen
class Numbered:
    """Rows that are looked at in the order of their numbers, each time from where it ended.

    The newest row stays in any case: else a database might give its number to another one.
    """

    table: Table
    at: Column[Any]
    over: ColumnElement[bool]
    """Holds for rows that nothing needs any more."""
    empty: Mapping[str, Any] | None = None
    """The columns that are emptied; None where the whole row goes."""
    without: tuple[tuple[Table, Column[Any]], ...] = ()
    """Tables whose rows refer to a row by its number, and go with it."""


@frozen
class Dated:
    """Few rows, which are found by their times."""

    table: Table
    at: Column[Any]
    over: ColumnElement[bool]
    key: tuple[Column[Any], ...]


def _goes_on(of: Column[Any]) -> ColumnElement[bool]:
    return exists().where(turn.c.id == of, UNSETTLED)


_NO_WORDS = and_(
    inbox.c.state == InboundState.DONE,
    inbox.c.chat.is_(None),
    inbox.c.turn.is_(None),
    inbox.c.person.is_(None),
    inbox.c.message_id.is_(None),
    inbox.c.body == "",
)
_ANSWERED = and_(
    inbox.c.state == InboundState.TAKEN,
    inbox.c.body != "",
    exists().where(turn.c.id == inbox.c.turn, turn.c.state == TurnState.SETTLED),
)
_CALLS_SHOWN = and_(
    outbox.c.key.startswith(CALLS),
    outbox.c.state != DeliveryState.OWED,
    ~_goes_on(outbox.c.about),
)
_RUN_OVER = and_(
    run.c.ended_at.is_not(None),
    run.c.again_at.is_(None),
    ~ASKS,
    ~_goes_on(run.c.turn),
    exists().where(_OTHER.c.task == run.c.task, _OTHER.c.at > run.c.at),
)
_CALL_OVER = and_(
    hook_call.c.ended_at.is_not(None), hook_call.c.again_at.is_(None), ~_goes_on(hook_call.c.turn)
)

RULES: Mapping[Ageing, Numbered | Dated] = {
    Ageing.UPDATES: Numbered(inbox, inbox.c.received_at, _ANSWERED, {"body": ""}),
    Ageing.PRESSES: Numbered(inbox, inbox.c.received_at, _NO_WORDS),
    Ageing.RECORD: Numbered(audit, audit.c.at, true(), {"details": _SAFE_DETAILS}),
    Ageing.ROUNDS: Numbered(verdict, verdict.c.at, ~_goes_on(verdict.c.turn)),
    Ageing.TOOL_MESSAGES: Numbered(
        outbox, outbox.c.created_at, _CALLS_SHOWN, without=((sight, sight.c.outbox),)
    ),
    Ageing.RUNS: Dated(run, run.c.at, _RUN_OVER, (run.c.task, run.c.due)),
    Ageing.HOOK_CALLS: Dated(hook_call, hook_call.c.at, _CALL_OVER, (hook_call.c.id,)),
}
"""Everything that is ever removed for its age."""

_SWEPT = select(sweep.c.up_to, sweep.c.at).where(sweep.c.name == bindparam("of"))
_NOTE = Upsert(sweep, ["name"], overwrite("up_to", "at"))


def bite(connection: Connection, passing: Ageing, before: datetime, now: datetime) -> Bite:
    """Removes some of the rows that are older, and notes how far it looked."""
    rule = RULES[passing]
    if isinstance(rule, Dated):
        return _dated(connection, rule, before)
    swept = connection.execute(_SWEPT, {"of": passing.value}).first()
    after, began = (0, now) if swept is None else swept
    if not 0 <= (now - began).days < _ANEW_DAYS:
        after, began = 0, now
    seen = _looked_at(connection, rule, after)
    old = [number for number, at in _leading(seen, before)]
    if not old:
        return Bite(0, more=False)
    removed = _taken(connection, rule, after, old[-1])
    _NOTE.run(connection, {"name": passing.value, "up_to": old[-1], "at": began})
    return Bite(removed, more=len(old) == AT_ONCE)


def _looked_at(connection: Connection, rule: Numbered, after: int) -> Sequence[Any]:
    id = rule.table.c.id
    newest = select(func.max(id)).scalar_subquery()
    wanted = select(id, rule.at).where(id > after, id < newest).order_by(id).limit(AT_ONCE)
    return connection.execute(wanted).all()


def _leading(seen: Sequence[Any], before: datetime) -> Sequence[Any]:
    """Returns the rows up to the first one that is not old yet."""
    young = next((place for place, (_, at) in enumerate(seen) if at >= before), len(seen))
    return seen[:young]


def _taken(connection: Connection, rule: Numbered, after: int, last: int) -> int:
    id = rule.table.c.id
    which = and_(id > after, id <= last, rule.over)
    if rule.table is audit:
        return _without_details(connection, which)
    if rule.empty is not None:
        return connection.execute(update(rule.table).where(which).values(rule.empty)).rowcount
    numbers = list(connection.execute(select(id).where(which)).scalars())
    for table, column in rule.without:
        connection.execute(delete(table).where(column.in_(numbers)))
    return connection.execute(delete(rule.table).where(id.in_(numbers))).rowcount


def _without_details(connection: Connection, which: ColumnElement[bool]) -> int:
    told = type_coerce(audit.c.details, Text)
    lines = connection.execute(
        select(audit.c.id, audit.c.details).where(which, told.contains('"arguments"'))
    ).all()
    rows = [
        {"of": id, "left": {name: details[name] for name in details if name not in _SAFE_DETAILS}}
        for id, details in lines
    ]
    if rows:
        left = bindparam("left", type_=audit.c.details.type)
        connection.execute(
            update(audit).where(audit.c.id == bindparam("of")).values(details=left), rows
        )
    return len(rows)


def _dated(connection: Connection, rule: Dated, before: datetime) -> Bite:
    wanted = select(*rule.key).where(rule.at < before, rule.over).limit(AT_ONCE)
    rows = connection.execute(wanted).all()
    names = [f"key_{place}" for place in range(len(rule.key))]
    gone = delete(rule.table).where(
        *(column == bindparam(name) for column, name in zip(rule.key, names, strict=True)),
        rule.over,
    )
    if rows:
        connection.execute(gone, [dict(zip(names, row, strict=True)) for row in rows])
    return Bite(len(rows), more=len(rows) == AT_ONCE)
