"""Changes of the store as values: each is one transaction, carried out whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from bot.domain.approval import Approval, ApprovalState, Rule
from bot.domain.budget import Cause, Scope
from bot.domain.chat import Chat, Conversation
from bot.domain.erasing import Target
from bot.domain.errand import Errand
from bot.domain.feedback import Feedback, Opinion
from bot.domain.file_change import FileChange
from bot.domain.goal import DiaryEntry, Goal
from bot.domain.hook import HookCall, HookPace
from bot.domain.message import Address, Outbound
from bot.domain.model import Usage
from bot.domain.money import Nano
from bot.domain.note import Note
from bot.domain.passage import Passage
from bot.domain.plan import Plan, PlanStep
from bot.domain.received import ReceivedFile
from bot.domain.rights import Pace, Rights
from bot.domain.server import ServerConsent
from bot.domain.task import TaskRun, TaskState, TimedTask
from bot.domain.transcript import Entry
from bot.domain.turn import Turn, WaysOn
from bot.domain.voice import HeardWords, VoiceNote


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
    """Counts the present start of a running turn as failed, unless it makes progress yet.

    A turn that was held back has begun with it.
    """

    turn: str


@dataclass(frozen=True, slots=True)
class EndRest:
    """Moves the next trial of a turn to another time; Conflict when it is not in this rest."""

    turn: str
    rest: int
    at: datetime


@dataclass(frozen=True, slots=True)
class EndWays:
    """Ends the buttons below the end of a turn; Conflict when they are not open any more."""

    turn: str
    how: Literal[WaysOn.PRESSED, WaysOn.PAST]


@dataclass(frozen=True, slots=True)
class AskStop:
    """Asks an unfinished turn of a chat to stop; a settled one is left alone."""

    turn: str
    how: str


@dataclass(frozen=True, slots=True)
class SaveChat:
    """Updates a chat's settings and its current conversation.

    Fence, log end, skill and voice stay: they have writes of their own.
    """

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
class SetVoice:
    """Turns spoken answers of a chat on or off; off also ends what is owed of them."""

    chat: int
    on: bool


@dataclass(frozen=True, slots=True)
class NoteOffer:
    """Notes that a card of the chat offers what this edition of a skill asks for."""

    chat: int
    under: str


@dataclass(frozen=True, slots=True)
class EndGrants:
    """Removes the rules of a chat that skills asked for, but for those of the edition `keep`.

    What any other skill asks for is offered again when it comes into use.
    """

    chat: int
    keep: str | None = None


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
class SaveErrand:
    """Inserts an errand (`expect` None) or moves it on; Conflict when its version is another one.

    With the first row its home belongs to the chat that shows what happens there.
    """

    errand: Errand
    expect: int | None = None
    recalls: bool = False
    """True when this write calls the errand back: its work is interrupted."""


@dataclass(frozen=True, slots=True)
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
class SaveProfile:
    """Sets what a person says about themselves, and the person's time zone."""

    person: int
    about: str
    timezone: str | None


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
    """Records the tokens and the cost of one paid call, in place of what was known of it before."""

    call: str
    """Names the call; the same name again replaces the record."""
    cause: Cause
    model: str
    at: datetime
    usage: Usage
    cost: Nano | None
    """Its price; None when no price is known."""
    estimated: bool = False
    """True when the provider has not told the tokens: it never did, or the call was cut off."""


@dataclass(frozen=True, slots=True)
class DropUsage:
    """Takes the record of a call back that was not made after all."""

    call: str


@dataclass(frozen=True, slots=True)
class SetBudget:
    """Sets a budget in place of the setting; `money` of None means no bound."""

    scope: Scope
    money: Nano | None
    by: str
    at: datetime


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
class SaveReceived:
    """Inserts or updates the row of a file that somebody sent, found by its chat and key."""

    file: ReceivedFile


@dataclass(frozen=True, slots=True)
class KeepHeard:
    """Keeps the words of a recording, in place of what was kept of it before."""

    heard: HeardWords


@dataclass(frozen=True, slots=True)
class OweVoice:
    """Makes an answer owed as a voice note, or notes how often that was tried."""

    note: VoiceNote


@dataclass(frozen=True, slots=True)
class EndVoice:
    """Ends the debt of a voice note: it is a message now, or will never be one."""

    turn: str


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


@dataclass(frozen=True, slots=True)
class KeepPassage:
    """Remembers a settled answer, which the indexes are owed from then on; each id once."""

    passage: Passage


@dataclass(frozen=True, slots=True)
class AddNote:
    """Stores a note; one with the same id stays as it is."""

    note: Note


@dataclass(frozen=True, slots=True)
class DropNote:
    """Removes a note, with the passage by which it was found."""

    id: str


@dataclass(frozen=True, slots=True)
class Erase:
    """Takes the words out of everything that was said, and forgets its passages.

    Rows, numbers and the pairing of calls stay. The chat gets a cut, and its owner is replaced:
    whoever owns it next reads the log again. Turns that are under way stay as they are.
    """

    target: Target


