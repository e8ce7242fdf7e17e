"""What a database would hold, and how a change alters it."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, assert_never, cast

from bot.domain.assignments.errand import Errand
from bot.domain.assignments.goal import DiaryEntry, Goal
from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.change import (
    AddArtifact,
    AddAudit,
    AddDiary,
    AddGoalTurn,
    AddHookCall,
    AddNote,
    AddRule,
    AddRun,
    AddUsage,
    AddVerdict,
    AdoptTask,
    AllowServer,
    AmendInbound,
    Append,
    AskStop,
    Change,
    CheckAccess,
    ChooseSkill,
    CountStart,
    DropConsent,
    DropFeedback,
    DropFileChange,
    DropGoal,
    DropNote,
    DropPassage,
    DropRule,
    DropRuns,
    DropTask,
    DropUsage,
    EndGrants,
    EndRest,
    EndTries,
    EndVoice,
    EndWays,
    Erase,
    Fence,
    HoldGoalTasks,
    JoinChats,
    JoinPeople,
    KeepHeard,
    KeepPassage,
    LinkAccount,
    MarkInbound,
    MoveChat,
    NameChat,
    NoteOffer,
    OpenConversation,
    OweVoice,
    PassOver,
    PauseTasks,
    ReadPast,
    ReleaseHeard,
    Retract,
    Revoke,
    SaveApproval,
    SaveConversation,
    SaveErrand,
    SaveFeedback,
    SaveFileChange,
    SaveGoal,
    SaveHookCall,
    SavePlan,
    SaveProfile,
    SaveReceived,
    SaveRun,
    SaveSettings,
    SaveTask,
    SaveTerms,
    SaveTurn,
    SetBudget,
    SetVoice,
    Show,
    UseRule,
    Write,
)
from bot.domain.change.erasing import is_erased
from bot.domain.consent.approval import Approval, Rule
from bot.domain.memory.note import Note, note_of
from bot.domain.memory.passage import Passage
from bot.domain.money.budget import Limit, Scope
from bot.domain.plans.plan import Plan
from bot.domain.talk.chat import Chat, Conversation
from bot.domain.talk.errors import Conflict, FenceLost
from bot.domain.talk.feedback import Feedback
from bot.domain.talk.person import Person
from bot.domain.talk.received import ReceivedFile
from bot.domain.talk.session import Session, SignInCode
from bot.domain.tools.file_change import FileChange
from bot.domain.tools.server import ServerConsent
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.domain.turn.voice import HeardWords, VoiceNote
from bot.ports.inbox import InboundRow
from bot.ports.meaning import Begun, Leaving
from bot.ports.outbox import OutboxRow
from tests.fakes.store_approvals import save_approval, write_leave
from tests.fakes.store_branches import views_of
from tests.fakes.store_chats import write_chat
from tests.fakes.store_erasing import drop_note, erase
from tests.fakes.store_errands import save_errand
from tests.fakes.store_feedback import think
from tests.fakes.store_goals import write_goal
from tests.fakes.store_hook_calls import write_call
from tests.fakes.store_inbox import write_inbound
from tests.fakes.store_outbox import owe
from tests.fakes.store_people import write_person
from tests.fakes.store_plans import save_plan
from tests.fakes.store_scheduled import schedule
from tests.fakes.store_turns import write_turn
from tests.fakes.store_voice import speak


@dataclass(slots=True)
class Rows:
    """The rows of every table; they are frozen, so copies of the containers are a snapshot."""

    chats: dict[int, Chat] = field(default_factory=dict[int, Chat])
    conversations: dict[str, Conversation] = field(default_factory=dict[str, Conversation])
    entries: dict[tuple[int, int], Entry] = field(default_factory=dict[tuple[int, int], Entry])
    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    approvals: dict[str, Approval] = field(default_factory=dict[str, Approval])
    plans: dict[str, Plan] = field(default_factory=dict[str, Plan])
    errands: dict[str, Errand] = field(default_factory=dict[str, Errand])
    rules: dict[int, Rule] = field(default_factory=dict[int, Rule])
    rules_given: int = 0
    inbox: dict[int, InboundRow] = field(default_factory=dict[int, InboundRow])
    folders: dict[str, str] = field(default_factory=dict[str, str])
    in_other_hands: list[InboundRow] = field(default_factory=list[InboundRow])
    """Updates that another process has still to route."""
    streams: dict[str, tuple[str, datetime]] = field(
        default_factory=dict[str, tuple[str, datetime]]
    )
    outbox: dict[str, OutboxRow] = field(default_factory=dict[str, OutboxRow])
    recorded: dict[str, datetime] = field(default_factory=dict[str, datetime])
    seen: dict[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
    sending: dict[int, datetime] = field(default_factory=dict[int, datetime])
    copies: dict[str, int] = field(default_factory=dict[str, int])
    usage: dict[str, AddUsage] = field(default_factory=dict[str, AddUsage])
    budgets: dict[Scope, Limit] = field(default_factory=dict[Scope, Limit])
    audit: list[AddAudit] = field(default_factory=list[AddAudit])
    verdicts: list[AddVerdict] = field(default_factory=list[AddVerdict])
    artifacts: dict[str, AddArtifact] = field(default_factory=dict[str, AddArtifact])
    consents: dict[str, ServerConsent] = field(default_factory=dict[str, ServerConsent])
    received: dict[int, ReceivedFile] = field(default_factory=dict[int, ReceivedFile])
    hearings: dict[tuple[int, str], HeardWords] = field(
        default_factory=dict[tuple[int, str], HeardWords]
    )
    voice_notes: dict[str, VoiceNote] = field(default_factory=dict[str, VoiceNote])
    tasks: dict[str, TimedTask] = field(default_factory=dict[str, TimedTask])
    goals: dict[str, Goal] = field(default_factory=dict[str, Goal])
    diary: dict[str, DiaryEntry] = field(default_factory=dict[str, DiaryEntry])
    goal_turns: dict[str, str] = field(default_factory=dict[str, str])
    hook_calls: dict[str, HookCall] = field(default_factory=dict[str, HookCall])
    feedback: dict[tuple[str, int], Feedback] = field(
        default_factory=dict[tuple[str, int], Feedback]
    )
    file_changes: dict[str, FileChange] = field(default_factory=dict[str, FileChange])
    runs: dict[tuple[str, datetime], TaskRun] = field(
        default_factory=dict[tuple[str, datetime], TaskRun]
    )
    taken: dict[int, str] = field(default_factory=dict[int, str])
    passages_kept: int = 0
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])
    notes: dict[str, Note] = field(default_factory=dict[str, Note])
    indexed: set[str] = field(default_factory=set[str])
    index_is_broken: bool = False
    meant: set[str] = field(default_factory=set[str])
    begun: Begun | None = None
    leaving: set[Leaving] = field(default_factory=set[Leaving])
    descriptions: dict[str, tuple[bytes | None, datetime]] = field(
        default_factory=dict[str, tuple[bytes | None, datetime]]
    )
    past: tuple[str, bool] = ("", False)
    people: dict[int, Person] = field(default_factory=dict[int, Person])
    accounts: dict[str, int] = field(default_factory=dict[str, int])
    pairing: tuple[str, datetime] | None = None
    greetings: dict[str, date] = field(default_factory=dict[str, date])
    sign_ins: dict[str, SignInCode] = field(default_factory=dict[str, SignInCode])
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])

    def tables(self) -> Iterator[dict[Any, Any]]:
        """Yields the tables whose rows have a key."""
        for table in fields(self):
            rows: Any = getattr(self, table.name)
            if isinstance(rows, dict):
                yield cast("dict[Any, Any]", rows)

    def commit(self, change: Change, at: datetime) -> None:
        """Carries the change out, or raises and leaves every row as it was."""
        saved = {table.name: copy(getattr(self, table.name)) for table in fields(self)}
        try:
            if change.fence is not None:
                self._check_fence(change.fence)
            for write in change.writes:
                self._carry_out(write, at)
        except BaseException:
            for name, rows in saved.items():
                setattr(self, name, rows)
            raise

    def _check_fence(self, fence: Fence) -> None:
        chat = self.chats.get(fence.chat)
        if chat is None or chat.fence != fence.number:
            raise FenceLost(f"chat {fence.chat} has a newer owner than {fence.number}")

    def _carry_out(self, write: Write, at: datetime) -> None:  # one case for each kind
        match write:
            case Append():
                self._append(write.chat, write.entries)
            case SaveTurn() | AskStop() | CountStart() | EndRest() | EndWays():
                write_turn(self, write)
            case (
                SaveSettings()
                | OpenConversation()
                | NameChat()
                | ChooseSkill()
                | SetVoice()
                | NoteOffer()
                | SaveConversation()
                | JoinChats()
                | MoveChat()
            ):
                write_chat(self, write, at)
            case MarkInbound() | PassOver() | ReleaseHeard() | AmendInbound():
                write_inbound(self, write)
            case SaveApproval() | SavePlan():
                self._save_decidable(write)
            case SaveErrand():
                save_errand(self, write)
            case Show() | Retract():
                owe(self, write, at)
            case AddRule() | UseRule() | DropRule() | EndGrants() | AllowServer() | DropConsent():
                write_leave(self, write, at)
            case (
                SaveTerms()
                | SaveProfile()
                | LinkAccount()
                | JoinPeople()
                | CheckAccess()
                | Revoke()
            ):
                write_person(self, write)
            case AddUsage() | DropUsage() | SetBudget():
                self._spend(write)
            case AddAudit() | AddArtifact() | AddVerdict() | SaveReceived():
                self._write_record(write)
            case KeepHeard() | OweVoice() | EndVoice():
                speak(self, write)
            case AddHookCall() | SaveHookCall() | EndTries():
                write_call(self, write, at)
            case SaveTask() | DropTask() | DropRuns() | PauseTasks() | AddRun() | SaveRun():
                schedule(self, write, at)
            case (
                SaveGoal() | DropGoal() | AddDiary() | AddGoalTurn() | HoldGoalTasks() | AdoptTask()
            ):
                write_goal(self, write)
            case SaveFileChange() | DropFileChange() | DropPassage():
                self._take_back(write)
            case SaveFeedback() | DropFeedback():
                think(self, write)
            case KeepPassage() | ReadPast() | AddNote() | DropNote() | Erase():
                self._remember(write, at)
            case _:
                assert_never(write)

    def _remember(
        self, write: KeepPassage | ReadPast | AddNote | DropNote | Erase, at: datetime
    ) -> None:
        if isinstance(write, Erase):
            erase(self, write, at)
        elif isinstance(write, ReadPast):
            self.past = (write.conversation, write.ended)
            for entry in self.entries.values():
                if entry.conversation == write.conversation and is_erased(entry.body):
                    self.drop_passage(entry.turn)
        elif isinstance(write, AddNote):
            self.notes.setdefault(write.note.id, write.note)
        elif isinstance(write, DropNote):
            drop_note(self, write.id, at)
        elif write.passage.id not in self.passages:
            self.passages_kept += 1
            number = self.passages_kept
            self.passages[write.passage.id] = replace(write.passage, number=number)

    def drop_passage(self, id: str) -> None:
        """Removes a passage; its vector is owed to be taken out."""
        gone = self.passages.pop(id, None)
        self.indexed.discard(id)
        if gone is not None:
            self.let_leave(gone)

    def let_leave(self, one: Passage) -> None:
        self.meant.discard(one.id)
        if self.begun is not None:
            self.leaving.add(Leaving(one.number, one.whose))

    def hand_over(self, chat: int, whose: str) -> None:
        """Gives the passages of a chat to another owner; they are owed to the index again."""
        for one in [p for p in self.passages.values() if p.chat == chat and p.whose != whose]:
            self._hand_over(one, whose)

    def inherit(self, before: str, after: str) -> None:
        """Gives everything that one owner remembers to another one."""
        for one in [p for p in self.passages.values() if p.whose == before]:
            self._hand_over(one, after)
        for note in [n for n in self.notes.values() if n.whose == before]:
            self.notes[note.id] = replace(note, whose=after)

    def _hand_over(self, one: Passage, whose: str) -> None:
        self.let_leave(one)
        self.passages[one.id] = replace(one, whose=whose)
        noted = self.notes.get(note_of(one.id) or "")
        if noted is not None:
            self.notes[noted.id] = replace(noted, whose=whose)
        self.indexed.discard(one.id)

    def _save_decidable(self, write: SaveApproval | SavePlan) -> None:
        if isinstance(write, SavePlan):
            save_plan(self, write)
        else:
            save_approval(self, write)

    def _append(self, chat: int, entries: Sequence[Entry]) -> None:
        for entry in entries:
            row = self.chat(chat)
            if entry.seq != row.last_seq + 1:
                raise Conflict(f"the log of chat {chat} ends at {row.last_seq}")
            self.entries[chat, entry.seq] = entry
            self.chats[chat] = replace(row, last_seq=entry.seq)

    def end_grants(self, chat: int, keep: str) -> None:
        ended = [r.id for r in self.rules.values() if r.chat == chat and r.under not in ("", keep)]
        self.rules = {id: rule for id, rule in self.rules.items() if id not in ended}
        known = self.chats.get(chat)
        if known is not None and known.offered != keep:
            self.chats[chat] = replace(known, offered=None)

    def _save_received(self, file: ReceivedFile) -> None:
        self.chat(file.chat)
        same = (f.id for f in self.received.values() if (f.chat, f.key) == (file.chat, file.key))
        number = next(same, max(self.received, default=0) + 1)
        self.received[number] = replace(file, id=number)

    def _take_back(self, write: SaveFileChange | DropFileChange | DropPassage) -> None:
        if isinstance(write, DropPassage):
            if all(view == write.conversation for view in views_of(self, write.id)):
                self.passages.pop(write.id, None)
        elif isinstance(write, DropFileChange):
            self.file_changes.pop(write.id, None)
        else:
            change = write.change
            self.chat(change.chat)
            known = self.file_changes.get(change.id)
            if (None if known is None else known.version) != write.expect:
                raise Conflict(f"the change {change.id} of a file is not at its version")
            number = len(self.file_changes) + 1 if known is None else known.number
            self.file_changes[change.id] = replace(change, number=number)

    def rehome_tasks(self, old: int, new: int) -> None:
        for task in [one for one in self.tasks.values() if one.home == old]:
            self.tasks[task.id] = replace(task, home=new)

    def _spend(self, write: AddUsage | DropUsage | SetBudget) -> None:
        match write:
            case AddUsage():
                if write.cause.chat is not None:
                    self.chat(write.cause.chat)
                self.usage[write.call] = self._as_paid(write)
            case DropUsage():
                self.usage.pop(write.call, None)
            case SetBudget():
                self.budgets[write.scope] = Limit(write.money, write.by)

    def _as_paid(self, write: AddUsage) -> AddUsage:
        """Returns the call as one of the asker of its turn, who may be joined with another."""
        asked = self.turns.get(write.cause.turn)
        known = self.usage.get(write.call)
        payer = write.cause.person if asked is None else asked.asker
        payer = payer if known is None else known.cause.person
        if write.cause.person is None:
            return write
        return replace(write, cause=replace(write.cause, person=payer))

    def _write_record(self, write: AddAudit | AddArtifact | AddVerdict | SaveReceived) -> None:
        match write:
            case AddAudit():
                self.audit.append(write)
            case AddVerdict():
                self.verdicts.append(write)
            case AddArtifact():
                self.chat(write.chat)
                if write.id in self.artifacts:
                    raise Conflict(f"artifact {write.id} is there already")
                self.artifacts[write.id] = write
            case SaveReceived(file):
                self._save_received(file)

    def chat(self, chat: int) -> Chat:
        if chat not in self.chats:
            raise Conflict(f"there is no chat {chat}")
        return self.chats[chat]
