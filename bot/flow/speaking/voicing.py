"""Buys the sound of an answer: once, paid for, and kept in a file before it is sent."""

import hashlib
import logging
from collections.abc import Sequence
from decimal import Decimal

from bot.domain.change import AddUsage, Change, OweVoice
from bot.domain.money.budget import Cause
from bot.domain.money.model import Price, Usage
from bot.domain.talk.errors import ModelError, ModelOverloaded, ModelUnreachable, OverBudget
from bot.domain.talk.ogg_opus import seconds_of
from bot.domain.text.speakable import Speakable
from bot.domain.turn.voice import VoiceNote
from bot.domain.value import frozen, replace
from bot.flow.money.till import Till
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.speaking import Sounds, Speaking

_LOG = logging.getLogger(__name__)

_MOST_CALLS = 2
"""Calls for one answer that may be begun: the program did not outlive the first one."""

_AGAIN_AFTER = 2.0


@frozen
class Unspoken:
    """The reason why an answer is not spoken, as half a sentence; `kind` names its like."""

    kind: str
    why: str
    records: Sequence[AddUsage] = ()
    """The records of what it cost all the same."""


@frozen
class Voiced:
    """A voice note that is kept as a file, with the records of its cost."""

    path: str
    seconds: int
    records: Sequence[AddUsage]


@frozen
class Voicing:
    """Asks the port for the sound of an answer, a second time after a fault that may pass.

    The sound is kept in a file before its cost is on record. So a program that died in between
    finds it, and neither pays nor speaks again.
    """

    _speaking: Speaking
    _sounds: Sounds
    _till: Till
    _journal: Journal
    _clock: Clock

    async def voiced(self, note: VoiceNote, cause: Cause, said: Speakable) -> Voiced | Unspoken:
        """Returns the voice note, or the reason why there is none."""
        kept = await self._sounds.kept(note.turn)
        if kept is not None and (seconds := seconds_of(kept[1])) is not None:
            return self._found(note, cause, said, kept[0], seconds)
        if note.tries >= _MOST_CALLS:
            return Unspoken("ended", "I was restarted while it was being spoken")
        try:
            return await self._bought(replace(note, tries=note.tries + 1), cause, said)
        except OverBudget as fault:
            cure = " (an owner can set STEWARD_SPEAK_PRICE)" if self._speaking.price is None else ""
            return Unspoken("budget", f"{fault.reason}{cure}")
        except ModelError as fault:
            _LOG.warning("an answer was not spoken: %s", fault, extra={"chat": note.chat})
            return Unspoken("service", str(fault))
        finally:
            # The turn has ended, and this call was the last one that counts for it.
            self._till.forget(note.turn)

    def _found(
        self, note: VoiceNote, cause: Cause, said: Speakable, path: str, seconds: int
    ) -> Voiced:
        """Returns the voice note of an earlier life; what it cost is known by its length."""
        price, used = _by_character(self._speaking.price), Usage(len(said.text))
        cost = price.cost(used) if price is not None else None
        name, now = _call_of(note), self._clock.now()
        record = AddUsage(name, cause, self._speaking.model, now, Usage(), cost)
        return Voiced(path, seconds, (record,))

    async def _bought(self, note: VoiceNote, cause: Cause, said: Speakable) -> Voiced | Unspoken:
        await self._journal.commit(Change((OweVoice(note),)))
        price, characters = _by_character(self._speaking.price), len(said.text)
        model, name = self._speaking.model, _call_of(note)
        receipt = await self._till.opened(cause, model, price, characters, name)
        try:
            sound = await self._spoken(said.text)
        except BaseException:
            await self._till.give_up(receipt)
            raise
        # Paid by the character; the services tell no tokens.
        records = [replace(one, usage=Usage()) for one in receipt.paid(Usage(characters))]
        seconds = seconds_of(sound)
        if seconds is None:
            return _unusable(
                "the service that speaks sent something else than a recording", records
            )
        path = await self._sounds.keep(note.turn, sound)
        if path is None:
            return _unusable("there is no room for the recording", records)
        return Voiced(path, seconds, records)

    async def _spoken(self, words: str) -> bytes:
        try:
            return await self._speaking.speak(words)
        except (ModelOverloaded, ModelUnreachable):
            await self._clock.sleep(_AGAIN_AFTER)
            return await self._speaking.speak(words)


def _unusable(why: str, records: Sequence[AddUsage]) -> Unspoken:
    _LOG.warning("an answer was paid for and not spoken: %s", why)
    return Unspoken("service", why, records)


def _call_of(note: VoiceNote) -> str:
    """Names a call for an answer, so that its record is found again in another life."""
    named = f"speak {note.turn} {note.tries}"
    return hashlib.blake2b(named.encode(), digest_size=8).hexdigest()


def _by_character(million: Decimal | None) -> Price | None:
    """Returns a price in which a token of the prompt is a character."""
    return None if million is None else Price(million, Decimal(0), million, million)
