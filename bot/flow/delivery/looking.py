"""Looks for messages that may stand on the screen though nobody has recorded them."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from bot.domain.talk.message import Address, Piece
from bot.ports.channel import Channel
from bot.ports.outbox import Sights
from bot.ports.sightings import Traces


class Looking:
    """Asks a platform about them, and keeps every message that is known out of that."""

    def __init__(self, outbox: Sights) -> None:
        self._outbox = outbox

    async def find(
        self,
        channel: Channel,
        chat: int,
        address: Address,
        piece: Piece | None,
        since: datetime,
        above: Sequence[str] = (),
        until: datetime | None = None,
    ) -> str | None:
        """Returns the id of a message that was sent after `since` and shows this piece.

        Without a piece it is a message in which an answer grew. `above` are ids of messages that
        stand above it. Another process can have sent it until `until`.
        """
        known = await self._outbox.sightings(address.channel, since)
        traces = Traces(since, known, above, partial(self._is_known, chat), until)
        return await channel.find(address, piece, traces)

    async def _is_known(self, chat: int, message_id: str) -> bool:
        return await self._outbox.key_of(chat, message_id) is not None
