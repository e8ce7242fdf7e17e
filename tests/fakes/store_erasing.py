"""Erases what was said, in memory."""

import sys
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.change import Erase, InboundState
from bot.domain.change.erasing import (
    BILL,
    COMMANDS,
    ECHOES,
    Target,
    billed,
    calls_about,
    erased,
    erased_card,
    erased_line,
    erased_message,
    mark_of,
    quotes,
    without,
)
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.memory.note import asking, note_of, passage_of, shown_by
from bot.domain.memory.passage import Whose, group_of, person_of
from bot.domain.plans.plan import Plan
from bot.domain.talk.chat import Chat
from bot.domain.tools.call_words import CALLS
from bot.domain.tools.tool import Preview
from bot.domain.turn.transcript import AskerBody, CutBody, Entry, ResultBody, SummaryBody
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import DeliveryState, OutboxRow
from tests.fakes.store_branches import branches_of, past_of
from tests.fakes.store_goals import erase_goals

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def erase(rows: "Rows", write: Erase, at: datetime) -> None:
    target, mark = write.target, mark_of(at)
    chats = chats_of(rows, target.whose)
    turns = _turns_of(rows, target, chats)
    settled = {t.id for t in rows.turns.values() if t.state is TurnState.SETTLED}
    turns |= {e.id for e in rows.errands.values() if e.parent in turns} & settled
    turns |= _taken_back(rows, target, turns) & settled
    for id in turns & rows.errands.keys():
        rows.errands[id] = replace(rows.errands[id], task=mark, result=None)
    of = {rows.turns[id].conversation for id in turns}
    passages = turns | _talks_of(rows, target, of) | _passages_of(rows, target)
    touched = _touched(rows, chats, turns, passages)
    touched |= _erase_calls(rows, chats, target.note, at)
    titled = _erase_log(rows, touched, turns, passages, at)
    cards = {c.id for c in rows.approvals.values() if c.turn in turns}
    for id in turns:
        _erase_turn(rows, id, mark)
    plans = _erase_plans(rows, target, turns, chats, mark)
    for pressed in [r for r in rows.inbox.values() if r.chat is None]:
        if pressed.state is InboundState.DONE:
            rows.inbox[pressed.id] = replace(pressed, body="")
    if target.everything:
        _erase_messages(rows, chats, mark)
    else:
        named = passages if target.note is None else {*passages, target.note}
        _erase_commands(rows, chats, named, mark)
    about = None if target.everything else {*turns, *plans, *cards}
    _erase_record(rows, chats, about, mark)
    _rename(rows, touched, titled | _titles_of(rows, target, chats), mark)
    erase_goals(rows, turns, sorted(chats), everything=target.everything)
    _erase_feedback(rows, turns, target)
    if target.turn is not None and (named := note_of(target.turn)) is not None:
        drop_note(rows, named, at)
    if target.everything:
        rows.notes = {id: n for id, n in rows.notes.items() if n.whose != target.whose}
        rows.hearings = {at: h for at, h in rows.hearings.items() if at[0] not in chats}
    for id in passages & rows.passages.keys():
        rows.drop_passage(id)


def _erase_feedback(rows: "Rows", turns: set[str], target: Target) -> None:
    everything = target.everything
    for place, one in list(rows.feedback.items()):
        person = everything and person_of(target.whose) == one.person
        group = everything and group_of(target.whose) == one.chat
        if one.turn in turns or person or group:
            del rows.feedback[place]


def _taken_back(rows: "Rows", target: Target, turns: set[str]) -> set[str]:
    """Returns the turns that took something back where the erased ones were."""
    erased = turns if target.turn is not None else set[str]()
    within = {rows.turns[id].conversation for id in erased}
    back = (t for t in rows.turns.values() if t.origin == "undo")
    return {t.id for t in back if t.conversation in within}


def drop_note(rows: "Rows", id: str, at: datetime) -> None:
    rows.notes.pop(id, None)
    rows.drop_passage(passage_of(id))
    for key, row in list(rows.outbox.items()):
        if key == shown_by(id) or key.startswith(asking(id)):
            rows.outbox[key] = _blank(row, mark_of(at))


def _passages_of(rows: "Rows", target: Target) -> set[str]:
    if target.everything:
        return {p.id for p in rows.passages.values() if p.whose == target.whose}
    return set(target.named)


def _erase_commands(rows: "Rows", chats: set[int], passages: set[str], mark: str) -> None:
    ended = (InboundState.DONE, InboundState.DEAD, InboundState.DROPPED)
    begins = [
        billed(one.question) for id, one in rows.passages.items() if id in passages and one.question
    ]
    for key, row in list(rows.outbox.items()):
        told = "".join(block.text for block in row.content.blocks if not isinstance(block, str))
        bill = BILL in told and any(words in told for words in begins)
        listed = bill or any(id in str(row.content) for id in passages)
        if row.chat in chats and key.startswith(COMMANDS) and listed:
            rows.outbox[key] = _blank(row, mark)
            asked = rows.inbox.get(int(key.removeprefix(COMMANDS)))
            if asked is not None and asked.state in ended:
                rows.inbox[asked.id] = replace(asked, body="")


