"""The permanent record in parts: who did what, and what came of it. Owners alone read it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places
from bot.flow.inspection.record_told import ACTIONS, did_of, facts_of
from bot.ports.ledger import BilledTurn, Ledger
from bot.ports.listed import ListPlace
from bot.ports.now_page import RecordChoice, RecordPage, RecordRow
from bot.ports.records import RecordFilter, RecordLine, RecordPages

_LONGEST = 200
_LONGEST_ACTION = 40
_FIRST, _LAST = date(1970, 1, 2), date(9000, 1, 1)
"""Bounds of a chosen day: what lies beyond is the same to a record, and has times in all zones."""
_TURNS = "turn."
"""The beginning of actions whose subject is a turn."""


@frozen
class RecordInspection:
    """Shows the record, the newest lines first."""

    _records: RecordPages
    _ledger: Ledger
    _names: Callable[[Iterable[int | None]], Awaitable[Mapping[int, str]]]
    """Returns the names of people, of former ones too."""
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
        names = await self._names(line.person for line in found.lines)
        turns = await self._ledger.tasks([*{_turn_of(line) for line in found.lines} - {""}])
        rows = await asyncio.to_thread(self._rows, found.lines, _Known(names, turns, places, zone))
        people = tuple((id, plain_name(name)) for id, name in names.items())
        where = "" if choice.chat is None else places.of(choice.chat)
        return RecordPage(rows, found.ways, people, where, ACTIONS)

    def _rows(self, lines: Sequence[RecordLine], known: "_Known") -> tuple[RecordRow, ...]:
        return tuple(self._row(line, known) for line in lines)

    def _row(self, line: RecordLine, known: "_Known") -> RecordRow:
        who = "" if line.person is None else known.names[line.person]
        details = " · ".join(f"{name}: {told}" for name, told in line.details.items() if told)
        turn = _turn_of(line)
        began = known.turns.get(turn)
        return RecordRow(
            line.id,
            f"{line.at.astimezone(ZoneInfo(known.zone)):%Y-%m-%d %H:%M:%S}",
            plain_name(who) if who else "the program",
            line.action,
            self._told(line.subject),
            "" if line.chat is None else known.places.of(line.chat),
            self._told(details),
            line.chat,
            did_of(line.action),
            self._told(facts_of(line.details)),
            "" if began is None else turn,
            "" if began is None else self._told(began.words),
        )

    def _told(self, text: str) -> str:
        return visible(one_line(self._conceal(text), _LONGEST))


@frozen
class _Known:
    """The values that the lines of one part name."""

    names: Mapping[int, str]
    turns: Mapping[str, BilledTurn]
    places: Places
    zone: str


def _turn_of(line: RecordLine) -> str:
    """Returns the turn that a line is about; empty for none."""
    return line.subject if line.action.startswith(_TURNS) else str(line.details.get("turn") or "")


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
        asked = date.fromisoformat(day)
    except ValueError:
        return None
    return datetime.combine(max(_FIRST, min(asked, _LAST)), time(), ZoneInfo(zone))
