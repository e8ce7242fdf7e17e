"""Open pages of other processes are rung for: cards and plans always, messages while they look."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest

from bot.adapters.sql.page_rings import PageRings
from bot.adapters.sql.store import ServingProcess, Store, open_store
from bot.domain.change import SaveApproval, SavePlan
from bot.domain.consent.approval import ApprovalState
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.turn.turn import TurnState
from bot.ports.bell import Hearer, Peal
from bot.ports.outbox import Delivered, DeliveryState
from tests.adapters.sql.test_bell import Heard, cut_listeners, rung, stores, until
from tests.contracts.store_samples import NOW, a_card, a_plan, add_turn, commit, shown
from tests.patience import PATIENCE

__all__ = ["stores"]


class ListedBell:
    """Keeps each ring of its process."""

    def __init__(self) -> None:
        self.rings: list[tuple[Peal, int]] = []

    def ring(self, peal: Peal, chat: int) -> None:
        self.rings.append((peal, chat))

    def hear(self, hearer: Hearer) -> None: ...


class Ringing:
    """A store of one file with a bell that nobody else hears, and a clock of its own."""

    def __init__(self, store: Store, chat: Chat) -> None:
        self.store, self.chat = store, chat
        self.seconds = 0.0
        self.bell = ListedBell()
        self.rings = PageRings(self.bell, lambda: self.seconds)
        store.written.listen(self.rings.committed, self.rings.delivered)

    @property
    def new(self) -> list[tuple[Peal, int]]:
        """Returns the rings since the last look at them."""
        new, self.bell.rings = self.bell.rings, []
        return new


@pytest.fixture
async def ringing(sqlite_url: str) -> AsyncIterator[Ringing]:
    async with open_store(sqlite_url, now=lambda: NOW) as store:
        yield Ringing(store, await chat_of(store))


async def chat_of(store: Store) -> Chat:
    chat = await store.chats.at(Address("telegram", "42"), private=True)
    await add_turn(store, chat, "turn-1", TurnState.QUEUED)
    return chat


async def deliver(store: Store, key: str) -> None:
    row = await store.outbox.row(key)
    assert row is not None
    state, version = DeliveryState.SHOWN, row.version
    await store.outbox.record(Delivered(row.id, version, state, version, (), ("7",), 1, NOW))


async def test_cards_and_plans_are_rung_for_at_each_change_though_nobody_looks(
    ringing: Ringing,
) -> None:
    store, chat = ringing.store, ringing.chat
    asked = [(Peal.ASKED, chat.id)]
    card, plan = a_card(chat), a_plan(chat)
    denied = replace(card, state=ApprovalState.DENIED)
    await commit(store, SaveApproval(card))
    assert ringing.new == asked
    await commit(store, SaveApproval(denied, expect=ApprovalState.OPEN))
    assert ringing.new == asked
    await commit(store, SavePlan(plan))
    assert ringing.new == asked
    await commit(store, SavePlan(plan.in_state(PlanState.CANCELLED), plan.version))
    assert ringing.new == asked


async def test_what_was_not_stored_is_not_rung_for(ringing: Ringing) -> None:
    ringing.rings.hear(Peal.LOOKED, 0)
    card = a_card(ringing.chat)
    await commit(ringing.store, SaveApproval(card))
    assert ringing.new
    late = SaveApproval(replace(card, state=ApprovalState.DENIED), expect=ApprovalState.APPROVED)
    with pytest.raises(Conflict):
        await commit(ringing.store, shown(ringing.chat), late)
    assert ringing.new == []


async def test_messages_are_rung_for_for_half_a_minute_after_somebody_looked(
    ringing: Ringing,
) -> None:
    store, chat = ringing.store, ringing.chat
    heard = [(Peal.SHOWN, chat.id), (Peal.SHOWN, 0)]

    async def say(key: str) -> list[tuple[Peal, int]]:
        await commit(store, shown(chat, key))
        await deliver(store, key)
        return ringing.new

    assert await say("a") == []
    # Another reason for a ring tells of no page.
    ringing.rings.hear(Peal.WORK, chat.id)
    assert await say("b") == []
    ringing.rings.hear(Peal.LOOKED, 0)
    assert await say("c") == heard
    ringing.seconds = 29.9
    assert await say("d") == heard
    ringing.seconds = 30.0
    assert await say("e") == []
    ringing.rings.hear(Peal.LOOKED, 0)
    assert await say("f") == heard


async def looked(looking: Store, there: Heard, says: Callable[[], Awaitable[None]]) -> None:
    """Rings for an open page until the process that says something knows of it."""
    async with asyncio.timeout(PATIENCE):
        # It may hear of the page between a message and its delivery, whose ring names no chat.
        while not any(peal is Peal.SHOWN and chat for peal, chat in there.rings):
            looking.bell.ring(Peal.LOOKED, 0)
            await says()
            await asyncio.sleep(0.05)


class Speaking:
    """Says something new in a chat each time, and delivers it."""

    def __init__(self, store: Store, chat: Chat) -> None:
        self._store, self._chat = store, chat
        self._number = 0

    async def __call__(self) -> None:
        self._number += 1
        key = f"answer:{self._number}"
        await commit(self._store, shown(self._chat, key))
        await deliver(self._store, key)


@pytest.mark.postgres
async def test_another_process_hears_of_cards_always_and_of_messages_once_it_has_looked(
    stores: tuple[Store, Store],
) -> None:
    one, other = stores
    heard, chat = Heard(other), await chat_of(one)
    await rung(one, heard)
    says = Speaking(one, chat)
    await says()
    await commit(one, SaveApproval(a_card(chat)))
    await until(lambda: (Peal.ASKED, chat.id) in heard.rings)
    # A ring for the message would have been heard before the one for the card.
    assert not any(peal is Peal.SHOWN for peal, _ in heard.rings)
    with other.written.watched() as woken:
        await looked(other, heard, says)
        assert woken.is_set()
    await until(lambda: {(Peal.SHOWN, chat.id), (Peal.SHOWN, 0)} <= {*heard.rings})


@pytest.mark.postgres
async def test_pages_hear_of_cards_and_messages_again_after_the_connections_were_cut(
    stores: tuple[Store, Store], own_postgres_url: str
) -> None:
    one, other = stores
    heard, chat = Heard(other), await chat_of(one)
    says = Speaking(one, chat)
    await looked(other, heard, says)
    for number in range(2):
        cut_listeners(own_postgres_url)
        heard.rings.clear()
        await rung(one, heard)
        heard.rings.clear()
        # It is known yet that somebody looks: no new ring for a page is needed.
        await says()
        await commit(one, SaveApproval(a_card(chat, f"card-{number}")))
        wanted = {(Peal.SHOWN, chat.id), (Peal.SHOWN, 0), (Peal.ASKED, chat.id)}
        await until(lambda wanted=wanted: wanted <= {*heard.rings})


@pytest.mark.postgres
async def test_the_last_change_before_the_end_of_a_process_is_rung_for(
    own_postgres_url: str,
) -> None:
    async with open_store(own_postgres_url, serving=ServingProcess()) as looking:
        heard = Heard(looking)
        async with open_store(own_postgres_url, serving=ServingProcess()) as ending:
            chat = await chat_of(ending)
            await rung(ending, heard)
            await commit(ending, SaveApproval(a_card(chat)))
        await until(lambda: (Peal.ASKED, chat.id) in heard.rings)
        async with open_store(own_postgres_url, serving=ServingProcess()) as following:
            await looked(looking, heard, Speaking(following, chat))
