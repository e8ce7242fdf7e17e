"""A visit to the running program, as the visitor sees it; it outlives a restart of the program."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from bot.adapters.home_door.frames import (
    LARGEST,
    LARGEST_REQUEST,
    PROTOCOL,
    BrokenFrame,
    Frame,
    TooLarge,
    encoded,
    next_frame,
)
from bot.adapters.home_door.place import Unsafe, connected
from bot.domain.talk.errors import ProgramGone, SettingError, StoreAway, StoreError
from bot.domain.talk.message import Address, Piece, Press, RawUpdate, Sign
from bot.domain.talk.person import Sender

CONNECT_SECONDS = 5.0
WELCOME_SECONDS = 20.0
"""Seconds in which the program answers a hello: it may be busy with its own start."""

ANSWER_SECONDS = 60.0
"""Seconds in which the program answers a question or stores an update."""

RETURN_SECONDS = 20.0
"""Seconds in which a program that ended may come back."""

_EVERY = 0.2
_REMEMBERED = 1000
_AWAY = "Steward has ended. Waiting up to {seconds:.0f} seconds for its next start."
_GONE = (
    "Steward was not started again within {seconds:.0f} seconds. Every message that it had "
    "received is kept. It goes on with them after its next start."
)

Said: TypeAlias = Callable[[str], Awaitable[None]]
"""Shows one sentence to the person."""


class Shown(Protocol):
    """The channel on which the visitor shows what the program sends."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str: ...

    async def mirror(self, to: Address, message_id: str, piece: Piece) -> None: ...

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None: ...

    async def draft(self, to: Address, text: str) -> object: ...

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None: ...

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None: ...


