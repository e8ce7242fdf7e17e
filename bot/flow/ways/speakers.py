"""The person whose words open a turn that a button started."""

from bot.domain.clock.zones import Zones, moment
from bot.domain.turn.transcript import AskerBody
from bot.flow.log.work import Work
from bot.flow.ways.follower import Speaker
from bot.ports.people import People


class Speakers:
    def __init__(self, people: People, zones: Zones) -> None:
        self._people = people
        self._zones = zones

    async def of(self, work: Work) -> Speaker | None:
        """Returns the asker of a turn; None when that person is not known any more."""
        person, chat = await self._people.get(work.turn.asker), work.log.chat
        if person is None:
            return None
        now = moment(work.clock.now(), self._zones.of(person, chat))
        return Speaker(person, "" if chat.private else await self._account(work), now)

    async def _account(self, work: Work) -> str:
        """Returns the account under which the person wrote here, or one that they have."""
        asker, channel = work.turn.asker, work.address.channel
        bodies = (entry.body for entry in reversed(work.log.entries()))
        wrote = (b for b in bodies if isinstance(b, AskerBody) and b.person == asker)
        if (last := next(wrote, None)) is not None:
            return last.account
        accounts = [key for key, person in await self._people.accounts() if person.id == asker]
        here = (key for key in accounts if key.startswith(f"{channel}:"))
        return next(here, next(iter(accounts), ""))
