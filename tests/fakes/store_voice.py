"""Recordings and voice notes in memory: how a change alters them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import EndVoice, KeepHeard, OweVoice

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def speak(rows: "Rows", write: KeepHeard | OweVoice | EndVoice) -> None:
    match write:
        case KeepHeard(heard):
            rows.hearings[rows.chat(heard.chat).id, heard.key] = heard
        case OweVoice(note):
            known = rows.voice_notes.get(note.turn, note)
            rows.chat(note.chat)
            rows.voice_notes[note.turn] = replace(known, tries=note.tries)
        case EndVoice(turn):
            rows.voice_notes.pop(turn, None)
