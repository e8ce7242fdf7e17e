"""The words of recordings, and the answers that are owed as voice notes."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
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


class SqlVoice(Reads):
    async def heard(self, chat: int, key: str) -> str | None:
        return await self._scalar(_HEARD, of=chat, named=key)

    async def owed(self, limit: int) -> Sequence[VoiceNote]:
        return await self._all(VoiceNote, _OWED, most=limit)


def keep_heard(connection: Connection, writes: Sequence[KeepHeard], _at: datetime) -> None:
    _KEEP.run(connection, *(values(write.heard, names(HeardWords)) for write in writes))


def owe_voices(connection: Connection, writes: Sequence[OweVoice], _at: datetime) -> None:
    _OWE.run(connection, *(values(write.note, names(VoiceNote)) for write in writes))


def end_voices(connection: Connection, writes: Sequence[EndVoice], _at: datetime) -> None:
    connection.execute(_END, [{"of": write.turn} for write in writes])
