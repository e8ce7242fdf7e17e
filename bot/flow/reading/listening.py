"""Hears voice messages: bounded, paid for, and with plain words where it cannot."""

import logging
from decimal import Decimal

from bot.domain.change import Change, KeepHeard
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Price, Usage
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    OverBudget,
)
from bot.domain.turn.voice import HeardWords
from bot.domain.value import frozen, replace
from bot.flow.money.till import Till
from bot.flow.reading.kept_files import Parcel
from bot.ports.attachments import Spoken, Unheard
from bot.ports.clock import Clock
from bot.ports.hearing import Hearing, Speech
from bot.ports.journal import Journal
from bot.ports.voice import VoiceRows

_LOG = logging.getLogger(__name__)

_MOST_BYTES = 25_000_000
_MOST_SECONDS = 30 * 60
_MOST_WORDS = 30_000
"""Characters; nobody speaks that much in half an hour."""

_BYTES_A_SECOND = 4_000
"""A voice message of an app has at least so many; it tells the length where no one else does."""

_AGAIN_AFTER = 2.0


AGAIN = "Reply to it with “again” in a minute, or type it."
SHORTER = "Send it in shorter pieces, or type it."
"""Sentences for people on what helps."""

_ASK_OWNER = "Type it; an owner can fix this with `steward doctor`."
_ANOTHER = "Record it in the chat, or type it."
_LOUDER = "Record it again closer to the microphone, or type it."
_NO_WORDS = Unheard("it holds no words", _LOUDER)


@frozen
class Listening:
    """Asks the port for the words of a recording, a second time after a fault that may pass.

    The words are stored together with what they cost, so they are heard and paid for once, however
    often a message is taken up or quoted.
    """

    _hearing: Hearing
    _rows: VoiceRows
    _till: Till
    _journal: Journal
    _clock: Clock

    async def hear(self, parcel: Parcel, sound: bytes) -> Spoken | Unheard:
        """Returns the words of a recording, or the reason why there are none."""
        seconds = parcel.attachment.seconds or -(-len(sound) // _BYTES_A_SECOND)
        if len(sound) > _MOST_BYTES or seconds > _MOST_SECONDS:
            return Unheard("it is too long, half an hour and 25 MB at most", SHORTER)
        words = await self._rows.heard(parcel.chat.id, parcel.key)
        if words is None:
            try:
                words = await self._paid(parcel, sound, seconds)
            except ModelError as fault:
                _LOG.warning("a voice message was not heard: %s", fault)
                return self._unheard(fault)
        return Spoken(words) if words else _NO_WORDS

    async def _paid(self, parcel: Parcel, sound: bytes, seconds: int) -> str:
        cause = Cause(CallKind.HEARING, parcel.chat.id, parcel.person)
        price = _by_second(self._hearing.minute)
        receipt = await self._till.opened(cause, self._hearing.model, price, seconds)
        try:
            speech = await self._heard(sound, parcel.attachment.name)
        except BaseException:
            await self._till.give_up(receipt)
            raise
        words = speech.words[:_MOST_WORDS]
        # Paid by the second; the tokens, where they are told, are for the record alone.
        records = (replace(one, usage=speech.usage) for one in receipt.paid(Usage(seconds)))
        heard = HeardWords(parcel.chat.id, parcel.key, words, self._clock.now(), parcel.message)
        await self._journal.commit(Change((*records, KeepHeard(heard))))
        return words

    def _unheard(self, fault: ModelError) -> Unheard:
        """Returns the fault for people, with what they can do about it."""
        match fault:
            case OverBudget() if self._hearing.minute is None:
                return Unheard(fault.reason, "Type it; an owner can set STEWARD_HEAR_PRICE.")
            case OverBudget():
                return Unheard(fault.reason, "Type it, or ask an owner about /budget.")
            case ModelDenied():
                return Unheard(str(fault), _ASK_OWNER)
            case ModelOverloaded() | ModelUnreachable():
                return Unheard(str(fault), AGAIN)
            case _:
                return Unheard(str(fault), _ANOTHER)

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
