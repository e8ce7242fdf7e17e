"""Signs of life while a turn runs: typing, the text as it grows, one line for each tool."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

from bot.domain.errors import ChannelError
from bot.domain.message import Address, Sign
from bot.domain.tool import ToolCall, ToolResult
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_PATIENCE = 0.4
"""Seconds before the first sign: a quick answer needs none."""

_TYPING_EVERY = 4.5
_DRAFT_EVERY = 1.1
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


@asynccontextmanager
async def living(channel: Channel, address: Address, clock: Clock) -> AsyncGenerator[Live]:
    """Shows signs of life in a chat for as long as the block runs; faults are not the turn's."""
    live = Live()
    show = _show_all if channel.instant else _show_late
    shower = asyncio.create_task(show(live, channel, address, clock), name=f"live {address.key}")
    try:
        yield live
    finally:
        shower.cancel()
        with suppress(asyncio.CancelledError):
            await shower
    if channel.instant:
        await _draft(channel, address, live.passed())


async def _show_all(live: Live, channel: Channel, address: Address, clock: Clock) -> None:
    """For channels that cost nothing: at once, and no finished tool is passed over."""
    del clock
    with suppress(ChannelError):
        await channel.sign(address, Sign.TYPING)
    while True:
        live.changed.clear()
        screen, passed = live.screen, live.passed()
        # The newest finished tool is often what the screen still shows: once is enough.
        fresh = [screen] if screen and screen not in passed[-1:] else []
        await _draft(channel, address, [*passed, *fresh])
        await live.changed.wait()


async def _show_late(live: Live, channel: Channel, address: Address, clock: Clock) -> None:
    """For channels that count what is sent: after some patience, only the newest, not too often."""
    await clock.sleep(_PATIENCE)
    while True:
        live.changed.clear()
        live.passed()
        if live.screen and channel.drafts:
            await _draft(channel, address, [live.screen])
            await clock.sleep(_DRAFT_EVERY)
            await _next_change(live, _DRAFT_REFRESH)
        else:
            with suppress(ChannelError):
                await channel.sign(address, Sign.TYPING)
            await _next_change(live, _TYPING_EVERY)


async def _draft(channel: Channel, address: Address, screens: Sequence[str]) -> None:
    with suppress(ChannelError):
        for screen in screens:
            await channel.draft(address, screen)


async def _next_change(live: Live, at_most: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(at_most):
            await live.changed.wait()
