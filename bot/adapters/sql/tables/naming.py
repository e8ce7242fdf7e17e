"""Columns that name the chat, the person, the conversation, the message or the turn of a row."""

from typing import Any

from sqlalchemy import ForeignKey

from bot.adapters.sql.columns import Number, Words
from bot.adapters.sql.tables.declaring import stored
from bot.adapters.sql.tables.marks import Forget, Mark, Names


def of_chat(forget: Forget = Forget.STAYS, **options: Any) -> Any:
    """Returns a column with the chat that the row belongs to, and with which it moves."""
    mark = Mark(Names.CHAT, forget)
    return stored(Number, ForeignKey("chat.id"), mark=mark, **options)


def of_talk(*, null: bool = False) -> Any:
    """Returns a column with a conversation; another one may continue it."""
    return stored(Words, null=null, mark=Mark(Names.CONVERSATION))


def of_person(forget: Forget = Forget.STAYS, *given: ForeignKey, **options: Any) -> Any:
    """Returns a column with a person; the row goes to the one that they are joined with."""
    return stored(Number, *given, mark=Mark(Names.PERSON, forget), **options)


def of_owner(forget: Forget) -> Any:
    """Returns a column with the owner of words that are remembered."""
    return stored(Words, mark=Mark(Names.OWNER, forget))


def of_message(forget: Forget = Forget.STAYS, **options: Any) -> Any:
    """Returns a column with a message of the row's chat, whose words go with the turn it began."""
    return stored(Words, mark=Mark(Names.MESSAGE, forget), **options)


def of_turn(forget: Forget, **options: Any) -> Any:
    """Returns a column with the turn that the row belongs to, and with which its words go."""
    return stored(Words, mark=Mark(Names.TURN, forget), **options)
