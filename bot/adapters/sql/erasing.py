"""Erases what was said: in the log, the messages, the cards, the texts kept aside, the memory."""

from collections.abc import Sequence
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
from bot.adapters.sql.erasing_traces import (
    chats_of,
    erase_messages,
    erase_plans,
    erase_record,
)
from bot.adapters.sql.errands import erase_errands, sent_by
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
    turn,
)
from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import Erase
from bot.domain.erasing import TOLD, Target, erased, erased_card, erased_message, mark_of
from bot.domain.transcript import Body, CutBody, RecallBody, SummaryBody
from bot.domain.turn import TurnState

_OF = bindparam("of")
_TURNS = select(turn.c.id, turn.c.chat, turn.c.conversation).where(
    turn.c.state == TurnState.SETTLED
)
_TIDY = "INSERT INTO passage_words (passage_words) VALUES ('optimize')"
"""Deleted words stay in the segments of the index until these are merged."""

_ENTRIES = select(entry.c.seq, entry.c.turn, entry.c.body).where(
    entry.c.chat == bindparam("within"), entry.c.conversation == _OF
)
_RECALLED = select(entry.c.chat, entry.c.conversation, entry.c.body).where(
    entry.c.chat.in_(bindparam("chats", expanding=True)),
    type_coerce(entry.c.body, Text).like('%"passages":%'),
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
    chats = chats_of(connection, target.whose)
    turns = _turns_of(connection, target, chats)
    turns += connection.execute(_TURNS.where(turn.c.id.in_(sent_by({id for id, _, _ in turns}))))
    ids = {id for id, _, _ in turns}
    touched = {(within, of) for _, within, of in turns} | _recalled_in(connection, ids, chats)
    for within, of in sorted(touched):
        if _erase_log(connection, within, of, ids, mark):
            _cut(connection, within, of, at)
    for id in ids:
        _erase_turn(connection, id, mark)
    erase_errands(connection, ids, mark)
    if target.turn is None:
        for of in {of for _, of in touched}:
            told = update(conversation).where(conversation.c.id == of, conversation.c.title != "")
            connection.execute(told.values(title=mark))
    for of in {of for _, of in touched}:
        summed = update(conversation).where(conversation.c.id == of, conversation.c.summary != "")
        connection.execute(summed.values(summary=mark))
    _erase_traces(connection, target, ids, chats, mark)
    _forget(connection, target, ids, chats)


def _erase_traces(
    connection: Connection, target: Target, turns: set[str], chats: Sequence[int], mark: str
) -> None:
    plans = erase_plans(connection, target, turns, chats, mark)
    everything = target.turn is None and target.conversation is None
    if everything:
        erase_messages(connection, chats, mark)
    cards = connection.execute(select(approval.c.id).where(approval.c.turn.in_(turns))).scalars()
    about = None if everything else {*turns, *plans, *cards}
    erase_record(connection, chats, about, mark)


def _turns_of(
    connection: Connection, target: Target, chats: Sequence[int]
) -> list[tuple[str, int, str]]:
    """Returns the settled turns with chat and conversation; what is under way stays."""
    wanted = _TURNS
    if target.turn is not None:
        wanted = wanted.where(turn.c.id == target.turn)
    elif target.conversation is not None:
        wanted = wanted.where(turn.c.conversation == target.conversation)
    else:
        wanted = wanted.where(turn.c.chat.in_(chats))
    return [(id, within, of) for id, within, of in connection.execute(wanted)]


def _recalled_in(
    connection: Connection, turns: set[str], chats: Sequence[int]
) -> set[tuple[int, str]]:
    """Returns where the words of these turns were told again."""
    found = connection.execute(_RECALLED, {"chats": chats})
    return {(within, of) for within, of, body in found if _again(body, turns)}


def _again(body: Body, turns: set[str]) -> bool:
    return isinstance(body, RecallBody) and not turns.isdisjoint(body.passages)


def _erase_log(connection: Connection, within: int, of: str, turns: set[str], mark: str) -> bool:
    """Returns True when an entry was changed."""
    rows = connection.execute(_ENTRIES, {"within": within, "of": of}).all()
    changed: list[dict[str, Any]] = []
    for seq, own, body in rows:
        if own in turns or _again(body, turns) or isinstance(body, SummaryBody):
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
    keys = [*(f"{kind}:{id}" for kind in TOLD), *(f"card:{card.id}" for card in cards)]
    prefixes = [f"send:{id}:", f"said:{id}:", *_forget_heard(connection, id)]
    prefixes += [f"card:{card.id}@" for card in cards]
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
    pressed = update(turn).where(turn.c.id == id, turn.c.said != "")
    connection.execute(pressed.values(said=mark))


def _forget_heard(connection: Connection, turn: str) -> list[str]:
    """Forgets the words of a turn's recordings; returns how the keys of their quotes begin."""
    sent = connection.execute(_SENT, {"of": turn}).all()
    for _, within, message in sent:
        named = hearing.c.key.startswith(f"{message}/", autoescape=True)
        connection.execute(hearing.delete().where(hearing.c.chat == within, named))
    return [f"heard:{row}:" for row, _, _ in sent]


def _forget(connection: Connection, target: Target, turns: set[str], chats: Sequence[int]) -> None:
    if target.turn is not None:
        turns = {*turns, target.turn}
    elif target.conversation is None:
        turns = {*turns, *connection.execute(_OWNED, {"of": target.whose}).scalars()}
        connection.execute(note.delete().where(note.c.whose == target.whose))
        connection.execute(hearing.delete().where(hearing.c.chat.in_(chats)))
    drop_passages(connection, sorted(turns))
