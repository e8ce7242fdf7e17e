"""A journal for the queue of a chat that leaves out runs which stand in line."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import Change, Fence
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.flow.schedules.gate import RunGate
from bot.ports.journal import Agenda, Journal


class HeldRuns:
    """Is the journal in all else. A run that somebody stops is not held: it has to end."""

    def __init__(self, journal: Journal, gate: RunGate) -> None:
        self._journal = journal
        self._gate = gate

    async def claim(self, chat: int) -> Fence:
        return await self._journal.claim(chat)

    async def commit(self, change: Change) -> None:
        await self._journal.commit(change)

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        return await self._journal.entries(conversation, after)

    async def agenda(self, chat: int) -> Agenda:
        agenda = await self._journal.agenda(chat)
        self._gate.seen(chat, {one.id for one in (*agenda.unfinished, *agenda.queued)})
        free = tuple(turn for turn in agenda.queued if not self._held(turn))
        return agenda if len(free) == len(agenda.queued) else replace(agenda, queued=free)

    async def chats_with_work(self) -> Sequence[int]:
        return await self._journal.chats_with_work()

    def lost(self, chat: int) -> None:
        """Notes that the chat has another owner now."""
        self._gate.lost(chat)

    def _held(self, turn: Turn) -> bool:
        return turn.stop_asked is None and self._gate.holds(turn.id, turn.chat)
