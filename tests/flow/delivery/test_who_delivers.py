"""Of several processes one delivers to a chat, and the others ring it for all that they owe."""

import asyncio

import pytest

from bot.domain.talk.errors import StoreUnavailable
from bot.domain.talk.limits import Limits
from bot.flow.delivery.delivery import Delivery
from bot.flow.delivery.outlet import Outlet, Reports
from bot.flow.delivery.seats import Admission
from tests.flow.delivery.delivering import World, answer


class Office:
    """Knows after a while that another process delivers, or does so once it has the post."""

    def __init__(self, *, here: bool = False) -> None:
        self.here = here
        self.asked = asyncio.Event()
        self.questions = 0
        self.known = asyncio.Event()
        self.rung: list[int] = []
        self.faults = 0

    async def elsewhere(self, chat: int) -> bool:
        del chat
        self.asked.set()
        self.questions += 1
        await self.known.wait()
        if self.faults:
            self.faults -= 1
            raise StoreUnavailable("it is away")
        return not self.here

    def ring(self, chat: int) -> None:
        self.rung.append(chat)


@pytest.fixture
async def world() -> World:
    return await World().open()


def delivery(world: World, office: Office) -> Delivery:
    async def untold(*_: object) -> None:
        raise AssertionError("every message goes")

    outlet = Outlet(world.outbox, {"fake": world.channel}, world.clock)
    admission = Admission(world.clock, office=office)
    return Delivery(outlet, Reports(untold, untold), Limits().card_seconds, admission=admission)


async def settled() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_whoever_does_not_deliver_rings_again_for_what_is_owed_while_it_asks(
    world: World,
) -> None:
    office = Office()
    async with delivery(world, office) as waking:
        waking.wake(world.ann)
        await office.asked.wait()
        # The one that delivers has perhaps looked already, for another one's ring.
        waking.wake(world.ann)
        office.known.set()
        await settled()
    assert office.rung == [world.ann, world.ann]
    assert world.outbox.calls == []


async def test_nobody_rings_for_what_another_process_has_rung_for(world: World) -> None:
    office = Office()
    office.known.set()
    async with delivery(world, office) as hearing:
        hearing.hear(world.ann)
        await settled()
        assert office.rung == []
        # What it owes itself has its own ring, however close the two come.
        hearing.hear(world.ann)
        hearing.wake(world.ann)
        hearing.hear(world.ann)
        await settled()
        assert office.rung == [world.ann]


@pytest.mark.parametrize("faults", [0, 1])
async def test_whoever_delivers_brings_what_it_is_rung_for(world: World, faults: int) -> None:
    office = Office(here=True)
    office.known.set()
    office.faults = faults
    await world.show("k", answer("text"))
    async with delivery(world, office) as hearing:
        hearing.hear(world.ann)
        await settled()
        await hearing.flushed()
    assert [one.piece.body["text"] for one in world.channel.screen.values()] == ["text"]
    assert office.rung == []


async def test_of_many_rings_while_it_asks_whose_a_chat_is_one_waits(world: World) -> None:
    office = Office(here=True)
    async with delivery(world, office) as hearing:
        for _ in range(1_000):
            hearing.hear(world.ann)
        await settled()
        assert office.questions == 1
        # What is owed since then is brought by the one that waits.
        await world.show("k", answer("text"))
        hearing.hear(world.ann)
        office.known.set()
        await settled()
        await hearing.flushed()
        assert len(world.channel.screen) == 1
        hearing.hear(world.ann)
        await settled()
        assert office.questions > 1
