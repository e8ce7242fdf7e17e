"""What a database would hold, and how a change alters it."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from typing import assert_never

from bot.domain.approval import Approval, ApprovalState, Rule
from bot.domain.budget import Limit, Scope
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
    InboundState,
    JoinChats,
    KeepHeard,
    KeepPassage,
    LinkAccount,
    MarkInbound,
    MoveChat,
    NameChat,
    NoteOffer,
    OweVoice,
    PassOver,
    PauseTasks,
    ReadPast,
    ReleaseHeard,
    Retract,
    Revoke,
    SaveApproval,
    SaveChat,
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
    SaveTask,
    SaveTerms,
    SaveTurn,
    SetBudget,
    SetVoice,
    Show,
    Write,
)
from bot.domain.chat import Chat, Conversation
from bot.domain.errand import Errand
from bot.domain.errors import Conflict, Crowded, FenceLost
from bot.domain.feedback import Feedback
from bot.domain.file_change import FileChange
from bot.domain.goal import DiaryEntry, Goal
from bot.domain.hook import CALLS_KEPT, HookCall
from bot.domain.message import Outbound, OutboundKind
from bot.domain.note import Note, note_of
from bot.domain.passage import Passage, of_person
from bot.domain.person import Person, Role
from bot.domain.plan import Plan
from bot.domain.received import ReceivedFile
from bot.domain.rights import NOTHING
from bot.domain.server import ServerConsent
from bot.domain.task import AT_WORK, RunState, TaskRun, TaskState, TimedTask
from bot.domain.transcript import Entry
from bot.domain.turn import ACCESS_ENDED, Turn, TurnState, WaysOn
from bot.domain.unwatched import LATE_UNWATCHED
from bot.domain.voice import HeardWords, VoiceNote
from bot.ports.inbox import InboundRow
from bot.ports.meaning import Begun, Leaving
from bot.ports.outbox import DeliveryState, OutboxRow
from tests.fakes.store_branches import views_of
from tests.fakes.store_erasing import drop_note, erase
from tests.fakes.store_goals import write_goal
from tests.fakes.store_moving import move


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
    outbox: dict[str, OutboxRow] = field(default_factory=dict[str, OutboxRow])
    seen: dict[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
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
    past: tuple[str, bool] = ("", False)
    people: dict[int, Person] = field(default_factory=dict[int, Person])
    accounts: dict[str, int] = field(default_factory=dict[str, int])
    pairing: tuple[str, datetime] | None = None
    greetings: dict[str, date] = field(default_factory=dict[str, date])

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

    def _carry_out(self, write: Write, at: datetime) -> None:  # noqa: C901, PLR0912 - one case for each kind
        match write:
            case Append():
                self._append(write.chat, write.entries)
            case SaveTurn() | AskStop() | CountStart() | EndRest() | EndWays():
                self._write_turn(write)
            case (
                SaveChat()
                | NameChat()
                | ChooseSkill()
                | SetVoice()
                | NoteOffer()
                | SaveConversation()
                | JoinChats()
                | MoveChat()
            ):
                self._write_chat(write, at)
            case MarkInbound() | PassOver() | ReleaseHeard() | AmendInbound():
                self._write_inbound(write)
            case SaveApproval() | SavePlan():
                self._save_decidable(write)
            case SaveErrand():
                self._save_errand(write)
            case Show() | Retract():
                self._owe(write, at)
            case AddRule() | DropRule() | EndGrants() | AllowServer() | DropConsent():
                self._write_leave(write)
            case SaveTerms() | SaveProfile() | LinkAccount() | Revoke():
                self._write_person(write)
            case AddUsage() | DropUsage() | SetBudget():
                self._spend(write)
            case AddAudit() | AddArtifact() | AddVerdict() | SaveReceived():
                self._write_record(write)
            case KeepHeard() | OweVoice() | EndVoice():
                self._speak(write)
            case AddHookCall() | SaveHookCall() | EndTries():
                self._called(write, at)
            case SaveTask() | DropTask() | DropRuns() | PauseTasks() | AddRun() | SaveRun():
                self._schedule(write, at)
            case (
                SaveGoal() | DropGoal() | AddDiary() | AddGoalTurn() | HoldGoalTasks() | AdoptTask()
            ):
                write_goal(self, write)
            case SaveFileChange() | DropFileChange() | DropPassage():
                self._take_back(write)
            case SaveFeedback() | DropFeedback():
                self._think(write)
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
            self.let_leave(one)
            self.passages[one.id] = replace(one, whose=whose)
            noted = self.notes.get(note_of(one.id) or "")
            if noted is not None:
                self.notes[noted.id] = replace(noted, whose=whose)
            self.indexed.discard(one.id)

    def _append(self, chat: int, entries: Sequence[Entry]) -> None:
        for entry in entries:
            row = self._chat(chat)
            if entry.seq != row.last_seq + 1:
                raise Conflict(f"the log of chat {chat} ends at {row.last_seq}")
            self.entries[chat, entry.seq] = entry
            self.chats[chat] = replace(row, last_seq=entry.seq)

    def _write_turn(self, write: SaveTurn | AskStop | CountStart | EndRest | EndWays) -> None:
        if isinstance(write, SaveTurn):
            self._chat(write.turn.chat)
            known = self.turns.get(write.turn.id)
            asked = None if known is None else known.stop_asked
            self.turns[write.turn.id] = replace(write.turn, stop_asked=asked)
            return
        turn = self.turns.get(write.turn)
        if isinstance(write, CountStart):
            if turn is not None and turn.state is TurnState.RUNNING:
                counted = replace(turn, attempts=turn.attempts + 1, held_back=False)
                self.turns[turn.id] = counted
            return
        if isinstance(write, EndRest):
            if turn is None or (turn.state, turn.rests) != (TurnState.RESTING, write.rest):
                raise Conflict(f"turn {write.turn} is not in its rest {write.rest}")
            self.turns[turn.id] = replace(turn, rests_until=write.at)
            return
        if isinstance(write, EndWays):
            if turn is None or turn.ways_on is not WaysOn.OPEN:
                raise Conflict(f"the buttons below turn {write.turn} are not open")
            self.turns[turn.id] = replace(turn, ways_on=write.how)
            return
        if turn is not None and turn.state is not TurnState.SETTLED:
            self.turns[turn.id] = replace(turn, stop_asked=write.how)

    def _write_chat(
        self,
        write: (
            SaveChat
            | NameChat
            | ChooseSkill
            | SetVoice
            | NoteOffer
            | SaveConversation
            | JoinChats
            | MoveChat
        ),
        at: datetime,
    ) -> None:
        if isinstance(write, MoveChat | JoinChats):
            move(self, write, at)
            return
        if isinstance(write, NameChat | ChooseSkill | SetVoice | NoteOffer):
            self._alter_chat(write)
            return
        if isinstance(write, SaveConversation):
            self._chat(write.conversation.chat)
            self.conversations[write.conversation.id] = write.conversation
            return
        known = self.chats.get(write.chat.id)
        if known is not None:
            self.chats[known.id] = replace(
                write.chat,
                address=known.address,
                fence=known.fence,
                last_seq=known.last_seq,
                title=known.title,
                moved_from=known.moved_from,
                skill=known.skill,
                skill_lent=known.skill_lent,
                offered=known.offered,
                voice=known.voice,
                screen=known.screen,
            )

    def _alter_chat(self, write: NameChat | ChooseSkill | SetVoice | NoteOffer) -> None:
        known = self._chat(write.chat)
        if isinstance(write, SetVoice):
            self.chats[known.id] = replace(known, voice=write.on)
            owed = self.voice_notes.items()
            self.voice_notes = {t: n for t, n in owed if write.on or n.chat != known.id}
            return
        if isinstance(write, NameChat):
            self.chats[known.id] = replace(known, title=write.title)
        elif isinstance(write, NoteOffer):
            self.chats[known.id] = replace(known, offered=write.under)
        elif not write.lent or known.skill is None or known.skill_lent:
            lent = write.lent and write.skill is not None
            self.chats[known.id] = replace(known, skill=write.skill, skill_lent=lent)

    def _dismiss(self, write: PassOver | ReleaseHeard) -> None:
        for id, row in self.inbox.items():
            new = isinstance(write, PassOver) and id in write.ids and row.state is InboundState.NEW
            heard = (
                isinstance(write, ReleaseHeard)
                and row.chat == write.chat
                and id <= write.up_to
                and row.state is InboundState.HEARD
            )
            if new or heard:
                self.inbox[id] = replace(row, state=InboundState.DONE, body="")

    def _write_inbound(self, write: MarkInbound | PassOver | ReleaseHeard | AmendInbound) -> None:
        if isinstance(write, PassOver | ReleaseHeard):
            self._dismiss(write)
            return
        row = self.inbox.get(write.id)
        expect = write.expect if isinstance(write, MarkInbound) else (InboundState.WAITING,)
        if row is None or row.state not in expect:
            raise Conflict(f"update {write.id} is not in a state that was expected")
        if isinstance(write, AmendInbound):
            self.inbox[row.id] = replace(row, body=write.body)
            return
        if write.turn is not None:
            self.taken[row.id] = write.turn
        chat = row.chat if write.chat is None else self._chat(write.chat).id
        message_id = row.message_id if write.message_id is None else write.message_id
        person = row.person if write.person is None else write.person
        self.inbox[row.id] = replace(
            row,
            state=write.state,
            chat=chat,
            message_id=message_id,
            person=person,
            fragment=row.fragment or write.fragment,
            body="" if write.forget else row.body,
        )

    def _save_decidable(self, write: SaveApproval | SavePlan) -> None:
        if isinstance(write, SavePlan):
            self._save_plan(write)
        else:
            self._save_approval(write)

    def _save_errand(self, write: SaveErrand) -> None:
        errand = write.errand
        known = self.errands.get(errand.id)
        if write.expect is None:
            if known is not None:
                raise Conflict(f"errand {errand.id} is there already")
            self._chat(errand.chat)
            self.chats[errand.home] = replace(self._chat(errand.home), screen=errand.chat)
        elif known is None or known.version != write.expect:
            raise Conflict(f"errand {errand.id} is not at version {write.expect}")
        self.errands[errand.id] = errand

    def _save_approval(self, write: SaveApproval) -> None:
        card = write.approval
        self._chat(card.chat)
        known = self.approvals.get(card.id)
        if write.expect is None:
            if known is not None or any(a.token == card.token for a in self.approvals.values()):
                raise Conflict(f"card {card.id} is there already")
        elif known is None or known.state is not write.expect:
            raise Conflict(f"card {card.id} is not {write.expect}")
        elif known.set_aside and not card.set_aside:
            raise Conflict(f"card {card.id} was set aside")
        self.approvals[card.id] = card

    def _owe(self, write: Show | Retract, at: datetime) -> None:
        if isinstance(write, Retract):
            self._retract(write, at)
        else:
            self._show(write, at)

    def _save_plan(self, write: SavePlan) -> None:
        plan = write.plan
        self._chat(plan.chat)
        known = self.plans.get(plan.id)
        others = [p for p in self.plans.values() if p.id != plan.id]
        if write.expect is None:
            if known is not None or any(p.token == plan.token for p in others):
                raise Conflict(f"plan {plan.id} is there already")
            known = replace(plan, steps=())
        elif known is None or known.version != write.expect:
            raise Conflict(f"plan {plan.id} is not at version {write.expect}")
        if plan.live and any(p.live and p.chat == plan.chat for p in others):
            raise Conflict(f"chat {plan.chat} has a live plan")
        kept = known.steps if known.revision == plan.revision else ()
        steps = {s.number: s for s in (*kept, *write.steps)}
        self.plans[plan.id] = replace(plan, steps=tuple(steps[n] for n in sorted(steps)))

    def _show(self, write: Show, at: datetime) -> None:
        self._put(write, at)
        if write.copy_of is not None:
            self.copies[write.key] = write.copy_of
        elif write.content.kind is OutboundKind.CARD:
            original = self.outbox[write.key].id
            content = replace(write.content, files=())
            for key in [key for key, of in self.copies.items() if of == original]:
                self._put(replace(write, key=key, content=content), at)

    def _put(self, write: Show, at: datetime) -> None:
        address = self._chat(write.chat).address
        known = self.outbox.get(write.key)
        if known is not None:
            self.outbox[write.key] = replace(
                known,
                content=write.content,
                version=known.version + 1,
                state=DeliveryState.OWED,
                attempts=0,
                error="",
                pieces=() if write.anew else known.pieces,
                message_ids=() if write.anew else known.message_ids,
            )
            return
        self.outbox[write.key] = OutboxRow(
            id=len(self.outbox) + 1,
            key=write.key,
            chat=write.chat,
            address=address,
            content=write.content,
            version=1 if write.over is None else 2,
            shown_version=0 if write.over is None else 1,
            state=DeliveryState.OWED,
            created_at=at,
            message_ids=() if write.over is None else (write.over,),
        )

    def _retract(self, write: Retract, at: datetime) -> None:
        key = f"passing:{write.turn}:{write.message_id}"
        self.outbox[key] = OutboxRow(
            id=len(self.outbox) + 1,
            key=key,
            chat=write.chat,
            address=self._chat(write.chat).address,
            content=Outbound(OutboundKind.GONE, ()),
            version=2,
            shown_version=1,
            state=DeliveryState.OWED,
            created_at=at,
            message_ids=(write.message_id,),
        )

    def _write_leave(
        self, write: AddRule | DropRule | EndGrants | AllowServer | DropConsent
    ) -> None:
        match write:
            case AddRule():
                self._chat(write.rule.chat)
                self.rules_given += 1
                self.rules[self.rules_given] = replace(write.rule, id=self.rules_given)
            case DropRule():
                rule = self.rules.get(write.id)
                if rule is not None and rule.chat == write.chat:
                    del self.rules[write.id]
            case EndGrants(chat, keep):
                self.end_grants(chat, keep or "")
            case AllowServer(consent):
                self.consents.setdefault(consent.identity, consent)
            case DropConsent():
                self.consents.pop(write.identity, None)

    def end_grants(self, chat: int, keep: str) -> None:
        ended = [r.id for r in self.rules.values() if r.chat == chat and r.under not in ("", keep)]
        self.rules = {id: rule for id, rule in self.rules.items() if id not in ended}
        known = self.chats.get(chat)
        if known is not None and known.offered != keep:
            self.chats[chat] = replace(known, offered=None)

    def _write_person(self, write: SaveTerms | SaveProfile | LinkAccount | Revoke) -> None:
        match write:
            case LinkAccount(account, person):
                self.accounts[account] = person
                for chat in [c for c in self.chats.values() if c.private]:
                    if chat.address.key == account or chat.address.key.startswith(f"{account}/"):
                        self.hand_over(chat.id, of_person(person))
            case SaveTerms(person, rights, pace):
                self.people[person] = replace(self.people[person], rights=rights, pace=pace)
            case SaveProfile(person, about, zone):
                known = self.people[person]
                self.people[person] = replace(known, about=about, timezone=zone)
            case Revoke():
                self._revoke(write)

    def _revoke(self, write: Revoke) -> None:
        gone, dropped = write.person, InboundState.DROPPED
        for turn in [t for t in self.turns.values() if t.asker == gone]:
            self._write_turn(AskStop(turn.id, write.how))
        for row in [r for r in self.inbox.values() if r.person == gone]:
            if row.state is InboundState.WAITING:
                self.inbox[row.id] = replace(row, state=dropped)
        self.rules = {id: rule for id, rule in self.rules.items() if rule.person != gone}
        self._pause([one for one in self.tasks.values() if one.asker == gone], ACCESS_ENDED)
        self.accounts = {key: id for key, id in self.accounts.items() if id != gone}
        known = self.people.get(gone)
        if known is not None:
            self.people[gone] = Person(gone, known.name, Role.MEMBER, NOTHING)

    def _save_received(self, file: ReceivedFile) -> None:
        self._chat(file.chat)
        same = (f.id for f in self.received.values() if (f.chat, f.key) == (file.chat, file.key))
        number = next(same, max(self.received, default=0) + 1)
        self.received[number] = replace(file, id=number)

    def _speak(self, write: KeepHeard | OweVoice | EndVoice) -> None:
        match write:
            case KeepHeard(heard):
                self.hearings[self._chat(heard.chat).id, heard.key] = heard
            case OweVoice(note):
                known = self.voice_notes.get(note.turn, note)
                self._chat(note.chat)
                self.voice_notes[note.turn] = replace(known, tries=note.tries)
            case EndVoice(turn):
                self.voice_notes.pop(turn, None)

    def _called(self, write: AddHookCall | SaveHookCall | EndTries, at: datetime) -> None:
        if isinstance(write, EndTries):
            self._end_tries(write, at)
            return
        call = write.call
        if isinstance(write, SaveHookCall):
            known = self.hook_calls.get(call.id)
            waits = known is not None and known.state is RunState.AGAIN
            if write.expect is not None and (
                known is None or not waits or known.tries != write.expect
            ):
                raise Conflict(f"call {call.id} is not at try {write.expect}")
            if known is not None:
                self.hook_calls[call.id] = call
            return
        self._chat(call.chat)
        self._count_calls(write)
        for one in [o for o in self.hook_calls.values() if call.key and o.key == call.key]:
            if one.hook == call.hook and one.at >= write.since:
                raise Conflict(f"hook {call.hook} has a call with this key")
            if one.hook == call.hook:
                self.hook_calls[one.id] = replace(one, key="")
        self.hook_calls[call.id] = call
        for one in [o for o in self.hook_calls.values() if o.hook == call.hook]:
            if one.ended_at is not None and one.at < call.at - CALLS_KEPT:
                del self.hook_calls[one.id]

    def _end_tries(self, write: EndTries, at: datetime) -> None:
        for one in list(self.hook_calls.values()):
            if one.chat == write.chat and one.state is RunState.AGAIN:
                self.hook_calls[one.id] = one.ended(RunState.STOPPED, at, write.why)

    def _count_calls(self, write: AddHookCall) -> None:
        call, pace = write.call, write.pace
        if pace is None:
            return
        ages = [(call.at - one.at, one.hook == call.hook) for one in self.hook_calls.values()]
        minute = [mine for age, mine in ages if timedelta(0) <= age < timedelta(minutes=1)]
        day = [mine for age, mine in ages if timedelta(0) <= age < timedelta(days=1)]
        if sum(minute) >= pace.each or len(minute) >= pace.all:
            raise Crowded("Too many calls in a minute.", 60.0)
        if sum(day) >= pace.daily:
            raise Crowded("Too many calls in a day.", 3_600.0)

    def _think(self, write: SaveFeedback | DropFeedback) -> None:
        if isinstance(write, SaveFeedback):
            self._chat(write.feedback.chat)
            self.feedback[write.feedback.turn, write.feedback.person] = write.feedback
            return
        known = self.feedback.get((write.turn, write.person))
        if known is not None and known.verdict is write.verdict:
            del self.feedback[write.turn, write.person]

    def _take_back(self, write: SaveFileChange | DropFileChange | DropPassage) -> None:
        if isinstance(write, DropPassage):
            if all(view == write.conversation for view in views_of(self, write.id)):
                self.passages.pop(write.id, None)
        elif isinstance(write, DropFileChange):
            self.file_changes.pop(write.id, None)
        else:
            change = write.change
            self._chat(change.chat)
            known = self.file_changes.get(change.id)
            if (None if known is None else known.version) != write.expect:
                raise Conflict(f"the change {change.id} of a file is not at its version")
            number = len(self.file_changes) + 1 if known is None else known.number
            self.file_changes[change.id] = replace(change, number=number)

    def _schedule(
        self,
        write: SaveTask | DropTask | DropRuns | PauseTasks | AddRun | SaveRun,
        at: datetime,
    ) -> None:
        match write:
            case SaveTask(task, expect):
                self._chat(task.chat)
                known = self.tasks.get(task.id)
                if (None if known is None else known.version) != expect:
                    raise Conflict(f"task {task.id} is not at version {expect}")
                self.tasks[task.id] = task
            case DropTask(id, keeps_cards):
                self.tasks.pop(id, None)
                runs = [one for one in self.runs.values() if one.task == id and not keeps_cards]
                for card in self._asked_by(runs):
                    self.approvals[card.id] = replace(card, expires_at=at)
                self.runs = {key: run for key, run in self.runs.items() if run.task != id}
            case PauseTasks(chat, why):
                self._pause([one for one in self.tasks.values() if one.chat == chat], why)
            case _:
                self._run(write)

    def _run(self, write: DropRuns | AddRun | SaveRun) -> None:
        match write:
            case DropRuns():
                self._drop_runs(write)
            case AddRun(run):
                if run.task not in self.tasks or (run.task, run.due) in self.runs:
                    raise Conflict(f"task {run.task} has a run for {run.due}")
                self.runs[run.task, run.due] = run
            case SaveRun(run):
                if (run.task, run.due) in self.runs:
                    self.runs[run.task, run.due] = run

    def _drop_runs(self, write: DropRuns) -> None:
        runs = [one for one in self.runs.values() if one.task == write.task]
        beyond = sorted(runs, key=lambda one: one.at, reverse=True)[write.most :]
        for one in runs:
            skipped = one.state is RunState.SKIPPED and one.at < write.skipped_before
            old = one.at < write.before or one in beyond or skipped
            over = one.state not in (*AT_WORK, RunState.WAITING)
            if old and over and not self._asked_by([one]):
                del self.runs[one.task, one.due]

    def _asked_by(self, runs: Sequence[TaskRun]) -> Sequence[Approval]:
        """Returns the open cards of runs, of what followed them later, and of their errands."""
        turns, causes = {one.turn for one in runs}, dict[str, str]()
        cards = self.approvals.values()
        causes |= {one.id: one.turn for one in cards}
        causes |= {one.id: one.parent for one in self.errands.values()}
        for _ in causes:
            turns |= {f"{LATE_UNWATCHED}{id}" for id, turn in causes.items() if turn in turns}
        turns |= {one.id for one in self.errands.values() if one.parent in turns}
        return [one for one in cards if one.turn in turns and one.state is ApprovalState.OPEN]

    def rehome_tasks(self, old: int, new: int) -> None:
        for task in [one for one in self.tasks.values() if one.home == old]:
            self.tasks[task.id] = replace(task, home=new)

    def _pause(self, tasks: Sequence[TimedTask], why: str) -> None:
        for one in tasks:
            if one.state is TaskState.ACTIVE:
                self.tasks[one.id] = one.changed(state=TaskState.PAUSED, why=why)

    def _spend(self, write: AddUsage | DropUsage | SetBudget) -> None:
        match write:
            case AddUsage():
                if write.cause.chat is not None:
                    self._chat(write.cause.chat)
                self.usage[write.call] = write
            case DropUsage():
                self.usage.pop(write.call, None)
            case SetBudget():
                self.budgets[write.scope] = Limit(write.money, write.by)

    def _write_record(self, write: AddAudit | AddArtifact | AddVerdict | SaveReceived) -> None:
        match write:
            case AddAudit():
                self.audit.append(write)
            case AddVerdict():
                self.verdicts.append(write)
            case AddArtifact():
                self._chat(write.chat)
                if write.id in self.artifacts:
                    raise Conflict(f"artifact {write.id} is there already")
                self.artifacts[write.id] = write
            case SaveReceived(file):
                self._save_received(file)

    def _chat(self, chat: int) -> Chat:
        if chat not in self.chats:
            raise Conflict(f"there is no chat {chat}")
        return self.chats[chat]
