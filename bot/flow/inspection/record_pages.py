"""The permanent record in parts: who did what, and what came of it. Owners alone read it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places
from bot.ports.listed import ListPlace
from bot.ports.now_page import RecordChoice, RecordPage, RecordRow
from bot.ports.people import People
from bot.ports.records import RecordFilter, RecordLine, RecordPages

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
        self, reader: Person, choice: RecordChoice, place: ListPlace[int] | None, most: int
    ) -> RecordPage | None:
        if not reader.is_owner:
            return None
        zone = self._zones.of(reader)
        found = await self._records.lines(_filter(choice, zone), place, most)
        places, chosen = self._places(), () if choice.chat is None else (choice.chat,)
        told = (line.chat for line in found.lines if line.chat is not None)
        await places.read((*chosen, *told))
        names = {p.id: p.name for _, p in await self._people.accounts()}
        rows = await asyncio.to_thread(self._rows, found.lines, names, places, zone)
        people = tuple((id, plain_name(name)) for id, name in names.items())
        where = "" if choice.chat is None else places.of(choice.chat)
        return RecordPage(rows, found.ways, people, where)

    def _rows(
        self, lines: Sequence[RecordLine], names: Mapping[int, str], places: Places, zone: str
    ) -> tuple[RecordRow, ...]:
        return tuple(self._row(line, names, places, zone) for line in lines)

    def _row(
        self, line: RecordLine, names: Mapping[int, str], places: Places, zone: str
    ) -> RecordRow:
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
            line.chat,
        )


def _filter(choice: RecordChoice, zone: str) -> RecordFilter:
    last = _midnight(choice.until, zone)
    return RecordFilter(
        choice.chat,
        choice.person,
        choice.action[:_LONGEST_ACTION],
        _midnight(choice.since, zone),
        None if last is None else last + timedelta(days=1),
    )


def _midnight(day: str, zone: str) -> datetime | None:
    """Returns the beginning of a day, as in 2026-11-28; None for anything else."""
    try:
        return datetime.combine(date.fromisoformat(day), time(), ZoneInfo(zone))
    except (ValueError, OverflowError):
        return None
