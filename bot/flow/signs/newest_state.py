"""The newest state of a turn, and its way to the screen: at once, or as the rates allow."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.domain.talk.errors import ChannelError, FloodWait
from bot.domain.talk.message import Address, Sign
from bot.domain.text.growing_text import GrowingText
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.flow.signs.placeholder import Placeholder
from bot.flow.signs.telling import Telling
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_PATIENCE = 0.4
"""Seconds before the first sign; a quick answer needs no sign."""

_LONG = 4.8
"""Seconds after which a message gets its reaction."""

_TYPING_EVERY = 4.5
_NEARLY_OVER = 0.2
_DRAFT_EVERY = 1.1
_SIGN_LASTS = 2.2
_NEXT_TRY = 1.0
_DRAFT_REFRESH = 20.0
_DRAFT_TICK = 4.0
"""Seconds after which a draft tells the time of a running tool anew."""

_MESSAGE_TICK = 5.0
"""The same for a growing message, beyond the seconds between two edits."""


class Live:
    """The newest content for the screen; another task shows it, so the turn never waits for it.

    It begins with the words that the turn has `said` already and that stand in no message. Calls
    that are shown `apart` leave it when they have ended.
    """

    def __init__(self, clock: Clock, said: Sequence[str] = (), *, apart: bool = False) -> None:
        self.changed = asyncio.Event()
        self._clock = clock
        self._telling = Telling(said, apart=apart)
        self._passed: list[str] = []
        self.links: Collection[str] | None = ()
        """The targets that words may hide, or None when they may hide any; at first none."""

    def guard(self, links: Collection[str] | None) -> None:
        """Takes the targets that words may hide from now on."""
        self.links = links

    @property
    def runs(self) -> bool:
        """Returns True while a tool runs, whose time passes on the screen."""
        return self._telling.runs

    @property
    def words(self) -> str:
        """Returns the words of the present reply so far."""
        return self._telling.words

    def whole(self) -> str:
        return self._telling.whole()

    def passed(self) -> list[str]:
        """Returns the whole at each end of tools since the last call."""
        passed, self._passed = self._passed, []
        return passed

    def newest(self) -> str:
        return self._telling.newest(self._clock.steady())

    def write(self, words: GrowingText) -> None:
        """Takes the words of the present reply so far."""
        self._telling.write(words)
        self.changed.set()

    def spoken(self) -> None:
        """Ends the present reply: its words stay, and the next ones stand below them."""
        self._telling.spoken()

    def running(self, calls: Sequence[ToolCall], subjects: Mapping[str, str] | None = None) -> None:
        """Takes calls that run now; `subjects` are the lines of those that were foreseen."""
        self._telling.running(calls, self._clock.steady(), subjects)
        self.changed.set()

    def finished(self, pairs: Sequence[tuple[ToolCall, ToolResult]]) -> None:
        self._telling.finished(pairs)
        self._passed.append(self.whole())
        self.changed.set()

    def note(self, line: str) -> None:
        """Takes a line about work that is no call of a tool; an empty one changes nothing."""
        if line:
            self._telling.note(line)
            self.changed.set()


async def show_all(live: Live, channel: Channel, address: Address) -> None:
    """Shows every change at once, finished tools included, on a channel without rates."""
    with suppress(ChannelError):
        await channel.sign(address, Sign.TYPING)
    while True:
        live.changed.clear()
        screen, passed = live.whole(), live.passed()
        # The screen is often still that of the newest finished tool: show it only once.
        fresh = [screen] if screen and screen not in passed[-1:] else []
        await show(channel, address, [*passed, *fresh], live.links)
        await live.changed.wait()


async def show(
    channel: Channel, address: Address, screens: Sequence[str], links: Collection[str] | None
) -> None:
    with suppress(ChannelError):
        for screen in screens:
            await channel.draft(address, screen, links)


@dataclass(slots=True)
class Late:
    """Shows the newest state after some patience, and not too often, on a channel with rates.

    `long` is called once when the turn takes longer than `_LONG` seconds. With `at_once` the first
    sign needs no patience.
    """

    live: Live
    channel: Channel
    address: Address
    clock: Clock
    long: Callable[[], None]
    placeholder: Placeholder | None
    at_once: bool = False
    _typed_at: float = -_TYPING_EVERY

    async def show(self) -> None:
        now = self.clock.steady()
        long_at, told = now + _LONG, False
        grows_at = now + self.channel.growth.after
        if self.at_once:
            await self._type()
        await self.clock.sleep(_PATIENCE)
        while True:
            if self.clock.steady() >= long_at and not told:
                self.long()
                told = True
            self.live.changed.clear()
            self.live.passed()
            grows = self.clock.steady() >= grows_at
            rest = await self._show_now(grows=grows)
            ahead = [*([] if told else [long_at]), *([] if grows else [grows_at])]
            soon = min([rest, *(at - self.clock.steady() for at in ahead)])
            await self.clock.until(self.live.changed, max(soon, 0))

    async def _show_now(self, *, grows: bool) -> float:
        """Shows the newest state; returns the seconds until it is shown again without a change."""
        screen = self.live.newest() if self.channel.drafts else ""
        if screen and self.placeholder is None:
            return await self._draft(screen)
        if screen and self.placeholder is not None and grows:
            return await self._grow(self.placeholder, screen)
        soon = await self._type()
        # The text of a group's answer changes all the time; typing is repeated less often.
        await self.clock.sleep(min(_SIGN_LASTS, soon) if screen else 0.0)
        return soon

    async def _draft(self, screen: str) -> float:
        """Shows a draft; where there is no room for it, typing stands until there is."""
        try:
            await self.channel.draft(self.address, screen, self.live.links)
        except FloodWait as wait:
            await self._type()
            await self.clock.sleep(min(wait.retry_after, _TYPING_EVERY))
            return 0.0
        except ChannelError:
            pass
        await self.clock.sleep(_DRAFT_EVERY)
        return _DRAFT_TICK if self.live.runs else _DRAFT_REFRESH

    async def _grow(self, message: Placeholder, screen: str) -> float:
        """Shows the growing message; without room for it, typing stands until there is."""
        message.show(screen, self.live.links)
        await self.clock.sleep(_NEXT_TRY)
        if message.missed:
            await self._type()
            return 0.0
        await self.clock.sleep(max(self.channel.growth.every - _NEXT_TRY, 0.0))
        return _MESSAGE_TICK if self.live.runs else _TYPING_EVERY

    async def _type(self) -> float:
        """Shows typing, unless the last sign of it still stands; returns the seconds to the next.

        Where there is no room for it, it is soon tried again.
        """
        stands = self._typed_at + _TYPING_EVERY - self.clock.steady()
        if stands > _NEARLY_OVER:
            return stands
        try:
            await self.channel.sign(self.address, Sign.TYPING)
        except FloodWait as wait:
            return min(wait.retry_after, _TYPING_EVERY)
        except ChannelError:
            pass
        self._typed_at = self.clock.steady()
        return _TYPING_EVERY
