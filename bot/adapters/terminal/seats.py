"""The terminal channel of a program that several terminals look at: each has its seat."""

import time
from collections.abc import Collection
from typing import Protocol

from bot.adapters.terminal.any_terminal import AnyTerminal
from bot.adapters.terminal.update import is_question
from bot.domain.talk.errors import FileWithheld, NobodyThere, RecipientGone
from bot.domain.talk.message import Address, Attachment, Piece, Press, Sign
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links

GRACE_SECONDS = 25.0
"""Seconds in which whoever asks one question may come back after a lost connection."""


class Viewer(Protocol):
    """One terminal, in this process or at the other end of the door."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str: ...

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None: ...

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None: ...

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None: ...

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None: ...


class Seats(AnyTerminal):
    """Hands everything to the terminal that holds the address.

    What nobody looks at waits until somebody does. The answer to a single question waits only for
    a moment: nobody comes back to it.
    """

    def __init__(self) -> None:
        self._viewers: dict[Address, Viewer] = {}
        self._piped: dict[str, bytes] = {}
        self._left: dict[Address, float] = {}
        self._reserved: set[Address] = set()
        self._opened = time.monotonic()

    @property
    def taken(self) -> Collection[Address]:
        """Returns the addresses that somebody looks at, or is about to."""
        return {*self._viewers, *self._reserved}

    def reserve(self, address: Address) -> None:
        """Keeps an address for a terminal that is being welcomed."""
        self._reserved.add(address)

    def take(self, address: Address, viewer: Viewer) -> None:
        """Gives an address to a terminal."""
        self._reserved.discard(address)
        self._viewers[address] = viewer
        self._left.pop(address, None)

    def leave(self, address: Address, viewer: Viewer) -> None:
        """Frees an address, unless another terminal has it by now."""
        self._reserved.discard(address)
        if self._viewers.get(address) is viewer:
            del self._viewers[address]
            if is_question(address):
                self._left[address] = time.monotonic()

    def end(self, address: Address) -> None:
        """Ends a single question: nobody waits for its answer any more."""
        self._left.pop(address, None)
        self._piped.pop(address.chat, None)

    def pipe(self, address: Address, data: bytes) -> None:
        """Keeps the text that was piped into a question."""
        self._piped[address.chat] = data

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns the piped text of a question; it stands in the message as its attachment."""
        data = self._piped.get(attachment.handle, b"")
        if not data or len(data) != attachment.size:
            raise FileWithheld("was piped into a program that has ended")
        return data[:most]

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        return await self._viewer(to).send(to, piece, once=once)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        try:
            viewer = self._viewer(to)
        except RecipientGone:
            return  # nobody would see the change
        await viewer.edit(to, message_id, piece)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None:
        if to in self._viewers:
            await self._viewers[to].draft(to, text, links, place)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if to in self._viewers:
            await self._viewers[to].sign(to, sign, message_id)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        if press.address in self._viewers:
            viewer = self._viewers[press.address]
            await viewer.acknowledge(press, text, refused=refused, alone=alone)

    def _viewer(self, to: Address) -> Viewer:
        """Returns who looks at an address; raises NobodyThere, or RecipientGone for a question."""
        viewer = self._viewers.get(to)
        if viewer is not None:
            return viewer
        left = self._left.get(to, self._opened)
        if is_question(to) and time.monotonic() - left > GRACE_SECONDS:
            # It was asked by `steward ask`, which was killed before its answer came.
            raise RecipientGone("nobody reads the answer to that question any more")
        raise NobodyThere(f"nobody looks at {to.key}")
