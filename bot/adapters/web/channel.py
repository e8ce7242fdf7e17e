"""The page as a channel: what is stored is sent, since pages read the rows."""

import dataclasses
import json
from collections.abc import Sequence
from uuid import uuid4

from bot.adapters.web.hub import Hub
from bot.adapters.web.update import read_page_update, session_of
from bot.domain.talk.message import Address, Inbound, Outbound, OutboundKind, Piece, Press, Sign
from bot.domain.talk.session import PAGE
from bot.ports.channel import NEW_DRAFT, DraftPlace, Growth, Links
from bot.ports.sightings import Pace, Traces, unhurried

PASSING = (OutboundKind.PROGRESS, OutboundKind.CALLS)
"""The kinds of messages that stand beside an answer that is being made."""


class PageChannel:
    """Tells the open pages that there is something new; a page that is not open misses nothing."""

    name = PAGE
    drafts = True
    gated = False
    instant = True
    growth = Growth()
    locates = False
    folds_above: int | None = None

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def parse(self, body: str) -> Inbound:
        return read_page_update(body)

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return None

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        # As it is read back from the store, so that what has not changed is seen to be the same.
        return (Piece(json.loads(json.dumps(dataclasses.asdict(content)))),)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        if piece.body["kind"] not in PASSING:
            self._hub.working(to, on=False)
        self._hub.touch(to)
        # The same message has the same id, however often it is sent.
        return once or uuid4().hex

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        return None

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        self._hub.touch(to)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        self._hub.draft(to, text)
        return None

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        match sign:
            case Sign.TYPING:
                self._hub.working(to, on=True)
            case Sign.DONE if message_id is None:
                self._hub.working(to, on=False)
            case _:
                self._hub.touch(to)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        if text:
            self._hub.notice(press.address, session_of(press), text)
