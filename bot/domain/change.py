"""What one transaction does to the store, as a value: carried out whole or not at all."""

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
    """Where a raw update stands: new, waiting for its turn, taken by one, or done without one.

    A heard one is talk of a group that is not for the bot, kept to be read at the next turn. A
    dead one could not be read or routed; a dropped one waited or would have, and is not answered.
    About an asked one a card asks whether it is meant.
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
    """Puts a skill to work in a chat, or none.

    A `lent` one is the model's choice: it never takes the place of one that a person chose.
    """

    chat: int
    skill: str | None
    lent: bool = False


@dataclass(frozen=True, slots=True)
class MoveChat:
    """Gives a chat another address, with all that it holds; nothing when that one is taken.

    Messages on the old screen are out of reach: cards that are open are owed anew, and so is what
    was not shown yet, as a reply to nothing.
    """

    old: Address
    new: Address


@dataclass(frozen=True, slots=True)
class JoinChats:
    """Moves a chat to where another lives, whose log and rows become the end of its own.

    Only the owner of the moving chat may do so, while no turn of it is unfinished. The settings
    are those of the chat that moves.
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
    """Marks new updates as done and drops their bodies: they are none of the bot's business."""

    ids: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseHeard:
    """Marks what was heard in a chat, up to an update, as done and drops the bodies."""

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

    A card that was set aside stays so: what was decided from an older look at it is a Conflict.
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


@dataclass(frozen=True, slots=True)
class Retract:
    """Owes a chat the end of a message that was shown in passing, under no key of ours.

    Nobody is told: it is taken away with the next thing that is delivered there.
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
    """Sets what a person may do and how much; `pace` of None is the common one."""

    person: int
    rights: Rights
    pace: Pace | None


@dataclass(frozen=True, slots=True)
class LinkAccount:
    """Gives an account (`channel:id`) to a person, whoever had it before."""

    account: str
    person: int


@dataclass(frozen=True, slots=True)
class Revoke:
    """Ends a person: accounts, rights and rules go, waiting messages are dropped, turns stopped.

    `how` is what the turns are told, as by AskStop. Open cards end with their turns; those that
    were set aside are withdrawn one by one.
    """

    person: int
    how: str


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
class AllowServer:
    """Keeps the consent that a tool server may be started; nothing when it was given before."""

    consent: ServerConsent


@dataclass(frozen=True, slots=True)
class DropConsent:
    """Removes the consent for what goes by this identity."""

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
