"""Finds in one statement which parts of a chat's agenda exist: mostly nearly none."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, exists, select

from bot.adapters.sql.columns import columns
from bot.adapters.sql.tables import (
    PENDING_CARDS,
    PLANNED,
    UNSETTLED,
    WAITING,
    approval,
    chat,
    inbox,
    plan,
    turn,
)
from bot.domain.chat import Chat
from bot.domain.errors import NoSuchChat

_STANDING = select(
    *columns(chat, Chat),
    select(plan.c.id).where(plan.c.chat == chat.c.id, PLANNED).scalar_subquery(),
    exists().where(turn.c.chat == chat.c.id, UNSETTLED),
    exists().where(approval.c.chat == chat.c.id, *PENDING_CARDS),
    exists().where(inbox.c.chat == chat.c.id, WAITING),
).where(chat.c.id == bindparam("of"))


@dataclass(frozen=True, slots=True)
class Standing:
    """A chat, the id of its live plan, and flags for turns, cards and messages with work."""

    chat: Chat
    plan: str | None
    turns: bool
    cards: bool
    waiting: bool


def standing(connection: Connection, chat: int) -> Standing:
    """Returns the standing of a chat; raises NoSuchChat."""
    row = connection.execute(_STANDING, {"of": chat}).first()
    if row is None:
        raise NoSuchChat(f"there is no chat {chat}")
    *known, planned, turns, cards, waiting = tuple(row)
    return Standing(Chat(*known), planned, turns, cards, waiting)
