"""Moves chats to another address, with everything that belongs to them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, Text, bindparam, cast, delete, or_, select, update

from bot.adapters.sql.chats import first
from bot.adapters.sql.marked import continue_talk, hand_over, move_rows
from bot.adapters.sql.tables import (
    BRANCHES,
    COPIES,
    OWED,
    PLANNED,
    UNSETTLED,
    approval,
    chat,
    conversation,
    entry,
    outbox,
    plan,
    rule,
    sight,
    turn,
)
from bot.domain.change import JoinChats, MoveChat
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.passage import of_group
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import VANISHING, Address
from bot.domain.turn.transcript import Body, CutBody, SummaryBody
from bot.ports.outbox import DeliveryState

_OF = bindparam("of")
_MOVE = update(chat).where(chat.c.id == _OF)
_FORGET_SIGHTS = delete(sight).where(sight.c.chat == _OF)
_FORGET_COPIES = (
    update(outbox)
    .where(outbox.c.chat == _OF, COPIES)
    .values(copy_of=None, state=DeliveryState.SHOWN, shown_version=outbox.c.version)
)
_END_GRANTS = delete(rule).where(rule.c.chat == _OF, rule.c.under != "")
_FORGET_SCREEN = update(outbox).where(outbox.c.chat == _OF).values(pieces=(), message_ids=())
_SHIFT = update(conversation).where(conversation.c.chat == _OF, BRANCHES)
_BRANCHED = select(conversation.c.id).where(conversation.c.id == _OF, BRANCHES)
_OPEN_CARDS = select("card:" + approval.c.id).where(
    approval.c.chat == _OF, approval.c.state == ApprovalState.OPEN
)
_LIVE_PLANS = select("plan:" + plan.c.id + ":" + cast(plan.c.revision, Text)).where(
    plan.c.chat == _OF, PLANNED
)
_OWE_CARDS = (
    update(outbox)
    .where(or_(outbox.c.key.in_(_OPEN_CARDS), outbox.c.key.in_(_LIVE_PLANS)))
    .values(state=DeliveryState.OWED)
)
_END_PLANS = (
    update(plan)
    .where(plan.c.chat == _OF, PLANNED)
    .values(state=PlanState.CANCELLED, version=plan.c.version + 1, turn=None)
)
_OWED = select(outbox.c.id, outbox.c.content).where(outbox.c.chat == _OF, OWED)
_OWE = update(outbox).where(outbox.c.id == _OF)
_REPLY_TO_NOTHING = update(turn).where(turn.c.chat == _OF, UNSETTLED).values(reply_to=None)
_BODIES = select(entry.c.seq, entry.c.conversation, entry.c.body).where(entry.c.chat == _OF)
_REWRITE = update(entry).where(entry.c.chat == _OF, entry.c.seq == bindparam("line"))


def move_chats(connection: Connection, writes: Sequence[MoveChat], _at: datetime) -> None:
    for write in writes:
        moving = first(connection, write.old)
        if moving is not None and first(connection, write.new) is None:
            _leave(connection, moving)
            _arrive(connection, moving, write.new)


def join_chats(connection: Connection, writes: Sequence[JoinChats], at: datetime) -> None:
    for write in writes:
        moving, there = first(connection, write.old), first(connection, write.new)
        if moving is None:
            continue
        _leave(connection, moving)
        if there is not None:
            _take_over(connection, moving, there, at)
        _arrive(connection, moving, write.new)


def _leave(connection: Connection, moving: Chat) -> None:
    """Shows important messages again: nobody can edit or answer those on the old screen."""
    of = {"of": moving.id}
    forgotten = (_FORGET_SIGHTS, _FORGET_COPIES, _FORGET_SCREEN)
    for statement in (*forgotten, _OWE_CARDS, _REPLY_TO_NOTHING):
        connection.execute(statement, of)
    for number, content in connection.execute(_OWED, of).all():
        owed = _OWE.values(shown_version=0, content=replace(content, reply_to=None))
        if content.kind in VANISHING:
            owed = _OWE.values(shown_version=outbox.c.version, state=DeliveryState.SHOWN)
        connection.execute(owed, {"of": number})


def _arrive(connection: Connection, moving: Chat, to: Address) -> None:
    changed = _MOVE.values(address=to, moved_from=moving.address)
    connection.execute(changed, {"of": moving.id})


def _take_over(connection: Connection, kept: Chat, other: Chat, at: datetime) -> None:
    """Appends the other chat's log to the kept one; its conversation continues the kept one's.

    A summary stands for all entries before it, so a conversation with one stays current, as does
    a branch, which has a past of its own.
    """
    apart = connection.execute(_BRANCHED, {"of": other.conversation}).first() is not None
    summed = _renumbered(connection, other, kept.last_seq) or apart
    into = other.conversation if summed else kept.conversation
    connection.execute(
        _SHIFT.values(shared=conversation.c.shared + kept.last_seq), {"of": other.id}
    )
    if summed:
        _close(connection, kept.conversation, at)
    else:
        connection.execute(delete(conversation).where(conversation.c.id == other.conversation))
        continue_talk(connection, other.conversation, into)
    _end_doubles(connection, kept, other, at)
    hand_over(connection, of_group(other.id), of_group(kept.id))
    move_rows(connection, other.id, kept.id, kept.last_seq)
    end = kept.last_seq + other.last_seq
    connection.execute(_MOVE.values(conversation=into, last_seq=end), {"of": kept.id})
    connection.execute(delete(chat).where(chat.c.id == other.id))


def _end_doubles(connection: Connection, kept: Chat, other: Chat, at: datetime) -> None:
    """Ends what a chat has once, where the kept chat has it too, and the grants of the other."""
    connection.execute(_END_GRANTS, {"of": other.id})
    # A chat has one live plan: the plan of the kept chat continues.
    if connection.execute(_LIVE_PLANS, {"of": kept.id}).first() is not None:
        connection.execute(_END_PLANS.values(ended_at=at), {"of": other.id})


def _renumbered(connection: Connection, other: Chat, shift: int) -> bool:
    """Rewrites lines that name other lines by number; returns True if one is a summary."""
    summed = False
    for line, within, body in connection.execute(_BODIES, {"of": other.id}).all():
        said = _shifted(body, shift)
        if said is not body:
            connection.execute(_REWRITE.values(body=said), {"of": other.id, "line": line})
        summed = summed or (isinstance(body, SummaryBody) and within == other.conversation)
    return summed


def _shifted(body: Body, by: int) -> Body:
    match body:
        case SummaryBody():
            return replace(body, covers=body.covers + by)
        case CutBody():
            return replace(body, shrunk=tuple(line + by for line in body.shrunk))
        case _:
            return body


def _close(connection: Connection, of: str, at: datetime) -> None:
    connection.execute(update(conversation).where(conversation.c.id == of).values(closed_at=at))
