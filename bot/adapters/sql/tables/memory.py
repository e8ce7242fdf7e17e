"""Passages, notes and descriptions, and the state of their indexes."""

from datetime import datetime

from sqlalchemy import Boolean, Float, Index, Integer, LargeBinary, false, text

from bot.adapters.sql.columns import Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.tables.naming import of_chat, of_owner, of_person, of_talk, of_turn

UNINDEXED = text("NOT indexed")
UNMEANT = text("NOT meant")


class PassageTable(Stored, sqlite_autoincrement=True):
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
    )
    number: int | None = kept(Number, primary_key=True)
    id: str = of_turn(Forget.BY_HAND)
    whose: str = of_owner(Forget.BY_HAND)
    at: datetime = stored(UtcTime)
    question: str = spoken(Words, Forget.ROW, told=True)
    answer: str = spoken(Words, Forget.ROW, told=True)
    person: int = of_person()
    speaker: str = kept(Words)
    chat: int | None = of_chat(null=True)
    conversation: str = of_talk()
    skill: str | None = kept(Words, null=True)
    untrusted: str | None = kept(Words, null=True)
    origins: str = kept(Words, server_default="")
    indexed: bool = stored(Boolean, server_default=false())
    meant: bool = stored(Boolean, server_default=false())


class NoteTable(Stored):
    __table_args__ = (Index("ix_note_whose", "whose", "at"),)
    id: str = kept(Words, primary_key=True)
    whose: str = of_owner(Forget.ROW)
    text: str = spoken(Words, Forget.ROW, told=True)
    at: datetime = stored(UtcTime)
    person: int = of_person()
    speaker: str = kept(Words)
    conversation: str = of_talk()


class PastTable(Stored):
    """The last conversation from before the memory that was read; `ended` after all of them."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    conversation: str = kept(Words)
    ended: bool = stored(Boolean)


class MeaningTable(Stored):
    """The index of meaning that `meant` is about."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    name: str = kept(Words)
    space: str = kept(Words)
    weight: float | None = stored(Float, null=True)
    weighed: int = kept(Number, server_default="0")


class LeavingTable(Stored):
    """Vectors that the index of meaning has to take out."""

    number: int = kept(Number, primary_key=True, autoincrement=False)
    whose: str = kept(Words, primary_key=True)


passage = METADATA.tables["passage"]
note = METADATA.tables["note"]
past = METADATA.tables["past"]
meaning = METADATA.tables["meaning"]
leaving = METADATA.tables["leaving"]


class DescriptionTable(Stored):
    """A description that was or is being embedded, without its words.

    `vector` is null while a process is at it. `at` is the time of its claim, later of its last use.
    """

    key: str = kept(Words, primary_key=True)
    vector: bytes | None = kept(LargeBinary, null=True)
    at: datetime = stored(UtcTime)


description = METADATA.tables["description"]
