"""Lays down, in the rows of a backup, the work that must not begin a second time."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, inspect

from bot.adapters.sql.codec import OUTBOUND
from bot.adapters.sql.members import owner_chats
from bot.domain.talk.brought_back import ALL_READ, BROUGHT_BACK, HELD
from bot.domain.talk.message import Outbound
from bot.domain.value import frozen

_STATEMENTS = (
    # Whoever was signed in then may have been signed out since.
    ("DELETE FROM session", ()),
    ("DELETE FROM sign_in", ()),
    ("DELETE FROM pairing", ()),
    # Platforms would send again what was answered after the copy.
    ("DELETE FROM stream", ()),
    # The index of meaning did not come along.
    ("DELETE FROM meaning", ()),
    ("DELETE FROM leaving", ()),
    ("UPDATE passage SET meant = 0", ()),
    ("DELETE FROM voice_note", ()),
    ("UPDATE turn SET stop_asked = ? WHERE state <> 'settled'", (BROUGHT_BACK,)),
    (
        "UPDATE inbox SET state = 'dropped', reason = ? WHERE state IN ('new', 'asked', 'waiting')",
        (BROUGHT_BACK,),
    ),
    # The copy does not know what was sent since: a search would go through all of that, and cannot
    # tell a piece that came later from one that never came.
    ("DELETE FROM sending", ()),
    # Nobody can be asked about a message that only had to leave the screen.
    (
        "UPDATE outbox SET state = 'shown', shown_version = version WHERE state = 'owed'"
        " AND message_ids = '[]' AND json_extract(content, '$.kind') IN ('gone', 'stray')",
        (),
    ),
    (
        "UPDATE outbox SET state = 'dead', error = ?"
        " WHERE state = 'owed' AND (shown_version = 0 OR message_ids = '[]')",
        (HELD,),
    ),
)
_AGAIN = (
    "UPDATE {} SET state = 'stopped', again_at = NULL, ended_at = ?, why = ? WHERE state = 'again'"
)
_WAITED = "SELECT chat, count(*) FROM inbox WHERE state = 'waiting' GROUP BY chat"
_UNREAD = "SELECT count(*) FROM inbox WHERE state = 'new'"
_HEARD = (
    "INSERT INTO inbox (channel, key, body, state, received_at, reason, fragment)"
    " SELECT DISTINCT channel, ?, x'', 'done', ?, ?, 0 FROM inbox"
)
"""A line for each channel: what came before it is not asked for again."""

_READ_UNTIL = "INSERT INTO stream (name, position, at) VALUES (?, ?, ?)"
"""A platform that looks back further than to its newest update stops there."""

_OWE = (
    "INSERT INTO outbox (key, chat, content, version, shown_version, state, created_at, pieces,"
    " message_ids, attempts, error) VALUES (?, ?, ?, 1, 0, 'owed', ?, '[]', '[]', 0, '')"
)
_HELD_KEYS = "SELECT key FROM outbox WHERE state = 'dead' AND error = ? ORDER BY id"
_DUE = "SELECT id FROM task WHERE state = 'active' AND due IS NOT NULL AND due <= ? ORDER BY due"
_ASIDE = "SELECT DISTINCT chat FROM approval WHERE state = 'open' AND set_aside"
_PLANNED = (
    "SELECT chat FROM plan WHERE state IN ('collecting', 'ready', 'approved', 'executing')"
    " AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.id = plan.turn AND turn.state <> 'settled')"
)


@frozen
class LaidDown:
    """The work that a backup had, and that does not begin again by itself."""

    turns: int
    """Turns that had begun or stood in line; each is stopped by the next start, with a sentence."""
    waiting: Sequence[tuple[int, int]]
    """Chats, each with the number of its messages that waited."""
    unread: int
    """Updates that nobody had read yet."""
    held: Sequence[str]
    """The keys of messages that were owed and never seen whole on a screen."""
    due: Sequence[str]
    """Tasks whose time has come since."""
    aside: Sequence[int]
    """Chats with open cards whose turn is over."""
    planned: Sequence[int]
    """Chats with a plan that waits for a decision."""


def lay_down(connection: Connection, now: datetime) -> LaidDown:
    """Lays the work down in a SQLite file that nobody uses; returns what it was."""
    at = f"{now:%Y-%m-%d %H:%M:%S.%f}"

    def found(statement: str, *given: object) -> list[tuple[object, ...]]:
        return [tuple(row) for row in connection.exec_driver_sql(statement, given)]

    def each(statement: str, *given: object) -> list[object]:
        return [row[0] for row in found(statement, *given)]

    waiting, (unread,) = found(_WAITED), each(_UNREAD)
    (turns,) = each("SELECT count(*) FROM turn WHERE state <> 'settled'")
    known = set(inspect(connection).get_table_names())
    for statement, given in _STATEMENTS:
        # An older version had fewer tables.
        if known & set(statement.split()[:3]):
            connection.exec_driver_sql(statement, given)
    for table in ("run", "hook_call"):
        connection.exec_driver_sql(_AGAIN.format(table), (at, BROUGHT_BACK))
    connection.exec_driver_sql(_HEARD, (f"brought back {at}", at, BROUGHT_BACK))
    if "stream" in known:
        connection.exec_driver_sql(_READ_UNTIL, (ALL_READ, now.isoformat(), at))
    return LaidDown(
        turns=_number(turns),
        waiting=[(_number(chat), _number(count)) for chat, count in waiting if chat is not None],
        unread=_number(unread),
        held=[str(key) for key in each(_HELD_KEYS, HELD)],
        due=[str(id) for id in each(_DUE, at)],
        aside=[_number(chat) for chat in each(_ASIDE)],
        planned=[_number(chat) for chat in each(_PLANNED)],
    )


def owe_owners(connection: Connection, content: Outbound, now: datetime) -> int:
    """Owes a message to owners in a SQLite file of any revision; returns the number of chats."""
    at, chats = f"{now:%Y-%m-%d %H:%M:%S.%f}", owner_chats(connection)
    for chat in chats:
        given = (f"gone-back:{at}:{chat}", chat, OUTBOUND.dump(content), at)
        connection.exec_driver_sql(_OWE, given)
    return len(chats)


def _number(value: object) -> int:
    return int(str(value))
