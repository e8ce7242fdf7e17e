"""The platform of the toy channel: people write and press, and see a screen."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from bot.domain.talk.message import Piece, RawUpdate
from tests.patience import PATIENCE

T = TypeVar("T")


@dataclass(slots=True)
class ToyPlatform:
    """One chat of one person; `broken` is what listening fails with, if anything."""

    name: str = "toy"
    screen: dict[str, Piece] = field(default_factory=dict[str, Piece])
    notices: list[str] = field(default_factory=list[str])
    menu: Sequence[tuple[str, str]] = ()
    pairing_code: str = ""
    open: bool = False
    broken: Exception | None = None
    _updates: "asyncio.Queue[RawUpdate | None]" = field(default_factory=asyncio.Queue)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def say(self, text: str) -> None:
        self._send(text=text)

    def press(self, label: str) -> None:
        """Presses the newest button with this label."""
        found = [
            (message_id, data)
            for message_id, piece in self.screen.items()
            for shown, data in piece.body["buttons"]
            if shown == label
        ]
        message_id, data = found[-1]
        self._send(press=data, on=message_id)

    def leave(self) -> None:
        """Ends the listening, as a person does who leaves the terminal."""
        self._updates.put_nowait(None)

    def _send(self, **update: Any) -> None:
        number = str(next(self._numbers))
        self._updates.put_nowait(RawUpdate(number, json.dumps({"number": number, **update})))

    async def next_update(self) -> RawUpdate | None:
        if self.broken is not None:
            raise self.broken
        return await self._updates.get()

    async def show(self, piece: Piece) -> str:
        message_id = f"m{next(self._numbers)}"
        await self.change(message_id, piece)
        return message_id

    async def change(self, message_id: str, piece: Piece | None) -> None:
        async with self._changed:
            if piece is None:
                self.screen.pop(message_id, None)
            else:
                self.screen[message_id] = piece
            self._changed.notify_all()

    async def greeted(self, menu: Sequence[tuple[str, str]], pairing_code: str) -> None:
        async with self._changed:
            self.menu, self.pairing_code = menu, pairing_code
            self._changed.notify_all()

    async def until(self, look: Callable[["ToyPlatform"], T]) -> T:
        """Returns the first true value of a look at the platform."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: look(self))
            return look(self)

    async def sees(self, words: str) -> None:
        """Returns once a message with these words is on the screen."""
        await self.until(lambda p: any(words in str(m.body["text"]) for m in p.screen.values()))

    async def offers(self, label: str) -> None:
        """Returns once a button with this label is on the screen."""
        await self.until(
            lambda p: any(label == b[0] for m in p.screen.values() for b in m.body["buttons"])
        )
