"""Changes of the store as values: each is one transaction, carried out whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from bot.domain.approval import Approval, ApprovalState, Rule
from bot.domain.chat import Chat, Conversation
from bot.domain.message import Address, Outbound
from bot.domain.model import Usage
from bot.domain.plan import Plan, PlanStep
from bot.domain.rights import Pace, Rights
from bot.domain.server import ServerConsent
from bot.domain.transcript import Entry
from bot.domain.turn import Turn


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


@dataclass(frozen=True, slots=True)
class Append:
    """Adds entries to the log of a chat; their numbers follow the last one without a gap."""

    chat: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SaveTurn:
    """Inserts or updates a turn's row, all but `stop_asked`: that is written by AskStop alone."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class CountStart:
    """Counts the present start of a running turn as failed, unless it makes progress yet."""

    turn: str


@dataclass(frozen=True, slots=True)
class EndRest:
    """Moves the next trial of a turn to another time; Conflict when it is not in this rest."""

    turn: str
    rest: int
    at: datetime


@dataclass(frozen=True, slots=True)
class AskStop:
    """Asks an unfinished turn of a chat to stop; a settled one is left alone."""

    turn: str
    how: str


@dataclass(frozen=True, slots=True)
class SaveChat:
    """Updates a chat's settings and its current conversation; fence, log end and skill stay."""

    chat: Chat


@dataclass(frozen=True, slots=True)
class NameChat:
    """Stores the title people see; nothing else of the chat changes."""

    chat: int
    title: str


@dataclass(frozen=True, slots=True)
class ChooseSkill:
    """Sets the skill of a chat; None ends it.

    A `lent` skill is the model's choice and never replaces one that a person chose.
    """

    chat: int
    skill: str | None
    lent: bool = False


@dataclass(frozen=True, slots=True)
class MoveChat:
    """Gives a chat another address; does nothing when that address is taken.

    The bot cannot reach messages at the old address: open cards and messages that were not shown
    yet are sent anew, as replies to nothing.
    """

    old: Address
    new: Address


@dataclass(frozen=True, slots=True)
class JoinChats:
    """Moves a chat to the address of another one, whose log and rows are added to its own.

    Only the owner of the moving chat may do so, while it has no unfinished turn. The settings of
    the moving chat remain.
    """

    old: Address
    new: Address


@dataclass(frozen=True, slots=True)
class SaveConversation:
    """Inserts or updates a conversation."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class MarkInbound:
    """Moves a raw update on; Conflict when it is not in one of the expected states.

    `person` wrote it. It counts for their pace unless it is a `fragment` of a message that does.
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


@dataclass(frozen=True, slots=True)
class PassOver:
    """Marks new updates as done and drops their bodies: they do not concern the bot."""

    ids: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseHeard:
    """Marks the heard updates of a chat, up to one of them, as done and drops their bodies."""

    chat: int
    up_to: int


@dataclass(frozen=True, slots=True)
class AmendInbound:
    """Replaces the body of an update that still waits: its sender edited the message."""

    id: int
    body: str


@dataclass(frozen=True, slots=True)
class SaveApproval:
    """Inserts a card (`expect` None) or moves it on; Conflict when its state is another one.

    A card that was set aside stays so: a decision made from an older state is a Conflict.
    """

    approval: Approval
    expect: ApprovalState | None = None


@dataclass(frozen=True, slots=True)
class SavePlan:
    """Inserts a plan (`expect` None) or moves it on; Conflict when its version is another one.

    A second live plan of a chat is a Conflict too. `steps` are those that are new or changed.
    """

    plan: Plan
    expect: int | None = None
    steps: tuple[PlanStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """Puts a visible message into the outbox; the same key again makes it an edit, latest wins."""

    key: str
    chat: int
    content: Outbound
    over: str | None = None
    """The platform's id of a message that is on the screen already, which gets the content."""


@dataclass(frozen=True, slots=True)
class Retract:
    """Removes a message that was shown in passing and has no outbound key.

    The removal is silent; it happens with the next delivery to the chat.
    """

    chat: int
    turn: str
    message_id: str


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
class SaveTerms:
    """Sets the rights and the pace of a person; a `pace` of None is the common one."""

    person: int
    rights: Rights
    pace: Pace | None


@dataclass(frozen=True, slots=True)
class LinkAccount:
    """Gives an account (`channel:id`) to a person, even when another person had it."""

    account: str
    person: int


@dataclass(frozen=True, slots=True)
class Revoke:
    """Removes a person with accounts, rights and rules; drops waiting messages and stops turns.

    `how` is the reason for the turns, as in AskStop. Open cards end with their turns; the caller
    withdraws those that were set aside one by one.
    """

    person: int
    how: str


@dataclass(frozen=True, slots=True)
class AddUsage:
    """Records the tokens and the cost of one model call (dollars; None without a known price)."""

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
    """One line of the permanent record: a person, an action, its subject, and the details."""

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
class AllowServer:
    """Keeps the consent that a tool server may be started; nothing when it was given before."""

    consent: ServerConsent


@dataclass(frozen=True, slots=True)
class DropConsent:
    """Removes the consent for the server with this identity."""

    identity: str


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
    | CountStart
    | EndRest
    | AskStop
    | SaveChat
    | NameChat
    | ChooseSkill
    | MoveChat
    | JoinChats
    | SaveConversation
    | MarkInbound
    | PassOver
    | ReleaseHeard
    | AmendInbound
    | SaveApproval
    | SavePlan
    | Show
    | Retract
    | AddRule
    | DropRule
    | SaveTerms
    | LinkAccount
    | Revoke
    | AddUsage
    | AddAudit
    | AddArtifact
    | AddVerdict
    | AllowServer
    | DropConsent
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
