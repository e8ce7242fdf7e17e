"""Erases what was said, in memory."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.approval import ApprovalState
from bot.domain.change import Erase, InboundState
from bot.domain.erasing import (
    TOLD,
    Target,
    erased,
    erased_card,
    erased_line,
    erased_message,
    mark_of,
)
from bot.domain.passage import Whose, group_of, person_of
from bot.domain.plan import Plan
from bot.domain.tool import Preview
from bot.domain.transcript import CutBody, Entry, RecallBody, SummaryBody
from bot.domain.turn import TurnState
from bot.ports.outbox import DeliveryState

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def erase(rows: "Rows", write: Erase, at: datetime) -> None:
    target, mark = write.target, mark_of(at)
    chats = _chats_of(rows, target.whose)
    turns = _turns_of(rows, target, chats)
    settled = {t.id for t in rows.turns.values() if t.state is TurnState.SETTLED}
    turns |= {e.id for e in rows.errands.values() if e.parent in turns} & settled
    for id in turns & rows.errands.keys():
        rows.errands[id] = replace(rows.errands[id], task=mark, result=None)
    touched = {e.conversation for e in rows.entries.values() if e.turn in turns}
    changed: set[str] = set()
    for key, line in list(rows.entries.items()):
        body = line.body
        again = isinstance(body, RecallBody) and bool(turns & set(body.passages))
        summed = isinstance(body, SummaryBody) and line.conversation in touched
        if line.turn in turns or again or summed:
            rows.entries[key] = replace(line, body=erased(body, mark))
            changed.add(line.conversation)
    for chat in [c for c in rows.chats.values() if c.conversation in changed]:
        seq = chat.last_seq + 1
        cut = Entry(seq, chat.conversation, "", at, CutBody((), 0))
        rows.entries[chat.id, seq] = cut
        rows.chats[chat.id] = replace(chat, last_seq=seq, fence=chat.fence + 1)
    cards = {c.id for c in rows.approvals.values() if c.turn in turns}
    for id in turns:
        _erase_turn(rows, id, mark)
    everything = target.turn is None and target.conversation is None
    plans = _erase_plans(rows, target, turns, chats, mark)
    if everything:
        _erase_messages(rows, chats, mark)
    about = None if everything else {*turns, *plans, *cards}
    _erase_record(rows, chats, about, mark)
    for id in touched:
        known = rows.conversations[id]
        title = mark if known.title and target.turn is None else known.title
        summary = mark if known.summary else ""
        rows.conversations[id] = replace(known, title=title, summary=summary)
    gone = {*turns, target.turn or ""}
    if everything:
        gone |= {p.id for p in rows.passages.values() if p.whose == target.whose}
        rows.notes = {id: n for id, n in rows.notes.items() if n.whose != target.whose}
        rows.hearings = {at: h for at, h in rows.hearings.items() if at[0] not in chats}
    for id in gone & rows.passages.keys():
        rows.drop_passage(id)


def _erase_turn(rows: "Rows", id: str, mark: str) -> None:
    cards = [c for c in rows.approvals.values() if c.turn == id]
    for card in [c for c in cards if c.state is not ApprovalState.OPEN]:
        rows.approvals[card.id] = erased_card(card, mark)
    rows.turns[id] = replace(rows.turns[id], said=mark if rows.turns[id].said else "")
    closed = [c.id for c in cards if c.state is not ApprovalState.OPEN]
    keys = {*(f"{kind}:{id}" for kind in TOLD), *(f"card:{card}" for card in closed)}
    sent = [rows.inbox[number] for number, turn in rows.taken.items() if turn == id]
    begins = (f"send:{id}:", f"said:{id}:", *(f"card:{card}@" for card in closed))
    begins += tuple(f"heard:{row.id}:" for row in sent)
    for row in sent:
        rows.inbox[row.id] = replace(row, body="")
        gone = [at for at in rows.hearings if at[0] == row.chat]
        for at in [at for at in gone if at[1].startswith(f"{row.message_id}/")]:
            del rows.hearings[at]
    for key, row in list(rows.outbox.items()):
        if key in keys or key.startswith(begins):
            content = erased_message(row.content, mark)
            rows.outbox[key] = replace(row, content=content, pieces=())
    for key, artifact in list(rows.artifacts.items()):
        if key.startswith(f"{id}-"):
            rows.artifacts[key] = replace(artifact, text=mark)


def _turns_of(rows: "Rows", target: Target, chats: set[int]) -> set[str]:
    settled = [t for t in rows.turns.values() if t.state is TurnState.SETTLED]
    if target.turn is not None:
        return {t.id for t in settled if t.id == target.turn}
    if target.conversation is not None:
        return {t.id for t in settled if t.conversation == target.conversation}
    return {t.id for t in settled if t.chat in chats}


def _chats_of(rows: "Rows", owner: Whose) -> set[int]:
    person, group = person_of(owner), group_of(owner)
    spoken = {t.chat for t in rows.turns.values() if t.asker == person}
    spoken |= {r.chat for r in rows.inbox.values() if r.chat is not None and r.person == person}
    others = {p.chat for p in rows.passages.values() if p.whose != owner}
    private = {id for id in spoken - others if rows.chats[id].private and person is not None}
    known = {p.chat for p in rows.passages.values() if p.whose == owner and p.chat is not None}
    return known | private | ({group} if group is not None else set())


def _erase_messages(rows: "Rows", chats: set[int], mark: str) -> None:
    kept = {t.id for t in rows.turns.values() if t.state is not TurnState.SETTLED}
    kept |= {c.id for c in rows.approvals.values() if c.state is ApprovalState.OPEN}
    kept |= {p.id for p in rows.plans.values() if p.live}
    live = {row.id for key, row in rows.outbox.items() if any(id in key for id in kept)}
    for key, row in list(rows.outbox.items()):
        going = row.id in live or rows.copies.get(key) in live
        if row.chat in chats and row.state is not DeliveryState.OWED and not going:
            content = erased_message(row.content, mark)
            rows.outbox[key] = replace(row, content=content, pieces=())
    ended = (InboundState.DONE, InboundState.DEAD, InboundState.DROPPED)
    for id, sent in list(rows.inbox.items()):
        if sent.chat in chats and sent.state in ended:
            rows.inbox[id] = replace(sent, body="")


def _erase_plans(
    rows: "Rows", target: Target, turns: set[str], chats: set[int], mark: str
) -> set[str]:
    gone = {p.id for p in rows.plans.values() if not p.live and _of(rows, p, target, turns, chats)}
    for id in gone:
        plan = rows.plans[id]
        steps = tuple(
            replace(
                step,
                arguments="{}",
                description=mark,
                preview=Preview(mark, mark, step.effect),
                outcome=mark if step.outcome else "",
            )
            for step in plan.steps
        )
        told = {name: mark if getattr(plan, name) else "" for name in ("title", "summary", "wish")}
        rows.plans[id] = replace(plan, steps=steps, message="", **told)
        for key, row in list(rows.outbox.items()):
            if key.startswith((f"plan:{id}:", f"change-plan:{id}:")):
                content = erased_message(row.content, mark)
                rows.outbox[key] = replace(row, content=content, pieces=())
    return gone


def _of(rows: "Rows", plan: Plan, target: Target, turns: set[str], chats: set[int]) -> bool:
    if target.turn is not None:
        return plan.turn == target.turn
    if target.conversation is None:
        return plan.chat in chats
    known = rows.conversations[target.conversation]
    begun = known.opened_at <= plan.created_at and (
        known.closed_at is None or known.closed_at > plan.created_at
    )
    return plan.turn in turns or (known.chat == plan.chat and begun)


def _erase_record(rows: "Rows", chats: set[int], about: set[str] | None, mark: str) -> None:
    for n, line in enumerate(rows.audit):
        told = {line.details.get(name) for name in ("turn", "card", "plan")}
        if line.chat in chats and (about is None or told & about):
            subject, details = erased_line(line.action, line.subject, line.details, mark)
            rows.audit[n] = replace(line, subject=subject, details=details)
