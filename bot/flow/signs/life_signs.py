"""Begins and ends the signs of life of a turn: typing, drafts, one line for each tool."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from bot.domain.change import Retract, Write
from bot.domain.talk.message import Address, Button
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.flow.log.work import Work
from bot.flow.signs.newest_state import Late, Live, show, show_all
from bot.flow.signs.placeholder import Placeholder, Placing
from bot.flow.signs.reactions import Reactions
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_WELL = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER)

Signs: TypeAlias = AbstractAsyncContextManager[None]
"""A block in which signs of life are shown."""


Put: TypeAlias = Callable[[Button], bool]
"""Puts a button below the growing message; False where none is on the screen."""


@dataclass(slots=True, eq=False)
class Lives:
    """Shows the progress of turns: in the chat, and on the messages that they answer.

    `beside` shows what stands beside the progress of a turn, where platforms have rates.
    """

    _channels: Mapping[str, Channel]
    _clock: Clock
    _reactions: Reactions
    _placing: Placing
    _beside: Callable[[Work, Put], Signs]
    _placeholders: dict[str, Placeholder] = field(default_factory=dict, init=False)
    _at_work: set[str] = field(default_factory=set, init=False)

    def taken(self, work: Work, since: datetime, *, cut: bool = False) -> None:
        """Shows that the turn works now on messages that came at `since`.

        `cut` is true when its last start was cut off, here or in another run of the program.
        """
        turn = work.turn
        if self._grows(work):
            if cut and turn.id not in self._at_work:
                self._placing.screen.strays.doubt(turn.id, turn.created_at)
            self._at_work.add(turn.id)
            work.left_behind = self._left_behind
        self._reactions.taken(work.address, work.message_ids, since)

    def _left_behind(self, work: Work) -> Sequence[Write]:
        """Returns what is owed when the turn leaves a growing message whose id nobody knows.

        It is stored together with the end of the turn, so the next run of the program knows too.
        """
        turn, strays = work.turn, self._placing.screen.strays
        placeholder = self._placeholders.get(turn.id)
        if placeholder is not None:
            placeholder.close()
        since = strays.since(turn.id)
        if since is None:
            return ()
        strays.owe(turn.id)
        return (Retract(turn.chat, turn.id, None, since),)

    def rested(self, work: Work) -> None:
        """Ends the signs of a turn that has parked or settled; its answer is owed by now."""
        placeholder = self._placeholders.pop(work.turn.id, None)
        if placeholder is not None:
            placeholder.end()
            self._placing.names[work.turn.id] = placeholder.number + 1
        if work.turn.state is not TurnState.RUNNING:
            self._at_work.discard(work.turn.id)
        if work.turn.state is TurnState.SETTLED:
            self._placing.names.pop(work.turn.id, None)
            well = work.turn.stop_reason in _WELL
            self._reactions.ended(work.address, work.message_ids, well=well)

    @asynccontextmanager
    async def of(self, work: Work) -> AsyncGenerator[Live]:
        """Shows signs of life while the block runs; faults of the channel do not reach the turn."""
        channel, address = self._channels[work.address.channel], work.address
        message_ids = work.message_ids

        def long() -> None:
            self._reactions.working(address, message_ids)

        # A screen that keeps what it showed needs no words again.
        live = Live(
            self._clock,
            () if channel.instant else work.progress.spoken,
            # The lines of a draft stay for good there, and those of /verbose tell the same.
            apart=channel.instant and work.log.chat.settings.verbose,
        )
        if work.log.chat.screen is not None:
            # One line tells of all errands; their drafts would fight for the same screen.
            yield live
            return
        late = Late(
            live,
            channel,
            address,
            self._clock,
            long,
            self._place(work),
            # Somebody has just pressed a button, or has waited since before a restart.
            at_once=work.turn.origin != "message" or work.progress.reply is not None,
        )
        # Where one may type at any moment, /stop and Ctrl-C need no button.
        placeholder = late.placeholder
        put = _nowhere if placeholder is None else placeholder.put
        offer = nullcontext() if channel.instant else self._beside(work, put)
        async with _living(live, channel, address, late), offer:
            yield live

    def before(self, address: Address) -> Signs:
        """Shows typing while the block runs; meant for work outside a running turn."""
        channel, live = self._channels[address.channel], Live(self._clock)
        late = Late(live, channel, address, self._clock, _nothing, None)
        return _living(live, channel, address, late)

    def _place(self, work: Work) -> Placeholder | None:
        """Returns the placeholder of a turn; None where drafts need no message."""
        channel, turn = self._channels[work.address.channel], work.turn
        if not self._grows(work):
            return None
        placeholder = Placeholder(self._placing, channel, work.address, turn)
        self._placeholders[turn.id] = placeholder
        return placeholder

    def _grows(self, work: Work) -> bool:
        """Returns True where an answer grows in a message of its own."""
        channel = self._channels[work.address.channel]
        by_itself = work.log.chat.private and not channel.growth.private
        return not (by_itself or channel.instant or work.log.chat.screen is not None)


def _nowhere(_: Button) -> bool:
    """Returns False: drafts take no buttons."""
    return False


def _nothing() -> None:
    """Does nothing, because there is no message to put a reaction on."""


@asynccontextmanager
async def _living(
    live: Live, channel: Channel, address: Address, late: Late
) -> AsyncGenerator[None]:
    showing = show_all(live, channel, address) if channel.instant else late.show()
    shower = asyncio.create_task(showing, name=f"live {address.key}")
    try:
        yield
    finally:
        shower.cancel()
        with suppress(asyncio.CancelledError):
            await shower
    if channel.instant:
        await show(channel, address, live.passed(), live.links)
