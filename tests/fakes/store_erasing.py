"""Erases what was said, in memory."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.approval import ApprovalState
from bot.domain.change import Erase
from bot.domain.erasing import erased, erased_card, erased_message, mark_of
from bot.domain.transcript import CutBody, Entry, RecallBody, SummaryBody
from bot.domain.turn import TurnState

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def erase(rows: "Rows", write: Erase, at: datetime) -> None:
    target, mark = write.target, mark_of(at)
    chats = {p.chat for p in rows.passages.values() if p.whose == target.whose}
    settled = [t for t in rows.turns.values() if t.state is TurnState.SETTLED]
    if target.turn is not None:
        turns = {t.id for t in settled if t.id == target.turn}
    elif target.conversation is not None:
        turns = {t.id for t in settled if t.conversation == target.conversation}
    else:
        turns = {t.id for t in settled if t.chat in chats}
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
    for id in turns:
        _erase_turn(rows, id, mark)
    for id in touched:
        known = rows.conversations[id]
        title = mark if known.title and target.turn is None else known.title
        summary = mark if known.summary else ""
        rows.conversations[id] = replace(known, title=title, summary=summary)
    gone = {*turns, target.turn or ""}
    if target.turn is None and target.conversation is None:
        gone |= {p.id for p in rows.passages.values() if p.whose == target.whose}
        rows.notes = {id: n for id, n in rows.notes.items() if n.whose != target.whose}
        rows.hearings = {at: h for at, h in rows.hearings.items() if at[0] not in chats}
    for id in gone & rows.passages.keys():
        rows.drop_passage(id)


def _erase_turn(rows: "Rows", id: str, mark: str) -> None:
    cards = [c for c in rows.approvals.values() if c.turn == id]
    for card in [c for c in cards if c.state is not ApprovalState.OPEN]:
        rows.approvals[card.id] = erased_card(card, mark)
    keys = {f"answer:{id}", f"voice:{id}", *(f"card:{card.id}" for card in cards)}
    sent = [rows.inbox[number] for number, turn in rows.taken.items() if turn == id]
    begins = (f"send:{id}:", *(f"heard:{row.id}:" for row in sent))
    for row in sent:
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
