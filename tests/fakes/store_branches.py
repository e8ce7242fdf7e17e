"""Conversations that branch off others, in memory."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.domain.talk.chat import ListedConversation
from bot.domain.turn.transcript import AskerBody, CutBody

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows

_NEVER = datetime.min.replace(tzinfo=UTC)


def past_of(rows: "Rows", conversation: str) -> list[tuple[str, int]]:
    """Returns the parents of a conversation, the nearest first, each with its last shared entry."""
    found: list[tuple[str, int]] = []
    one = rows.conversations.get(conversation)
    while one is not None and one.parent is not None:
        found.append((one.parent, one.shared))
        one = rows.conversations.get(one.parent)
    return found


def branches_of(rows: "Rows", of: str, least: int = 0) -> list[str]:
    """Returns the branches of a conversation that share its entry with this number, and theirs."""
    found = [c.id for c in rows.conversations.values() if c.parent == of and c.shared >= least]
    return [*found, *(id for each in found for id in branches_of(rows, each, least))]


def views_of(rows: "Rows", turn: str) -> list[str]:
    """Returns the conversations in which a turn is in view."""
    return [id for id in rows.conversations if _shows(rows, id, turn)]


def _shows(rows: "Rows", conversation: str, turn: str) -> bool:
    reaches = dict([(conversation, None), *past_of(rows, conversation)])
    upto: int | None = None
    told = False
    for of, shared in reaches.items():
        upto = shared if upto is None or shared is None else min(upto, shared)
        for entry in rows.entries.values():
            if entry.conversation != of or (upto is not None and entry.seq > upto):
                continue
            if isinstance(entry.body, CutBody) and turn in entry.body.without:
                return False
            told = told or entry.turn == turn
    return told


def listed(rows: "Rows", chat: int) -> list[ListedConversation]:
    """Returns the conversations that people can open, those left last first."""
    said = {e.conversation for e in rows.entries.values()}
    found = [
        c
        for c in rows.conversations.values()
        if c.chat == chat
        and c.openable
        and (c.closed_at is None or c.parent is not None or c.id in said)
    ]
    found.sort(key=lambda c: c.id)
    found.sort(key=lambda c: c.closed_at or _NEVER, reverse=True)
    found.sort(key=lambda c: c.closed_at is not None)
    return [ListedConversation(each, _begins(rows, each.id)) for each in found]


def listing(rows: "Rows", chat: int, id: str) -> ListedConversation | None:
    """Returns one conversation as a list shows it."""
    found = rows.conversations.get(id)
    if found is None or found.chat != chat or not found.openable:
        return None
    return ListedConversation(found, _begins(rows, id))


def _begins(rows: "Rows", id: str) -> str:
    for of in (id, *(parent for parent, _ in past_of(rows, id))):
        own = sorted(
            (e for e in rows.entries.values() if e.conversation == of), key=lambda e: e.seq
        )
        for entry in own:
            if isinstance(entry.body, AskerBody) and entry.body.purpose:
                return entry.body.purpose
    return ""
