"""A search in a person's own conversations: that of the memory, whose notes are left out."""

from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.memory.note import note_of
from bot.domain.memory.passage import Passage, clipped_words, of_person
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.person import Person
from bot.domain.text.visible_text import visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places
from bot.flow.memory.recall import Recall
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

    async def said(self, reader: Person, words: str, after: str) -> SaidPage:
        asked = words.strip()[:_SEARCH]
        if not asked:
            return SaidPage((), "")
        cause = Cause(CallKind.EMBEDDING, person=reader.id)
        hits = await self._recall.searched(asked, of_person(reader.id), _MOST, cause)
        found = [one for one, _ in hits if one.chat is not None and note_of(one.id) is None]
        ids = [one.id for one in found]
        rest = found[ids.index(after) + 1 :] if after in ids else found
        shown, places = rest[:_LINES], self._places()
        await places.read(one.chat for one in shown if one.chat is not None)
        zone = ZoneInfo(self._zones.of(reader))
        lines = self._lines(shown, places, zone)
        return SaidPage(lines, shown[-1].id if len(rest) > _LINES else "")

    def _lines(
        self, shown: Sequence[Passage], places: Places, zone: ZoneInfo
    ) -> tuple[SaidLine, ...]:
        return tuple(
            SaidLine(
                one.id,
                one.chat,
                self._told(one.question, _QUESTION),
                self._told(one.answer, _ANSWER),
                f"{one.at.astimezone(zone):%Y-%m-%d %H:%M}",
                places.of(one.chat),
            )
            for one in shown
            if one.chat is not None
        )

    def _told(self, text: str, most: int) -> str:
        return visible(clipped_words(self._conceal(" ".join(text.split())), most))
