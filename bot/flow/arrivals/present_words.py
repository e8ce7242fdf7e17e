"""Returns the words that a button changes, for a channel that shows them where people type."""

from dataclasses import dataclass

from bot.domain.talk.message import Press
from bot.flow.commanding.desks import Desks
from bot.ports.chats import Chats
from bot.ports.people import People


@dataclass(frozen=True, slots=True)
class PresentWords:
    """Nobody is shown words that they could not change."""

    _people: People
    _chats: Chats
    _desks: Desks

    async def of(self, press: Press) -> str:
        """Returns the words as they are now; empty where a button changes none."""
        person = await self._people.by_sender(press.sender)
        there = await self._chats.within(press.address)
        here = next((chat for chat in there if chat.address == press.address), None)
        if person is None or here is None:
            return ""
        return await self._desks.present(press.data, here.id, person)
