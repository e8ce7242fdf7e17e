"""Writes of received files and of the words of recordings."""

from typing import TypeAlias

from bot.domain.talk.received import ReceivedFile
from bot.domain.turn.voice import HeardWords
from bot.domain.value import frozen


@frozen
class SaveReceived:
    """Inserts or updates the row of a file that somebody sent, found by its chat and key."""

    file: ReceivedFile


@frozen
class KeepHeard:
    """Keeps the words of a recording, in place of what was kept of it before."""

    heard: HeardWords


ReceivedWrite: TypeAlias = SaveReceived | KeepHeard
