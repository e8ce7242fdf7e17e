"""What a chat that moves takes along, in the memory of the fake store."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.domain.change import AddUsage, JoinChats, MoveChat
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.passage import of_group
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import VANISHING
from bot.domain.turn.transcript import Body, CutBody, SummaryBody
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import DeliveryState

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def move(rows: "Rows", write: MoveChat | JoinChats, when: datetime) -> None:
    at = {chat.address: chat for chat in rows.chats.values()}
    moving, there = at.get(write.old), at.get(write.new)
    if moving is None or (there is not None and isinstance(write, MoveChat)):
        return
    _leave(rows, moving)
    if there is not None:
        moving = _take_over(rows, moving, there, when)
    rows.chats[moving.id] = replace(moving, address=write.new, moved_from=write.old)
    for key, row in rows.outbox.items():
        if row.chat == moving.id:
            rows.outbox[key] = replace(row, address=write.new)


def _leave(rows: "Rows", moving: Chat) -> None:
    rows.seen = {at: key for at, key in rows.seen.items() if at[0] != moving.id}
    cards = {a.key_in(a.chat) for a in rows.approvals.values() if a.state is ApprovalState.OPEN}
    cards |= {p.key_in(p.chat) for p in rows.plans.values() if p.live}
    for key, row in rows.outbox.items():
        if row.chat != moving.id:
            continue
        left = replace(row, pieces=(), message_ids=())
        copied = rows.copies.pop(key, None) is not None
        if copied or row.content.kind in VANISHING:
            left = replace(left, state=DeliveryState.SHOWN, shown_version=row.version)
        elif row.state is DeliveryState.OWED or key in cards:
            said = replace(row.content, reply_to=None)
            left = replace(left, state=DeliveryState.OWED, shown_version=0, content=said)
        rows.outbox[key] = left
    for id, turn in rows.turns.items():
        if turn.chat == moving.id and turn.state is not TurnState.SETTLED:
            rows.turns[id] = replace(turn, reply_to=None)


def _take_over(rows: "Rows", kept: Chat, other: Chat, when: datetime) -> Chat:
    own = [e for (chat, _), e in rows.entries.items() if chat == other.id]
    current = [e for e in own if e.conversation == other.conversation]
    apart = rows.conversations[other.conversation].parent is not None
    summed = apart or any(isinstance(e.body, SummaryBody) for e in current)
    into = other.conversation if summed else kept.conversation
    if summed:
        closed = replace(rows.conversations[kept.conversation], closed_at=when)
        rows.conversations[kept.conversation] = closed
    else:
        del rows.conversations[other.conversation]
    names = {other.conversation: into}
    _rebranch(rows, other, names, kept.last_seq)
    for entry in own:
        del rows.entries[other.id, entry.seq]
        seq = entry.seq + kept.last_seq
        rows.entries[kept.id, seq] = replace(
            entry,
            seq=seq,
            conversation=names.get(entry.conversation, entry.conversation),
            body=_shifted(entry.body, kept.last_seq),
        )
    rows.end_grants(other.id, "")
    _end_doubles(rows, kept, other, when)
    rows.inherit(of_group(other.id), of_group(kept.id))
    for table in rows.tables():
        _refile(table, other.id, kept.id, names)
    rows.rehome_tasks(other.id, kept.id)
    rows.usage = {call: _as_used_in(used, other.id, kept.id) for call, used in rows.usage.items()}
    rows.audit = [replace(a, chat=kept.id) if a.chat == other.id else a for a in rows.audit]
    rows.seen = {(kept.id if c == other.id else c, m): key for (c, m), key in rows.seen.items()}
    homes = [chat for chat in rows.chats.values() if chat.screen == other.id]
    rows.chats.update({chat.id: replace(chat, screen=kept.id) for chat in homes})
    del rows.chats[other.id]
    return replace(kept, conversation=into, last_seq=kept.last_seq + other.last_seq)


def _end_doubles(rows: "Rows", kept: Chat, other: Chat, when: datetime) -> None:
    """Ends what a chat has once, where the kept chat has it too."""
    if any(p.live and p.chat == kept.id for p in rows.plans.values()):
        for plan in [p for p in rows.plans.values() if p.live and p.chat == other.id]:
            over = replace(plan, state=PlanState.CANCELLED, turn=None, ended_at=when)
            rows.plans[plan.id] = replace(over, version=plan.version + 1)
    known = {f.key for f in rows.received.values() if f.chat == kept.id}
    for file in [f for f in rows.received.values() if f.chat == other.id and f.key in known]:
        del rows.received[file.id]
    for chat, key in [place for place in rows.hearings if place[0] == other.id]:
        words = rows.hearings.pop((chat, key))
        rows.hearings.setdefault((kept.id, key), replace(words, chat=kept.id))


def _rebranch(rows: "Rows", other: Chat, names: Mapping[str, str], by: int) -> None:
    for one in list(rows.conversations.values()):
        if one.chat == other.id and one.parent is not None:
            parent = names.get(one.parent, one.parent)
            rows.conversations[one.id] = replace(one, parent=parent, shared=one.shared + by)


def _as_used_in(used: AddUsage, old: int, new: int) -> AddUsage:
    if used.cause.chat != old:
        return used
    return replace(used, cause=replace(used.cause, chat=new))


def _refile(table: dict[Any, Any], of: int, to: int, names: Mapping[str, str]) -> None:
    """Gives rows to another chat, and names the conversation that continues theirs."""
    for key, row in table.items():
        moved: dict[str, Any] = {}
        if getattr(row, "chat", None) == of:
            moved["chat"] = to
        if getattr(row, "conversation", None) in names:
            moved["conversation"] = names[row.conversation]
        if moved:
            table[key] = replace(row, **moved)


def _shifted(body: Body, by: int) -> Body:
    if isinstance(body, SummaryBody):
        return replace(body, covers=body.covers + by)
    if isinstance(body, CutBody):
        return replace(body, shrunk=tuple(line + by for line in body.shrunk))
    return body
