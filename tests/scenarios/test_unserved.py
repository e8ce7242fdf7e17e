"""A chat of a channel that this start does not serve waits, and ends nothing for the others."""

import logging
from dataclasses import replace

import pytest

from bot.domain.change import Change, SaveTurn
from bot.domain.talk.message import Address, InboundMessage
from bot.domain.turn.turn import TurnState
from tests.contracts.store_samples import NOW, a_turn
from tests.fakes.model import says
from tests.scenarios.stage import ANN, stage


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
