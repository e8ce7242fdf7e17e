"""Skills and tools are embedded once, in the background, and searched without waiting."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from weakref import finalize

import pytest

from bot.domain.memory.meaning import STRANGE_TEXTS
from bot.domain.money.budget import Budgets, CallKind, Cause, Limit, Scope
from bot.domain.money.model import Price
from bot.domain.money.money import nano_of
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import EmbedderDenied, EmbedderError, EmbedderRefuses, MeaningError
from bot.domain.talk.message import Address
from bot.domain.tools.shelf import Shelf, described
from bot.flow.describing.descriptions import DescriptionSearch
from bot.flow.describing.filling import Filling
from bot.flow.describing.held_vectors import HeldVectors
from bot.ports.embedder import Embedded
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder, paid
from tests.fakes.skills import FakeSkills
from tests.fakes.store import MemoryStore
from tests.patience import PATIENCE

GARAGE = Skill("garage", "Repairs an automobile.", "Do it.", "/skills/garage")
VET = Skill("vet", "Looks after a hound.", "Do it.", "/skills/vet")
CAUSE = Cause(CallKind.EMBEDDING, 1, 1, "turn")
BY_WORDS = ["vet"]


class Sizes(FakeEmbedder):
    """Notes how many texts come with each request, and refuses one that has these words."""

    def __init__(self, refused: str = "nothing like this") -> None:
        super().__init__()
        self.sizes: list[int] = []
        self.refused = refused
        self.second = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self.sizes:
            self.second.set()
        self.sizes.append(len(texts))
        if any(self.refused in text for text in texts):
            raise EmbedderRefuses("no")
        return await super().embed(texts)


class Slow(FakeEmbedder):
    """Never answers a question, only whole portions."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if len(texts) == 1:
            await asyncio.Event().wait()
        return await super().embed(texts)


class HastyClock(FakeClock):
    """A clock whose pauses take no time."""

    async def sleep(self, seconds: float) -> None:
        del seconds
        await asyncio.sleep(0)


class Process:
    """One process: a search of its own over a store that others may share."""

    def __init__(
        self,
        *skills: Skill,
        embedder: FakeEmbedder | None = None,
        store: MemoryStore | None = None,
        skill_list: int = 1,
        budgets: Budgets | None = None,
    ) -> None:
        self.clock = HastyClock()
        self.skills = FakeSkills(*(skills or (GARAGE, VET)))
        self.embedder = embedder or FakeEmbedder()
        self.store = store or MemoryStore(self.clock.now)
        self.helps = True
        held, purse = HeldVectors(), paid(self.embedder, self.store, budgets)
        journal = self.store.journal
        self.filling = Filling(
            purse, self.store.descriptions, journal, self.clock, self.skills, skill_list, held
        )
        self.search_port = DescriptionSearch(
            purse, held, self.filling, lambda: self.helps, journal, self.clock
        )

    async def filled(self) -> None:
        await self.store.chats.at(Address("telegram", "1"), private=True)
        await self.filling.catch_up()

    async def search(self, words: str, shelf: Shelf | None = None) -> Sequence[str]:
        wanted = shelf or self.skills.known.shelf
        return await self.search_port.search(words, wanted, BY_WORDS, CAUSE)

    @property
    def kept(self) -> int:
        return len(self.store.rows.descriptions)


async def test_a_skill_is_found_by_other_words_of_its_meaning() -> None:
    one = Process()
    assert await one.search("coche") == BY_WORDS
    await one.filled()
    assert await one.search("coche") == ["garage", "vet"]
    assert await one.search("hound") == ["vet"]
    lines = one.store.rows.usage.values()
    assert sorted(line.cause.turn for line in lines) == ["", "turn", "turn"]


async def test_nothing_is_embedded_for_skills_that_the_list_tells_whole() -> None:
    one = Process(skill_list=6_000)
    await one.filled()
    assert one.embedder.texts == []
    assert await one.search("coche") == BY_WORDS


async def test_each_text_is_embedded_once_whatever_restarts() -> None:
    one = Process()
    await one.filled()
    assert len(one.embedder.texts) == len(STRANGE_TEXTS) + 2
    again = Process(store=one.store)
    await again.filled()
    await again.filled()
    assert again.embedder.texts == []
    assert await again.search("coche") == ["garage", "vet"]


async def test_a_changed_description_alone_is_embedded_anew_and_a_removed_one_goes() -> None:
    one = Process()
    await one.filled()
    one.embedder.texts.clear()
    one.skills.put(Skill("vet", "Plans a vacation.", "Do it.", "/skills/vet"))
    await one.filled()
    assert one.embedder.texts == ["vet: Plans a vacation."]
    assert one.kept == len(STRANGE_TEXTS) + 2
    assert await one.search("urlaub") == BY_WORDS
    one.skills.take("garage")
    await one.filled()
    assert one.kept == len(STRANGE_TEXTS) + 1
    assert await one.search("coche") == BY_WORDS


async def test_thousands_are_embedded_in_portions_and_a_search_waits_for_none() -> None:
    sizes = Sizes()
    one = Process(embedder=sizes)
    many = Shelf(
        tuple(described(f"s__{n}", f"thing {n}", "About a holiday.") for n in range(2_000))
    )
    one.search_port.keep(many)
    filling = asyncio.create_task(one.filled())
    await sizes.second.wait()
    found = await one.search("urlaub", many)
    assert len(found) > 1
    assert not filling.done()
    await filling
    assert max(sizes.sizes) <= 32
    assert sum(sizes.sizes) == len(STRANGE_TEXTS) + 2_002 + sizes.sizes.count(1)


