"""The names of what bills are about, as far as the reader may know them."""

from collections.abc import Callable, Collection
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.errors import NoSuchChat
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.ports.chats import Chats
from bot.ports.ledger import By, Ledger
from bot.ports.people import People

_NOBODY = "in the background"


@frozen
class Subjects:
    """Names models, chats, people, tasks and skills."""

    _ledger: Ledger
    _people: People
    _chats: Chats
    _zones: Zones

    async def named(
        self, by: By, subjects: Collection[str], reader: Person
    ) -> Callable[[str], str]:
        """Returns a function that names each of these subjects for a reader."""
        match by:
            case By.MODEL:
                return lambda name: "demo (costs nothing)" if name == "demo/demo" else name
            case By.SKILL:
                return lambda name: name or "without a skill"
            case By.PERSON:
                found = {of: await self._person(of) for of in subjects}
            case By.CHAT:
                owners = {
                    key: plain_name(person.name) for key, person in await self._people.accounts()
                }
                found = {of: await self._chat(of, owners) for of in subjects}
            case By.TASK:
                found = await self._tasks(subjects, reader)
        return lambda of: found.get(of, _NOBODY)

    async def _person(self, of: str) -> str:
        person = await self._people.get(int(of)) if of else None
        return plain_name(person.name) if person is not None else _NOBODY

    async def _chat(self, of: str, owners: dict[str, str]) -> str:
        if not of:
            return _NOBODY
        try:
            chat = await self._chats.get(int(of))
        except NoSuchChat:
            return "a chat that is gone"
        if chat.private:
            return f"private, {owners.get(chat.address.key, chat.address.key)}"
        return plain_name(chat.title) if chat.title else chat.address.key

    async def _tasks(self, subjects: Collection[str], reader: Person) -> dict[str, str]:
        """Names tasks by their time and words; those of others by their time and the person."""
        here = ZoneInfo(self._zones.of(reader))
        known = await self._ledger.tasks([of for of in subjects if of])
        return {
            of: f"{task.at.astimezone(here):%d %b %H:%M} "
            + ((task.words if task.asker == reader.id else "") or plain_name(task.asker_name))
            for of, task in known.items()
        }
