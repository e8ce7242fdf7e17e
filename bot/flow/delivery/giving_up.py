"""Gives up messages that will never be on a screen."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeAlias

from bot.domain.talk.message import OutboundKind
from bot.domain.value import frozen, replace
from bot.flow.delivery.unsent_files import leaves_files
from bot.ports.clock import Clock
from bot.ports.outbox import Delivered, Deliveries, DeliveryState, OutboxRow

_LOG = logging.getLogger(__name__)

_MISSED = (OutboundKind.CARD, OutboundKind.VOICE)
"""Kinds of messages that somebody has to hear of when they are given up."""

GivenUp: TypeAlias = Callable[[OutboxRow, str], Awaitable[None]]
"""Takes a card, a voice note or files that will never be on the screen, and the reason."""


@frozen
class GivingUp:
    """Marks rows as dead, and tells of the cards, voice notes and files among them."""

    _outbox: Deliveries
    _told: GivenUp
    _clock: Clock

    async def give_up(self, row: OutboxRow, why: str, *, gone: bool = False) -> None:
        """Marks a row as dead, unless its content has changed meanwhile.

        What people would miss is told of before: if the program ends in between, it is still owed.
        With `gone` nothing can be written there at all.
        """
        _LOG.error("a message is given up: %s", why, extra={"chat": row.chat, "row": row.key})
        if row.content.kind in _MISSED or (leaves_files(row) and not gone):
            await self._told(row, why)
        now = await self._outbox.row(row.key)
        if now is not None and now.version == row.version:
            dead = _dead(replace(now, attempts=row.attempts), why, self._clock.now())
            await self._outbox.record(dead)


def _dead(row: OutboxRow, why: str, at: datetime) -> Delivered:
    return Delivered(
        row.id,
        row.version,
        DeliveryState.DEAD,
        row.shown_version,
        row.pieces,
        row.message_ids,
        row.attempts,
        at,
        why,
    )
