"""Tells in a statement if somebody may use the bot: a person whose access ended has no account."""

from sqlalchemy import ColumnElement, exists, select

from bot.adapters.sql.tables import account, person


def lost_access(of: ColumnElement[int]) -> ColumnElement[bool]:
    """Returns the condition that this person is known and has no account any more."""
    accounts = select(account.c.key).where(account.c.person == person.c.id)
    return exists().where(person.c.id == of, ~accounts.exists())
