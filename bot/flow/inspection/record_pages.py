"""The permanent record in parts: who did what, and what came of it. Owners alone read it."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places
from bot.ports.now_page import RecordPage, RecordRow
from bot.ports.people import People
from bot.ports.records import RecordFilter, RecordLine, RecordPages

_LINES = 50
_LONGEST = 200
_LONGEST_ACTION = 40


@frozen
class RecordInspection:
    """Shows the record, the newest lines first."""

    _records: RecordPages
    _people: People
    _places: Callable[[], Places]
    _zones: Zones
    _conceal: Conceal

    async def record(
        self, reader: Person, person: int | None, action: str, before: int | None
    ) -> RecordPage | None:
        if not reader.is_owner:
            return None
        chosen = RecordFilter(person=person, action=action[:_LONGEST_ACTION])
        lines = await self._records.lines(chosen, before, _LINES + 1)
        shown = lines[:_LINES]
        places = self._places()
        await places.read(line.chat for line in shown if line.chat is not None)
        names = {p.id: p.name for _, p in await self._people.accounts()}
        zone = self._zones.of(reader)
        rows = tuple(self._row(line, names, places, zone) for line in shown)
        return RecordPage(rows, shown[-1].id if len(lines) > _LINES else None)

    def _row(self, line: RecordLine, names: dict[int, str], places: Places, zone: str) -> RecordRow:
        who = "" if line.person is None else names.get(line.person, f"person {line.person}")
        details = " · ".join(f"{name}: {told}" for name, told in line.details.items() if told)
        return RecordRow(
            line.id,
            f"{line.at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M:%S}",
            plain_name(who) if who else "the program",
            line.action,
            visible(one_line(self._conceal(line.subject), _LONGEST)),
            "" if line.chat is None else places.of(line.chat),
            visible(one_line(self._conceal(details), _LONGEST)),
        )
