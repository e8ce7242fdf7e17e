"""Passages and their index of words, in memory."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.adapters.sql.stemmer import stem
from bot.domain.memory.fit import OWN_END, Candidate, Explained, explained, fit, weights
from bot.domain.memory.imported import IMPORTED
from bot.domain.memory.line_label import labelled_stems
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.memory.standing_wish import is_wish
from bot.domain.talk.errors import StoreError
from bot.domain.text.stems import soft, sought
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.ports.belongings import Talk
from bot.ports.listed import ListPlace, part_of
from bot.ports.memory import MemoryCondition, Past
from bot.ports.records import RowKey
from tests.fakes.store_erasing import chats_of
from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryPassages:
    rows: Rows

    async def get(self, id: str) -> Passage | None:
        return self.rows.passages.get(id)

    async def around(self, ids: Sequence[str]) -> Sequence[Passage]:
        kept = sorted(self.rows.passages.values(), key=lambda p: p.number)
        found: set[int] = set()
        for hit in (p for p in kept if p.id in ids):
            same = (hit.conversation, hit.whose)
            beside = [p.number for p in kept if (p.conversation, p.whose) == same]
            at = beside.index(hit.number)
            found.update(beside[max(0, at - 1) : at + 2] if hit.conversation else [hit.number])
        return [p for p in kept if p.number in found]

    async def owed(self, limit: int) -> Sequence[Passage]:
        kept = sorted(self.rows.passages.values(), key=lambda p: p.number)
        return [p for p in kept if p.id not in self.rows.indexed][:limit]

    async def past(self) -> Past | None:
        last, ended = self.rows.past
        rest = sorted(id for id in self.rows.conversations if id > last)
        if ended or not rest:
            return None
        chat = self.rows.chats[self.rows.conversations[rest[0]].chat]
        turns = [
            turn
            for turn in sorted(self.rows.turns.values(), key=lambda t: (t.created_at, t.id))
            if turn.conversation == rest[0]
            and turn.state is TurnState.SETTLED
            and turn.stop_reason is StopReason.FINAL_ANSWER
        ]
        return Past(chat, rest[0], tuple(turns))

    async def count_owed(self) -> int:
        return len(await self.owed(len(self.rows.passages)))

    async def condition(self) -> MemoryCondition:
        last, ended = self.rows.past
        kept, owed = len(self.rows.passages), len(await self.owed(len(self.rows.passages)))
        if ended:
            return MemoryCondition(kept, owed, 0, 0)
        all_of = self.rows.conversations
        return MemoryCondition(
            kept, owed, sum(id <= last for id in all_of), len(all_of), past_open=True
        )


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    rows: Rows

    async def take_in(self, passages: Sequence[Passage]) -> None:
        self.rows.indexed.update(p.id for p in passages if p.id in self.rows.passages)

    async def search(self, words: str, whose: Whose, limit: int) -> Sequence[Hit]:
        weight, candidates, unsure = self._weighable(words, whose)
        return fit(weight, candidates, limit, unsure)

    async def explained(self, words: str, whose: Whose, limit: int) -> Explained:
        if not sought(words, stem):
            return Explained()
        weight, candidates, unsure = self._weighable(words, whose)
        return explained(weight, candidates, limit, unsure)

    def _weighable(
        self, words: str, whose: Whose
    ) -> tuple[Mapping[str, float], Mapping[str, Candidate], frozenset[str]]:
        if self.rows.index_is_broken:
            raise StoreError("the index is malformed")
        kept = self.rows.passages.values()
        theirs = [p for p in kept if p.whose == whose and p.id in self.rows.indexed]
        held = {p.id: _stems(p) for p in theirs}
        wanted = sought(words, stem)
        counted = Counter(s for found in held.values() for s in set(found) if s in wanted)
        weight = weights(wanted, counted, len(theirs))
        return weight, _candidates(theirs, held), soft(wanted)

    async def wishes(self, words: str, whose: Whose) -> Sequence[Hit]:
        hits = await self.search(words, whose, len(self.rows.passages))
        return [hit for hit in hits if is_wish(self.rows.passages[hit.id].question)]

    async def start_anew(self) -> None:
        self.rows.indexed.clear()


def _stems(one: Passage) -> list[str]:
    said = labelled_stems(f"{one.at:%d %B %Y %A %Y-%m-%d}\n{one.question}", stem)
    return [*said, OWN_END, *labelled_stems(one.answer, stem)]


def _candidates(
    theirs: Sequence[Passage], held: Mapping[str, Sequence[str]]
) -> Mapping[str, Candidate]:
    found: dict[str, Candidate] = {}
    for one in theirs:
        line = [p.number for p in theirs if p.conversation == one.conversation != ""]
        before = max((n for n in line if n < one.number), default=None)
        after = min((n for n in line if n > one.number), default=None)
        text = " ".join(held[one.id])
        wish = is_wish(one.question)
        found[one.id] = Candidate(one.at, text, one.number, one.conversation, before, after, wish)
    return found


@dataclass(frozen=True, slots=True)
class MemoryNotes:
    rows: Rows

    async def of(self, whose: Whose, limit: int, skip: int = 0) -> Sequence[Note]:
        theirs = [note for note in self.rows.notes.values() if note.whose == whose]
        return sorted(theirs, key=lambda n: (-n.at.timestamp(), n.id))[skip : skip + limit]

    async def part(
        self, whose: Whose, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Note]:
        theirs = [note for note in self.rows.notes.values() if note.whose == whose]
        at = None if place is None else ListPlace((place.key.at, place.key.id), place.back)
        return part_of(theirs, lambda n: (n.at, n.id), at, limit, falling=True)

    async def get(self, id: str) -> Note | None:
        return self.rows.notes.get(id)


@dataclass(frozen=True, slots=True)
class MemoryBelongings:
    rows: Rows

    async def talks(self, whose: Whose) -> Sequence[Talk]:
        chats = chats_of(self.rows, whose)
        shown = {c.id: c.shown_in for c in self.rows.chats.values()}
        found = [c for c in self.rows.conversations.values() if shown[c.chat] in chats]
        ordered = sorted(found, key=lambda c: (c.opened_at, c.id))
        return [Talk(self.rows.chats[c.chat].address.key, c.id) for c in ordered]

    async def imported(self, whose: Whose, after: int, limit: int) -> Sequence[Passage]:
        theirs = [p for p in self.rows.passages.values() if p.whose == whose and p.number > after]
        found = [p for p in theirs if p.id.startswith(IMPORTED)]
        return sorted(found, key=lambda p: p.number)[:limit]
