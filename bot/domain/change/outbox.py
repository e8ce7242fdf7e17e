"""Writes of the messages that are owed to people."""

from datetime import datetime
from typing import TypeAlias

from bot.domain.talk.message import Call, Outbound
from bot.domain.value import frozen


@frozen
class Show:
    """Puts a visible message into the outbox; the same key again makes it an edit, latest wins.

    An edit reaches the copies of the message too.
    """

    key: str
    chat: int
    content: Outbound
    over: str | None = None
    """The platform's id of a message that is on the screen already, which gets the content."""
    anew: bool = False
    """True to send a message again as a new one; the old one stays on the screen as it is."""
    copy_of: int | None = None
    """The number of the row of which this message is a copy; an edit of that row edits it too."""
    about: str = ""
    """The turn, card or plan whose words it shows; both are erased together. An edit keeps it."""
    call: Call = Call.NONE
    """The reason to call people, if it is a new message of a turn that has one."""


@frozen
class Retract:
    """Removes a message that was shown in passing and has no outbound key.

    The removal is silent; it happens with the next delivery to the chat.
    """

    chat: int
    turn: str
    message_id: str | None
    """The platform's id of the message; None when it is unknown, so that it is looked for."""
    since: datetime | None = None
    """The time at which the sending of a message began whose id is unknown."""


OutboxWrite: TypeAlias = Show | Retract
