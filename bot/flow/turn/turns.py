"""A turn from its opening to its settled end."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress

from bot.domain.consent.approval import Approval
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import (
    Conflict,
    FenceLost,
    ModelDenied,
    NoSuchChat,
    StewardError,
    StoreUnavailable,
)
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import field, frozen
from bot.flow.log.history import ChatLog
from bot.flow.log.work import Work
from bot.flow.reading.gathering import Gathered
from bot.flow.signs.life_signs import Lives
from bot.flow.turn import server_faults
from bot.flow.turn.chores import Chore
from bot.flow.turn.model_failure import failed
from bot.flow.turn.openings import Openings
from bot.flow.turn.resting import Resting
from bot.flow.turn.scene import Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.tool_loop import ToolLoop
from bot.ports.journal import Agenda

_LOG = logging.getLogger(__name__)


@frozen
class Turns:
    """Opens turns, takes them up again, and runs them until they settle or park."""

    _openings: Openings
    _loop: ToolLoop
    _settlement: Settlement
    _resting: Resting
    _chores: Mapping[str, Chore]
    """The chores by the origin of their turns."""
    _scenes: Scenes
    _lives: Lives
    _cut: dict[str, ReplyBody] = field(default_factory=dict[str, ReplyBody], init=False)
    """The words that turns had said when they were cancelled; those of a stopped one stay."""

    async def open(
        self, log: ChatLog, gathered: Gathered, unreported: Sequence[Approval], agenda: Agenda
    ) -> Work:
        """Opens a turn with a message; the message's rows are taken in the same transaction."""
        return await self._openings.open(log, gathered, unreported, agenda)

    async def take_up(self, log: ChatLog, turn: Turn, agenda: Agenda) -> Work:
        """Continues a turn that an earlier run of the program began, or that was parked."""
        return await self._openings.take_up(log, turn, agenda)

    async def run(self, work: Work) -> bool:
        """Runs the turn; True when it settled, False when it waits for a person or its trial."""
        try:
            return await self._run(work)
        finally:
            self._lives.rested(work)

    async def _run(self, work: Work) -> bool:
        # This check comes before anything that may fail: a turn that always fails must still end.
        try:
            await self._go_on(work)
        except asyncio.CancelledError:
            if work.cut_off is not None:
                self._cut[work.turn.id] = work.cut_off
            # A cancelled attempt does not count: only one that dies with the process stays counted.
            await work.interrupted()
            raise
        except (StoreUnavailable, NoSuchChat, FenceLost, Conflict):
            # The world's fault, not the turn's.
            raise
        except Exception:
            with suppress(StewardError):
                await work.start.fail()
            raise
        settled = work.turn.state is TurnState.SETTLED
        if settled:
            _log_end(work)
        return settled

    async def _go_on(self, work: Work) -> None:
        ending, said = self._loop.broken_off(work), self._cut.pop(work.turn.id, None)
        if ending is not None and said is not None:
            work.hold(said, work.turn, ())
        if ending is None:
            pause = self._loop.rest_due(work)
            if pause is not None:
                await self._resting.rest(work, pause)
                return
            if work.turn.held_back:
                await self._resting.hold_back(work)
            ending = await self._advanced(work)
        pause = self._loop.retry_due(work, ending) if ending is not None else None
        if ending is not None and pause is not None:
            await self._resting.wait(work, pause, ending)
        elif ending is not None:
            await self._settlement.settle(work, ending)

    async def _advanced(self, work: Work) -> Finish | None:
        """Returns the ending; None when the turn is parked, or was a chore that settled itself."""
        chore = self._chores.get(work.turn.origin)
        try:
            if chore is not None:
                with work.start.step():
                    await chore.do(work)
                return None
            scene = await self._scenes.of(work)
        except ModelDenied as fault:
            return failed(fault, work.turn.model)
        if work.progress.reply is None and not work.progress.open_calls:
            servers = await self._scenes.servers(work)
            if any(server.fault for server in servers):
                await server_faults.tell(work, servers)
        async with self._lives.of(work) as live:
            return await self._loop.advance(work, scene, live)

    async def rest(self, chat: Chat) -> None:
        """Tells the scenes that a chat has no turn to run."""
        await self._scenes.rest(chat)

    async def set_aside(self, work: Work) -> None:
        await self._settlement.set_aside(work)
        self._lives.rested(work)


def _log_end(work: Work) -> None:
    """Logs the one line of a turn for people."""
    how = work.turn.stop_reason.value if work.turn.stop_reason is not None else "no answer"
    lasted = (work.clock.now() - work.turn.created_at).total_seconds()
    calls = len(work.progress.done)
    _LOG.info("turn ended: %s, %d calls, %.0f s", how, calls, lasted, extra=work.tags)
