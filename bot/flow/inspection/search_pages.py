"""A search in a person's own conversations: that of the memory, whose notes are left out."""

from collections.abc import Callable, Sequence
from operator import itemgetter

from bot.domain.clock.zones import Zones
from bot.domain.memory.note import note_of
from bot.domain.memory.passage import Passage, of_person
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.person import Person
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.listing import part_among
from bot.flow.inspection.places import Places
from bot.flow.inspection.recall_told import local_time, told_briefly
from bot.flow.memory.recall import Recall
from bot.ports.listed import ListPlace
from bot.ports.search_page import SaidLine, SaidPage

_MOST, _LINES = 60, 15
"""Hits of one search, and those of one part of the list."""

_SEARCH, _QUESTION, _ANSWER = 300, 160, 300


@frozen
class SearchInspection:
    _recall: Recall
    _places: Callable[[], Places]
    _zones: Zones
    _conceal: Conceal

    async def said(self, reader: Person, words: str, place: ListPlace[int] | None) -> SaidPage:
        asked = words.strip()[:_SEARCH]
        if not asked:
            return SaidPage(())
        cause = Cause(CallKind.EMBEDDING, person=reader.id)
        hits = await self._recall.searched(asked, of_person(reader.id), _MOST, cause)
        found = [one for one, _ in hits if one.chat is not None and note_of(one.id) is None]
        ranked, ways = await part_among(list(enumerate(found)), itemgetter(0), place, _LINES)
        shown, places = [one for _, one in ranked], self._places()
        await places.read(one.chat for one in shown if one.chat is not None)
        lines = self._lines(shown, places, self._zones.of(reader))
        return SaidPage(lines, ways)

    def _lines(self, shown: Sequence[Passage], places: Places, zone: str) -> tuple[SaidLine, ...]:
        return tuple(
            SaidLine(
                one.id,
                one.chat,
                told_briefly(one.question, _QUESTION, self._conceal),
                told_briefly(one.answer, _ANSWER, self._conceal),
                local_time(one.at, zone),
                places.of(one.chat),
            )
            for one in shown
            if one.chat is not None
        )
