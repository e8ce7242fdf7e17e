"""Offers to stop a turn that takes long: a small message with a button, gone with the turn."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from bot.domain.change import Change, Show
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Button, Outbound, OutboundKind, Plain
from bot.domain.value import frozen
from bot.flow.log.work import Work
from bot.flow.ways.buttons import halt, halt_key, on_screen, wait_key
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox

AFTER = 10.0
"""Seconds of work after which the button comes."""

_WORDS = "⏳ Still working."
_LOG = logging.getLogger(__name__)


@frozen
class StopOffers:
    """The message is owed like any other, so it outlives a restart; the end of the turn takes it.

    Where a message grows, the button stands below it instead. Drafts take no buttons, and a turn
    that says nothing shows no message: there it is one of its own.
    """

    _journal: Journal
    _outbox: Outbox
    _clock: Clock

    @asynccontextmanager
    async def of(self, work: Work, put: Callable[[Button], bool]) -> AsyncGenerator[None]:
        """Offers it while the block runs; a write that has begun is waited for at its end."""
        due = asyncio.Event()
        offer = asyncio.create_task(self._offer(work, put, due), name=f"stop {work.address.key}")
        try:
            yield
        finally:
            if not due.is_set():
                offer.cancel()
            with suppress(asyncio.CancelledError):
                await offer

    async def _offer(self, work: Work, put: Callable[[Button], bool], due: asyncio.Event) -> None:
        await self._clock.sleep(AFTER)
        due.set()
        turn = work.turn
        if put(halt(turn.id)):
            return
        try:
            for key in (halt_key(turn.id), wait_key(turn.id)):
                if on_screen(await self._outbox.row(key)):
                    return
            line = (Plain(_WORDS, style="aside"),)
            content = Outbound(OutboundKind.MENU, line, ((halt(turn.id),),), silent=True)
            offer = Show(halt_key(turn.id), turn.chat, content, about=turn.id)
            await self._journal.commit(Change((offer,)))
        except StoreError as fault:
            _LOG.warning("the button that stops a turn is left out: %s", fault)
