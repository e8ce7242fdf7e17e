"""What one transaction does to the store, as a value: carried out whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from bot.domain.approval import Approval, ApprovalState, Rule
from bot.domain.chat import Chat, Conversation
from bot.domain.exchange import Usage
from bot.domain.message import Outbound
from bot.domain.transcript import Entry
from bot.domain.turn import Turn


class InboundState(StrEnum):
    """Where a raw update stands: new, waiting for its turn, taken by one, or done without one."""

    NEW = "new"
    WAITING = "waiting"
    TAKEN = "taken"
    DONE = "done"
    DEAD = "dead"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Append:
    """Adds entries to the log of a chat; their numbers follow the last one without a gap."""

    chat: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SaveTurn:
    """Inserts or updates a turn's row; `stop_asked` is never written here but by AskStop."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class AskStop:
    """Asks an unfinished turn of a chat to stop; a settled one is left alone."""

    turn: str
    how: str


@dataclass(frozen=True, slots=True)
class SaveChat:
    """Updates a chat's settings and its current conversation; fence and log end stay."""

    chat: Chat


@dataclass(frozen=True, slots=True)
class SaveConversation:
    """Inserts or updates a conversation."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class MarkInbound:
    """Moves a raw update on; Conflict when it is not in one of the expected states."""

    id: int
    state: InboundState
    expect: tuple[InboundState, ...]
    chat: int | None = None
    message_id: str | None = None
    turn: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AmendInbound:
    """Replaces the body of an update that still waits: its sender edited the message."""

    id: int
    body: str


@dataclass(frozen=True, slots=True)
class SaveApproval:
    """Inserts a card (`expect` None) or moves it on; Conflict when its state is another one.

    A card that was set aside stays so: what was decided from an older look at it is a Conflict.
    """

    approval: Approval
    expect: ApprovalState | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """Puts a visible message into the outbox; the same key again makes it an edit, latest wins."""

    key: str
    chat: int
    content: Outbound


@dataclass(frozen=True, slots=True)
class AddRule:
    """Stores a standing rule; its id is given by the store."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class DropRule:
    """Removes a standing rule of a chat."""

    id: int
    chat: int


@dataclass(frozen=True, slots=True)
class AddUsage:
    """What one model call used and cost (dollars, None when the price is unknown)."""

    turn: str
    chat: int
    person: int
    model: str
    at: datetime
    usage: Usage
    cost: float | None
    call_type: str = "turn"


@dataclass(frozen=True, slots=True)
class AddAudit:
    """One line of the record that is kept for ever: who did what to what, and why."""

    at: datetime
    chat: int | None
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AddArtifact:
    """The whole of a text of which the log holds a preview."""

    id: str
    chat: int
    text: str


@dataclass(frozen=True, slots=True)
class AddVerdict:
    """One round's record: the step taken, its reason, and what the view builder changed."""

    turn: str
    round: int
    at: datetime
    details: Mapping[str, Any]


Write: TypeAlias = (
    Append
    | SaveTurn
    | AskStop
    | SaveChat
    | SaveConversation
    | MarkInbound
    | AmendInbound
    | SaveApproval
    | Show
    | AddRule
    | DropRule
    | AddUsage
    | AddAudit
    | AddArtifact
    | AddVerdict
)


@dataclass(frozen=True, slots=True)
class Fence:
    """Proof of ownership: a chat and the number its owner was given."""

    chat: int
    number: int


@dataclass(frozen=True, slots=True)
class Change:
    """Writes that belong together, in order.

    With a fence nothing is written once another owner has claimed the chat. `durable` changes
    survive a power loss when `commit` returns; the others survive the death of the process.
    """

    writes: tuple[Write, ...]
    fence: Fence | None = None
    durable: bool = False
