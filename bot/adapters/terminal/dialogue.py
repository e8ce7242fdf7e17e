"""Reads the lines of a person; each is accepted before anything is done about it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol, TypeAlias

from bot.adapters.terminal.board import OpenCard
from bot.adapters.terminal.fragments import Fragments
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.typed import Begun, Left, Misread, Pressed, Said, read_typed
from bot.adapters.terminal.update import Writer
from bot.domain.talk.errors import ChannelUnreachable, StoreError
from bot.domain.talk.message import RawUpdate
from bot.ports.clock import Clock

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
"""Stores updates for good: once it returns they outlive the process."""

_AGAIN = "Press Ctrl-C again to leave."
_NEXT_START = "I have not answered yet. I go on at the next start."
_GOES_ON = "I have not answered yet. I go on, and you see the answer when you come back."


class LineReader(Protocol):
    """The prompt that lines are typed at."""

    async def read(self, live: Callable[[], Fragments], begun: Callable[[], None]) -> str:
        """Reads a line; `live` stands above it, `begun` is called at its first character.

        Raises EOFError when the person leaves, KeyboardInterrupt on Ctrl-C.
        """
        ...


class Dialogue:
    """Reads until the person leaves: by Ctrl-D, by `/quit`, or by Ctrl-C twice."""

    def __init__(
        self,
        reader: LineReader,
        screen: Screen,
        writer: Writer,
        clock: Clock,
        *,
        visits: bool = False,
    ) -> None:
        """One that `visits` leaves a program that goes on without it."""
        self._goes_on = _GOES_ON if visits else _NEXT_START
        self._reader = reader
        self._screen = screen
        self._writer = writer
        self._clock = clock
        self._begun: Begun = ()

    async def hold(self, accept: Accept) -> None:
        leaving = False
        while True:
            try:
                line = await self._read()
            except EOFError:
                break
            except KeyboardInterrupt:
                # A second Ctrl-C in a row leaves, even when the first could not stop the turn.
                if leaving:
                    break
                leaving = True
                await self._interrupted(accept)
                continue
            leaving = False
            match read_typed(line, self._begun, self._screen.board):
                case None:
                    continue
                case Left():
                    break
                case Said() | Pressed() | Misread() as typed:
                    await self._send(typed, accept)
        with suppress(ChannelUnreachable):  # A terminal that was closed reads no goodbye.
            await self._say_goodbye()

    async def _read(self) -> str:
        self._begun = ()
        return await self._reader.read(self._screen.live, self._note_begun)

    def _note_begun(self) -> None:
        self._begun = self._screen.board.shown

    async def _interrupted(self, accept: Accept) -> None:
        """Stops the turn if one runs; cards stay as they are."""
        if self._screen.busy:
            await self._send(Said("/stop", remark=_AGAIN), accept)
        else:
            await self._screen.line(_AGAIN)

    async def _say_goodbye(self) -> None:
        """Says what is left open; nothing of it is lost."""
        names = [card.name for card in self._screen.board if not card.leads_on]
        if names:
            stay = "1 card stays" if len(names) == 1 else f"{len(names)} cards stay"
            await self._screen.line(f"{stay} open until you come back: {', '.join(names)}.")
        elif self._screen.busy:
            await self._screen.line(self._goes_on)

    async def _send(self, typed: Said | Pressed | Misread, accept: Accept) -> None:
        now = self._clock.now()
        match typed:
            case Said(text, OpenCard() as card):
                update = self._writer.message(text, now, card.message_id, card.title)
            case Said(text):
                update = self._writer.message(text, now)
            case Pressed(card, data):
                update = self._writer.press(data, now, card.message_id)
            case Misread(hint):
                self._screen.heard()
                await self._screen.line(hint)
                return
        self._screen.expect(pressed=isinstance(typed, Pressed))
        try:
            await accept((update,))
        except StoreError as fault:
            # A full disk or a locked file is no reason to leave: the line can be typed again.
            self._screen.typing(on=False)
            await self._screen.line(f"I could not save that, so nothing was sent: {fault}.")
            return
        if isinstance(typed, Said) and typed.remark:
            await self._screen.line(typed.remark)
