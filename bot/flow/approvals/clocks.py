"""The clock by which the people of a chat read times, where somebody told it."""

from bot.domain.clock.zones import told_zone
from bot.domain.talk.chat import Chat
from bot.ports.people import People


class Clocks:
    def __init__(self, people: People) -> None:
        self._people = people

    async def known(self, chat: Chat, person: int) -> str | None:
        """Returns the time zone of a chat, or of the person who is alone in it; None if unknown."""
        return told_zone(await self._people.get(person), chat)
