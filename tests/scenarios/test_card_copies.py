"""A card that was sent twice, since the platform's word was lost, leaves no dead buttons."""

from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import HOME, Stage, stage
from tests.scenarios.tools import writing


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
        assert sum("Approved by Ann" in text for text in scene.texts) == 2


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
        assert await scene.press_data(data, message_id=copy) == "This is decided already."
        await scene.until(lambda: not scene.cards)
        assert sum("Denied by Ann" in text for text in scene.texts) == 2


async def test_a_press_on_the_card_itself_makes_no_other_message() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.parked()
        await scene.press("Approve")
        await scene.shows("Done.")
        assert not [key for key in scene.store.rows.outbox if key.startswith("copy:")]
