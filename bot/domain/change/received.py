"""Writes of received files and of the words of recordings."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.talk.received import ReceivedFile
from bot.domain.turn.voice import HeardWords


@dataclass(frozen=True, slots=True)
class SaveReceived:
    """Inserts or updates the row of a file that somebody sent, found by its chat and key."""

    file: ReceivedFile


@dataclass(frozen=True, slots=True)
class KeepHeard:
    """Keeps the words of a recording, in place of what was kept of it before."""

    heard: HeardWords


ReceivedWrite: TypeAlias = SaveReceived | KeepHeard
