"""Hears voice messages: bounded, paid for, and with plain words where it cannot."""

import logging
from dataclasses import replace
from decimal import Decimal

from bot.domain.budget import CallKind, Cause
from bot.domain.change import Change
from bot.domain.errors import ModelError, ModelOverloaded, ModelUnreachable
from bot.domain.model import Price, Usage
from bot.flow.money.till import Till
from bot.flow.reading.keeping import Parcel
from bot.ports.attachments import NotRead, Spoken
from bot.ports.clock import Clock
from bot.ports.hearing import Hearing, Speech
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_MOST_BYTES = 25_000_000
_MOST_SECONDS = 30 * 60
_MOST_WORDS = 30_000
"""Characters; nobody speaks that much in half an hour."""

_BYTES_A_SECOND = 4_000
"""A voice message of an app has at least so many; it tells the length where no one else does."""

_AGAIN_AFTER = 2.0


class Listening:
    """Asks the port for the words of a recording, a second time after a fault that may pass."""

    def __init__(self, hearing: Hearing, till: Till, journal: Journal, clock: Clock) -> None:
        self._hearing = hearing
        self._till = till
        self._journal = journal
        self._clock = clock

    async def hear(self, parcel: Parcel, sound: bytes) -> Spoken | NotRead:
        """Returns the words of a recording, or the reason why there are none."""
        seconds = parcel.attachment.seconds or -(-len(sound) // _BYTES_A_SECOND)
        if len(sound) > _MOST_BYTES or seconds > _MOST_SECONDS:
            return NotRead("is too long to be heard: half an hour and 25 MB at most")
        try:
            speech = await self._paid(parcel, sound, seconds)
        except ModelError as fault:
            _LOG.warning("a voice message was not heard: %s", fault)
            return NotRead(f"could not be heard: {fault}")
        if not speech.words:
            return NotRead("was listened to, and holds no words")
        return Spoken(speech.words[:_MOST_WORDS])

    async def _paid(self, parcel: Parcel, sound: bytes, seconds: int) -> Speech:
        cause = Cause(CallKind.HEARING, parcel.chat.id, parcel.person)
        price = _by_second(self._hearing.minute)
        receipt = await self._till.opened(cause, self._hearing.model, price, seconds)
        try:
            speech = await self._heard(sound, parcel.attachment.name)
        except BaseException:
            await self._till.give_up(receipt)
            raise
        # Paid by the second; the tokens, where they are told, are for the record alone.
        records = (replace(one, usage=speech.usage) for one in receipt.paid(Usage(seconds)))
        await self._journal.commit(Change(tuple(records)))
        return speech

    async def _heard(self, sound: bytes, name: str) -> Speech:
        try:
            return await self._hearing.hear(sound, name)
        except (ModelOverloaded, ModelUnreachable):
            await self._clock.sleep(_AGAIN_AFTER)
            return await self._hearing.hear(sound, name)


def _by_second(minute: Decimal | None) -> Price | None:
    """Returns a price in which a token of the prompt is a second of sound."""
    if minute is None:
        return None
    second = minute / 60 * 1_000_000
    return Price(second, Decimal(0), second, second)
