"""Erases what was said: in the log, the messages, the cards, the texts kept aside, the memory."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    insert,
    inspect,
    or_,
    select,
    type_coerce,
    update,
)

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.memory import drop_passages
from bot.adapters.sql.tables import (
    approval,
    artifact,
    chat,
    conversation,
    entry,
    hearing,
    inbox,
    note,
    outbox,
    passage,
    plan,
    turn,
)
from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import Erase
from bot.domain.erasing import Target, erased, erased_card, erased_message, mark_of
from bot.domain.transcript import CutBody, RecallBody, SummaryBody
from bot.domain.turn import TurnState

_OF = bindparam("of")
_CHATS = (
    select(passage.c.chat).where(passage.c.whose == _OF, passage.c.chat.is_not(None)).distinct()
)
_TURNS = select(turn.c.id, turn.c.chat, turn.c.conversation).where(
    turn.c.state == TurnState.SETTLED
)
_TIDY = "INSERT INTO passage_words (passage_words) VALUES ('optimize')"
"""Deleted words stay in the segments of the index until these are merged."""

_ENTRIES = select(entry.c.seq, entry.c.turn, entry.c.body).where(
    entry.c.chat == bindparam("within"), entry.c.conversation == _OF
)
_RECALLED = select(entry.c.chat, entry.c.conversation).where(
    entry.c.chat.in_(bindparam("chats", expanding=True)),
    type_coerce(entry.c.body, Text).like(bindparam("named")),
)
_REWRITE = (
    update(entry)
    .where(entry.c.chat == bindparam("within"), entry.c.seq == bindparam("line"))
    .values(body=bindparam("left", type_=entry.c.body.type))
)
_MESSAGES = select(outbox.c.id, outbox.c.content)
_CARDS = select(*columns(approval, Approval)).where(
    approval.c.turn == _OF, approval.c.state != ApprovalState.OPEN
)
_SENT = select(inbox.c.id, inbox.c.chat, inbox.c.message_id).where(inbox.c.turn == _OF)
_OWNED = select(passage.c.id).where(passage.c.whose == _OF)
_LAST = select(chat.c.last_seq).where(chat.c.id == _OF, chat.c.conversation == bindparam("open"))


def erase(connection: Connection, writes: Sequence[Erase], at: datetime) -> None:
    """Erases in one transaction: a death in the middle leaves everything as it was."""
    for write in writes:
        if connection.dialect.name == "sqlite":
            # Freed pages are overwritten, not only given free.
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
        _erase(connection, write.target, mark_of(at), at)
        if connection.dialect.name == "sqlite" and inspect(connection).has_table("passage_words"):
            connection.exec_driver_sql(_TIDY)


def _erase(connection: Connection, target: Target, mark: str, at: datetime) -> None:
    turns = _turns_of(connection, target)
    touched = {(within, of) for _, within, of in turns} | set(_recalled_in(connection, target))
    ids = {id for id, _, _ in turns}
    for within, of in sorted(touched):
        if _erase_log(connection, within, of, ids, mark):
            _cut(connection, within, of, at)
    for id in ids:
        _erase_turn(connection, id, mark)
    if target.turn is None:
        for of in {of for _, of in touched}:
            told = update(conversation).where(conversation.c.id == of, conversation.c.title != "")
            connection.execute(told.values(title=mark))
    for of in {of for _, of in touched}:
        summed = update(conversation).where(conversation.c.id == of, conversation.c.summary != "")
        connection.execute(summed.values(summary=mark))
    _forget(connection, target, ids)


def _turns_of(connection: Connection, target: Target) -> list[tuple[str, int, str]]:
    """Returns the settled turns with chat and conversation; what is under way stays."""
    wanted = _TURNS
    if target.turn is not None:
        wanted = wanted.where(turn.c.id == target.turn)
    elif target.conversation is not None:
        wanted = wanted.where(turn.c.conversation == target.conversation)
    else:
        wanted = wanted.where(turn.c.chat.in_(_chats_of(connection, target)))
    return [(id, within, of) for id, within, of in connection.execute(wanted)]


def _chats_of(connection: Connection, target: Target) -> list[int]:
    return sorted(connection.execute(_CHATS, {"of": target.whose}).scalars())


def _recalled_in(connection: Connection, target: Target) -> Iterable[tuple[int, str]]:
    """Returns where else one turn was told again."""
    if target.turn is None:
        return ()
    wanted = {"chats": _chats_of(connection, target), "named": f'%"passages":%"{target.turn}"%'}
    return [(within, of) for within, of in connection.execute(_RECALLED, wanted)]


def _erase_log(connection: Connection, within: int, of: str, turns: set[str], mark: str) -> bool:
    """Returns True when an entry was changed."""
    rows = connection.execute(_ENTRIES, {"within": within, "of": of}).all()
    changed: list[dict[str, Any]] = []
    for seq, own, body in rows:
        again = isinstance(body, RecallBody) and bool(turns & set(body.passages))
        if own in turns or again or isinstance(body, SummaryBody):
            left = erased(body, mark)
            if left != body:
                changed.append({"within": within, "line": seq, "left": left})
    if changed:
        connection.execute(_REWRITE, changed)
    return bool(changed)


def _cut(connection: Connection, within: int, of: str, at: datetime) -> None:
    """Stores a cut where the view begins anew, and takes the chat from its owner.

    Its owner holds the old words in memory; the next one reads the log again.
    """
    last = connection.execute(_LAST, {"of": within, "open": of}).scalar()
    if last is None:
        return
    line = {"chat": within, "seq": last + 1, "conversation": of, "turn": "", "at": at}
    connection.execute(insert(entry), {**line, "body": CutBody((), 0)})
    moved = update(chat).where(chat.c.id == within)
    connection.execute(moved.values(last_seq=last + 1, fence=chat.c.fence + 1))


def _erase_turn(connection: Connection, id: str, mark: str) -> None:
    """Erases what a turn left outside of the log."""
    cards = [Approval(*row) for row in connection.execute(_CARDS, {"of": id})]
    keys = [f"answer:{id}", f"voice:{id}", *(f"card:{card.id}" for card in cards)]
    prefixes = [f"send:{id}:", *_forget_heard(connection, id)]
    begins = (outbox.c.key.startswith(prefix) for prefix in prefixes)
    said = _MESSAGES.where(or_(outbox.c.key.in_(keys), *begins))
    for number, content in connection.execute(said).all():
        left = update(outbox).where(outbox.c.id == number)
        connection.execute(left.values(content=erased_message(content, mark), pieces=()))
    for card in cards:
        left = values(erased_card(card, mark), names(Approval))
        kept = {name: left[name] for name in ("call", "preview", "purpose", "reason")}
        connection.execute(update(approval).where(approval.c.id == card.id).values(kept))
    aside = update(artifact).where(artifact.c.id.startswith(f"{id}-"))
    connection.execute(aside.values(text=mark))
    connection.execute(update(inbox).where(inbox.c.turn == id).values(body=""))
    told = {"title": mark, "summary": mark, "wish": mark, "message": ""}
    connection.execute(update(plan).where(plan.c.turn == id).values(told))


def _forget_heard(connection: Connection, turn: str) -> list[str]:
    """Forgets the words of a turn's recordings; returns how the keys of their quotes begin."""
    sent = connection.execute(_SENT, {"of": turn}).all()
    for _, within, message in sent:
        named = hearing.c.key.startswith(f"{message}/", autoescape=True)
        connection.execute(hearing.delete().where(hearing.c.chat == within, named))
    return [f"heard:{row}:" for row, _, _ in sent]


def _forget(connection: Connection, target: Target, turns: set[str]) -> None:
    if target.turn is not None:
        turns = {*turns, target.turn}
    elif target.conversation is None:
        turns = {*turns, *connection.execute(_OWNED, {"of": target.whose}).scalars()}
        connection.execute(note.delete().where(note.c.whose == target.whose))
        within = hearing.c.chat.in_(_chats_of(connection, target))
        connection.execute(hearing.delete().where(within))
    drop_passages(connection, sorted(turns))
