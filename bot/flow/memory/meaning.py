"""Memory by meaning: gives the index of meaning what it is owed, and searches it."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from uuid import uuid4

from bot.domain.memory.meaning import (
    MOST_BYTES,
    STRANGE_TEXTS,
    Noise,
    Vector,
    embedded_text,
    first_bytes,
    meaningless,
    noise,
)
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.money.budget import Cause
from bot.domain.talk.errors import (
    Conflict,
    EmbedderError,
    EmbedderRefuses,
    EmbedderUnpaid,
    MeaningError,
    OtherSize,
    VectorsLost,
)
from bot.flow.activities import persistently
from bot.flow.memory.weighing import Weighing
from bot.flow.money.paid_embedder import (
    IN_THE_BACKGROUND,
    OwedRecords,
    PaidEmbedder,
    PaidVectors,
    vectors_of,
)
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.meaning import Begun, MeaningCondition, MeaningDebts, Meant, MeantHits, Vectors

_LOG = logging.getLogger(__name__)

_BATCH = 32
"""Passages that are embedded with one request."""

_MOST_LEAVING = 100_000
"""Vectors that are taken out together: the index writes the rest of an owner's anew for them."""

_LOOK_SECONDS = 20.0
"""Seconds between two looks for passages that another process kept."""

_QUIET_SECONDS = 2.0
"""Seconds without another passage after which the index gets those that were kept."""

_ENOUGH = 16
"""Kept passages that wait for no others.

The index takes 6 ms of a processor for one, 10 for eight and 14 for sixteen, and a request to the
embedder about as long for one as for all.
"""

_KEEPER_SECONDS = 3.0
"""Seconds until a process asks again if it may keep the index of meaning that another one keeps."""

_PROBED = 8
"""Texts of one request by which the weight is measured."""

_WEIGH_AGAIN_SECONDS = 6 * 3600.0
"""Seconds until the weight is measured again after a fault, since each attempt may be paid."""

_PAUSE_SECONDS = 0.02


