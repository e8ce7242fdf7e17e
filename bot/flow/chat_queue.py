"""What a chat does next: one thing at a time, oldest first, until nothing is left."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.errors import Conflict, FenceLost
from bot.domain.turn import Turn, TurnState
from bot.flow.asker import Asker
from bot.flow.history import ChatLog, History
from bot.flow.overhearing import Overhearing
from bot.flow.turn import Turns
from bot.ports.inbox import InboundRow
from bot.ports.journal import Agenda, Journal

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TakeUp:
    turn: Turn


@dataclass(frozen=True, slots=True)
class SetAside:
    turn: Turn


@dataclass(frozen=True, slots=True)
class Open:
    row: InboundRow


Job: TypeAlias = TakeUp | SetAside | Open

Decisions: TypeAlias = frozenset[tuple[str, ApprovalState]]
"""The cards of a parked turn as they stood when it parked."""


def next_job(agenda: Agenda, parked: Decisions | None) -> Job | None:
    """The oldest unfinished turn, then queued turns, then waiting messages.

    `parked` is how the cards stood when the turn last parked in this sitting; as long as they
    stand so, only a new message moves it: it sets the turn aside.
    """
    for turn in agenda.unfinished:
        if turn.state is TurnState.RUNNING or turn.stop_asked is not None:
            return TakeUp(turn)
        stand = decisions(turn, agenda.approvals)
        if stand != parked and any(state is not ApprovalState.OPEN for _, state in stand):
            return TakeUp(turn)
        return SetAside(turn) if agenda.waiting or agenda.queued else None
    if agenda.queued:
        return TakeUp(agenda.queued[0])
    return Open(agenda.waiting[0]) if agenda.waiting else None


def decisions(turn: Turn, approvals: Sequence[Approval]) -> Decisions:
    return frozenset((a.id, a.state) for a in approvals if a.turn == turn.id)


class ChatQueue:
    """Drains chats; handed to the lanes, which see to it that one owner does so at a time."""

    def __init__(
        self,
        journal: Journal,
        history: History,
        turns: Turns,
        asker: Asker,
        overhearing: Overhearing,
    ) -> None:
        self._journal = journal
        self._history = history
        self._turns = turns
        self._asker = asker
        self._overhearing = overhearing
        self._at_work: set[int] = set()

    def busy(self, chat: int) -> bool:
        """Whether a turn of the chat is running right now."""
        return chat in self._at_work

    async def drain(self, chat: int) -> None:
        """Does all a chat has to do. What was in memory is dropped after any fault."""
        self._at_work.add(chat)
        try:
            await self._drain(chat)
        except FenceLost:
            self._history.forget(chat)
            _LOG.warning("chat %d has another owner now", chat)
        except BaseException:
            self._history.forget(chat)
            raise
        finally:
            self._at_work.discard(chat)

    async def _drain(self, chat: int) -> None:
        parked: Decisions | None = None
        while True:
            agenda = await self._journal.agenda(chat)
            job = next_job(agenda, parked)
            if job is None:
                return
            log = await self._history.own(chat)
            try:
                parked = await self._do(log, job, agenda)
            except Conflict as fault:
                _LOG.info("the world moved on (%s), looking again", fault)
                self._history.forget(chat)

    async def _do(self, log: ChatLog, job: Job, agenda: Agenda) -> Decisions | None:
        match job:
            case Open(row):
                return await self._open(log, row, agenda)
            case TakeUp(turn):
                work = await self._turns.take_up(log, turn, agenda.approvals)
                settled = await self._turns.run(work)
                return None if settled else decisions(work.turn, work.approvals)
            case SetAside(turn):
                work = await self._turns.take_up(log, turn, agenda.approvals)
                await self._turns.set_aside(work)
                return None
            case _:
                assert_never(job)

    async def _open(self, log: ChatLog, row: InboundRow, agenda: Agenda) -> Decisions | None:
        asked = await self._asker.read(row, log.chat)
        if asked is None:
            drop = MarkInbound(
                row.id,
                InboundState.DROPPED,
                (InboundState.WAITING,),
                log.chat.id,
                reason="its sender may not ask any more",
            )
            await self._journal.commit(Change((drop,), log.fence))
            return None
        if asked.message.attachments:
            asked = await self._asker.opened(asked, log.chat)
            agenda = await self._journal.agenda(log.chat.id)
            if not any(r.id == row.id and r.body == row.body for r in agenda.waiting):
                return None  # edited or dropped meanwhile: what is next is seen anew
        asked = replace(asked, heard=await self._overhearing.read(log.chat))
        work = await self._turns.open(log, row, asked, _unreported(agenda.approvals))
        settled = await self._turns.run(work)
        return None if settled else decisions(work.turn, work.approvals)


def _unreported(approvals: Sequence[Approval]) -> list[Approval]:
    """Set-aside cards that ended without a run and of which the model has not heard."""
    running = (ApprovalState.OPEN, ApprovalState.APPROVED)
    return [a for a in approvals if a.set_aside and not a.reported and a.state not in running]