async def test_tools_that_nobody_can_search_any_more_stay_until_they_are_old() -> None:
    one = Process()
    shelf = Shelf((described("s__card", "card", "A birthday card."),))
    one.search_port.keep(shelf)
    await one.filled()
    assert await one.search("geburtstag", shelf) == ["s__card", "vet"]
    freed = asyncio.Event()
    finalize(shelf, asyncio.get_running_loop().call_soon_threadsafe, freed.set)
    # The thread of the search may hold it a moment longer.
    del shelf
    await asyncio.wait_for(freed.wait(), PATIENCE)
    one.skills.put(VET)
    await one.filled()
    assert one.kept == len(STRANGE_TEXTS) + 3
    one.clock.set_wall(29 * 86_400)
    await one.filled()
    one.clock.set_wall(2 * 86_400)
    await one.filled()
    assert one.kept == len(STRANGE_TEXTS) + 2


async def test_two_processes_do_not_embed_a_text_twice() -> None:
    one = Process()
    two = Process(store=one.store)
    await asyncio.gather(one.filled(), two.filled())
    await asyncio.gather(one.filled(), two.filled())
    texts = [*one.embedder.texts, *two.embedder.texts]
    assert len(texts) == len(set(texts)) == len(STRANGE_TEXTS) + 2
    for each in (one, two):
        assert await each.search("coche") == ["garage", "vet"]


async def test_what_a_dead_process_had_begun_is_embedded_after_a_while() -> None:
    one = Process()
    one.embedder.fault = EmbedderError("away")
    with suppress(EmbedderError):
        await one.filled()
    two = Process(store=one.store)
    await two.filled()
    assert two.embedder.texts == []
    two.clock.set_wall(301)
    await two.filled()
    assert len(two.embedder.texts) == len(STRANGE_TEXTS) + 2


async def test_a_process_goes_on_with_what_it_had_begun_itself() -> None:
    one = Process()
    one.embedder.fault = EmbedderError("away")
    with suppress(EmbedderError):
        await one.filled()
    one.embedder.fault = None
    await one.filled()
    assert await one.search("coche") == ["garage", "vet"]


@pytest.mark.parametrize("fault", [EmbedderError("down"), EmbedderDenied("401: wrong key")])
async def test_without_the_embedder_words_serve_at_once_and_the_log_says_so_once(
    fault: MeaningError, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    one = Process()
    await one.filled()
    one.embedder.fault = fault
    for _ in range(3):
        assert await one.search("coche") == BY_WORDS
    assert [each for each in caplog.messages if "words alone" in each] == [
        f"skills and tools are found by words alone: {fault}"
    ]
    one.embedder.fault = None
    assert await one.search("coche") == ["garage", "vet"]
    assert "skills and tools are found by their meaning again" in caplog.messages


async def test_a_slow_embedder_is_not_asked_again_for_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one = Process(embedder=Slow())
    await one.filled()
    for _ in range(3):
        assert await one.search("coche") == BY_WORDS
    assert caplog.messages.count(
        "skills and tools are found by words alone: the embedder gave no answer in time"
    ) == len(caplog.messages)
    await one.filled()
    (broken_off,) = [line for line in one.store.rows.usage.values() if line.cause.turn]
    assert broken_off.estimated


async def test_vectors_of_another_size_are_made_anew() -> None:
    one = Process()
    await one.filled()
    one.embedder.size = 64
    assert await one.search("coche") == BY_WORDS
    await one.filled()
    assert await one.search("coche") == ["garage", "vet"]
    assert {len(held or b"") for held, _ in one.store.rows.descriptions.values()} == {64}
    again = Process(store=one.store)
    await again.filled()
    assert again.embedder.texts == []


async def test_another_model_has_vectors_of_its_own() -> None:
    one = Process()
    await one.filled()
    other = Process(store=one.store, embedder=FakeEmbedder("other"))
    await other.filled()
    assert len(other.embedder.texts) == len(STRANGE_TEXTS) + 2


async def test_a_refused_description_is_left_to_the_words_and_not_asked_for_again() -> None:
    sizes = Sizes("hound")
    one = Process(embedder=sizes)
    await one.filled()
    assert await one.search("coche") == ["garage", "vet"]
    asked = len(sizes.sizes)
    await one.filled()
    again = Process(store=one.store, embedder=sizes)
    await again.filled()
    assert len(sizes.sizes) == asked


async def test_a_used_up_budget_leaves_the_words() -> None:
    embedder = FakeEmbedder(price=Price(Decimal(1), Decimal(0), Decimal(1), Decimal(1)))
    one = Process(embedder=embedder, budgets={Scope.DAY: Limit(nano_of(Decimal("0.00001")))})
    with suppress(EmbedderError):
        await one.filled()
    embedder.texts.clear()
    assert await one.search("coche") == BY_WORDS
    assert embedder.texts == []


async def test_an_embedder_that_earned_nothing_in_the_memory_is_not_asked() -> None:
    one = Process()
    await one.filled()
    one.helps = False
    one.embedder.texts.clear()
    assert await one.search("coche") == BY_WORDS
    assert one.embedder.texts == []
