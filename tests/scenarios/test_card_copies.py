"""A card that was sent twice, since the platform's word was lost, leaves no dead buttons."""

from collections.abc import Awaitable, Callable

import pytest

from bot.domain.turn.view import ModelReply
from bot.flow.approvals.desks import NOT_YOURS
from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import BOB, HOME, Stage, stage
from tests.scenarios.tools import writing
from tests.words import CARD_DENIED, CARD_STOPPED, DECIDED_ALREADY, SENT_BACK


async def copy_of(scene: Stage, card: Shown) -> str:
    """Puts a copy of the card on the screen of which the program knows nothing."""
    return await scene.channel.send(HOME, card.piece)


async def test_a_press_on_a_copy_decides_the_card_and_both_show_it() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        (card,) = scene.cards
        copy = await copy_of(scene, card)
        data = card.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, message_id=copy) == "Approved."
        await scene.shows("Done.")
        await scene.until(lambda: not scene.cards)
        assert sum(text.startswith("✅") for text in scene.texts) == 2


async def test_a_press_on_a_copy_of_a_decided_card_shows_what_was_decided() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("As you wish.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        (card,) = scene.cards
        copy = await copy_of(scene, card)
        data = card.piece.body["buttons"][0][0]["data"]
        await scene.press("Deny", card=0)
        await scene.shows("As you wish.")
        assert DECIDED_ALREADY in await scene.press_data(data, message_id=copy)
        await scene.until(lambda: not scene.cards)
        assert sum(text == f"{CARD_DENIED} · Do write x" for text in scene.texts) == 2


async def test_a_press_on_the_card_itself_makes_no_other_message() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        await scene.press("Approve")
        await scene.shows("Done.")
        assert not [key for key in scene.store.rows.outbox if key.startswith("copy:")]


async def denied_by_words(scene: Stage, card: Shown) -> None:
    await scene.say("not now", reply_to=card)


async def expired(scene: Stage, card: Shown) -> None:
    await scene.clock.advance(25 * 3600)
    await scene.application.parts.people_asked.card_ending.sweep()


async def withdrawn(scene: Stage, card: Shown) -> None:
    await scene.say("Something else")
    await scene.shows("Well then.")
    await scene.say("/new")


async def stopped(scene: Stage, card: Shown) -> None:
    await scene.say("/stop")


@pytest.mark.parametrize(
    ("ending", "told", "script"),
    [
        (denied_by_words, SENT_BACK, [says("As you wish.")]),
        (expired, "⌛ Not decided in time", []),
        (withdrawn, CARD_STOPPED, [says("Well then.")]),
        (stopped, CARD_STOPPED, []),
    ],
)
async def test_whatever_ends_a_card_edits_the_copies_it_knows(
    ending: Callable[[Stage, Shown], Awaitable[None]], told: str, script: list[ModelReply]
) -> None:
    asked = calls(call("a", "write", {"what": "x"}))
    async with stage(asked, *script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        (card,) = scene.cards
        copy = await copy_of(scene, card)
        data = card.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, BOB, message_id=copy) == NOT_YOURS
        await ending(scene, card)
        await scene.until(lambda: not scene.cards)
        assert sum(told in text for text in scene.texts) == 2


async def test_a_plans_card_takes_its_copies_along() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("The plan.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("/plan please write")
        card = await scene.until(lambda: scene.cards[0] if scene.cards else None)
        copy = await copy_of(scene, card)
        data = card.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, BOB, message_id=copy) == NOT_YOURS
        await scene.say(f"/plan cancel {next(iter(scene.store.rows.plans))}")
        await scene.until(lambda: not scene.cards)
        assert sum("🗑 Cancelled" in text for text in scene.texts) == 2


async def test_a_copy_outlives_the_process_and_leaves_the_document_alone() -> None:
    long = "x" * 5_000
    script = calls(call("a", "write", {"what": long})), says("As you wish.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        card = next(card for card in scene.cards)
        copy = await copy_of(scene, card)
        data = card.piece.body["buttons"][0][0]["data"]
        await scene.press_data(data, BOB, message_id=copy)
        await scene.crash()
        shown = len(scene.channel.screen)
        await scene.press("Deny", card=0)
        await scene.shows("As you wish.")
        await scene.until(lambda: not scene.cards)
        # One more message: the answer. No document was sent again.
        assert len(scene.channel.screen) == shown + 1
