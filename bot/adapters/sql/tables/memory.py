"""Passages and notes, and the state of their indexes."""

from datetime import datetime

from sqlalchemy import Boolean, Float, ForeignKey, Index, Integer, false, text

from bot.adapters.sql.columns import Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, partial, stored

UNINDEXED = text("NOT indexed")
UNMEANT = text("NOT meant")


class PassageTable(Stored, table=True):
    """A settled answer with its question.

    `indexed` is false while the index of words is owed it, `meant` while that of meaning is.

    No number is used twice: the index knows passages by number.
    """

    __table_args__ = (
        Index("uq_passage_id", "id", unique=True),
        Index("ix_passage_whose", "whose", "at"),
        Index("ix_passage_conversation", "conversation", "number"),
        partial("ix_passage_unindexed", "number", where=UNINDEXED),
        partial("ix_passage_unmeant", "number", where=UNMEANT),
        {"sqlite_autoincrement": True},
    )
    number: int | None = stored(Number, primary_key=True)
    id: str = stored(Words)
    whose: str = stored(Words)
    at: datetime = stored(UtcTime)
    question: str = stored(Words)
    answer: str = stored(Words)
    person: int = stored(Number)
    speaker: str = stored(Words)
    chat: int | None = stored(Number, ForeignKey("chat.id"), null=True)
    conversation: str = stored(Words)
    skill: str | None = stored(Words, null=True)
    untrusted: str | None = stored(Words, null=True)
    origins: str = stored(Words, server_default="")
    indexed: bool = stored(Boolean, server_default=false())
    meant: bool = stored(Boolean, server_default=false())


class NoteTable(Stored, table=True):
    __table_args__ = (Index("ix_note_whose", "whose", "at"),)
    id: str = stored(Words, primary_key=True)
    whose: str = stored(Words)
    text: str = stored(Words)
    at: datetime = stored(UtcTime)
    person: int = stored(Number)
    speaker: str = stored(Words)
    conversation: str = stored(Words)


class PastTable(Stored, table=True):
    """The last conversation from before the memory that was read; `ended` after all of them."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    conversation: str = stored(Words)
    ended: bool = stored(Boolean)


class MeaningTable(Stored, table=True):
    """The index of meaning that `meant` is about."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    name: str = stored(Words)
    space: str = stored(Words)
    weight: float | None = stored(Float, null=True)
    weighed: int = stored(Number, server_default="0")


class LeavingTable(Stored, table=True):
    """Vectors that the index of meaning has to take out."""

    number: int = stored(Number, primary_key=True, autoincrement=False)
    whose: str = stored(Words, primary_key=True)


passage = METADATA.tables["passage"]
note = METADATA.tables["note"]
past = METADATA.tables["past"]
meaning = METADATA.tables["meaning"]
leaving = METADATA.tables["leaving"]
