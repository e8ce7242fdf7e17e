"""The opinion of a person about an answer: thumbs up or down, and nothing of the talk."""

from datetime import datetime
from enum import StrEnum

from bot.domain.value import frozen

ANSWER = "answer:"
"""Beginning of the key of the message with an answer; the rest is its turn."""

_SKIN_TONES = dict.fromkeys(range(0x1F3FB, 0x1F400))


class Opinion(StrEnum):
    """A thumb up or down."""

    GOOD = "good"
    BAD = "bad"


def opinion_in(emoji: str) -> Opinion | None:
    """Returns the opinion that an emoji stands for, in any colour of skin; None for others."""
    match emoji.translate(_SKIN_TONES):
        case "👍":
            return Opinion.GOOD
        case "👎":
            return Opinion.BAD
        case _:
            return None


@frozen
class Feedback:
    turn: str
    """The turn that gave the answer."""
    person: int
    """The person who has the opinion."""
    chat: int
    """The chat of the answer."""
    verdict: Opinion
    """The opinion itself."""
    at: datetime
    """The time it was given."""
    models: tuple[str, ...]
    """The models that wrote the replies of the turn, each once."""