class Meaning:
    """Owns the index of meaning of a run; whatever it has not done is owed to the index.

    The index is opened by the task that fills it, never by a search: a search before that, or
    after a fault, finds nothing, and the words serve alone. What indexing costs is written with
    the note that the index has it, and what is left over after a fault is written afterwards.
    """

    def __init__(
        self,
        embedder: PaidEmbedder,
        vectors: Vectors,
        meant: Meant,
        debts: MeaningDebts,
        journal: Journal,
        clock: Clock,
        weighing: Weighing,
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._meant = meant
        self._debts = debts
        self._clock = clock
        self._weighing = weighing
        self._records = OwedRecords(embedder, journal)
        self._wanted = asyncio.Event()
        self._kept = 0
        self._newest = 0.0
        self._taken_in = 0
        self._begun: Begun | None = None
        self._unweighed_until = 0.0
        self._noise: Noise | None = None
        self._size = 0
        self._space = ""
        self._opened: str | None = None
        self._fault = ""

    def wake(self) -> None:
        """Notes that something may be owed; the task sleeps on while it gathers what is kept."""
        self._kept += 1
        self._newest = self._clock.steady()
        if self._kept == 1 or self._kept >= _ENOUGH or self._opened is None:
            self._wanted.set()

    async def condition(self) -> MeaningCondition:
        owed = await self._meant.count_owed()
        fault = await self._embedder.refusal() or self._fault
        weight = None if self._begun is None else self._begun.weight
        return MeaningCondition(owed, fault, self._opened is not None, weight)

    async def run(self) -> None:
        """Gives the index what it is owed until it is cancelled."""
        await persistently(self._look, self._tell, self._clock)

    async def _look(self) -> None:
        self._wanted.clear()
        self._kept = 0
        if await self._meant.held():
            await self.catch_up()
            await self._clock.until(self._wanted, _LOOK_SECONDS)
            await self._gather()
        else:
            self._tell("another process on this database keeps the index of meaning")
            self._opened = None
            await self._clock.sleep(_KEEPER_SECONDS)

    async def _gather(self) -> None:
        """Waits until enough passages were kept, or none for a moment; a closed index waits not."""
        while self._opened is not None and 0 < self._kept < _ENOUGH:
            left = self._newest + _QUIET_SECONDS - self._clock.steady()
            if left <= 0:
                return
            self._wanted.clear()
            await self._clock.until(self._wanted, left)

    async def look(self) -> None:
        """Opens the index as it is, without filling it; raises VectorsLost where there is none."""
        try:
            await self._measure()
        finally:
            await self._records.write_down()
        begun = await self._meant.begun()
        if begun is None or not await self._is_open(begun):
            raise VectorsLost("there is no index of meaning for this embedder yet")

    async def catch_up(self) -> None:
        """Opens the index if it is not, and does everything that is owed to it."""
        try:
            await self._open()
            await self._records.write_down()
            await self._take_out()
            while await self._take_in() == _BATCH:
                await self._clock.sleep(_PAUSE_SECONDS)
                await self._take_out()
            await self._take_out()
            await self._weigh()
        except (MeaningError, Conflict) as fault:
            self._closed(fault)
            raise
        finally:
            await self._records.write_down()

    async def search(self, words: str, whose: Whose, limit: int, cause: Cause) -> MeantHits:
        """Returns the passages nearest to these words, with how far beyond chance each is."""
        measured, weight = self._noise, self.weight
        if self._opened is None or measured is None or not weight:
            return MeantHits()
        paid = PaidVectors(())
        try:
            paid = await self._embedded([first_bytes(words, MOST_BYTES)], cause)
            (vector,) = paid.vectors
            found = dict(await self._vectors.nearest(whose, vector, limit))
        except EmbedderUnpaid:
            raise
        except BaseException as fault:
            self._records.add(paid.records)
            self._wanted.set()
            if isinstance(fault, MeaningError):
                self._tell(str(fault))
                self._closed(fault)
            raise
        hits = await self._hits(found, measured, vector, whose)
        return MeantHits(hits, paid.records, weight)

    @property
    def weight(self) -> float:
        """The weight of what is found; of 0 nothing is searched, and nobody pays for it."""
        return self._weighing.weight(self._begun)

    async def _hits(
        self, found: Mapping[int, float], measured: Noise, question: Vector, whose: Whose
    ) -> Sequence[Hit]:
        chance = measured.chance(question)
        places = await self._meant.places(list(found)) if found else ()
        hits = [
            Hit(
                place.id,
                measured.beyond(found[place.number], chance),
                min(max(found[place.number], 0.0), 1.0),
                place.at,
            )
            for place in places
            # The owner of the row decides, even if the index should be behind.
            if place.whose == whose
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    async def _open(self) -> None:
        """Opens the index that was begun; a lost one, or one of another embedder, is made anew."""
        await self._measure()
        begun = await self._meant.begun()
        if begun is not None:
            if await self._is_open(begun):
                return
            why = "it is gone or broken" if begun.space == self._space else "of another embedder"
            _LOG.warning("the index of meaning is made anew: %s", why)
        # What is begun before the index is there would be lost with it, and made anew.
        anew = Begun(uuid4().hex, self._space)
        await self._vectors.make(anew.name)
        await self._meant.begin(anew)
        self._ready(anew)

    async def _is_open(self, begun: Begun) -> bool:
        """Returns True when this index is open, or can be opened, and fits the embedder."""
        if begun.space != self._space:
            return False
        if self._opened != begun.name:
            if not await self._vectors.open(begun.name):
                return False
            self._ready(begun)
        self._begun = begun
        return True

    async def _measure(self) -> None:
        """Learns the size of the embedder's vectors, and how near strange texts are."""
        if self._noise is None:
            paid = await self._embedder.embed(STRANGE_TEXTS, IN_THE_BACKGROUND)
            strange = paid.vectors
            self._records.add(paid.records)
            self._tell("")
            self._size = len(strange[0])
            self._space = f"{self._embedder.name}/{self._size}"
            self._noise = await asyncio.to_thread(noise, strange)

    def _ready(self, begun: Begun) -> None:
        self._begun = begun
        self._opened = begun.name
        self._tell("")

    async def _take_out(self) -> None:
        leaving = await self._debts.leaving(_MOST_LEAVING)
        for whose, group in groupby(leaving, key=lambda one: one.whose):
            left = list(group)
            await self._vectors.remove(whose, [one.number for one in left])
            await self._debts.taken_out(left, self._name)

    async def _take_in(self) -> int:
        """Returns how many passages were taken in."""
        owed = await self._debts.owed(_BATCH)
        vectors = await self._of(owed) if owed else {}
        ordered = sorted(owed, key=lambda one: one.whose)
        for whose, group in groupby(ordered, key=lambda one: one.whose):
            await self._vectors.put(whose, [(one.number, vectors[one.number]) for one in group])
        if owed:
            self._taken_in = max(self._taken_in, *(one.number for one in owed))
            await self._records.store(partial(self._debts.taken_in, owed, self._name))
        return len(owed)

    async def _weigh(self) -> None:
        """Measures what the meaning counts here, if that is due; a fault leaves it as it was."""
        begun = self._begun
        if begun is None or not self._weighing.due(begun, self._taken_in):
            return
        if self._clock.steady() < self._unweighed_until:
            return
        self._unweighed_until = self._clock.steady() + _WEIGH_AGAIN_SECONDS
        try:
            self._begun = await self._weighing.measured(begun, self._probe)
        except OtherSize:
            raise
        except (EmbedderError, TimeoutError) as fault:
            _LOG.info("the weight of meaning is not measured: %s", fault or "no answer in time")
        else:
            self._unweighed_until = 0.0

    async def _probe(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Returns vectors in small portions: a search of somebody waits for one at most."""
        found = list[Vector]()
        for n in range(0, len(texts), _PROBED):
            found.extend(await self._in_the_background(texts[n : n + _PROBED]))
            await self._records.write_down()
            await self._clock.sleep(_PAUSE_SECONDS)
        return found

    async def _of(self, passages: Sequence[Passage]) -> dict[int, Vector]:
        """Returns the vectors of passages by number, also of texts that are refused.

        So an answer without a vector is one that was lost.
        """
        texts = await asyncio.to_thread(lambda: [embedded_text(one) for one in passages])
        found = dict[int, Vector]()
        each = await vectors_of(texts, self._in_the_background)
        for one, vector in zip(passages, each, strict=True):
            if isinstance(vector, EmbedderRefuses):
                told = "passage %d has no meaning for the embedder: %s"
                _LOG.warning(told, one.number, vector)
                found[one.number] = meaningless(self._size)
            else:
                found[one.number] = vector
        return found

    async def _in_the_background(self, texts: Sequence[str]) -> Sequence[Vector]:
        paid = await self._embedded(texts, IN_THE_BACKGROUND)
        self._records.add(paid.records)
        return paid.vectors

    async def _embedded(self, texts: Sequence[str], cause: Cause) -> PaidVectors:
        paid = await self._embedder.embed(texts, cause)
        self._tell("")
        size = len(paid.vectors[0])
        if size != self._size:
            self._records.add(paid.records)
            raise OtherSize(f"the embedder's vectors have {size:,} numbers now")
        return paid

    @property
    def _name(self) -> str:
        if self._opened is None:
            raise VectorsLost("the index of meaning was closed meanwhile")
        return self._opened

    def _closed(self, fault: MeaningError | Conflict) -> None:
        """Lets the task of the index look at everything again, as far as the fault concerns it."""
        if isinstance(fault, OtherSize):
            self._noise = None
        elif isinstance(fault, EmbedderError):
            return
        self._opened = None
        self._wanted.set()

    def _tell(self, fault: str) -> None:
        """Logs a fault once, and its end."""
        if fault and fault != self._fault:
            _LOG.warning("answers are found by words alone: %s", fault)
        elif self._fault and not fault:
            _LOG.info("answers are found by their meaning again")
        self._fault = fault
