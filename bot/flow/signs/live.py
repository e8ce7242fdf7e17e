"""Signs of life while a turn runs: typing, the text as it grows, one line for each tool."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from bot.domain.errors import ChannelError
from bot.domain.message import Address, Sign
from bot.domain.outcome import StopReason
from bot.domain.tool import ToolCall, ToolResult
from bot.domain.turn import TurnState
from bot.flow.log.work import Work
from bot.flow.signs.placeholder import Placeholder, Placing
from bot.flow.signs.reactions import Reactions
from bot.flow.tasks import awaited
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_PATIENCE = 0.4
"""Seconds before the first sign: a quick answer needs none."""

_WELL = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER)
_LONG = 4.8
"""Seconds after which a message shows that it is being worked on, and a group its answer."""

_TYPING_EVERY = 4.5
_DRAFT_EVERY = 1.1
_SIGN_LASTS = 2.2
_MESSAGE_EVERY = 5.0
"""Seconds between two states of a message that grows; a group bears 20 messages a minute."""

_DRAFT_REFRESH = 20.0


class Live:
    """What the screen should show now; telling it costs nothing, a task of its own shows it."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._text = ""
        self._tools = ""
        self._passed: list[str] = []

    @property
    def screen(self) -> str:
        return "\n\n".join(part for part in (self._text, self._tools) if part)

    def write(self, text: str) -> None:
        """The text so far; the first words after tools take the place of their lines."""
        self._text = text
        if text:
            self._tools = ""
        self.changed.set()

    def running(self, calls: Sequence[ToolCall]) -> None:
        self._tools = "\n".join(f"⏳ {call.subject}" for call in calls)
        self.changed.set()

    def finished(self, pairs: Sequence[tuple[ToolCall, ToolResult]]) -> None:
        marks = [f"{'✗' if result.is_error else '✓'} {call.subject}" for call, result in pairs]
        self._tools = "\n".join(marks)
        self._passed.append(self.screen)
        self._text = ""
        self.changed.set()

    def passed(self) -> list[str]:
        """The screens that told of finished tools since this was last asked."""
        passed, self._passed = self._passed, []
        return passed


class Lives:
    """Shows how turns get on: in the chat, and on the messages they answer."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        clock: Clock,
        reactions: Reactions,
        placing: Placing,
    ) -> None:
        self._channels = channels
        self._clock = clock
        self._reactions = reactions
        self._placing = placing
        self._placeholders: dict[str, Placeholder] = {}

    def taken(self, work: Work, since: datetime) -> None:
        """The turn is at work now on what came at `since`."""
        self._reactions.taken(work.address, work.message_ids, since)

    def rested(self, work: Work) -> None:
        """The turn has parked or settled, and what it had to say is owed."""
        placeholder = self._placeholders.pop(work.turn.id, None)
        if placeholder is not None:
            placeholder.end()
        if work.turn.state is TurnState.SETTLED:
            well = work.turn.stop_reason in _WELL
            self._reactions.ended(work.address, work.message_ids, well=well)

    @asynccontextmanager
    async def of(self, work: Work) -> AsyncGenerator[Live]:
        """Shows signs of life for as long as the block runs; faults are not the turn's."""
        channel, address = self._channels[work.address.channel], work.address
        message_ids = work.message_ids

        def long() -> None:
            self._reactions.working(address, message_ids)

        async with _living(channel, address, self._clock, long, self._place(work)) as live:
            yield live

    @asynccontextmanager
    async def before(self, address: Address) -> AsyncGenerator[None]:
        """Shows that something is done while there is no turn yet, or none that goes on."""
        async with _living(self._channels[address.channel], address, self._clock, _nothing):
            yield

    def _place(self, work: Work) -> Placeholder | None:
        """Where the answer of a group's turn grows; private chats have drafts for that."""
        channel, turn = self._channels[work.address.channel], work.turn
        if work.log.chat.private or channel.instant:
            return None
        placeholder = Placeholder(
            self._placing, channel, work.address, turn.chat, turn.id, turn.reply_to
        )
        self._placeholders[turn.id] = placeholder
        return placeholder


def _nothing() -> None:
    """There is no message yet to show it on."""


@asynccontextmanager
async def _living(
    channel: Channel,
    address: Address,
    clock: Clock,
    long: Callable[[], None],
    placeholder: Placeholder | None = None,
) -> AsyncGenerator[Live]:
    live = Live()
    late = _Late(live, channel, address, clock, long, placeholder)
    show = _show_all(live, channel, address) if channel.instant else late.show()
    shower = asyncio.create_task(show, name=f"live {address.key}")
    try:
        yield live
    finally:
        shower.cancel()
        with suppress(asyncio.CancelledError):
            await shower
    if channel.instant:
        await _draft(channel, address, live.passed())


async def _show_all(live: Live, channel: Channel, address: Address) -> None:
    """For channels that cost nothing: at once, and no finished tool is passed over."""
    with suppress(ChannelError):
        await channel.sign(address, Sign.TYPING)
    while True:
        live.changed.clear()
        screen, passed = live.screen, live.passed()
        # The newest finished tool is often what the screen still shows: once is enough.
        fresh = [screen] if screen and screen not in passed[-1:] else []
        await _draft(channel, address, [*passed, *fresh])
        await live.changed.wait()


@dataclass(slots=True)
class _Late:
    """For channels that count what is sent: after some patience, only the newest, not too often.

    `long` is called once when it takes longer than a person cares to wait for nothing.
    """

    live: Live
    channel: Channel
    address: Address
    clock: Clock
    long: Callable[[], None]
    placeholder: Placeholder | None

    async def show(self) -> None:
        long_at, told = self.clock.steady() + _LONG, False
        await self.clock.sleep(_PATIENCE)
        while True:
            takes_long = self.clock.steady() >= long_at
            if takes_long and not told:
                self.long()
                told = True
            self.live.changed.clear()
            self.live.passed()
            rest = await self._show_now(takes_long=takes_long)
            soon = rest if told else min(rest, long_at - self.clock.steady())
            await awaited(self.live.changed, self.clock, max(soon, 0))

    async def _show_now(self, *, takes_long: bool) -> float:
        """Shows the newest state; returns when to show it again should nothing change."""
        screen = self.live.screen if self.channel.drafts else ""
        if screen and self.placeholder is None:
            await _draft(self.channel, self.address, [screen])
            await self.clock.sleep(_DRAFT_EVERY)
            return _DRAFT_REFRESH
        if screen and self.placeholder is not None and takes_long:
            self.placeholder.show(screen)
            await self.clock.sleep(_MESSAGE_EVERY)
            return _TYPING_EVERY
        with suppress(ChannelError):
            await self.channel.sign(self.address, Sign.TYPING)
        # The words of a group's answer change at every moment: the sign need not.
        await self.clock.sleep(_SIGN_LASTS if screen else 0.0)
        return _TYPING_EVERY


async def _draft(channel: Channel, address: Address, screens: Sequence[str]) -> None:
    with suppress(ChannelError):
        for screen in screens:
            await channel.draft(address, screen)
