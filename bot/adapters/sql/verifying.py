"""Proves what has to hold between the rows of a database, on one moment of it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime
from functools import partial

from pydantic import ValidationError
from sqlalchemy import Connection, and_, inspect, or_, select

from bot.adapters.sql.erasing_turns import erase_turns
from bot.adapters.sql.faults import translated
from bot.adapters.sql.flaws import RULES, Rule
from bot.adapters.sql.memory import drop_passages
from bot.adapters.sql.portions import portions
from bot.adapters.sql.tables import (
    ABOUT,
    METADATA,
    approval,
    artifact,
    diary,
    entry,
    file_change,
    inbox,
    outbox,
    passage,
    turn,
)
from bot.domain.change.erasing import is_erased_message, mark_of
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.errors import StoreDamaged, StoreError
from bot.domain.turn.transcript import AskerBody, ReplyBody, ResultBody
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen

_AT_ONCE = 500
_NAMED = 3
"""Rows at fault that a sentence names; the others are counted."""

_ERASED = re.compile(r"\[erased \d{4}-\d\d-\d\d\]")
_STREAM = {"stream_results": True, "yield_per": _AT_ONCE}
_LINES = select(entry.c.chat, entry.c.turn, entry.c.body).order_by(entry.c.chat, entry.c.seq)
_OVER = select(turn.c.id, turn.c.state)
_WORDS = and_(
    ABOUT, or_(*(outbox.c.key.startswith(begin) for begin in ("answer:", "said:", "send:")))
)
"""Messages with words of the turn itself; others about it may have come after it was erased."""


@frozen
class Flaw:
    """Something that does not hold, as one sentence."""

    told: str
    can_mend: bool = False


@frozen
class _Log:
    """The findings of one walk along the logs."""

    open: dict[str, Counter[str]]
    """The calls of each turn that have no result."""
    doubled: Sequence[str]
    """Turns in which a result has no call, or a call has several."""
    erased: Set[str]
    """Turns whose words were erased."""


def verified(connection: Connection) -> Iterator[Flaw]:
    """Yields what does not hold; the connection sees one moment of the data."""
    sound = True
    for flaw in (*_pages(connection), *_unreadable(connection)):
        sound = False
        yield flaw
    if not sound:
        # Rows that cannot be read say nothing about one another.
        return
    for rule in _rules(connection):
        rows = _at_fault(connection, rule)
        if rows:
            yield Flaw(rule.told.format(rows=named(rows)), bool(rule.mend))
    yield from _of_log(connection)


def mend(connection: Connection) -> None:
    """Sets right what can be, in the transaction of the connection."""
    for rule in _rules(connection):
        for statement in rule.mend:
            connection.exec_driver_sql(statement)
    mark = mark_of(datetime.now(UTC))
    left = _left_of_erased(connection, _walk(connection).erased)
    if left:
        erase_turns(connection, left, mark)
        drop_passages(connection, sorted(left))


def _pages(connection: Connection) -> Iterator[Flaw]:
    """Looks through the pages and references of a file; a server checks its own."""
    if connection.dialect.name != "sqlite":
        return
    for (told,) in connection.exec_driver_sql("PRAGMA integrity_check(5)").fetchall():
        if told != "ok":
            yield Flaw(f"A page or an index of the file is damaged: {' '.join(told.split())}.")
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if lost:
        rows = [f"{table} {number}" for table, number, *_ in lost]
        yield Flaw(f"A row refers to one that is missing: {named(rows)}.")


def _unreadable(connection: Connection) -> Iterator[Flaw]:
    for table in METADATA.sorted_tables:
        try:
            with translated(), connection.execute(select(table), execution_options=_STREAM) as all:
                for _ in all.partitions():
                    pass
        except (StoreError, ValidationError, ValueError) as fault:
            why = str(fault) if isinstance(fault, StoreError) else "a value has another form"
            yield Flaw(f"A row of {table.name} cannot be read: {why}.")


def _rules(connection: Connection) -> Iterator[Rule]:
    """Yields the rules as this database can ask; without an index of words nothing is asked of it.

    The server of PostgreSQL drops the rows of its index with their answers.
    """
    has_index = inspect(connection).has_table("passage_words")
    own, held, number = ("number", "passage_words", "number")
    if connection.dialect.name == "sqlite":
        own, held, number = ("rowid", "passage_words_docsize", "id")
    form = partial(str.format, held=held, number=number, own=own)
    for rule in RULES:
        if "{held}" not in rule.find:
            yield rule
        elif has_index:
            yield Rule(form(rule.find), rule.told, tuple(map(form, rule.mend)))


def _at_fault(connection: Connection, rule: Rule) -> Sequence[str]:
    with translated():
        return [str(name) for (name,) in connection.exec_driver_sql(rule.find)]


def _of_log(connection: Connection) -> Iterator[Flaw]:
    """Walks along the logs: each call has one result, and nothing is left of erased words."""
    log = _walk(connection)
    over = {id for id, state in connection.execute(_OVER) if state is TurnState.SETTLED}
    without = sorted(of for of in log.open if of in over)
    if without:
        yield Flaw(f"A call of a turn that is over has no result: {named(without)}.")
    if log.doubled:
        yield Flaw(f"A result has no call, or a call has two: {named(sorted(log.doubled))}.")
    left = _left_of_erased(connection, log.erased)
    if left:
        yield Flaw(f"Words of erased turns are still there: {named(sorted(left))}.", True)


def _walk(connection: Connection) -> _Log:
    """Reads every line once; only turns with open calls stay in the memory."""
    open_calls: dict[str, Counter[str]] = {}
    doubled, erased, said = set[str](), set[str](), set[str]()
    with translated(), connection.execute(_LINES, execution_options=_STREAM) as lines:
        for _, own, body in lines:
            match body:
                case ReplyBody(calls=calls) if calls:
                    open_calls.setdefault(own, Counter()).update(call.id for call in calls)
                case ResultBody(result=result):
                    if not _closed(open_calls, own, result.call_id):
                        doubled.add(own)
                case AskerBody(text=text):
                    (erased if _ERASED.fullmatch(text) else said).add(own)
                case _:
                    pass
    return _Log(open_calls, sorted(doubled), erased - said)


def _closed(open_calls: dict[str, Counter[str]], own: str, call: str) -> bool:
    """Takes the result of a call; returns False when no such call is open."""
    waiting = open_calls.get(own)
    if waiting is None or call not in waiting:
        return False
    waiting[call] -= 1
    if not waiting[call]:
        del waiting[call]
    if not waiting:
        del open_calls[own]
    return True


def _left_of_erased(connection: Connection, erased: Set[str]) -> set[str]:
    """Returns the erased turns of which words stand outside of the log."""
    found = set[str]()
    for some in portions(sorted(erased)):
        for wanted in (
            select(passage.c.id).where(passage.c.id.in_(some)),
            select(inbox.c.turn).where(inbox.c.turn.in_(some), inbox.c.body != ""),
            select(file_change.c.turn).where(file_change.c.turn.in_(some)),
            select(diary.c.turn).where(diary.c.turn.in_(some)),
        ):
            found.update(connection.execute(wanted).scalars())
        kept = select(artifact.c.turn, artifact.c.text).where(artifact.c.turn.in_(some))
        found.update(
            own for own, text in connection.execute(kept) if not _ERASED.fullmatch(text.strip())
        )
        shown = select(outbox.c.about, outbox.c.content).where(outbox.c.about.in_(some), _WORDS)
        found.update(
            own
            for own, content in connection.execute(shown)
            if content.blocks and not is_erased_message(content)
        )
        decided = select(approval.c.turn, approval.c.purpose).where(
            approval.c.turn.in_(some), approval.c.state != ApprovalState.OPEN
        )
        found.update(
            own for own, words in connection.execute(decided) if not _ERASED.fullmatch(words)
        )
    return found


def named(rows: Sequence[str]) -> str:
    """Returns the number of rows and the names of the first."""
    more = f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else ""
    return f"{', '.join(map(str, rows[:_NAMED]))}{more}"


__all__ = ["Flaw", "StoreDamaged", "mend", "named", "verified"]