@dataclass(frozen=True, slots=True)
class ReadPast:
    """Notes that the talk from before the memory is read up to this conversation, or to its end."""

    conversation: str
    ended: bool = False


@dataclass(frozen=True, slots=True)
class SaveTask:
    """Inserts a task (`expect` None) or moves it on; Conflict when its version is another one."""

    task: TimedTask
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class DropTask:
    """Removes a task with its runs; their turns stay, and open cards of those turns expire."""

    id: str
    keeps_cards: bool = False
    """True when the open cards stay, because nobody took the task back."""


@dataclass(frozen=True, slots=True)
class DropRuns:
    """Removes old runs of a task that are over; a run with an open card stays."""

    task: str
    before: datetime
    """Runs that were written before this moment are removed."""
    skipped_before: datetime
    """The same for runs that never began."""
    most: int
    """Runs that stay at most, the newest ones."""


@dataclass(frozen=True, slots=True)
class PauseTasks:
    """Pauses the active tasks that run in a chat."""

    chat: int
    why: str


@dataclass(frozen=True, slots=True)
class AddRun:
    """Writes a due time down; Conflict when it has a run already."""

    run: TaskRun


@dataclass(frozen=True, slots=True)
class SaveRun:
    """Moves a run on; nothing when its task was removed."""

    run: TaskRun


@dataclass(frozen=True, slots=True)
class SaveGoal:
    """Writes a goal; Conflict unless the stored version is `expect`, or there is none."""

    goal: Goal
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class DropGoal:
    """Removes a goal with its diary, and the tasks that belong to it with their runs."""

    id: str


@dataclass(frozen=True, slots=True)
class AddDiary:
    """Adds an entry to a diary; nothing when it is there, or when its goal was removed."""

    entry: DiaryEntry


@dataclass(frozen=True, slots=True)
class AddGoalTurn:
    """Notes that a turn works for a goal, so that its cost counts there."""

    goal: str
    turn: str


@dataclass(frozen=True, slots=True)
class HoldGoalTasks:
    """Pauses or ends every task of a goal that has not ended."""

    goal: str
    state: TaskState
    why: str


@dataclass(frozen=True, slots=True)
class AdoptTask:
    """Lets a task belong to a goal."""

    task: str
    goal: str


@dataclass(frozen=True, slots=True)
class AddHookCall:
    """Writes an accepted call down; Conflict when its hook has a call with its key.

    A key of a call before `since` is free again. Crowded when as many calls came as may come, on
    all processes together.
    """

    call: HookCall
    since: datetime
    pace: HookPace | None = None
    """The bounds; None for none."""


@dataclass(frozen=True, slots=True)
class EndTries:
    """Ends the calls of hooks in a chat that wait for another try."""

    chat: int
    why: str


@dataclass(frozen=True, slots=True)
class SaveHookCall:
    """Moves the run of a call on; Conflict when it is not at the expected try."""

    call: HookCall
    expect: int | None = None
    """The try that it has failed; None when its own turn moves it."""


@dataclass(frozen=True, slots=True)
class SaveFileChange:
    """Inserts a change of a file (`expect` None) or moves it on.

    Conflict when its version is another one.
    """

    change: FileChange
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class DropFileChange:
    """Removes a change of a file with the content that it keeps."""

    id: str


@dataclass(frozen=True, slots=True)
class SaveFeedback:
    """Stores what a person thinks of an answer, in place of what they thought before."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class DropFeedback:
    """Removes what a person thought of an answer, if it still is this verdict."""

    turn: str
    person: int
    verdict: Opinion


@dataclass(frozen=True, slots=True)
class DropPassage:
    """Takes an answer out of the memory, which a conversation took out of view; the log stays.

    An answer that a branch or the parent still shows is remembered.
    """

    id: str
    conversation: str


Write: TypeAlias = (
    Append
    | SaveTurn
    | CountStart
    | EndRest
    | EndWays
    | AskStop
    | SaveChat
    | NameChat
    | ChooseSkill
    | SetVoice
    | NoteOffer
    | EndGrants
    | MoveChat
    | JoinChats
    | SaveConversation
    | MarkInbound
    | PassOver
    | ReleaseHeard
    | AmendInbound
    | SaveApproval
    | SavePlan
    | SaveErrand
    | Show
    | Retract
    | AddRule
    | DropRule
    | SaveTerms
    | SaveProfile
    | LinkAccount
    | Revoke
    | AddUsage
    | DropUsage
    | SetBudget
    | AddAudit
    | AddArtifact
    | SaveReceived
    | KeepHeard
    | OweVoice
    | EndVoice
    | AddVerdict
    | AllowServer
    | DropConsent
    | KeepPassage
    | AddNote
    | DropNote
    | Erase
    | ReadPast
    | SaveTask
    | DropTask
    | DropRuns
    | PauseTasks
    | AddRun
    | SaveRun
    | SaveGoal
    | DropGoal
    | AddDiary
    | AddGoalTurn
    | HoldGoalTasks
    | AdoptTask
    | AddHookCall
    | SaveHookCall
    | EndTries
    | SaveFileChange
    | DropFileChange
    | SaveFeedback
    | DropFeedback
    | DropPassage
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
