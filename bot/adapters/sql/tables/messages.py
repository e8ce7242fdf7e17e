"""Messages: as they came in, as the log holds them, and as they are shown."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, false, text

from bot.adapters.sql.codec import BODY, OUTBOUND, PIECES, WORDS
from bot.adapters.sql.columns import Bytes, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget, Mark, Names
from bot.adapters.sql.tables.naming import of_chat, of_message, of_person, of_talk, of_turn
from bot.adapters.sql.this_process import ThisProcess
from bot.domain.change import InboundState
from bot.ports.outbox import DeliveryState

OWED = text("state = 'owed'")
COPIES = text("copy_of IS NOT NULL")
ABOUT = text("about <> ''")


class OutboxTable(Stored):
    """A visible message: its wanted content, and its pieces and ids as last recorded.

    A message that shows the same as another one, its original, has the original's number. Its
    maker is the process that wrote it first. It is about a turn, or a card or a plan of one.
    """

    __table_args__ = (
        partial("ix_outbox_owed", "chat", where=OWED),
        partial("ix_outbox_copy", "copy_of", where=COPIES),
        partial("ix_outbox_about", "about", where=ABOUT),
        Index("ix_outbox_chat", "chat", "id"),
    )
    id: int | None = kept(Number, primary_key=True)
    key: str = kept(Words, unique=True)
    chat: int = of_chat()
    content: Any = spoken(Json(OUTBOUND), Forget.BY_HAND)
    version: int = stored(Integer)
    shown_version: int = stored(Integer)
    state: DeliveryState = stored(Choice(DeliveryState))
    created_at: datetime = stored(UtcTime)
    pieces: Any = spoken(Json(PIECES), Forget.BY_HAND)
    message_ids: Any = kept(Json(WORDS))
    attempts: int = stored(Integer)
    error: str = kept(Words)
    recorded_at: datetime | None = stored(UtcTime, null=True)
    copy_of: int | None = kept(Number, null=True)
    maker: int | None = kept(Number, null=True, default=ThisProcess())
    about: str = of_turn(Forget.BY_HAND, server_default="")


class StreamTable(Stored):
    """The position up to which a stream of updates is stored: the next process goes on there."""

    name: str = kept(Words, primary_key=True)
    position: str = kept(Words)
    at: datetime = stored(UtcTime)


class SightTable(Stored):
    """The link from a platform's message id to its outbound message."""

    chat: int = of_chat(primary_key=True)
    message_id: str = kept(Words, primary_key=True)
    outbox: int = kept(Number, ForeignKey("outbox.id"))


class SendingTable(Stored):
    """A chat to which something may have been sent, since a time, that is not recorded."""

    chat: int = stored(
        Number, mark=Mark(Names.CHAT, Forget.STAYS), primary_key=True, autoincrement=False
    )
    at: datetime = stored(UtcTime)


outbox = METADATA.tables["outbox"]
sending = METADATA.tables["sending"]
stream = METADATA.tables["stream"]
sight = METADATA.tables["sight"]


UNROUTED = text("state = 'new'")
WAITING = text("state = 'waiting'")
HEARD = text("state = 'heard'")
KNOWN = text("person IS NOT NULL")
COUNTED = text("person IS NOT NULL AND NOT fragment")
TAKEN = text("turn IS NOT NULL")


class InboxTable(Stored):
    """A raw update; rows of messages stay, so that an update is recognised for ever.

    Its owner is the process that routes it.
    """

    __table_args__ = (
        Index("uq_inbox_channel", "channel", "key", unique=True),
        partial("ix_inbox_unrouted", "id", where=UNROUTED),
        partial("ix_inbox_waiting", "chat", where=WAITING),
        partial("ix_inbox_heard", "chat", where=HEARD),
        partial("ix_inbox_counted", "person", "received_at", where=COUNTED),
        partial("ix_inbox_message", "chat", "message_id", where=WAITING),
        partial("ix_inbox_taken", "turn", where=TAKEN),
        Index("ix_inbox_chat", "chat", "id"),
    )
    id: int | None = kept(Number, primary_key=True)
    channel: str = kept(Words)
    key: str = kept(Words)
    body: str = spoken(Bytes, Forget.EMPTY)
    state: InboundState = stored(Choice(InboundState))
    received_at: datetime = stored(UtcTime)
    chat: int | None = of_chat(null=True)
    message_id: str | None = of_message(null=True)
    turn: str | None = of_turn(Forget.MARK, null=True)
    reason: str = kept(Words)
    person: int | None = of_person(null=True)
    fragment: bool = stored(Boolean, server_default=false())
    owner: int | None = kept(Number, null=True, default=ThisProcess())


inbox = METADATA.tables["inbox"]


class EntryTable(Stored):
    """One line of the log, never updated but when its words are erased."""

    __table_args__ = (Index("ix_entry_conversation", "conversation", "seq"),)
    chat: int = of_chat(primary_key=True)
    seq: int = kept(Number, primary_key=True)
    conversation: str = of_talk()
    turn: str = of_turn(Forget.BY_HAND)
    at: datetime = stored(UtcTime)
    body: Any = spoken(Json(BODY), Forget.BY_HAND, told=True)


class ArtifactTable(Stored):
    __table_args__ = (Index("ix_artifact_turn", "turn"),)
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    text: str = spoken(Bytes)
    turn: str = of_turn(Forget.MARK, server_default="")


entry = METADATA.tables["entry"]
artifact = METADATA.tables["artifact"]


KEPT = text("NOT swept")


class ReceivedTable(Stored):
    """A file that somebody sent; rows of swept files stay, so that copies are recognised."""

    __table_args__ = (
        Index("uq_received_chat", "chat", "key", unique=True),
        Index("ix_received_size", "size"),
        partial("ix_received_kept", "id", where=KEPT),
    )
    id: int | None = kept(Number, primary_key=True)
    chat: int = of_chat()
    key: str = kept(Words)
    folder: str = kept(Bytes)
    path: str = kept(Words)
    size: int = kept(Number)
    digest: str = kept(Words)
    kept_at: datetime = stored(UtcTime)
    swept: bool = stored(Boolean)


class HearingTable(Stored):
    """The words of a recording, as they were heard."""

    chat: int = of_chat(Forget.ROW, primary_key=True)
    key: str = kept(Words, primary_key=True)
    words: str = spoken(Words, Forget.ROW)
    at: datetime = stored(UtcTime)
    message: str = of_message(Forget.ROW, server_default="")


received = METADATA.tables["received"]
hearing = METADATA.tables["hearing"]


class VoiceNoteTable(Stored):
    """An answer that is owed as a voice note too; its words stand in its message."""

    turn: str = of_turn(Forget.STAYS, primary_key=True)
    chat: int = of_chat()
    at: datetime = stored(UtcTime)
    tries: int = stored(Integer)


voice_note = METADATA.tables["voice_note"]