class Caller:
    """Speaks with the running program; made by `called`."""

    def __init__(self, home: Path, hello: Mapping[str, Any]) -> None:
        self._home = home
        self._hello = {**hello, "do": "hello", "protocol": PROTOCOL}
        self.welcome: Frame = {}
        self._along: Sequence[Frame] = ()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._number = 0
        self._asked: dict[int, tuple[bytes, asyncio.Future[Frame]]] = {}
        self._shown: dict[str, str] = {}
        self._mirrored: dict[str, int] = {}
        self._left = False

    @property
    def address(self) -> Address:
        """Returns the address that the program gave to this visit."""
        return Address.from_key(str(self.welcome["address"]))

    async def open(self) -> bool:
        """Says hello; returns False where no program listens. Raises SettingError on a refusal."""
        try:
            connection = await asyncio.to_thread(connected, self._home, CONNECT_SECONDS)
        except Unsafe as fault:
            raise SettingError(f"The door of the running Steward is not safe: {fault}.") from fault
        except (OSError, TimeoutError):
            return False
        if connection is None:
            return False
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LARGEST)
        try:
            if self.welcome:
                # After a restart it is the same chat.
                again = ("chat", "with", "since")
                self._hello |= {name: self.welcome[name] for name in again if name in self.welcome}
            writer.write(encoded(self._hello))
            async with asyncio.timeout(WELCOME_SECONDS):
                welcome = await next_frame(reader)
        except (OSError, BrokenFrame, TimeoutError):
            welcome = None
        if welcome is None or welcome.get("do") not in ("welcome", "no"):
            writer.close()
            return False
        if welcome["do"] == "no":
            writer.close()
            raise SettingError(str(welcome["why"]))
        self.welcome, self._reader, self._writer = welcome, reader, writer
        for frame in self._along:
            self._write(encoded(frame))
        for line, _ in self._asked.values():
            self._write(line)
        return True

    def send_along(self, frames: Sequence[Frame]) -> None:
        """Sends frames now and after each later hello, such as a piped text."""
        self._along = frames
        for frame in frames:
            self._write(encoded(frame))

    def close(self) -> None:
        """Leaves; the program knows by the end of the connection."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def leave(self) -> None:
        """Leaves after saying that everything is done."""
        self._left = True
        if self._writer is not None:
            self._write(encoded({"do": "bye"}))
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    await self._writer.drain()
        self.close()

    async def accept(self, updates: Sequence[RawUpdate]) -> None:
        """Has updates stored for good; raises StoreError where the program could not."""
        for update in updates:
            told = await self._answer({"do": "update", "key": update.key, "body": update.body})
            if told.get("why"):
                raise StoreError(str(told["why"]))

    async def ask(self, what: str, **more: Any) -> Any:
        """Asks the program for something about this chat."""
        told = await self._answer({"do": "ask", "what": what, **more})
        if told.get("why"):
            raise StoreError(str(told["why"]))
        return told.get("value")

    async def _answer(self, frame: Mapping[str, Any]) -> Frame:
        """Sends a request and waits; one that the program's end cut off is sent again."""
        self._number += 1
        number = self._number
        try:
            line = encoded({**frame, "n": number}, LARGEST_REQUEST)
        except TooLarge as fault:
            raise StoreError(f"it is too long: {fault}") from None
        waiting: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._asked[number] = (line, waiting)
        self._write(line)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await waiting
        except TimeoutError:
            raise StoreAway("the running Steward does not answer") from None
        finally:
            self._asked.pop(number, None)

    def _write(self, line: bytes) -> None:
        if self._writer is not None:
            self._writer.write(line)

    async def attend(self, channel: Shown, say: Said) -> None:
        """Shows what the program sends until we leave; raises ProgramGone when it stays away."""
        while True:
            await self._attended(channel)
            if self._left:
                return
            self.close()
            await say(_AWAY.format(seconds=RETURN_SECONDS))
            if not await self._came_back():
                raise ProgramGone(_GONE.format(seconds=RETURN_SECONDS))
            await say("Steward is running again.")

    async def _came_back(self) -> bool:
        until = time.monotonic() + RETURN_SECONDS
        while time.monotonic() < until:
            if await self.open():
                return True
            await asyncio.sleep(_EVERY)
        return False

    async def _attended(self, channel: Shown) -> None:
        assert self._reader is not None
        while True:
            try:
                frame = await next_frame(self._reader)
            except BrokenFrame:
                return
            if frame is None:
                return
            if frame.get("do") == "reply":
                _, waiting = self._asked.get(int(frame["n"]), (b"", None))
                if waiting is not None and not waiting.done():
                    waiting.set_result(frame)
            else:
                await self._show(frame, channel)

    async def _show(self, frame: Frame, channel: Shown) -> None:
        address = self.address
        piece = None if frame.get("piece") is None else Piece(frame["piece"])
        match frame.get("do"):
            case "send" if piece is not None:
                self._confirm(frame, await self._sent(channel, str(frame["once"]), piece))
            case "mirror" if piece is not None:
                await self._mirror(channel, frame, piece)
                self._confirm(frame, str(frame["id"]))
            case "edit":
                await channel.edit(address, str(frame["id"]), piece)
                self._confirm(frame, str(frame["id"]))
            case "draft":
                await channel.draft(address, str(frame["text"]))
            case "sign":
                await channel.sign(address, Sign(frame["sign"]), frame["id"])
            case "acknowledge":
                press = Press(address, Sender(address.channel, "", ""), "", "", "")
                ways = {name: bool(frame[name]) for name in ("refused", "alone")}
                await channel.acknowledge(press, str(frame["text"]), **ways)
            case _:
                pass

    async def _sent(self, channel: Shown, once: str, piece: Piece) -> str:
        """Shows a message, but not a second time: an earlier confirmation may have been lost."""
        known = self._shown.get(once) if once else None
        if known is not None:
            return known
        message_id = await channel.send(self.address, piece, once=once)
        self._shown[once] = message_id
        while len(self._shown) > _REMEMBERED:
            del self._shown[next(iter(self._shown))]
        return message_id

    async def _mirror(self, channel: Shown, frame: Frame, piece: Piece) -> None:
        """Shows a message as it stands in another chat, each version once.

        One that is `old` is shown only if an earlier version of it is here.
        """
        message_id, version = str(frame["id"]), int(frame["version"])
        known = self._mirrored.get(message_id)
        if known is None and frame["old"]:
            return
        if known is None:
            await channel.mirror(self.address, message_id, piece)
        elif known < version:
            await channel.edit(self.address, message_id, piece)
        self._mirrored[message_id] = version
        while len(self._mirrored) > _REMEMBERED:
            del self._mirrored[next(iter(self._mirrored))]

    def _confirm(self, frame: Frame, message_id: str) -> None:
        self._write(encoded({"do": "confirm", "n": frame["n"], "id": message_id}))


async def called(home: Path, hello: Mapping[str, Any]) -> Caller | None:
    """Returns a visit to the running program; None where none listens. Raises SettingError."""
    caller = Caller(home, hello)
    return caller if await caller.open() else None
