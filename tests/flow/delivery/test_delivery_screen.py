"""Delivery: the screen shows the newest content, in as few sends and edits as that takes."""

from contextlib import suppress

from bot.domain.change import Change, Retract
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused
from bot.domain.talk.message import Piece
from bot.ports.outbox import DeliveryState
from tests.flow.delivery.delivering import ANN, LOST, UNREACHABLE, World, answer


async def test_a_long_message_is_recorded_piece_by_piece() -> None:
    world = await World(limit=2).open()
    await world.show("long", answer("aabbcc"))
    async with world.delivering():
        assert world.texts == ["aa", "bb", "cc"]
    assert world.outbox.calls.count("record") == 3
    assert world.row("long").message_ids == ("1", "2", "3")


async def test_an_interrupted_message_goes_on_with_the_pieces_it_began_with() -> None:
    world = await World(limit=2).open()
    await world.show("long", answer("aabbcc"))
    world.channel.fates.extend([None, UNREACHABLE])
    async with world.delivering():
        assert world.texts == ["aa"]
    world.channel.limit = 3
    async with world.delivering():
        assert world.texts == ["aa", "bb", "cc"]


async def test_a_new_content_becomes_an_edit_of_what_changed() -> None:
    world = await World(limit=2).open()
    await world.show("k", answer("aabb"))
    async with world.delivering() as delivery:
        await world.show("k", answer("aaBBcc"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["aa", "BB", "cc"]
    assert [shown.edits for shown in world.channel.screen.values()] == [0, 1, 0]
    assert world.row("k").state is DeliveryState.SHOWN


async def test_messages_a_shorter_content_does_not_need_no_longer_show_the_old_one() -> None:
    world = await World(limit=2).open()
    await world.show("k", answer("aabbcc"))
    async with world.delivering() as delivery:
        await world.show("k", answer("aa"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["aa", "⋯", "⋯"]


async def test_the_latest_content_wins_over_a_send_under_way() -> None:
    world = await World(limit=2).open()
    seen: list[list[str]] = []
    versions = iter(["bbbb", "cc", "dddd"])

    async def race() -> None:
        seen.append(world.texts)
        if (text := next(versions, None)) is not None:
            await world.show("k", answer(text))
            delivery.wake(world.ann)

    world.channel.before_each = race
    await world.show("k", answer("aa"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["dd", "dd"]
    firsts = [texts[0] for texts in seen if texts]
    assert firsts == sorted(firsts)


async def test_a_row_behind_the_one_being_sent_is_shown_as_it_is_by_then() -> None:
    world = await World().open()

    async def move_on() -> None:
        world.channel.before_each = None
        await world.show("k1", answer("new"))
        delivery.wake(world.ann)

    world.channel.before_each = move_on
    for n in range(3):
        await world.show(f"k{n}", answer("old"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["old", "new", "old"]
    assert {shown.edits for shown in world.channel.screen.values()} == {0}
    assert world.outbox.calls == ["owed", "record", "owed", "record", "record"]


async def test_an_edit_does_not_trust_what_an_unrecorded_one_may_have_shown() -> None:
    world = await World().open()
    await world.show("k", answer("old"))
    async with world.delivering() as delivery:
        world.channel.fates.append((LOST, True))
        await world.show("k", answer("new"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["new"]
    await world.show("k", answer("old"))
    async with world.delivering():
        assert world.texts == ["old"]


async def test_an_edit_of_an_earlier_row_does_not_overtake_its_first_send() -> None:
    world = await World().open()
    world.channel.fates.append(UNREACHABLE)
    await world.show("k", answer("first"))
    async with world.delivering() as delivery:
        await world.show("k", answer("second"))
        delivery.wake(world.ann)
        await world.clock.advance(1)
        assert world.texts == ["second"]
    assert len(world.channel.screen) == 1


async def test_an_edit_of_a_deleted_message_counts_as_shown() -> None:
    world = await World().open()
    await world.show("k", answer("old"))
    async with world.delivering() as delivery:
        world.channel.screen.clear()
        await world.show("k", answer("new"))
        await world.show("next", answer("next"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["next"]
    assert world.row("k").state is DeliveryState.SHOWN
    assert world.row("k").shown_version == 2


async def passing(world: World) -> str:
    """A message shown in passing, whose end is owed."""
    shown = await world.channel.send(ANN, Piece({"text": "so far"}))
    await world.store.journal.commit(Change((Retract(world.ann, "turn", shown),)))
    return shown


async def test_a_passing_message_stays_until_what_comes_is_there() -> None:
    world = await World().open()
    await passing(world)
    await world.show("answer", answer("whole"))
    seen = list[list[str]]()

    async def look() -> None:
        seen.append(world.texts)

    world.channel.before_each = look
    async with world.delivering():
        assert seen == [["so far"], ["so far", "whole"]]
        assert world.texts == ["whole"]


async def test_a_passing_message_is_taken_away_by_the_next_life() -> None:
    world = await World().open()
    await passing(world)
    async with world.delivering():
        assert world.texts == []
        assert not await world.store.outbox.chats_owed()


async def left_behind(world: World) -> None:
    """A growing message whose id nobody knows, of a turn that has ended."""
    began = world.clock.now()
    await world.channel.send(ANN, Piece({"text": "so far", "passing": True}))
    await world.store.journal.commit(Change((Retract(world.ann, "turn", None, began),)))


async def test_a_passing_message_without_a_known_id_is_looked_for_behind_the_answer() -> None:
    world = await World().open()
    await left_behind(world)
    await world.show("answer", answer("whole"))
    async with world.delivering():
        assert world.texts == ["whole"]
        assert not await world.store.outbox.chats_owed()


async def test_several_messages_that_a_turn_left_behind_are_taken_away() -> None:
    world = await World().open()
    await world.channel.send(ANN, Piece({"text": "so", "passing": True}))
    await left_behind(world)
    async with world.delivering():
        assert world.texts == []


async def test_a_passing_message_that_is_being_sent_delays_nothing_and_is_not_looked_for() -> None:
    world = await World().open()
    async with world.delivery() as delivery:
        strays = delivery.passing.strays
        with strays.sending("turn", 0, world.clock.now()):
            await left_behind(world)
            strays.owe("turn")
            delivery.wake(world.ann)
            await delivery.flushed()
            await world.show("answer", answer("whole"))
            delivery.wake(world.ann)
            await delivery.flushed()
            assert world.texts == ["so far", "whole"]
            await world.store.journal.commit(Change((Retract(world.ann, "turn", "1"),)))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["whole"]
        assert world.channel.searched == []
        assert not await world.store.outbox.chats_owed()


async def test_a_passing_message_whose_sending_was_cut_is_looked_for() -> None:
    world = await World().open()
    async with world.delivery() as delivery:
        strays = delivery.passing.strays
        with suppress(ChannelUnreachable), strays.sending("turn", 0, world.clock.now()):
            raise LOST
        await left_behind(world)
        strays.owe("turn")
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == []
        assert strays.since("turn") is None


async def test_a_passing_message_that_someone_deleted_is_no_fault() -> None:
    world = await World().open()
    world.channel.screen.pop(await passing(world))
    async with world.delivering():
        assert not await world.store.outbox.chats_owed()


async def test_a_passing_message_the_platform_keeps_says_nothing_any_more() -> None:
    world = await World().open()
    await passing(world)
    world.channel.fates.append(ContentRefused("message can't be deleted"))
    async with world.delivering():
        assert world.texts == ["⋯"]
        assert not await world.store.outbox.chats_owed()
