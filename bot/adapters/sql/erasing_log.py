"""Erases words in the log: what turns said, and what quotes it elsewhere."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, bindparam, insert, or_, select, type_coerce, update

from bot.adapters.sql.tables import OPENABLE, artifact, chat, conversation, entry, turn
from bot.domain.change.erasing import QUOTING, calls_about, erased, mark_of, quotes, without
from bot.domain.memory.note import FORGET, REMEMBER
from bot.domain.turn.transcript import AskerBody, Body, CutBody, ResultBody, SummaryBody
from bot.domain.turn.turn import TurnState

_OF = bindparam("of")
_TOLD = type_coerce(entry.c.body, Text)
_ENTRIES = (
    select(entry.c.seq, entry.c.turn, entry.c.body)
    .where(entry.c.chat == bindparam("within"), entry.c.conversation == _OF)
    .order_by(entry.c.seq)
)
# Quotes inside of stored words are escaped, so that only the names of fields fit these.
_QUOTING = select(entry.c.chat, entry.c.conversation, entry.c.body).where(
    entry.c.chat.in_(bindparam("chats", expanding=True)),
    or_(_TOLD.like('%"passages":%["%'), *(_TOLD.like(f'%"tool":%"{name}"%') for name in QUOTING)),
)
_TAKING = (
    select(entry.c.chat, entry.c.conversation, entry.c.turn, entry.c.body)
    .join(turn, turn.c.id == entry.c.turn)
    .where(
        entry.c.chat.in_(bindparam("chats", expanding=True)),
        or_(*(_TOLD.like(f'%"name":%"{name}"%') for name in (FORGET, REMEMBER))),
        turn.c.state == TurnState.SETTLED,
    )
)
_REWRITE = (
    update(entry)
    .where(entry.c.chat == bindparam("within"), entry.c.seq == bindparam("line"))
    .values(body=bindparam("left", type_=entry.c.body.type))
)
_LAST = (
    select(chat.c.last_seq)
    .join(conversation, conversation.c.chat == chat.c.id)
    .where(chat.c.id == _OF, conversation.c.id == bindparam("opened"), OPENABLE)
)
_BRANCHES = select(conversation.c.id).where(
    conversation.c.parent == _OF, conversation.c.shared >= bindparam("least")
)
_SUMMARIES = select(entry.c.seq, entry.c.body).where(
    entry.c.chat == bindparam("within"),
    entry.c.conversation == _OF,
    _TOLD.like('%"kind":%"summary"%'),
)


def quoted_in(
    connection: Connection, passages: Set[str], chats: Sequence[int]
) -> set[tuple[int, str]]:
    """Returns the chats and conversations in which these passages are told again."""
    found = connection.execute(_QUOTING, {"chats": chats})
    return {(within, of) for within, of, body in found if quotes(body, passages)}


def calls_in(
    connection: Connection, note: str | None, chats: Sequence[int]
) -> Mapping[tuple[int, str], Set[tuple[str, str]]]:
    """Returns the calls of settled turns about a note, by chat and conversation.

    Each call is told by its turn and its id.
    """
    found = dict[tuple[int, str], set[tuple[str, str]]]()
    for within, of, own, body in connection.execute(_TAKING, {"chats": chats}) if note else ():
        for id in calls_about(body, own, note):
            found.setdefault((within, of), set()).add((own, id))
    return found


def erase_log(
    connection: Connection,
    place: tuple[int, str],
    turns: Set[str],
    passages: Set[str],
    calls: Set[tuple[str, str]],
    at: datetime,
) -> set[str]:
    """Erases what these turns said in a conversation of a chat, and what quotes these passages.

    Of the other turns it erases these calls alone, each told by its turn and its id. The title goes
    when it was made of erased words, the summary when anything changed. A cut is stored where the
    view begins anew: here, and in each branch that shares what was erased.

    Returns the turns of which anything was erased.
    """
    (within, of), mark = place, mark_of(at)
    rows = connection.execute(_ENTRIES, {"within": within, "of": of}).all()
    whole = {
        seq
        for seq, own, body in rows
        if own in turns or isinstance(body, SummaryBody) or quotes(body, passages)
    }
    left = (
        (seq, body, erased(body, mark) if seq in whole else without(body, _of_turn(calls, own)))
        for seq, own, body in rows
    )
    lines = {seq: new for seq, body, new in left if new != body}
    _erase_aside(connection, within, [body for seq, _, body in rows if seq in whole], mark)
    titled = _titled_by(rows) in turns
    rename(connection, of, mark, titled=titled)
    if not lines:
        return set()
    rewritten = [{"within": within, "line": seq, "left": new} for seq, new in lines.items()]
    connection.execute(_REWRITE, rewritten)
    _cut(connection, within, of, at)
    for branch in branches_of(connection, of, min(lines)):
        _begin_anew(connection, (within, branch), at, titled=titled)
    told = (row for row in rows if not isinstance(row[2], SummaryBody))
    return {own for seq, own, _ in told if seq in lines}


def _titled_by(rows: Sequence[Any]) -> str | None:
    """Returns the turn whose words are the title of its conversation: the first words are."""
    return next((own for _, own, body in rows if isinstance(body, AskerBody)), None)


def _begin_anew(
    connection: Connection, place: tuple[int, str], at: datetime, *, titled: bool
) -> None:
    """Lets a branch that shares what was erased begin anew, without what sums it up."""
    (within, branch), mark = place, mark_of(at)
    rename(connection, branch, mark, titled=titled)
    _erase_summaries(connection, within, branch, mark)
    _cut(connection, within, branch, at)


def _of_turn(calls: Set[tuple[str, str]], turn: str) -> set[str]:
    return {id for of, id in calls if of == turn}


def _erase_aside(connection: Connection, within: int, bodies: Sequence[Body], mark: str) -> None:
    """Erases whole texts that these entries were too small for."""
    results = (body.result for body in bodies if isinstance(body, ResultBody))
    ids = [result.artifact for result in results if result.artifact is not None]
    if ids:
        named = update(artifact).where(artifact.c.chat == within, artifact.c.id.in_(ids))
        connection.execute(named.values(text=mark))


def branches_of(connection: Connection, of: str, least: int = 0) -> list[str]:
    """Returns the branches of a conversation that share its entry with this number, and theirs."""
    found = list(connection.execute(_BRANCHES, {"of": of, "least": least}).scalars())
    return [*found, *(id for each in found for id in branches_of(connection, each, least))]


def _erase_summaries(connection: Connection, within: int, of: str, mark: str) -> None:
    """Erases summaries alone: they may tell what was said before the branch left."""
    rows = connection.execute(_SUMMARIES, {"within": within, "of": of}).all()
    lines = [
        {"within": within, "line": seq, "left": erased(body, mark)}
        for seq, body in rows
        if isinstance(body, SummaryBody)
    ]
    if lines:
        connection.execute(_REWRITE, lines)


def rename(connection: Connection, of: str, mark: str, *, titled: bool) -> None:
    for name in ("title", "summary") if titled else ("summary",):
        told = conversation.c[name]
        left = update(conversation).where(conversation.c.id == of, told != "")
        connection.execute(left.values({name: mark}))


def _cut(connection: Connection, within: int, of: str, at: datetime) -> None:
    """Stores a cut where the view begins anew, and takes the chat from its owner.

    Its owner holds the old words in memory; the next one reads the log again.
    """
    last = connection.execute(_LAST, {"of": within, "opened": of}).scalar()
    if last is None:
        return
    line = {"chat": within, "seq": last + 1, "conversation": of, "turn": "", "at": at}
    connection.execute(insert(entry), {**line, "body": CutBody((), 0)})
    moved = update(chat).where(chat.c.id == within)
    connection.execute(moved.values(last_seq=last + 1, fence=chat.c.fence + 1))
