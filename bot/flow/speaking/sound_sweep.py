"""Deletes the sound that no message needs any more."""

from collections.abc import Collection

from bot.domain.turn.voice import voice_key
from bot.ports.outbox import DeliveryState, Outbox
from bot.ports.speaking import Sounds


class SoundSweep:
    """Looks at the files that are kept; the sound of a message that is owed stays."""

    def __init__(self, sounds: Sounds, outbox: Outbox) -> None:
        self._sounds = sounds
        self._outbox = outbox

    async def sweep(self, besides: Collection[str]) -> None:
        """Deletes delivered sound, but for that of these turns."""
        for turn in await self._sounds.all():
            if turn in besides:
                continue
            row = await self._outbox.row(voice_key(turn))
            if row is None or row.state is not DeliveryState.OWED:
                await self._sounds.drop(turn)
