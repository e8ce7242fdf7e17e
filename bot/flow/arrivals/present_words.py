"""Returns the words that a button changes, for a channel that shows them where people type."""

from bot.domain.talk.message import Press
from bot.flow.approvals.desks import Desks
from bot.ports.chats import Chats
from bot.ports.people import People


class PresentWords:
    """Nobody is shown words that they could not change."""

    def __init__(self, people: People, chats: Chats, desks: Desks) -> None:
        self._people = people
        self._chats = chats
        self._desks = desks

    async def of(self, press: Press) -> str:
        """Returns the words as they are now; empty where a button changes none."""
        person = await self._people.by_sender(press.sender)
        there = await self._chats.within(press.address)
        here = next((chat for chat in there if chat.address == press.address), None)
        if person is None or here is None:
            return ""
        return await self._desks.present(press.data, here.id, person)
