"""A person's own memory: the notes, and a search as recall makes it, with its reasons."""

from collections.abc import Callable, Sequence

from bot.domain.clock.zones import Zones
from bot.domain.memory.note import Note, note_of
from bot.domain.memory.passage import of_person
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.person import Person
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.listing import ListPlace, shown_part
from bot.flow.inspection.places import Places
from bot.flow.inspection.recall_told import RecallTeller, local_time, told_briefly
from bot.flow.memory.note_changing import NoteChanging
from bot.flow.memory.recall import Recall
from bot.flow.world import StorePorts
from bot.ports.memory_page import Erasable, MemoryPage, NoteLine, RecalledLine, Reworded
from bot.ports.records import RowKey

_NOTES = 30
_LONGEST_SEARCH = 300
_LONGEST = 600
EVERYTHING = "all"
"""The id that stands for everything that is remembered."""


@frozen
class MemoryInspection:
    _store: StorePorts
    _recall: Recall
    _changing: NoteChanging
    _places: Callable[[], Places]
    _zones: Zones
    _conceal: Conceal

    async def memory(
        self, reader: Person, words: str, place: ListPlace[RowKey] | None
    ) -> MemoryPage:
        asked, zone = words.strip()[:_LONGEST_SEARCH], self._zones.of(reader)

        async def read(at: ListPlace[RowKey] | None, most: int) -> Sequence[Note]:
            return await self._store.notes.part(of_person(reader.id), at, most)

        shown, ways = await shown_part(read, _place, place, _NOTES)
        return MemoryPage(
            tuple(NoteLine(note.id, note.text, local_time(note.at, zone)) for note in shown),
            ways,
            await self._condition(),
            asked,
            await self._found(reader, asked, zone) if asked else (),
        )

    async def _found(self, reader: Person, asked: str, zone: str) -> tuple[RecalledLine, ...]:
        cause = Cause(CallKind.EMBEDDING, person=reader.id)
        looked = await self._recall.looked(asked, of_person(reader.id), cause)
        places = self._places()
        await places.read(one.chat for one in looked.passages.values() if one.chat is not None)
        return RecallTeller(looked, places, zone, self._conceal).lines()

    async def _condition(self) -> str:
        owed, meaning = await self._recall.readiness()
        if owed:
            return "Some answers are still being indexed, and cannot be found yet."
        if meaning is None:
            return "Found by words."
        return "Found by words and by meaning." if meaning.ready else "Found by words for now."

    async def erasable(self, reader: Person, id: str) -> Erasable | None:
        if id == EVERYTHING:
            return Erasable("", ("forget", "yes", EVERYTHING))
        note = await self._store.notes.get(note_of(id) or id)
        if note is not None:
            told, owner, command = note.text, note.whose, ("memory", "undo", note.id)
        elif (passage := await self._store.memory.get(id)) is not None:
            told, owner = passage.question or passage.answer, passage.whose
            command = ("forget", "yes", passage.id)
        else:
            return None
        if owner != of_person(reader.id):
            return None
        return Erasable(told_briefly(told, _LONGEST, self._conceal), command)

    async def reword(self, reader: Person, chat: int, note: str, words: str) -> Reworded:
        return await self._changing.reword(note, words, chat, reader)


def _place(note: Note) -> RowKey:
    return RowKey(note.at, note.id)
