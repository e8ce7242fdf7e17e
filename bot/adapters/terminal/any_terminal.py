"""The part that every channel to a terminal has, one in this process or many beyond a door."""

import dataclasses
from collections.abc import Sequence

from bot.adapters.terminal.update import NAME, read_update
from bot.domain.talk.message import Address, Inbound, Outbound, Piece
from bot.ports.channel import Growth
from bot.ports.sightings import Pace, Traces, unhurried


class AnyTerminal:
    """Says what a terminal is like; a message is one piece however long it is."""

    name = NAME
    drafts = True
    gated = False
    instant = True
    growth = Growth()
    locates = False
    folds_above: int | None = None

    def parse(self, body: str) -> Inbound:
        return read_update(body)

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return None

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        return (Piece(dataclasses.asdict(content)),)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        return None
