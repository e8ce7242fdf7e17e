"""Messages that came while the bot was off, and that were too many to read: who is told of them."""

from datetime import UTC, datetime

from bot.domain.talk.message import Address, LeftOut
from bot.flow.arrivals.left_out_messages import MOST_AN_HOUR
from tests.fakes.model import says
from tests.scenarios.stage import HOME, Stage, stage
from tests.scenarios.team import TEAM

BEFORE = datetime(2026, 11, 24, 9, 30, tzinfo=UTC)
STRANGER = Address("fake", "77")
TO_PERSON = (
    "More than 2,000 messages came while I was off. I read the newest of them, but none from "
    "before Tue 2026-11-24 09:30 (UTC). If an older one matters, please send it again."
)
TO_OWNER = "Anyone who asked me something before that has to ask again."


async def left_out(scene: Stage, *gaps: LeftOut) -> None:
    """The channel tells of these gaps, and the bot goes on until it has dealt with them."""
    updates = tuple(map(scene.channel.update, gaps))
    await scene.application.parts.intake.accept("fake", updates)
    await scene.routed()
    await scene.application.parts.way_out.delivery.flushed()


def private(at: Address = HOME) -> LeftOut:
    return LeftOut(at, BEFORE, 2_000, private=True)


def in_group(number: int, title: str = "") -> LeftOut:
    return LeftOut(Address("fake", f"-{number}"), BEFORE, 2_000, private=False, title=title)


async def test_the_person_of_a_private_chat_is_told_to_send_what_matters_again() -> None:
    async with stage() as scene:
        await left_out(scene, private())
        (told,) = scene.channel.texts(HOME)
        assert told == TO_PERSON


async def test_of_each_gap_a_person_is_told_once_though_the_bot_dies_and_starts_again() -> None:
    async with stage(says("Here.")) as scene:
        await left_out(scene, private())
        await scene.crash()
        await scene.say("Hello")
        await scene.settled()
        told = [text for text in scene.channel.texts(HOME) if "while I was off" in text]
        assert len(told) == 1


async def test_somebody_whom_nobody_let_in_is_told_nothing() -> None:
    async with stage() as scene:
        await left_out(scene, private(STRANGER))
        assert (scene.channel.texts(STRANGER), scene.channel.texts(HOME)) == ([], [])


async def test_owners_are_told_of_a_group_and_the_group_is_not() -> None:
    async with stage() as scene:
        await left_out(scene, LeftOut(TEAM, BEFORE, 2_000, private=False, title="Team"))
        (told,) = scene.channel.texts(HOME)
        assert told.startswith("More than 2,000 messages came in “Team” while I was off.")
        assert told.endswith(TO_OWNER)
        assert scene.channel.texts(TEAM) == []


async def test_of_many_groups_owners_are_told_of_some_an_hour() -> None:
    async with stage() as scene:
        await left_out(scene, *(in_group(n) for n in range(1, MOST_AN_HOUR + 3)))
        assert len(scene.channel.texts(HOME)) == MOST_AN_HOUR
        await scene.clock.advance(3_600)
        await left_out(scene, in_group(99))
        assert len(scene.channel.texts(HOME)) == MOST_AN_HOUR + 1
