"""The screen of a visitor, on paper."""

import asyncio

from bot.domain.talk.message import Address, Piece, Press, Sign


class Screen:
    """What a visitor shows."""

    def __init__(self) -> None:
        self.shown: list[object] = []
        self.changed = asyncio.Event()

    def _note(self, *told: object) -> None:
        self.shown.append(told)
        self.changed.set()

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        self._note("send", piece.body["words"])
        return f"m{len(self.shown)}"

    async def mirror(self, to: Address, message_id: str, piece: Piece) -> None:
        self._note("mirror", message_id, piece.body["words"])

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        self._note("edit", message_id)

    async def draft(self, to: Address, text: str) -> None:
        self._note("draft", text)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        self._note("sign", sign)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        self._note("acknowledge", text, refused, alone)
