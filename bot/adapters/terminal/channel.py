"""The terminal as a channel."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from bot.adapters.terminal.any_terminal import AnyTerminal
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.update import ADDRESS, is_question
from bot.domain.talk.errors import NobodyThere, RecipientGone
from bot.domain.talk.message import (
    Address,
    Block,
    Button,
    CallBlock,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    Press,
    Sign,
)
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links

_BLOCKS: Mapping[str, type[Block]] = {
    "markdown": Markdown,
    "plain": Plain,
    "code": CodeBlock,
    "call": CallBlock,
}


class TerminalChannel(AnyTerminal):
    """One chat, in front of one person."""

    def __init__(self, screen: Screen, address: Address = ADDRESS) -> None:
        self._screen = screen
        self.address = address

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        if to != self.address and is_question(to):
            # It was asked by `steward ask`, which was killed before its answer came.
            raise RecipientGone("nobody reads the answer to that question any more")
        if to != self.address:
            raise NobodyThere("that chat is open in no terminal now")
        message_id = uuid4().hex
        await self._screen.show(message_id, content_of(piece))
        return message_id

    async def mirror(self, to: Address, message_id: str, piece: Piece) -> None:
        """Shows a message that stands elsewhere too, under the id that it has there."""
        if to == self.address:
            await self._screen.show(message_id, content_of(piece))

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        """Shows the changed part; a message that this process has not shown yet is shown whole.

        What was printed cannot be taken away.
        """
        if piece is not None and to == self.address:
            await self._screen.change(message_id, content_of(piece))

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None:
        if to == self.address:
            await self._screen.draft(text)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        match sign:
            case _ if to != self.address:
                pass
            case Sign.TYPING:
                self._screen.typing(on=True)
            case Sign.DONE if message_id is None:
                self._screen.typing(on=False)
            case Sign.QUEUED:
                await self._screen.line("Your message waits: I answer one at a time.")
            case _:
                pass

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        await self._screen.acknowledge(text)


def content_of(piece: Piece) -> Outbound:
    """Reads back what `split` wrote; it may have been stored as JSON meanwhile."""
    body = piece.body
    return Outbound(
        OutboundKind(body["kind"]),
        tuple(_block(block) for block in body["blocks"] if block["kind"] in _BLOCKS),
        tuple(tuple(Button(**button) for button in row) for row in body["buttons"]),
        tuple(FileRef(**file) for file in body["files"]),
        body["reply_to"],
        body["silent"],
        asks=body.get("asks", ""),
        waits=body.get("waits", False),
        decided=body.get("decided", False),
    )


def _block(block: Mapping[str, Any]) -> Block:
    return _BLOCKS[block["kind"]](**block)
