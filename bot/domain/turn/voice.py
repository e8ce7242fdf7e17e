"""Speech of people, kept as words, and answers that are owed as voice notes too."""

from datetime import datetime

from bot.domain.money.budget import CallKind, Cause
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen


@frozen
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
    message: str = ""
    """The platform's id of the message that it came with."""


@frozen
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

    def cause(self, turn: Turn | None) -> Cause:
        """Returns the cause of a call for it; `turn` is the row of its turn, if there is one."""
        if turn is None:
            return Cause(CallKind.SPEAKING, self.chat)
        return Cause(CallKind.SPEAKING, turn.chat, turn.asker, turn.id, turn.skill)

    @property
    def answer_key(self) -> str:
        """Returns the outbound key of the message with the text."""
        return f"answer:{self.turn}"

    @property
    def key(self) -> str:
        """Returns the outbound key of the voice note."""
        return voice_key(self.turn)


def voice_key(turn: str) -> str:
    """Returns the outbound key of the voice note of a turn."""
    return f"voice:{turn}"
