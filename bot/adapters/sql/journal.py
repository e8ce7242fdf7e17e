"""The log and the rows around it: carries out changes, and reads the work that is left."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, union, update

from bot.adapters.sql import (
    approvals,
    chats,
    consents,
    entries,
    erasing,
    errands,
    feedback,
    file_changes,
    goals,
    hook_calls,
    inbox,
    joining,
    ledger,
    members,
    memory,
    moving,
    notes,
    outbox,
    plans,
    received,
    scheduled,
    turns,
    voice,
)
from bot.adapters.sql.agenda_parts import agenda_parts
from bot.adapters.sql.database import Database, Now
from bot.adapters.sql.tables import AT_WORK, BROUGHT, DECIDED, STOPPING, WAITING
from bot.adapters.sql.tables import approval as approval_table
from bot.adapters.sql.tables import chat as chat_table
from bot.adapters.sql.tables import errand as errand_table
from bot.adapters.sql.tables import inbox as inbox_table
from bot.adapters.sql.tables import turn as turn_table
from bot.adapters.sql.this_process import NextFence
from bot.adapters.sql.written import Written
from bot.domain.assignments.errand import Errand
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
)
from bot.domain.talk.errors import NoSuchChat
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import TurnState
from bot.ports.journal import MOST_AHEAD, Agenda

Writer = Callable[[Connection, Sequence[Any], datetime], None]
"""Carries out neighbouring writes of one kind; the time is the time of the change."""

_WRITERS: Mapping[type, Writer] = {
    Append: entries.append,
    SaveTurn: turns.save_turns,
    CountStart: turns.count_starts,
    EndRest: turns.end_rests,
    EndWays: turns.end_ways,
    AskStop: turns.ask_stops,
    SaveSettings: chats.save_settings,
    OpenConversation: chats.open_conversations,
    NameChat: chats.name_chats,
    ChooseSkill: chats.choose_skills,
    SetVoice: chats.set_voices,
    NoteOffer: chats.note_offers,
    EndGrants: approvals.end_grants,
    MoveChat: moving.move_chats,
    JoinChats: moving.join_chats,
    SaveConversation: chats.save_conversations,
    MarkInbound: inbox.mark_inbound,
    PassOver: inbox.pass_over,
    ReleaseHeard: inbox.release_heard,
    AmendInbound: inbox.amend_inbound,
    SaveApproval: approvals.save_approvals,
    SavePlan: plans.save_plans,
    SaveErrand: errands.save_errands,
    AddRule: approvals.add_rules,
    UseRule: approvals.use_rules,
    DropRule: approvals.drop_rules,
    SaveTerms: members.save_terms,
    SaveProfile: members.save_profiles,
    LinkAccount: members.link_accounts,
    JoinPeople: joining.join_people,
    CheckAccess: members.check_access,
    Revoke: members.revoke,
    Show: outbox.show,
    Retract: outbox.retract,
    AddUsage: ledger.add_usage,
    DropUsage: ledger.drop_usage,
    SetBudget: ledger.set_budgets,
    AddAudit: ledger.add_audit,
    AddArtifact: ledger.add_artifacts,
    AddVerdict: ledger.add_verdicts,
    SaveReceived: received.save_received,
    KeepHeard: voice.keep_heard,
    OweVoice: voice.owe_voices,
    EndVoice: voice.end_voices,
    AllowServer: consents.allow_servers,
    DropConsent: consents.drop_consents,
    KeepPassage: memory.keep_passages,
    AddNote: notes.add_notes,
    DropNote: notes.drop_notes,
    Erase: erasing.erase,
    ReadPast: memory.read_past,
    SaveTask: scheduled.save_tasks,
    DropTask: scheduled.drop_tasks,
    DropRuns: scheduled.drop_runs,
    PauseTasks: scheduled.pause_tasks,
    AddRun: scheduled.add_runs,
    SaveRun: scheduled.save_runs,
    SaveGoal: goals.save_goals,
    DropGoal: goals.drop_goals,
    AddDiary: goals.add_diary,
    AddGoalTurn: goals.add_goal_turns,
    HoldGoalTasks: goals.hold_tasks,
    AdoptTask: goals.adopt_tasks,
    AddHookCall: hook_calls.add_hook_calls,
    SaveHookCall: hook_calls.save_hook_calls,
    EndTries: hook_calls.end_tries,
    SaveFileChange: file_changes.save_file_changes,
    DropFileChange: file_changes.drop_file_changes,
    SaveFeedback: feedback.save_feedback,
    DropFeedback: feedback.drop_feedback,
    DropPassage: memory.forget_passages,
}
_CLAIM = (
    update(chat_table)
    .where(chat_table.c.id == bindparam("of"))
    .values(fence=NextFence(chat_table.c.fence))
    .returning(chat_table.c.fence)
)
_WITH_WORK = union(
    select(turn_table.c.chat).where(AT_WORK),
    select(turn_table.c.chat).where(STOPPING),
    select(func.coalesce(approval_table.c.home, approval_table.c.chat)).where(DECIDED),
    select(inbox_table.c.chat).where(WAITING),
    select(errand_table.c.chat).where(BROUGHT),
)


class SqlJournal:
    def __init__(self, database: Database, now: Now, written: Written) -> None:
        self._database = database
        self._now = now
        self._written = written

    async def claim(self, chat: int) -> Fence:
        number = await self._database.write(
            lambda c: c.execute(_CLAIM, {"of": chat}).scalar(), repeatable=True
        )
        if number is None:
            raise NoSuchChat(f"there is no chat {chat}")
        return Fence(chat, number)

    async def commit(self, change: Change) -> None:
        work = partial(_carry_out, change=change, at=self._now())
        await self._database.write(work, durable=change.durable)
        self._written.committed(change)

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        return await self._database.read(lambda c: entries.load(c, conversation, after))

    async def agenda(self, chat: int) -> Agenda:
        return await self._database.read(partial(_agenda, chat=chat))

    async def chats_with_work(self) -> Sequence[int]:
        return await self._database.read(lambda c: sorted(c.execute(_WITH_WORK).scalars()))


def _carry_out(connection: Connection, change: Change, at: datetime) -> None:
    entries.guard(connection, change)
    for kind, writes in groupby(change.writes, type):
        _WRITERS[kind](connection, list(writes), at)


def _agenda(connection: Connection, chat: int) -> Agenda:
    there = agenda_parts(connection, chat)
    todo = turns.unsettled(connection, chat) if there.turns else []
    continued = {turn.approval for turn in todo if turn.approval is not None}
    cards = approvals.pending(connection, chat, continued) if there.cards or continued else ()
    sent: Sequence[Errand] = errands.untaken(connection, chat) if there.errands else ()
    if there.chat.screen is not None:
        sent = errands.at_home(connection, chat)
        cards = approvals.of_turns(connection, [turn.id for turn in todo])
    waiting = inbox.waiting(connection, chat, MOST_AHEAD) if there.waiting else ()
    senders = members.senders(connection, chat) if waiting else ()
    return Agenda(
        there.chat,
        unfinished=tuple(turn for turn in todo if turn.state is not TurnState.QUEUED),
        queued=tuple(turn for turn in todo if turn.state is TurnState.QUEUED),
        approvals=tuple(cards),
        waiting=tuple(waiting),
        senders={person.id: person for person, _ in senders},
        noted=any(noted for _, noted in senders),
        plan=plans.load(connection, there.plan) if there.plan is not None else None,
        leads_on=there.leads_on,
        cards_open=there.cards_open,
        errands=tuple(sent),
    )
