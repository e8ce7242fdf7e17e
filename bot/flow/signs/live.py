"""Shows signs of life while a turn runs: typing, the growing text, one line for each tool."""

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
"""Seconds before the first sign; a quick answer needs no sign."""

_WELL = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER)
_LONG = 4.8
"""Seconds after which a message gets its reaction, and a group sees the growing answer."""

_TYPING_EVERY = 4.5
_DRAFT_EVERY = 1.1
_SIGN_LASTS = 2.2
_MESSAGE_EVERY = 5.0
"""Seconds between two edits of a growing message; a group allows 20 messages a minute."""

_DRAFT_REFRESH = 20.0


class Live:
    """The newest content for the screen; another task shows it, so the turn never waits for it."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._text = ""
        self._tools = ""
        self._passed: list[str] = []

    @property
    def screen(self) -> str:
        return "\n\n".join(part for part in (self._text, self._tools) if part)

    def write(self, text: str) -> None:
        """Takes the text so far; the first text after tools replaces their lines."""
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
        """Returns the screens with finished tools since the last call."""
        passed, self._passed = self._passed, []
        return passed


class Lives:
    """Shows the progress of turns: in the chat, and on the messages that they answer."""

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
        """Shows that the turn works now on messages that came at `since`."""
        self._reactions.taken(work.address, work.message_ids, since)

    def rested(self, work: Work) -> None:
        """Ends the signs of a turn that has parked or settled; its answer is owed by now."""
        placeholder = self._placeholders.pop(work.turn.id, None)
        if placeholder is not None:
            placeholder.end()
        if work.turn.state is TurnState.SETTLED:
            well = work.turn.stop_reason in _WELL
            self._reactions.ended(work.address, work.message_ids, well=well)

    @asynccontextmanager
    async def of(self, work: Work) -> AsyncGenerator[Live]:
        """Shows signs of life while the block runs; faults of the channel do not reach the turn."""
        channel, address = self._channels[work.address.channel], work.address
        message_ids = work.message_ids

        def long() -> None:
            self._reactions.working(address, message_ids)

        async with _living(channel, address, self._clock, long, self._place(work)) as live:
            yield live

    @asynccontextmanager
    async def before(self, address: Address) -> AsyncGenerator[None]:
        """Shows typing while the block runs; meant for work outside a running turn."""
        async with _living(self._channels[address.channel], address, self._clock, _nothing):
            yield

    def _place(self, work: Work) -> Placeholder | None:
        """Returns the placeholder of a group's turn; a private chat has drafts instead."""
        channel, turn = self._channels[work.address.channel], work.turn
        if work.log.chat.private or channel.instant:
            return None
        placeholder = Placeholder(
            self._placing, channel, work.address, turn.chat, turn.id, turn.reply_to
        )
        self._placeholders[turn.id] = placeholder
        return placeholder


def _nothing() -> None:
    """Does nothing, because there is no message to put a reaction on."""


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
    """Shows every change at once, finished tools included, on a channel without rates."""
    with suppress(ChannelError):
        await channel.sign(address, Sign.TYPING)
    while True:
        live.changed.clear()
        screen, passed = live.screen, live.passed()
        # The screen is often still that of the newest finished tool: show it only once.
        fresh = [screen] if screen and screen not in passed[-1:] else []
        await _draft(channel, address, [*passed, *fresh])
        await live.changed.wait()


@dataclass(slots=True)
class _Late:
    """Shows the newest state after some patience, and not too often, on a channel with rates.

    `long` is called once when the turn takes longer than `_LONG` seconds.
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
        """Shows the newest state; returns the seconds until it is shown again without a change."""
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
        # The text of a group's answer changes all the time; typing is repeated less often.
        await self.clock.sleep(_SIGN_LASTS if screen else 0.0)
        return _TYPING_EVERY


async def _draft(channel: Channel, address: Address, screens: Sequence[str]) -> None:
    with suppress(ChannelError):
        for screen in screens:
            await channel.draft(address, screen)
