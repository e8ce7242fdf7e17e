"""The port of the toy channel."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from bot.domain.talk.message import (
    Address,
    Inbound,
    InboundMessage,
    Outbound,
    Piece,
    Press,
    Sign,
    Unreadable,
)
from bot.domain.talk.person import Sender
from bot.ports.channel import NEW_DRAFT, DraftPlace, Growth, Links
from bot.ports.sightings import Pace, Traces, unhurried
from tests.bootstrap.toy_channel.platform import ToyPlatform


class ToyChannel:
    """A message is one piece: its text, and pairs of label and data for its buttons."""

    drafts = False
    gated = False
    instant = False
    growth = Growth()
    locates = False
    folds_above: int | None = None

    def __init__(self, platform: ToyPlatform) -> None:
        self._platform = platform
        self.name = platform.name

    def parse(self, body: str) -> Inbound:
        update = json.loads(body)
        home, ann = Address(self.name, "1"), Sender(self.name, "1", "Ann")
        match update:
            case {"number": str(number), "text": str(text)}:
                return InboundMessage(home, ann, number, text, datetime.now(UTC))
            case {"number": str(number), "press": str(data), "on": str(message_id)}:
                return Press(home, ann, data, number, message_id)
            case _:
                return Unreadable("not of this platform")

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return None

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        text = "\n\n".join(block.text for block in content.blocks)
        buttons = [[button.label, button.data] for row in content.buttons for button in row]
        return (Piece({"text": text, "buttons": buttons}),)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        return await self._platform.show(piece)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        return None

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await self._platform.change(message_id, piece)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        return None

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        return None

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        self._platform.notices.append(text)
