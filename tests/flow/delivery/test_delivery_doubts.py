"""What may stand on the screen already is looked for, and nothing else is."""

from dataclasses import replace

from bot.domain.talk.errors import ChannelFault, ChannelUnreachable, ContentRefused, FloodWait
from bot.domain.talk.limits import Rate, SendRates
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.ports.outbox import DeliveryState
from tests.flow.delivery.delivering import ANN, LOST, World, answer, card


async def killed_behind_a_send(world: World, key: str, content: Outbound) -> str:
    """A message that stands on the screen while the store knows nothing of it."""
    await world.show(key, content)
    await world.outbox.note_sending([world.ann], [], world.clock.now())
    message_id = await world.channel.send(ANN, world.channel.split(content)[0])
    await world.clock.advance(1)
    return message_id


async def test_a_message_that_a_killed_process_has_sent_stands_once() -> None:
    world = await World().open()
    sent = await killed_behind_a_send(world, "k", answer("text"))
    async with world.delivering():
        assert world.texts == ["text"]
    assert (world.row("k").message_ids, world.row("k").state) == ((sent,), DeliveryState.SHOWN)


async def test_the_rest_of_a_message_that_was_cut_between_its_pieces_follows() -> None:
    world = await World(limit=4).open()
    await world.show("k", answer("onetwo"))
    first, _ = world.channel.split(answer("onetwo"))
    await world.channel.send(ANN, first)
    await world.clock.advance(1)
    async with world.delivering():
        assert world.texts == ["onet", "wo"]


async def test_only_the_first_message_of_a_chat_is_looked_for() -> None:
    world = await World().open()
    await world.show("a", answer("one"))
    await world.show("b", answer("two"))
    await world.clock.advance(1)
    async with world.delivering():
        assert world.texts == ["one", "two"]
    assert world.channel.searched == ["one"]


async def test_what_this_process_owes_itself_is_not_looked_for() -> None:
    world = await World().open()
    await world.clock.advance(1)
    async with world.delivering() as delivery:
        await world.show("k", answer("text"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["text"]
    assert world.channel.searched == []


async def test_what_another_process_left_behind_is_looked_for() -> None:
    world = await World().open()
    async with world.delivering() as delivery:
        sent = await killed_behind_a_send(world, "k", answer("text"))
        await world.clock.advance(10)
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.row("k").message_ids == (sent,)
        assert world.texts == ["text"]


async def test_once_this_process_alone_delivers_the_rows_of_others_are_not_looked_for() -> None:
    world = await World().open()
    async with world.delivering() as delivery:
        for seconds, searched in ((0, ["0"]), (10, ["0"])):
            await delivery.gain() if not seconds else None
            await world.clock.advance(seconds)
            await world.show(str(seconds), answer(str(seconds)))
            made_elsewhere(world, str(seconds))
            delivery.wake(world.ann)
            await delivery.flushed()
            assert world.channel.searched == searched
        # The post was elsewhere meanwhile, so its holder may have sent this one.
        sent = await killed_behind_a_send(world, "k", answer("text"))
        made_elsewhere(world, "k")
        await delivery.gain()
        await delivery.flushed()
        assert world.row("k").message_ids == (sent,)
        assert world.texts == ["0", "10", "text"]


def made_elsewhere(world: World, key: str) -> None:
    world.store.rows.outbox[key] = replace(world.row(key), ours=False)


async def test_only_a_send_with_an_unknown_end_is_looked_for() -> None:
    refused = (
        FloodWait(1.0),
        ChannelUnreachable("no route", maybe_done=False),
        ContentRefused("never"),
    )
    for fault in refused:
        world = await World().open()
        world.channel.fates.append(fault)
        await world.show("k", answer("text"))
        async with world.delivering():
            await world.clock.advance(2)
        assert world.channel.searched == []
    for unknown in (LOST, ValueError("what is this?"), (ChannelFault("no idea"), True)):
        world = await World().open()
        world.channel.fates.append(unknown)
        await world.show("k", answer("text"))
        async with world.delivering():
            await world.clock.advance(2)
        assert (world.texts, world.channel.searched) == (["text"], ["text"])


async def test_what_this_run_sent_again_is_looked_for_as_a_message_of_this_run() -> None:
    world = await World().open()
    await world.show("k", answer("text"))
    await world.clock.advance(1)
    opened = world.clock.now()
    world.channel.fates.append((LOST, True))
    async with world.delivering():
        await world.clock.advance(2)
    before, again = world.channel.since
    assert before < opened <= again
    assert world.texts == ["text"]


async def test_a_card_whose_confirmation_was_lost_stands_once() -> None:
    world = await World().open()
    world.channel.fates.append((LOST, True))
    await world.show("k", card("May I?"))
    async with world.delivering():
        await world.clock.advance(2)
    assert world.texts == ["May I?"]


async def test_calls_beside_the_first_message_are_looked_for_too() -> None:
    world = await World().open()
    calls = Outbound(OutboundKind.CALLS, (Plain("calls"),))
    await world.show("k", answer("text"))
    await killed_behind_a_send(world, "calls", calls)
    async with world.delivering():
        await world.clock.advance(2)
    assert sorted(world.texts) == ["calls", "text"]


async def test_a_search_waits_until_nobody_shows_a_message_without_an_id() -> None:
    world = await World().open()
    await killed_behind_a_send(world, "k", answer("text"))
    async with world.delivery() as delivery:
        async with delivery.passing.beside(world.ann):
            await delivery.resume()
            await world.clock.advance(1)
            assert world.channel.searched == []
        await delivery.flushed()
        assert world.channel.searched == ["text"]


async def test_questions_are_held_to_the_common_rate_and_take_no_room_of_the_chat() -> None:
    world = await World().open()
    world.rates = SendRates(Rate(1, 60.0), None, Rate(1, 5.0))
    await killed_behind_a_send(world, "k", answer("text"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(0.1)
        assert (world.channel.searched, world.row("k").state) == (["text"], DeliveryState.SHOWN)
        await world.show("next", answer("next"))
        delivery.wake(world.ann)
        await world.clock.advance(4)
        assert world.texts == ["text"]
        await world.clock.advance(2)
        assert world.texts == ["text", "next"]
