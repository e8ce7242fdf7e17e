"""Writes of the raw updates that came in."""

from enum import StrEnum
from typing import TypeAlias

from bot.domain.value import frozen


class InboundState(StrEnum):
    """The state of a raw update: new, waiting for its turn, taken by one, or done without one.

    Heard: talk of a group that is not for the bot, kept for the next turn. Dead: it could not be
    read or routed. Dropped: it will not be answered. Asked: a card asks its sender to confirm it.
    """

    NEW = "new"
    ASKED = "asked"
    WAITING = "waiting"
    HEARD = "heard"
    TAKEN = "taken"
    DONE = "done"
    DEAD = "dead"
    DROPPED = "dropped"


@frozen
class MarkInbound:
    """Moves a raw update on; Conflict when it is not in one of the expected states.

    `person` wrote it. It counts for their pace unless it is a `fragment` of a message that does.
    With `forget` its body is dropped: nobody whom the bot knows wrote it.
    """

    id: int
    state: InboundState
    expect: tuple[InboundState, ...]
    chat: int | None = None
    message_id: str | None = None
    turn: str | None = None
    reason: str = ""
    person: int | None = None
    fragment: bool = False
    forget: bool = False


@frozen
class PassOver:
    """Marks new updates as done and drops their bodies: they do not concern the bot."""

    ids: tuple[int, ...]
    reason: str


@frozen
class ReleaseHeard:
    """Marks the heard updates of a chat, up to one of them, as done and drops their bodies."""

    chat: int
    up_to: int


@frozen
class AmendInbound:
    """Replaces the body of an update that still waits: its sender edited the message."""

    id: int
    body: str


InboxWrite: TypeAlias = MarkInbound | PassOver | ReleaseHeard | AmendInbound
