"""Speech of people, kept as words, and answers that are owed as voice notes too."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HeardWords:
    """The words of a recording as they were heard, so that it is heard and paid for once."""

    chat: int
    """The chat that it was sent to."""
    key: str
    """The message that it came with and the platform's name of the file; unique in the chat."""
    words: str
    """The words; empty when the recording holds none."""
    at: datetime
    """The time at which it was heard."""


@dataclass(frozen=True, slots=True)
class VoiceNote:
    """An answer that is owed as a voice note beside its text; the text stands in its message."""

    turn: str
    """The turn whose answer it is."""
    chat: int
    """The chat of the turn."""
    at: datetime
    """The time at which the answer was settled."""
    tries: int = 0
    """Calls that were begun for it; a call is noted before it is made."""

    @property
    def answer_key(self) -> str:
        """Returns the outbound key of the message with the text."""
        return f"answer:{self.turn}"

    @property
    def key(self) -> str:
        """Returns the outbound key of the voice note."""
        return f"{_PREFIX}{self.turn}"


_PREFIX = "voice:"


def spoken_turn(key: str) -> str | None:
    """Returns the turn whose voice note has this outbound key; None for any other message."""
    return key.removeprefix(_PREFIX) if key.startswith(_PREFIX) else None
