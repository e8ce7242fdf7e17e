"""Gives descriptions their vectors, in the background and in small portions."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from weakref import WeakSet

from bot.domain.change import AddUsage
from bot.domain.memory.described import key_of
from bot.domain.memory.meaning import STRANGE_TEXTS, Vector
from bot.domain.memory.rounded import rounded
from bot.domain.skills.skill import SkillSet
from bot.domain.skills.skill_words import is_whole
from bot.domain.talk.errors import EmbedderRefuses, OtherSize
from bot.domain.tools.shelf import Shelf
from bot.flow.describing.held_vectors import HeldVectors
from bot.flow.money.paid_embedder import IN_THE_BACKGROUND, OwedRecords, PaidEmbedder, vectors_of
from bot.ports.clock import Clock
from bot.ports.descriptions import DescriptionRows
from bot.ports.journal import Journal
from bot.ports.skills import Skills

_LOG = logging.getLogger(__name__)

_BATCH = 32
"""Descriptions that are embedded with one request."""

_PAUSE_SECONDS = 0.02

_CLAIM = timedelta(minutes=5)
"""The time after which others may embed what a process has claimed and not kept."""

_USED_EVERY = timedelta(days=1)
_UNUSED = timedelta(days=30)
"""The time after which a vector that no process uses is deleted."""


class Filling:
    """Keeps the vectors of all descriptions that may be searched.

    A text is embedded once for all processes, and again only if it or the model changes. Nothing is
    embedded for skills that a model reads in its list, whole, or for tools that it is told of.
    """

    def __init__(
        self,
        embedder: PaidEmbedder,
        rows: DescriptionRows,
        journal: Journal,
        clock: Clock,
        skills: Skills,
        skill_list: int,
        held: HeldVectors,
    ) -> None:
        self._embedder = embedder
        self._rows = rows
        self._clock = clock
        self._skills = skills
        self._skill_list = skill_list
        self._held = held
        self._shelves: WeakSet[Shelf] = WeakSet()
        self._listed: tuple[SkillSet, Shelf] = SkillSet(), Shelf()
        self._of_skills: set[str] = set()
        self._complete = False
        self._asked = 0
        self._mine: dict[str, datetime] = {}
        self._records = OwedRecords(embedder, journal)
        self._used_at: datetime | None = None

    def keep(self, shelf: Shelf) -> bool:
        """Notes things that will be searched; returns True when that is news."""
        new = shelf not in self._shelves
        self._shelves.add(shelf)
        self._complete = self._complete and not new
        return new

    def owe(self, records: Sequence[AddUsage]) -> None:
        """Takes the records of a call that nobody else can write."""
        self._records.add(records)

    def start_anew(self, size: int) -> None:
        """Notes that the embedder's vectors have another size now: all are made anew."""
        self._held.start_anew(size)
        self._complete = False

    async def catch_up(self) -> bool:
        """Has everything embedded that is missing; returns True when the embedder was asked.

        Raises an EmbedderError or a StoreError.
        """
        asked = self._asked
        try:
            await self._records.write_down()
            if not self._complete or self._skills.known is not self._listed[0]:
                await self._fill()
            await self._note_use()
        finally:
            await self._records.write_down()
        return self._asked > asked

    async def _fill(self) -> None:
        self._complete = True
        try:
            skills = {thing.text for thing in (await self._of_list()).things}
            tools = [thing.text for shelf in self._shelves for thing in shelf.things]
            texts = dict.fromkeys((*STRANGE_TEXTS, *skills, *tools)) if skills or tools else {}
            await self._load(self._held.missing(texts))
            missing = self._held.missing(texts)
            for n in range(0, len(missing), _BATCH):
                await self._take_in(missing[n : n + _BATCH])
                await self._clock.sleep(_PAUSE_SECONDS)
            await self._let_go(skills, texts)
        except BaseException:
            self._complete = False
            raise
        # Others are at the rest, or a size has changed meanwhile.
        self._complete = self._complete and not self._held.missing(texts)

    async def _of_list(self) -> Shelf:
        """Returns the skills that have to be searched for; none if the list tells them whole."""
        known = self._skills.known
        if known is not self._listed[0]:
            self._listed = known, await asyncio.to_thread(self._unlisted, known)
        return self._listed[1]

    def _unlisted(self, known: SkillSet) -> Shelf:
        return Shelf() if is_whole(known.offered, self._skill_list) else known.shelf

    def _key(self, text: str) -> str:
        return key_of(self._embedder.name, text)

    async def _load(self, texts: Sequence[str]) -> None:
        by_key = {self._key(text): text for text in texts}
        if not by_key:
            return
        kept = await self._rows.held(list(by_key))
        await self._held.put({by_key[key]: held for key, held in kept.items()})
        # Of another size: the embedder was changed behind its name.
        await self._rows.drop([key for key in kept if self._held.missing([by_key[key]])])

    async def _take_in(self, texts: Sequence[str]) -> None:
        claimed = await self._claimed(texts)
        if claimed:
            each = await vectors_of(list(claimed.values()), self._embedded)
            kept = dict(zip(claimed, map(_held, each), strict=True))
            await self._records.store(partial(self._rows.keep, kept, self._clock.now()))
            for key in kept:
                self._mine.pop(key, None)
            await self._held.put({claimed[key]: held for key, held in kept.items()})

    async def _claimed(self, texts: Sequence[str]) -> Mapping[str, str]:
        """Returns those of these texts, by key, that no other process has embedded or begun."""
        now = self._clock.now()
        by_key = {self._key(text): text for text in texts}
        mine = {key for key in by_key if key in self._mine and now < self._mine[key]}
        free = [key for key in by_key if key not in mine]
        for key in await self._rows.claim(free, now, now - _CLAIM):
            self._mine[key] = now + _CLAIM
            mine.add(key)
        return {key: text for key, text in by_key.items() if key in mine}

    async def _embedded(self, texts: Sequence[str]) -> Sequence[Vector]:
        paid = await self._embedder.embed(texts, IN_THE_BACKGROUND)
        self._asked += 1
        self._records.add(paid.records)
        size = len(paid.vectors[0])
        if self._held.size not in (0, size):
            self._mine.clear()
            self.start_anew(size)
            raise OtherSize(f"the embedder's vectors have {size:,} numbers now")
        return paid.vectors

    async def _let_go(self, skills: set[str], texts: Mapping[str, None]) -> None:
        """Drops the vectors of skills that went; those of tools wait for their servers."""
        gone = [text for text in self._of_skills - skills if text not in texts]
        if gone:
            await self._rows.drop([self._key(text) for text in gone])
        self._of_skills = skills
        self._held.keep_only(texts.keys())

    async def _note_use(self) -> None:
        now = self._clock.now()
        texts = self._held.texts
        if texts and (self._used_at is None or now - self._used_at >= _USED_EVERY):
            await self._rows.sweep([self._key(text) for text in texts], now, now - _UNUSED)
            self._used_at = now


def _held(vector: Vector | EmbedderRefuses) -> bytes:
    if isinstance(vector, EmbedderRefuses):
        _LOG.warning("a description has no meaning for the embedder: %s", vector)
        return b""
    return rounded(vector).held
