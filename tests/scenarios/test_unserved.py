"""A chat of a channel that this start does not serve waits, and ends nothing for the others."""

import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.change import Change, LinkAccount, SaveTurn, Show
from bot.domain.talk.message import Address, InboundMessage, Outbound, OutboundKind, Plain
from bot.domain.turn.turn import TurnState
from tests.contracts.store_samples import NOW, a_turn
from tests.fakes.channel import FakeChannel
from tests.fakes.model import calls, says
from tests.scenarios.stage import ANN, stage
from tests.scenarios.test_approvals import write
from tests.scenarios.tools import writing


async def test_a_turn_of_a_channel_that_is_not_served_waits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with stage(says("Here I am.")) as scene:
        store = scene.application.parts.store
        away = await store.chats.at(Address("terminal", "here"), private=True)
        left = a_turn(away, "turn-away", state=TurnState.RUNNING)
        await store.journal.commit(Change((SaveTurn(left),)))
        with caplog.at_level(logging.ERROR):
            await scene.crash()
            await scene.say("Hello")
            await scene.shows("Here I am.")
        waits = await store.turns.get("turn-away")
        assert waits is not None
        assert (waits.state, waits.attempts) == (TurnState.RUNNING, 0)
        assert caplog.records == []


async def test_an_update_of_a_channel_that_is_not_served_waits_for_it() -> None:
    async with stage(says("Here I am.")) as scene:
        message = InboundMessage(
            Address("terminal", "1"),
            replace(ANN, channel="terminal"),
            "m1",
            "Hello",
            NOW,
            private=True,
        )
        await scene.close()
        update = scene.channel.update(message)
        await scene.store.inbox.accept("terminal", (update,), scene.clock.now())
        await scene.crash()
        await scene.say("Hello")
        await scene.shows("Here I am.")
        [waits] = await scene.store.inbox.unrouted(9)
        assert waits.channel == "terminal"


@pytest.mark.parametrize("key", ["fake:1", "gone:1/2", ""])
async def test_nothing_that_a_channel_left_behind_ends_the_run(
    key: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A card, a task, a queued message, owed rows, a reminder: none of them is looked up."""
    async with stage(calls(write()), says("Here I am."), tools=[writing()]) as scene:
        ann = await scene.store.people.by_sender(ANN)
        assert ann is not None
        await scene.say("/schedule every 2h | Water the plants")
        await scene.shows("Scheduled")
        await scene.say("write x")
        await scene.parked()
        await scene.close()
        # From here on only the other channel is served; an older program left the rest.
        left = await scene.store.chats.at(Address.from_key(key), private=True)
        running = a_turn(left, "turn-left", state=TurnState.RUNNING, asker=ann.id)
        owed = Show("left", left.id, Outbound(OutboundKind.NOTICE, (Plain("Owed."),)))
        linked = LinkAccount("other:1", ann.id)
        await scene.store.journal.commit(Change((SaveTurn(running), owed, linked)))
        more = scene.channel.update(
            InboundMessage(left.address, ANN, "m9", "and more", NOW, private=True)
        )
        await scene.store.inbox.accept(left.address.channel, (more,), NOW)
        scene.channel = FakeChannel(name="other")
        with caplog.at_level(logging.ERROR):
            await scene.crash()
            await scene.clock.advance(timedelta(hours=25).total_seconds())
            here, sender = Address("other", "1"), replace(ANN, channel="other")
            await scene.say("Hello", sender, at=here)
            await scene.shows_in(here, "Here I am.")
            await scene.clock.advance(timedelta(hours=3).total_seconds())
        waits = await scene.store.turns.get("turn-left")
        assert waits is not None
        assert (waits.state, waits.attempts) == (TurnState.RUNNING, 0)
        assert "left" in [row.key for row in await scene.store.outbox.owed(left.id)]
        assert caplog.records == []
