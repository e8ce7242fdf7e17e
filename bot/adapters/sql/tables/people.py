"""People, their accounts, and how strangers become known."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import Date, ForeignKey, Index, Integer

from bot.adapters.sql.codec import PACE, RIGHTS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, spoken, stored
from bot.adapters.sql.tables.marks import Forget
from bot.domain.talk.person import Role


class PersonTable(Stored):
    id: int | None = kept(Number, primary_key=True)
    name: str = kept(Words)
    role: Role = stored(Choice(Role))
    rights: Any = kept(Json(RIGHTS), server_default="{}")
    pace: Any = kept(Json(PACE), null=True)
    about: str = spoken(Words, Forget.STAYS, told=True, server_default="")
    timezone: str | None = kept(Words, null=True)


class AccountTable(Stored):
    """An account of a platform and its person; the key is `channel:id`."""

    __table_args__ = (Index("ix_account_person", "person"),)
    key: str = kept(Words, primary_key=True)
    person: int = kept(Number, ForeignKey("person.id"))


class PairingTable(Stored):
    """The only live pairing code; redeeming it deletes the row."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    code_hash: str = kept(Words)
    expires_at: datetime = stored(UtcTime)


class GreetingTable(Stored):
    """The last day an account was told that the bot is private."""

    account: str = kept(Words, primary_key=True)
    day: date = stored(Date)


person = METADATA.tables["person"]
account = METADATA.tables["account"]
pairing = METADATA.tables["pairing"]
greeting = METADATA.tables["greeting"]
