"""People as owners see them on a page: their rights, how they came in, where they are signed in."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.talk.rights import Pace
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.flow.inspection.former_people import names_of
from bot.flow.inspection.listing import part_among
from bot.flow.people.levels import SPELLED
from bot.flow.people.terms import in_words
from bot.flow.world import StorePorts
from bot.ports.listed import ListPlace
from bot.ports.people_page import PeoplePage, PersonLine, RightsNow
from bot.ports.records import RecordLine

_EACH = 25
"""People of one page."""

_MOST_BROWSERS = 10


@frozen
class PeopleInspection:
    """Shows owners everybody; `common` is the pace of members without a pace of their own."""

    _store: StorePorts
    _common: Pace
    _zones: Zones
    _now: Callable[[], datetime]

    async def people(self, reader: Person, place: ListPlace[int] | None) -> PeoplePage | None:
        if not reader.is_owner:
            return None
        accounts: dict[int, tuple[Person, list[str]]] = {}
        for key, person in await self._store.people.accounts():
            accounts.setdefault(person.id, (person, []))[1].append(key)
        # By their numbers: somebody who leaves moves nobody to another part.
        shown, ways = await part_among(accounts.values(), _number, place, _EACH)
        first = sorted(accounts).index(_number(shown[0])) + 1 if shown else 1
        keys = [key for _, theirs in shown for key in theirs]
        admitted = await self._store.records.admitted(keys)
        names = await names_of(self._store.people, (one.person for one in admitted.values()))
        zone = self._zones.of(reader)
        lines = [
            await self._line(person, theirs, _came(theirs, admitted, names, zone), zone, reader)
            for person, theirs in shown
        ]
        return PeoplePage(
            tuple(lines),
            len(accounts),
            first,
            ways,
        )

    async def _line(
        self, person: Person, accounts: Sequence[str], came: str, zone: str, reader: Person
    ) -> PersonLine:
        now, rights = self._now(), person.rights
        seen = await self._store.members.nth_newest(person.id, 1, now)
        sessions = await self._store.sessions.of(person.id, now)
        browsers = [
            f"{plain_name(one.name)}, {_clock(one.seen_at, zone)}"
            for one in sessions[:_MOST_BROWSERS]
        ]
        tools = "all" if rights.tools is None else ",".join(rights.tools)
        pace = "default" if person.pace is None else str(person.pace)
        switch = "on" if rights.commands else "off"
        return PersonLine(
            plain_name(person.name),
            person.role.value,
            person.id == reader.id,
            tuple(accounts),
            in_words(person, self._common),
            came,
            "wrote nothing yet" if seen is None else _clock(seen, zone),
            tuple(browsers),
            None if person.is_owner else RightsNow(SPELLED[rights.level], switch, tools, pace),
        )


def _number(one: tuple[Person, Sequence[str]]) -> int:
    return one[0].id


def _came(
    accounts: Sequence[str], lines: Mapping[str, RecordLine], names: Mapping[int, str], zone: str
) -> str:
    """Returns when and by whom the first of these accounts was let in."""
    known = [lines[key] for key in accounts if key in lines]
    if not known:
        return ""
    line = min(known, key=lambda one: one.id)
    at = _clock(line.at, zone)
    if line.action == "person.paired":
        return f"{at}, by the pairing link"
    by = "" if line.person is None else names[line.person]
    return f"{at}, by {plain_name(by)}" if by else at


def _clock(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%d %b %Y, %H:%M}"
