"""A journal that announces what it owes: messages, passages, voice notes, and other work."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeGuard

from bot.domain.change import (
    Change,
    DropNote,
    Erase,
    Fence,
    JoinChats,
    JoinPeople,
    KeepPassage,
    LinkAccount,
    OweVoice,
    Retract,
    SaveErrand,
    SaveRun,
    SaveTask,
    Show,
    Write,
)
from bot.domain.turn.transcript import Entry
from bot.domain.value import frozen
from bot.ports.journal import Agenda, Journal

_ABOUT_WORK = (SaveErrand, SaveTask, SaveRun)
_ABOUT_PASSAGES = (KeepPassage, DropNote, Erase, LinkAccount, JoinPeople, JoinChats)


@frozen
class AnnouncingJournal:
    """Wraps a journal and calls `announce` with each chat that a change adds a message to.

    `remembered` is called after a change that keeps, moves or forgets passages, `voiced` after one
    that owes a voice note, `moved` with each change that moves errands, tasks or runs.
    """

    _journal: Journal
    _announce: Callable[[int], None]
    _remembered: Callable[[], None] = lambda: None
    _voiced: Callable[[], None] = lambda: None
    _moved: Callable[[Change], None] = lambda _: None

    async def claim(self, chat: int) -> Fence:
        return await self._journal.claim(chat)

    async def commit(self, change: Change) -> None:
        try:
            await self._journal.commit(change)
        except asyncio.CancelledError:
            # The change may be stored by then; a needless announcement does no harm.
            self._tell(change)
            raise
        self._tell(change)

    def _tell(self, change: Change) -> None:
        for chat in {w.chat for w in change.writes if _is_to_be_delivered(w)}:
            self._announce(chat)
        if any(isinstance(w, _ABOUT_PASSAGES) for w in change.writes):
            self._remembered()
        if any(isinstance(w, OweVoice) for w in change.writes):
            self._voiced()
        if any(isinstance(w, _ABOUT_WORK) for w in change.writes):
            self._moved(change)

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        return await self._journal.entries(conversation, after)

    async def agenda(self, chat: int) -> Agenda:
        return await self._journal.agenda(chat)

    async def chats_with_work(self) -> Sequence[int]:
        return await self._journal.chats_with_work()


def _is_to_be_delivered(write: Write) -> TypeGuard[Show | Retract]:
    """Returns True for a message; one that grows is taken away later, behind its answer."""
    return isinstance(write, Show) or (isinstance(write, Retract) and write.message_id is None)