def _touched(rows: "Rows", chats: set[int], turns: set[str], passages: set[str]) -> set[str]:
    """Returns the conversations that hold what is erased, or quote it."""
    return {
        e.conversation
        for (of, _), e in rows.entries.items()
        if e.turn in turns or (of in chats and quotes(e.body, passages))
    }


def _erase_log(
    rows: "Rows", touched: set[str], turns: set[str], passages: set[str], at: datetime
) -> set[str]:
    """Returns the conversations whose title was made of erased words."""
    mark = mark_of(at)
    first: dict[str, str] = {}
    changed = set(touched)
    least: dict[str, int] = {}
    for key, line in sorted(rows.entries.items()):
        body = line.body
        if isinstance(body, AskerBody):
            first.setdefault(line.conversation, line.turn)
        again = line.conversation in touched and quotes(body, passages)
        summed = isinstance(body, SummaryBody) and line.conversation in touched
        if line.turn in turns or again or summed:
            rows.entries[key] = replace(line, body=erased(body, mark))
            if again and line.turn not in turns and not isinstance(body, SummaryBody):
                _erase_told(rows, {line.turn}, mark, CALLS)
            changed.add(line.conversation)
            least.setdefault(line.conversation, line.seq)
            if isinstance(body, ResultBody) and (name := body.result.artifact) in rows.artifacts:
                rows.artifacts[name] = replace(rows.artifacts[name], text=mark)
    titled = {id for id, turn in first.items() if turn in turns}
    for id in [*changed]:
        shared = branches_of(rows, id, least.get(id, sys.maxsize))
        titled.update(shared if id in titled else ())
        touched.update(shared)
        changed.update(shared)
        _erase_summaries(rows, shared, mark)
    for id in sorted(changed):
        if rows.conversations[id].openable:
            _cut(rows, rows.chats[rows.conversations[id].chat], id, at)
    return titled


def _erase_summaries(rows: "Rows", talks: Collection[str], mark: str) -> None:
    for key, line in list(rows.entries.items()):
        if line.conversation in talks and isinstance(line.body, SummaryBody):
            rows.entries[key] = replace(line, body=erased(line.body, mark))


def _talks_of(rows: "Rows", target: Target, of: set[str]) -> set[str]:
    """Returns these conversations, the one that is meant, and the branches of all of them."""
    named = of if target.conversation is None else {*of, target.conversation}
    return named.union(*(branches_of(rows, each) for each in named))


def _titles_of(rows: "Rows", target: Target, chats: set[int]) -> set[str]:
    """Returns the conversations whose titles go, also where nothing was said."""
    if target.everything:
        return {c.id for c in rows.conversations.values() if c.chat in chats}
    return {id for id in rows.conversations if id == target.conversation}


def _rename(rows: "Rows", touched: set[str], titled: set[str], mark: str) -> None:
    for id in touched | titled:
        known = rows.conversations[id]
        title = mark if known.title and id in titled else known.title
        summary = mark if known.summary else ""
        rows.conversations[id] = replace(known, title=title, summary=summary)


def _cut(rows: "Rows", chat: Chat, of: str, at: datetime) -> None:
    seq = chat.last_seq + 1
    rows.entries[chat.id, seq] = Entry(seq, of, "", at, CutBody((), 0))
    rows.chats[chat.id] = replace(chat, last_seq=seq, fence=chat.fence + 1)


def _erase_calls(rows: "Rows", chats: set[int], note: str | None, at: datetime) -> set[str]:
    """Erases the calls about a note; returns their conversations."""
    mark, touched = mark_of(at), set[str]()
    for key, line in list(rows.entries.items()):
        calls = calls_about(line.body, line.turn, note) if key[0] in chats else frozenset[str]()
        if not calls or rows.turns[line.turn].state is not TurnState.SETTLED:
            continue
        touched |= {line.conversation, *branches_of(rows, line.conversation, line.seq)}
        rows.entries[key] = replace(line, body=without(line.body, calls))
        _erase_told(rows, {line.turn}, mark, CALLS)
        of = [c for c in rows.approvals.values() if c.turn == line.turn and c.call.id in calls]
        closed = [c for c in of if c.state is not ApprovalState.OPEN]
        _erase_cards(rows, closed, mark)
        cards = {c.id for c in closed}
        for n, ran in enumerate(rows.audit):
            own = ran.details.get("turn") == line.turn and ran.details.get("call") in calls
            if own or ran.details.get("card") in cards:
                subject, details = erased_line(ran.action, ran.subject, ran.details, mark)
                rows.audit[n] = replace(ran, subject=subject, details=details)
    return touched


