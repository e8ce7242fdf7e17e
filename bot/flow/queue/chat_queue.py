"""Does the jobs of a chat, one after the other; a resting turn waits until it is due."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, assert_never

from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.bundle import belong, seam_of
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict, FenceLost, NoSuchChat
from bot.domain.talk.message import InboundMessage
from bot.domain.turn.turn import Turn, TurnState
from bot.flow.groups.moving import Moving
from bot.flow.log.history import ChatLog, History
from bot.flow.log.work import Work
from bot.flow.queue.files_here import FilesHere
from bot.flow.queue.jobs import (
    Decisions,
    Job,
    Open,
    SetAside,
    TakeUp,
    decisions,
    next_job,
    next_trial,
    without_resting,
)
from bot.flow.queue.trials import Trials
from bot.flow.reading.gathering import Gathering, newest_seam, unanswered
from bot.flow.reading.overhearing import Overhearing
from bot.flow.turn.turns import Turns
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Agenda, Journal

_LOG = logging.getLogger(__name__)

_OPENED_AT_ONCE = 4
"""Turns that are opened side by side.

When hundreds of chats write at the same moment, running turns then end soon. Opened all
at once they would all be late, and each would show meanwhile that it works.
"""


class Line(Protocol):
    """The line in which runs stand until there is room for them."""

    @property
    def seats(self) -> Container[int]:
        """The chats whose run has been called in."""
        ...

    def free(self, agenda: Agenda) -> Agenda:
        """Returns the agenda without the runs that stand in line."""
        ...

    def lost(self, chat: int) -> None:
        """Notes that a chat goes to another process."""
        ...


@dataclass(slots=True, eq=False)
class ChatQueue:
    """Drains chats; the lanes call it, and make sure that a chat has one owner at a time."""

    _agenda: Callable[[int], Awaitable[Agenda]]
    """Reads the open work of a chat."""
    _journal: Journal
    """Takes the little that the queue itself writes."""
    _line: Line
    """The line of runs; most chats have none."""
    _trials: Trials
    """The times at which resting turns are tried again."""
    _history: History
    """The logs of the chats."""
    _turns: Turns
    """Opens turns and runs them."""
    _gathering: Gathering
    """Makes messages of waiting rows."""
    _overhearing: Overhearing
    """Reads what was heard in a group, as context."""
    _moving: Moving
    """Joins a chat that has moved with its old one."""
    _clock: Clock
    """The clock of the rests."""
    _served: Container[str]
    """The names of the channels that are served: the work of other chats waits."""
    _files: FilesHere | None
    """Knows which chats other workers have the files of; None where this one has all files."""
    _opening: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_OPENED_AT_ONCE))
    """Lets a few turns open side by side."""
    _at_work: set[int] = field(default_factory=set[int])
    """The chats that are being worked on; one that waits for fragments is not."""
    _begun: dict[int, tuple[ChatLog, str]] = field(default_factory=dict[int, tuple[ChatLog, str]])
    """The running turns of the chats, with their logs."""
    _arrivals: Counter[int] = field(default_factory=Counter[int])
    """The numbers of messages that came in during the present drains."""
    _resting: dict[int, asyncio.Event] = field(default_factory=dict[int, asyncio.Event])
    """Woken by a message in a chat that waits for fragments."""

    def busy(self, chat: int) -> bool:
        """Returns True while the chat is being worked on; waiting for fragments does not count."""
        return chat in self._at_work

    def at_hand(self, chat: int) -> bool:
        """Returns True while a drain of the chat goes on, also one that waits for fragments."""
        return chat in self._at_work or chat in self._resting

    def opens(self, chat: int, message: InboundMessage) -> bool:
        """Returns True for a fragment of the running turn's message, if no reply has come yet."""
        if chat not in self._begun:
            return False
        log, turn = self._begun[chat]
        seam = unanswered(log, turn)
        return seam is not None and belong(seam, seam_of(message))

    def arrived(self, chat: int) -> None:
        """Notes that a new message waits in a chat."""
        self._arrivals[chat] += 1
        if chat in self._resting:
            self._resting[chat].set()

    async def drain(self, chat: int) -> None:
        """Does all the work of a chat, and expects the next trial if a turn rests.

        After a fault the log in memory is dropped.
        """
        at = None
        self._at_work.add(chat)
        try:
            at = await self._drain(chat)
        except NoSuchChat:
            self._history.forget(chat)
        except FenceLost:
            self._history.forget(chat)
            self._line.lost(chat)
            _LOG.warning("chat %d has another owner now", chat)
        except BaseException:
            self._history.forget(chat)
            raise
        finally:
            self._at_work.discard(chat)
            del self._arrivals[chat]
        if at is not None or chat in self._trials.expected:
            self._trials.expect(chat, at)

    async def _drain(self, chat: int) -> datetime | None:
        parked: Decisions | None = None
        while True:
            seen = self._arrivals[chat]
            agenda = await self._agenda(chat)
            if agenda.queued or chat in self._line.seats:
                agenda = self._line.free(agenda)
            if not self._reaches(agenda.chat):
                return None
            due = without_resting(agenda, self._clock.now(), self._trials.longest)
            job = next_job(due, parked)
            if job is None:
                if all(turn.state is TurnState.RESTING for turn in agenda.unfinished):
                    await self._turns.rest(agenda.chat)
                return next_trial(agenda)
            if self._files is not None and not await self._files.here(agenda):
                return None
            log = await self._history.own(agenda.chat)
            if log is None:
                continue  # claimed only now: what was read before may be old
            try:
                parked = await self._do(log, job, agenda, seen)
            except Conflict as fault:
                _LOG.info("the world moved on (%s), looking again", fault)
                self._history.forget(chat)

    def _reaches(self, chat: Chat) -> bool:
        """Returns False for a chat of a channel that is served no more, or not by this start."""
        return chat.address.channel in self._served or chat.screen is not None

    async def _do(self, log: ChatLog, job: Job, agenda: Agenda, seen: int) -> Decisions | None:
        match job:
            case Open():
                return await self._open(log, agenda, seen)
            case TakeUp(turn):
                return await self._take_up(log, turn, agenda, seen)
            case SetAside(turn):
                work = await self._turns.take_up(log, turn, agenda)
                await self._turns.set_aside(work)
                return None
            case _:
                assert_never(job)

    async def _open(self, log: ChatLog, agenda: Agenda, seen: int) -> Decisions | None:
        chat = log.chat
        if agenda.waiting[0].message_id is None:
            await self._moving.join(agenda.waiting[0], log.fence)
            self._history.forget(chat.id)
            return None
        gathered = await self._gathering.next(agenda.waiting, chat, agenda.senders)
        if gathered is None:
            await self._drop(log, agenda.waiting[0])
            return None
        if gathered.wait > 0:
            async with self._gathering.signed(gathered):
                await self._rest(chat.id, gathered.wait, seen)
            return None
        if gathered.asked.enclosing:
            gathered = await self._gathering.opened(gathered, chat)
            agenda = await self._agenda(chat.id)
            if not gathered.stands(agenda.waiting):
                return None
        async with self._opening:
            await log.read(chat.conversation)
            gathered = self._gathering.noted(gathered, newest_seam(log))
            if not chat.private:
                gathered = gathered.hearing(await self._overhearing.read(chat))
            unreported = _unreported(agenda.approvals)
            work = await self._turns.open(log, gathered, unreported, agenda)
        return await self._run(work, (), seen)

    async def _take_up(
        self, log: ChatLog, turn: Turn, agenda: Agenda, seen: int
    ) -> Decisions | None:
        async with self._opening:
            work = await self._turns.take_up(log, turn, agenda)
        return await self._run(work, agenda.waiting, seen)

    async def _run(self, work: Work, waiting: Sequence[InboundRow], seen: int) -> Decisions | None:
        """Runs a turn; returns the states of its cards when it parks, None when it settles."""
        chat = work.turn.chat
        await self._add_late(work, waiting, seen)
        # There is no await since the last look, so a message that comes from now on finds the
        # turn begun.
        self._begun[chat] = (work.log, work.turn.id)
        try:
            settled = await self._turns.run(work)
        finally:
            del self._begun[chat]
        return None if settled else decisions(work.turn, work.approvals)

    async def _add_late(self, work: Work, waiting: Sequence[InboundRow], seen: int) -> None:
        """Adds late fragments to the opening of a turn: they came after it had been taken."""
        chat, log = work.turn.chat, work.log
        while True:
            late = await self._gathering.late(waiting, log, work.turn)
            if late is None and self._arrivals[chat] == seen:
                return
            if late is not None and late.wait > 0:
                await self._rest(chat, late.wait, seen)
            elif late is not None:
                late = await self._gathering.opened(late, log.chat)
            seen = self._arrivals[chat]
            waiting = (await self._agenda(chat)).waiting
            if late is not None and not late.wait and late.stands(waiting):
                await work.write(late.asked.body(), also=late.taken(chat, work.turn.id))
                taken = set(late.rows)
                waiting = [row for row in waiting if row not in taken]

    async def _rest(self, chat: int, seconds: float, seen: int) -> None:
        """Waits until a message arrives or the time is over; the chat is not busy meanwhile."""
        if self._arrivals[chat] != seen:
            return
        arrival = self._resting[chat] = asyncio.Event()
        self._at_work.discard(chat)
        try:
            await self._clock.until(arrival, seconds)
        finally:
            del self._resting[chat]
        self._at_work.add(chat)

    async def _drop(self, log: ChatLog, row: InboundRow) -> None:
        waiting = (InboundState.WAITING,)
        reason = "its sender may not ask any more"
        drop = MarkInbound(row.id, InboundState.DROPPED, waiting, log.chat.id, reason=reason)
        await self._journal.commit(Change((drop,), log.fence))


def _unreported(approvals: Sequence[Approval]) -> list[Approval]:
    """Returns the set-aside cards that ended without a run and that the model knows nothing of."""
    running = (ApprovalState.OPEN, ApprovalState.APPROVED)
    return [a for a in approvals if a.set_aside and not a.reported and a.state not in running]
