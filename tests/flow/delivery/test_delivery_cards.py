"""Delivery: a card that nobody can see in time is given up, and that is told."""

from bot.domain.talk.errors import ContentRefused, FloodWait
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.flow.delivery.delivery import Delivery
from bot.flow.delivery.outlet import Outlet, Reports
from bot.ports.outbox import DeliveryState, OutboxRow
from tests.flow.delivery.delivering import World, answer, card


async def test_a_card_that_is_not_accepted_in_time_is_given_up_at_that_moment() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(3600.0))
    await world.show("k", answer("text"))
    async with world.delivering() as delivery:
        await world.clock.advance(100)
        await world.show("card", card("may I?"))
        delivery.wake(world.ann)
        await world.clock.advance(599)
        assert world.given_up == []
        await world.clock.advance(1)
        assert world.given_up == [("card", "not accepted in time")]
        assert world.row("card").state is DeliveryState.DEAD
        await world.clock.advance(3000)
        assert world.texts == ["text"]


async def test_setting_the_clock_neither_ends_a_cards_time_nor_prolongs_it() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(3600.0))
    await world.show("card", card("may I?"))
    async with world.delivering():
        world.clock.set_wall(3600)
        await world.clock.advance(300)
        assert world.given_up == []
        world.clock.set_wall(-7200)
        await world.clock.advance(300)
        assert world.given_up == [("card", "not accepted in time")]


async def test_a_card_older_than_its_time_is_tried_after_a_restart() -> None:
    world = await World().open()
    await world.show("card", card("may I?"))
    await world.clock.advance(5000)
    async with world.delivering():
        assert world.texts == ["may I?"]


async def test_the_last_word_of_a_card_that_was_given_up_is_still_shown() -> None:
    world = await World().open()
    world.channel.fates.append(ContentRefused("too long"))
    await world.show("card", card("may I?"))

    async def unaskable(row: OutboxRow, why: str) -> None:
        await world.show(row.key, Outbound(OutboundKind.CARD, (Plain(f"could not ask: {why}"),)))
        delivery.wake(row.chat)

    channels = {"fake": world.channel}
    outlet, reports = Outlet(world.outbox, channels, world.clock), Reports(unaskable, world.moved)
    async with Delivery(outlet, reports, Limits().card_seconds) as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["could not ask: too long"]
