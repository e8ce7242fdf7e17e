"""A message that its sender deleted: dropped while it waits, and left alone once it is read."""

from bot.domain.talk.message import Withdrawn
from tests.fakes.model import Gate, says
from tests.scenarios.stage import HOME, Stage, stage


async def delete(scene: Stage, message_id: str) -> None:
    """Tells of the deletion, and waits until that is dealt with."""
    update = scene.channel.update(Withdrawn(HOME, message_id))
    await scene.application.parts.intake.accept(HOME.channel, [update])
    await scene.routed()


async def test_a_deleted_message_that_waits_is_never_read() -> None:
    gate = Gate()
    async with stage(gate, says("First."), says("Third.")) as scene:
        await scene.say("one")
        await gate.reached()
        gone = await scene.say("two")
        await scene.say("three")
        await scene.routed()
        await delete(scene, gone)
        gate.open()
        await scene.shows("Third.")
        assert "two" not in str(scene.bodies)
        assert "three" in str(scene.bodies)


async def test_a_deletion_of_a_message_that_is_answered_changes_nothing() -> None:
    async with stage(says("Here."), says("Still here.")) as scene:
        read = await scene.say("one")
        await scene.settled()
        await delete(scene, read)
        await delete(scene, "a message that nobody knows")
        await scene.say("two")
        await scene.shows("Still here.")
        assert scene.channel.texts(HOME) == ["Here.", "Still here."]
