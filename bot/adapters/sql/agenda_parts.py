"""Finds in one statement which parts of a chat's agenda exist: mostly nearly none."""

from sqlalchemy import Connection, bindparam, exists, select

from bot.adapters.sql.chats import CHAT_COLUMNS, at_home, chat_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.tables import (
    LEADS_ON,
    OPEN,
    PENDING_CARDS,
    PLANNED,
    UNSETTLED,
    UNTAKEN,
    WAITING,
    approval,
    chat,
    errand,
    inbox,
    plan,
    turn,
)
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import NoSuchChat
from bot.domain.value import frozen

_PARTS = Prepared(
    select(
        *CHAT_COLUMNS,
        select(plan.c.id).where(plan.c.chat == chat.c.id, PLANNED).scalar_subquery(),
        select(turn.c.id).where(turn.c.chat == chat.c.id, LEADS_ON).limit(1).scalar_subquery(),
        exists().where(turn.c.chat == chat.c.id, UNSETTLED),
        exists().where(approval.c.chat == chat.c.id, *PENDING_CARDS),
        exists().where(inbox.c.chat == chat.c.id, WAITING),
        exists().where(approval.c.chat == chat.c.id, OPEN),
        exists().where(errand.c.chat == chat.c.id, UNTAKEN),
    ).where(chat.c.id == bindparam("of"))
)


@frozen
class AgendaParts:
    """A chat, its live plan, its turn with open buttons, and flags for other parts with work."""

    chat: Chat
    plan: str | None
    leads_on: str | None
    turns: bool
    cards: bool
    waiting: bool
    cards_open: bool
    errands: bool


def agenda_parts(connection: Connection, chat: int) -> AgendaParts:
    """Returns the parts of a chat's agenda; raises NoSuchChat."""
    row = _PARTS.first(connection, {"of": chat})
    if row is None:
        raise NoSuchChat(f"there is no chat {chat}")
    *known, planned, leads_on, turns, cards, waiting, cards_open, errands = row
    known_as = at_home(connection, chat_of(known))
    return AgendaParts(known_as, planned, leads_on, turns, cards, waiting, cards_open, errands)
