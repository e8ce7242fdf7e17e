"""Voice notes that are owed."""

from datetime import datetime

from sqlalchemy import Integer

from bot.adapters.sql.columns import Moment, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, stored


class VoiceNoteTable(Stored, table=True):
    """An answer that is owed as a voice note too; its words stand in its message."""

    turn: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    at: datetime = stored(Moment)
    tries: int = stored(Integer)


voice_note = METADATA.tables["voice_note"]
