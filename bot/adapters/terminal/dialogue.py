"""Reads the lines of a person; each is accepted before anything is done about it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from bot.adapters.terminal.board import OpenCard
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.typed import Left, Misread, Pressed, Said, read_typed
from bot.adapters.terminal.update import Writer
from bot.domain.errors import StoreError
from bot.domain.message import RawUpdate
from bot.ports.clock import Clock

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
"""Stores updates for good: once it returns they outlive the process."""


class Reader(Protocol):
    """The prompt that lines are typed at."""

    async def read(self, live: Callable[[], str], begun: Callable[[], None]) -> str:
        """Reads a line; `live` stands above it, `begun` is called at its first character.

        Raises EOFError when the person leaves, KeyboardInterrupt on Ctrl-C.
        """
        ...


class Dialogue:
    """Reads until the person leaves: by Ctrl-D, by `/quit`, or by Ctrl-C when nothing goes on."""

    def __init__(self, reader: Reader, screen: Screen, writer: Writer, clock: Clock) -> None:
        self._reader = reader
        self._screen = screen
        self._writer = writer
        self._clock = clock
        self._aimed: OpenCard | None = None

    async def hold(self, accept: Accept) -> None:
        stopping = False
        while True:
            try:
                line = await self._read()
            except EOFError:
                break
            except KeyboardInterrupt:
                # A second Ctrl-C in a row leaves, even when the first could not stop the turn.
                if stopping or not self._screen.busy:
                    break
                stopping = True
                await self._send(Said("/stop"), accept)
                continue
            stopping = False
            match read_typed(line, self._aimed, self._screen.board):
                case None:
                    continue
                case Left():
                    break
                case Said() | Pressed() | Misread() as typed:
                    await self._send(typed, accept)

    async def _read(self) -> str:
        self._aimed = None
        return await self._reader.read(self._screen.live, self._aim)

    def _aim(self) -> None:
        self._aimed = self._screen.board.newest

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
                await self._screen.line(hint)
                return
        self._screen.expect()
        try:
            await accept((update,))
        except StoreError as fault:
            # A full disk or a locked file is no reason to leave: the line can be typed again.
            self._screen.typing(on=False)
            await self._screen.line(f"Not taken in, so nothing was sent: {fault}. Try again later.")
