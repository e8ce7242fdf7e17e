"""The channel of a single question: its answer is kept, everything else is progress."""

import asyncio

from bot.adapters.terminal.channel import TerminalChannel, content_of
from bot.adapters.terminal.contents import is_said
from bot.adapters.terminal.draft import STEPS
from bot.adapters.terminal.screen import Screen
from bot.domain.talk.message import Address, FileRef, OutboundKind, Piece, Press, Sign
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links


class QuestionChannel(TerminalChannel):
    """Keeps answers and files as they come; `changed` is set whenever something came.

    Words that were said on the way to an answer are no part of it.
    """

    def __init__(self, screen: Screen, address: Address) -> None:
        super().__init__(screen, address)
        self.changed = asyncio.Event()
        self.answers: list[str] = []
        self.files: list[FileRef] = []

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        content = content_of(piece)
        if to != self.address or content.kind is not OutboundKind.ANSWER:
            message_id = await super().send(to, piece, once=once)
        else:
            texts = [block.text.strip() for block in content.blocks if not is_said(block)]
            self.answers += [text for text in texts if text]
            self.files += content.files
            message_id = f"answer-{len(self.answers)}"
        self.changed.set()
        return message_id

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await super().edit(to, message_id, piece)
        self.changed.set()

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None:
        """Shows the lines of tools alone: words are kept for the answer."""
        steps = "\n".join(line for line in text.split("\n") if line.startswith(STEPS))
        if steps:
            await super().draft(to, steps, links)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        """Shows nothing of a decision that nobody made here."""
        if self._screen.decides:
            await super().acknowledge(press, text, refused=refused, alone=alone)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        """Shows nothing: whoever asks one thing sees the steps, and then the answer."""
