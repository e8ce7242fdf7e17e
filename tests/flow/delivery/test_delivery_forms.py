"""A piece that a platform takes only in another form is shown in that one, once."""

import pytest

from bot.domain.talk.errors import FormRefused
from bot.domain.talk.message import Piece
from bot.ports.outbox import DeliveryState
from tests.flow.delivery.delivering import UNREACHABLE, World, answer

OTHERS = (Piece({"text": "one"}), Piece({"text": "two"}))
REFUSED = FormRefused("not this way", OTHERS)


async def test_the_other_pieces_stand_in_place_of_the_refused_one() -> None:
    world = await World(limit=4).open()
    world.channel.fates.extend([None, REFUSED])
    await world.show("k", answer("onlyoneword"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["only", "one", "two", "ord"]
    row = world.row("k")
    assert row.state is DeliveryState.SHOWN
    assert [piece.body["text"] for piece in row.pieces] == world.texts
    assert len(row.message_ids) == 4


async def test_a_fault_between_the_two_forms_tries_the_first_one_no_more() -> None:
    world = await World().open()
    world.channel.fates.extend([REFUSED, UNREACHABLE])
    await world.show("k", answer("whole"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["one", "two"]


@pytest.mark.parametrize("after", [0, 1], ids=["before", "between"])
async def test_the_next_process_goes_on_with_the_other_form(after: int) -> None:
    world = await World().open()
    world.channel.fates.extend([REFUSED, *[None] * after, UNREACHABLE])
    await world.show("k", answer("whole"))
    async with world.delivering():
        assert world.texts == ["one", "two"][:after]
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["one", "two"]


async def test_an_edit_in_another_form_adds_the_messages_it_needs() -> None:
    world = await World().open()
    await world.show("k", answer("before"))
    async with world.delivering():
        world.channel.fates.append(REFUSED)
        await world.show("k", answer("after"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["one", "two"]
    assert world.row("k").state is DeliveryState.SHOWN
