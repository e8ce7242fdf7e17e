"""The channel of a single question: its answer is kept, everything else is progress."""

import asyncio
from uuid import uuid4

from bot.adapters.terminal.channel import TerminalChannel, content_of
from bot.adapters.terminal.contents import is_said
from bot.adapters.terminal.draft import STEPS
from bot.adapters.terminal.screen import Screen
from bot.domain.consent.own_search import is_offer
from bot.domain.talk.message import (
    Address,
    FileRef,
    Outbound,
    OutboundKind,
    Piece,
    Press,
    Sign,
)
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links

_OF_COMMANDS = (OutboundKind.NOTICE, OutboundKind.MENU, OutboundKind.OPTION)
"""The kinds of messages that answer commands."""


class QuestionChannel(TerminalChannel):
    """Keeps answers and files as they come; `changed` is set whenever something came.

    Words that were said on the way to an answer are no part of it. Where nobody decides, a card
    that offers a search is not shown: `offers` holds it until it is turned down. The answer to a
    command is a notice.
    """

    def __init__(self, screen: Screen, address: Address, *, command: bool = False) -> None:
        super().__init__(screen, address)
        self._kinds = (OutboundKind.ANSWER, *_OF_COMMANDS) if command else (OutboundKind.ANSWER,)
        self.changed = asyncio.Event()
        self.answers: list[str] = []
        self.files: list[FileRef] = []
        self.offers: list[str] = []
        self._offered: set[str] = set()

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        content = content_of(piece)
        if to == self.address and self._takes_offer(content):
            message_id = uuid4().hex
            self._keep_offer(message_id)
        elif to != self.address or content.kind not in self._kinds:
            message_id = await super().send(to, piece, once=once)
        else:
            texts = [block.text.strip() for block in content.blocks if not is_said(block)]
            self.answers += [text for text in texts if text]
            self.files += content.files
            message_id = f"answer-{len(self.answers)}"
        self.changed.set()
        return message_id

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        if to == self.address and piece is not None and self._takes_offer(content_of(piece)):
            # It is open yet: the program was started again before it had the answer.
            self._keep_offer(message_id)
        elif message_id not in self._offered:
            await super().edit(to, message_id, piece)
        self.changed.set()

    def _takes_offer(self, content: Outbound) -> bool:
        labels = (button.label for row in content.buttons for button in row)
        return not self._screen.decides and is_offer(labels)

    def _keep_offer(self, message_id: str) -> None:
        self.offers.append(message_id)
        self._offered.add(message_id)

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
