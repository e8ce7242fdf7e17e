"""Voice notes that are owed."""

from datetime import datetime

from sqlalchemy import Integer

from bot.adapters.sql.columns import UtcTime
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, of_turn, stored
from bot.adapters.sql.tables.marks import Forget


class VoiceNoteTable(Stored):
    """An answer that is owed as a voice note too; its words stand in its message."""

    turn: str = of_turn(Forget.STAYS, primary_key=True)
    chat: int = of_chat()
    at: datetime = stored(UtcTime)
    tries: int = stored(Integer)


voice_note = METADATA.tables["voice_note"]
