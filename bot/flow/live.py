"""Signs of life while a turn runs: typing, the text as it grows, one line for the tools."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

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


@dataclass(slots=True)
class Live:
    """What the screen should show now; setting it costs nothing, a task of its own shows it."""

    text: str = ""
    tools: str = ""
    changed: asyncio.Event | None = None

    def write(self, text: str) -> None:
        self.text = text
        self._touch()

    def running(self, calls: tuple[ToolCall, ...]) -> None:
        self.tools = "\n".join(f"⏳ {call.subject}" for call in calls)
        self._touch()

    def finished(self, pairs: list[tuple[ToolCall, ToolResult]]) -> None:
        marks = [f"{'✗' if result.is_error else '✓'} {call.subject}" for call, result in pairs]
        self.tools = "\n".join(marks)
        self._touch()

    @property
    def screen(self) -> str:
        return "\n\n".join(part for part in (self.text, self.tools) if part)

    def _touch(self) -> None:
        if self.changed is not None:
            self.changed.set()


@asynccontextmanager
async def living(channel: Channel, address: Address, clock: Clock) -> AsyncGenerator[Live]:
    """Shows signs of life in a chat for as long as the block runs; faults are not the turn's."""
    live = Live(changed=asyncio.Event())
    shower = asyncio.create_task(_show(live, channel, address, clock), name=f"live {address.key}")
    try:
        yield live
    finally:
        shower.cancel()
        with suppress(asyncio.CancelledError):
            await shower


async def _show(live: Live, channel: Channel, address: Address, clock: Clock) -> None:
    if channel.gated:
        await clock.sleep(_PATIENCE)
    shown, typed = "", None
    while True:
        if live.changed is not None:
            live.changed.clear()
        screen = live.screen
        with suppress(ChannelError):
            if screen and screen != shown and channel.drafts:
                await channel.draft(address, screen)
                shown = screen
            elif typed is None or clock.steady() - typed >= _TYPING_EVERY:
                await channel.sign(address, Sign.TYPING)
                typed = clock.steady()
        if channel.gated:
            await clock.sleep(_DRAFT_EVERY)
        await _next_change(live, _TYPING_EVERY if not shown else _DRAFT_REFRESH)


async def _next_change(live: Live, at_most: float) -> None:
    if live.changed is None:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(at_most):
            await live.changed.wait()
