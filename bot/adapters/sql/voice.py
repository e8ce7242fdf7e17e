"""The words of recordings, and the answers that are owed as voice notes."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import hearing, voice_note
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import EndVoice, KeepHeard, OweVoice
from bot.domain.turn.voice import HeardWords, VoiceNote

_HEARD = select(hearing.c.words).where(
    hearing.c.chat == bindparam("of"), hearing.c.key == bindparam("named")
)
_OWED = (
    select(*columns(voice_note, VoiceNote))
    .order_by(voice_note.c.at, voice_note.c.turn)
    .limit(bindparam("most"))
)
_KEEP = Upsert(hearing, ["chat", "key"], overwrite("words", "at", "message"))
_OWE = Upsert(voice_note, ["turn"], overwrite("tries"))
_END = delete(voice_note).where(voice_note.c.turn == bindparam("of"))


class SqlVoice:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def heard(self, chat: int, key: str) -> str | None:
        wanted = {"of": chat, "named": key}
        return await self._database.read(lambda c: c.execute(_HEARD, wanted).scalar())

    async def owed(self, limit: int) -> Sequence[VoiceNote]:
        wanted = {"most": limit}
        return [VoiceNote(*row) for row in await self._database.fetch(_OWED, wanted)]


def keep_heard(connection: Connection, writes: Sequence[KeepHeard], _at: datetime) -> None:
    _KEEP.run(connection, *(values(write.heard, names(HeardWords)) for write in writes))


def owe_voices(connection: Connection, writes: Sequence[OweVoice], _at: datetime) -> None:
    _OWE.run(connection, *(values(write.note, names(VoiceNote)) for write in writes))


def end_voices(connection: Connection, writes: Sequence[EndVoice], _at: datetime) -> None:
    connection.execute(_END, [{"of": write.turn} for write in writes])