def _erase_told(rows: "Rows", about: Collection[str], mark: str, begins: str = "") -> None:
    """Erases the messages about these turns, cards or plans whose keys begin so."""
    for key, row in list(rows.outbox.items()):
        if row.about in about and key.startswith(begins):
            rows.outbox[key] = _blank(row, mark)


def _blank(row: OutboxRow, mark: str) -> OutboxRow:
    """Returns a message without its words; one that is shown is another version of it."""
    left = replace(row, content=erased_message(row.content, mark), pieces=())
    if row.state is not DeliveryState.SHOWN:
        return left
    return replace(left, version=row.version + 1, shown_version=row.shown_version + 1)


def _erase_cards(rows: "Rows", cards: list[Approval], mark: str) -> None:
    for card in cards:
        rows.approvals[card.id] = erased_card(card, mark)
    _erase_told(rows, {card.id for card in cards}, mark)


def _erase_turn(rows: "Rows", id: str, mark: str) -> None:
    cards = [c for c in rows.approvals.values() if c.turn == id]
    _erase_cards(rows, [c for c in cards if c.state is not ApprovalState.OPEN], mark)
    for card in [c for c in cards if c.state is ApprovalState.OPEN]:
        rows.approvals[card.id] = replace(card, purpose=mark)
    asked = rows.outbox.get(rows.turns[id].said) if rows.turns[id].origin == "undo" else None
    if asked is not None:
        rows.outbox[asked.key] = _blank(asked, mark)
    rows.turns[id] = replace(rows.turns[id], said=mark if rows.turns[id].said else "")
    sent = [rows.inbox[number] for number, turn in rows.taken.items() if turn == id]
    for row in sent:
        rows.inbox[row.id] = replace(row, body="")
        if (copy := rows.outbox.get(f"{ECHOES}{row.id}")) is not None:
            rows.outbox[copy.key] = _blank(copy, mark)
        rows.hearings = {
            at: one
            for at, one in rows.hearings.items()
            if (one.chat, one.message) != (row.chat, row.message_id)
        }
    _erase_told(rows, {id}, mark)
    for change in [c for c in rows.file_changes.values() if id in (c.turn, c.task)]:
        del rows.file_changes[change.id]
    for key, artifact in list(rows.artifacts.items()):
        if artifact.turn == id:
            rows.artifacts[key] = replace(artifact, text=mark)


def _turns_of(rows: "Rows", target: Target, chats: set[int]) -> set[str]:
    settled = [t for t in rows.turns.values() if t.state is TurnState.SETTLED]
    if target.turn is not None:
        return {t.id for t in settled if t.id == target.turn}
    if target.conversation is not None:
        past = dict(past_of(rows, target.conversation))
        shared = {e.turn for e in rows.entries.values() if e.seq <= past.get(e.conversation, 0)}
        return {t.id for t in settled if t.conversation == target.conversation or t.id in shared}
    return {t.id for t in settled if t.chat in chats}


def chats_of(rows: "Rows", owner: Whose) -> set[int]:
    person, group = person_of(owner), group_of(owner)
    spoken = {t.chat for t in rows.turns.values() if t.asker == person}
    spoken |= {r.chat for r in rows.inbox.values() if r.chat is not None and r.person == person}
    others = {p.chat for p in rows.passages.values() if p.whose != owner}
    private = {id for id in spoken - others if rows.chats[id].private and person is not None}
    known = {p.chat for p in rows.passages.values() if p.whose == owner and p.chat is not None}
    return known | private | ({group} if group is not None else set())


def _kept(rows: "Rows") -> set[str]:
    """Returns the ids of what goes on."""
    kept = {t.id for t in rows.turns.values() if t.state is not TurnState.SETTLED}
    kept |= {c.id for c in rows.approvals.values() if c.state is ApprovalState.OPEN}
    return kept | {p.id for p in rows.plans.values() if p.live}


def _erase_messages(rows: "Rows", chats: set[int], mark: str) -> None:
    kept = _kept(rows)
    for key, row in list(rows.outbox.items()):
        if row.chat in chats and row.state is not DeliveryState.OWED and row.about not in kept:
            rows.outbox[key] = _blank(row, mark)
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
    _erase_told(rows, gone, mark)
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
    kept = _kept(rows)
    for n, line in enumerate(rows.audit):
        told = {line.details.get(name) for name in ("turn", "card", "plan")}
        meant = not told & kept if about is None else told & about
        if line.chat in chats and meant:
            subject, details = erased_line(line.action, line.subject, line.details, mark)
            rows.audit[n] = replace(line, subject=subject, details=details)
