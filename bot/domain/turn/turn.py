"""A turn: from an inbound message, or a late decision, to its settled outcome."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from bot.domain.turn.mandate import Mandate
from bot.domain.turn.outcome import StopReason
from bot.domain.value import frozen, replace

ACCESS_ENDED = "access was taken back"
"""The text of `stop_asked` when an owner took back the access of the turn's asker."""

BOT_GONE = "the bot is no longer in the chat"
"""The text of `stop_asked` when the bot was removed from the turn's chat."""

GIVEN_UP = "Give up"
"""The beginning of `stop_asked` of a resting turn that somebody gave up."""

ONE_OF_SEVERAL = " (one of several)"
"""The end of `stop_asked` of a turn that stops together with another, which says so."""


class WaysOn(StrEnum):
    """The state of the buttons below the end of a turn: none, open, pressed, or past.

    They are past once the conversation went on without them.
    """

    NONE = "none"
    OPEN = "open"
    PRESSED = "pressed"
    PAST = "past"


class Way(StrEnum):
    """A way on from the end of a turn: try again, go on, answer its question, or answer it anew.

    A turn that answers anew takes the first one out of view.
    """

    ANEW = "anew"
    AGAIN = "again"
    ONWARD = "onward"
    ANSWER = "answer"


TAKEN_UP = "turn.taken_up"
"""The line of the record about a turn under way that went on in another life of the program."""


class TurnState(StrEnum):
    """The state of a turn; a parked one waits for a person and holds nothing but its rows.

    A resting one failed too often: it waits for its next trial, and others go first.
    """

    QUEUED = "queued"
    RUNNING = "running"
    RESTING = "resting"
    PARKED = "parked"
    SETTLED = "settled"


@frozen
class Turn:
    """The row of a turn: everything the log does not tell of it."""

    id: str
    """Names the turn in the store."""
    chat: int
    """The chat of the turn."""
    conversation: str
    """The id of the conversation that the turn belongs to."""
    asker: int
    """The person who started the turn."""
    asker_name: str
    """The name of the person who asked."""
    model: str
    """The model that answers; empty until a queued turn starts."""
    created_at: datetime
    """The time the turn was queued."""
    mandate: Mandate
    """The most that it may do."""
    origin: Literal[
        "message",
        "continuation",
        "compaction",
        "plan",
        "errand",
        "task",
        "hook",
        "reflection",
        "undo",
    ] = "message"
    """The cause of the turn; a continuation carries on with the call of the card `approval`."""
    approval: str | None = None
    """The card that a continuation follows."""
    state: TurnState = TurnState.RUNNING
    """The stage of its life."""
    stop_reason: StopReason | None = None
    """The way the turn ended; None until it is settled."""
    rounds: int = 0
    """Model calls so far."""
    calls: int = 0
    """Tool calls in all replies so far."""
    worked_ms: int = 0
    """Time spent working; waiting for people does not count."""
    attempts: int = 0
    """Starts that failed since the last progress; a death before a step has lived is none."""
    stop_asked: str | None = None
    """Names the person who asked for a stop, and the way; written from outside the lane."""
    reply_to: str | None = None
    """The platform's id of the message that the answer replies to."""
    ended_at: datetime | None = None
    """The time the turn was settled."""
    skill: str | None = None
    """The skill in use."""
    stages: int = 0
    """The number of times a skill took over from another in this turn."""
    rests: int = 0
    """Rests since the last progress."""
    rests_until: datetime | None = None
    """The time of the next trial of a resting turn."""
    begun: int = 0
    """Times that the turn was taken up while it was under way, since the last progress."""
    held_back: bool = False
    """True while a suspected turn waits to be tried alone; it has not begun in this life then."""
    ways_on: WaysOn = WaysOn.NONE
    """The state of the buttons below its end."""
    follows: str | None = None
    """The turn below whose end a button was pressed that started this one."""
    way: Way | None = None
    """The way on from the turn that it follows."""
    said: str = ""
    """The words of a pressed button that answer the question of the turn that it follows.

    Of an undo it is the key of the message that asked for it.
    """
    parent: str | None = None
    """The turn that sent this one on an errand."""

    def starts(self, id: str, now: datetime, **changes: Any) -> "Turn":
        """Returns a queued turn that this one starts, with at most its own mandate.

        It is of the same chat, conversation and asker unless `changes` name others.
        """
        own = TurnAsker(self.chat, self.conversation, self.asker, self.asker_name)
        child = replace(own.starts(id, now, self.mandate), **changes)
        return replace(child, mandate=self.mandate.lent_to(child.mandate))


@frozen
class TurnAsker:
    """The person in whose name a turn starts, in a conversation of a chat."""

    chat: int
    conversation: str
    person: int
    name: str

    def starts(self, id: str, now: datetime, mandate: Mandate, **fields: Any) -> Turn:
        """Returns a queued turn that may do what the mandate allows."""
        turn = Turn(
            id=id,
            chat=self.chat,
            conversation=self.conversation,
            asker=self.person,
            asker_name=self.name,
            model="",
            created_at=now,
            mandate=mandate,
            state=TurnState.QUEUED,
        )
        return replace(turn, **fields)
