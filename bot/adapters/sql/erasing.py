"""Erases what was said: in the log, the messages, the cards, the texts kept aside, the memory."""

from collections.abc import Sequence, Set
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, inspect, or_, select

from bot.adapters.sql.entries import past_of
from bot.adapters.sql.erasing_log import branches_of, calls_in, erase_log, quoted_in, rename
from bot.adapters.sql.erasing_traces import (
    chats_of,
    erase_commands,
    erase_messages,
    erase_plans,
    erase_presses,
    erase_record,
    erase_record_of,
)
from bot.adapters.sql.erasing_turns import cards_of, erase_cards, erase_told, erase_turns
from bot.adapters.sql.errands import sent_by
from bot.adapters.sql.goals import erase_goals
from bot.adapters.sql.marked import erase_rows
from bot.adapters.sql.memory import drop_passages
from bot.adapters.sql.notes import drop_notes
from bot.adapters.sql.portions import portions
from bot.adapters.sql.tables import approval, chat, conversation, entry, passage, turn
from bot.domain.change import DropNote, Erase
from bot.domain.change.erasing import Target, mark_of
from bot.domain.memory.note import note_of
from bot.domain.tools.call_words import CALLS
from bot.domain.turn.turn import TurnState

_OF = bindparam("of")
_TURNS = select(turn.c.id, turn.c.chat, turn.c.conversation).where(
    turn.c.state == TurnState.SETTLED
)
_TIDY = "INSERT INTO passage_words (passage_words) VALUES ('optimize')"
"""Deleted words stay in the segments of the index until these are merged."""

_CARDS = select(approval.c.id)
_HELD = (
    select(chat.c.id)
    .where(chat.c.id.in_(bindparam("chats", expanding=True)))
    .order_by(chat.c.id)
    .with_for_update()
)
_OWNED = select(passage.c.id).where(passage.c.whose == _OF)


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
    # What is read of the past meanwhile must be over, or see what is erased here.
    connection.execute(_HELD, {"chats": chats})
    turns = _turns_of(connection, target, chats)
    for some in portions(sent_by(connection, {id for id, _, _ in turns})):
        turns += connection.execute(_TURNS.where(turn.c.id.in_(some)))
    if target.turn is not None:
        # What was taken back is named again where that was done.
        within = {of for _, _, of in turns}
        turns += connection.execute(
            _TURNS.where(turn.c.conversation.in_(within), turn.c.origin == "undo")
        )
    ids = {id for id, _, _ in turns}
    passages = ids | _talks_of(connection, target, turns) | _passages_of(connection, target)
    said_in = {(within, of) for _, within, of in turns}
    asked = calls_in(connection, target.note, chats)
    for place in sorted(said_in | quoted_in(connection, passages, chats) | asked.keys()):
        quoting = erase_log(connection, place, ids, passages, asked.get(place, frozenset()), at)
        # Messages that show the calls of these turns tell what was erased again.
        erase_told(connection, quoting - ids, mark, CALLS)
    _erase_titles(connection, target, chats, mark)
    erase_turns(connection, ids, mark)
    _erase_calls(connection, {call for calls in asked.values() for call in calls}, chats, mark)
    _erase_traces(connection, target, ids, chats, mark)
    erase_presses(connection)
    if not target.everything:
        named = passages if target.note is None else {*passages, target.note}
        erase_commands(connection, named, chats, mark)
    _forget(connection, target, passages, chats, at)


def _erase_traces(
    connection: Connection, target: Target, turns: set[str], chats: Sequence[int], mark: str
) -> None:
    plans = erase_plans(connection, target, turns, chats, mark)
    if target.everything:
        erase_messages(connection, chats, mark)
    cards = [
        id
        for some in portions(turns)
        for id in connection.execute(_CARDS.where(approval.c.turn.in_(some))).scalars()
    ]
    about = None if target.everything else {*turns, *plans, *cards}
    erase_record(connection, chats, about, mark)


def _turns_of(
    connection: Connection, target: Target, chats: Sequence[int]
) -> list[tuple[str, int, str]]:
    """Returns the settled turns with chat and conversation; what is under way stays."""
    wanted = _TURNS
    if target.turn is not None:
        wanted = wanted.where(turn.c.id == target.turn)
    elif target.conversation is not None:
        wanted = wanted.where(_said_in(connection, target.conversation))
    else:
        wanted = wanted.where(turn.c.chat.in_(chats))
    return [(id, within, of) for id, within, of in connection.execute(wanted)]


def _said_in(connection: Connection, talk: str) -> ColumnElement[bool]:
    """Holds for the turns of a conversation, and for those of the past that it shares."""
    shared = (
        turn.c.id.in_(
            select(entry.c.turn).where(entry.c.conversation == parent, entry.c.seq <= last)
        )
        for parent, last in past_of(connection, talk)
    )
    return or_(turn.c.conversation == talk, *shared)


def _talks_of(
    connection: Connection, target: Target, turns: Sequence[tuple[str, int, str]]
) -> set[str]:
    """Returns the conversations of these turns and their branches: people and tools name them."""
    named = {of for _, _, of in turns}
    if target.conversation is not None:
        named.add(target.conversation)
    return named.union(*(branches_of(connection, of) for of in named))


def _erase_titles(connection: Connection, target: Target, chats: Sequence[int], mark: str) -> None:
    """Erases titles that people gave, also where nothing was said yet."""
    talks = {target.conversation} - {None}
    if target.everything:
        within = select(conversation.c.id).where(conversation.c.chat.in_(chats))
        talks = set(connection.execute(within).scalars())
    for talk in sorted(filter(None, talks)):
        rename(connection, talk, mark, titled=True)


def _erase_calls(
    connection: Connection, calls: Set[tuple[str, str]], chats: Sequence[int], mark: str
) -> None:
    """Erases what calls left outside of the log, each told by its turn and its id."""
    for own in sorted({own for own, _ in calls}):
        asked = [card for card in cards_of(connection, [own]) if (own, card.call.id) in calls]
        erase_cards(connection, asked, mark)
        erase_record(connection, chats, {card.id for card in asked}, mark)
    erase_record_of(connection, chats, calls, mark)


def _passages_of(connection: Connection, target: Target) -> set[str]:
    """Returns the ids of passages that are named, beside those of the turns."""
    if target.turn is not None:
        return set(target.named)
    if target.conversation is not None:
        return set()
    return set(connection.execute(_OWNED, {"of": target.whose}).scalars())


def _forget(
    connection: Connection, target: Target, passages: Set[str], chats: Sequence[int], at: datetime
) -> None:
    if target.everything:
        erase_rows(connection, target.whose, chats)
        erase_goals(connection, chats)
    if target.turn is not None and (named := note_of(target.turn)) is not None:
        drop_notes(connection, [DropNote(named)], at)
    drop_passages(connection, sorted(passages))
