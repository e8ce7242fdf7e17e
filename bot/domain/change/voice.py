"""Writes of voice notes that are owed."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.turn.voice import VoiceNote


@dataclass(frozen=True, slots=True)
class OweVoice:
    """Makes an answer owed as a voice note, or notes how often that was tried."""

    note: VoiceNote


@dataclass(frozen=True, slots=True)
class EndVoice:
    """Ends the debt of a voice note: it is a message now, or will never be one."""

    turn: str


VoiceWrite: TypeAlias = OweVoice | EndVoice
