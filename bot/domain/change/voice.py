"""Writes of voice notes that are owed."""

from typing import TypeAlias

from bot.domain.turn.voice import VoiceNote
from bot.domain.value import frozen


@frozen
class OweVoice:
    """Makes an answer owed as a voice note, or notes how often that was tried."""

    note: VoiceNote


@frozen
class EndVoice:
    """Ends the debt of a voice note: it is a message now, or will never be one."""

    turn: str


VoiceWrite: TypeAlias = OweVoice | EndVoice
