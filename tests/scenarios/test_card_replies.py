"""Replies to a card: a reason, assent, a question, another wish."""

import pytest

from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.message import Attachment, InboundMessage, Quote
from bot.domain.talk.reach import Level
from bot.flow.commanding.desks import NOT_YOURS
from tests.fakes.channel import Shown
from tests.fakes.model import calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.test_approvals import TEAM, write
from tests.scenarios.tools import (
    writing,
)
from tests.words import (
    CHANGE,
    DENIED_ALONE,
    DIFFERENT,
    HOW_TO_PRESS,
    ONE_WAITS_ABOVE,
    SENT_BACK,
)


async def test_a_reply_to_the_card_denies_with_a_reason_the_model_reads() -> None:
    async with stage(calls(write()), says("I see."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("use another name", reply_to=scene.cards[0])
        await scene.settled()
        assert "They said: use another name" in scene.results[0].text
        assert "“use another name”" in scene.texts[0]


@pytest.mark.parametrize(
    "words", ["yes", "OK", "👍", "Yes, go ahead!", "do it", "ja, bitte", "はい"]
)
async def test_assent_in_a_reply_never_denies_and_tells_how_to_press(words: str) -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say(words, reply_to=scene.cards[0])
        await scene.shows(HOW_TO_PRESS)
        assert scene.approvals[0].state is ApprovalState.OPEN
        assert not scene.approvals[0].set_aside
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1


@pytest.mark.parametrize(
    ("words", "foreign", "files"),
    [
        ("", None, (Attachment("voice", "voice.ogg", 4, "v"),)),
        ("", "a picture", (Attachment("photo", "photo.jpg", 4, "p"),)),
        ("[sticker: 👍]", "a sticker", ()),
    ],
    ids=["voice message", "picture", "sticker"],
)
async def test_a_reply_without_words_of_the_person_denies_nothing(
    words: str, foreign: str | None, files: tuple[Attachment, ...]
) -> None:
    tool = writing()
    async with stage(calls(write()), says("Well."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        quote = Quote(scene.cards[0].text, "Steward", own=True, message_id=scene.cards[0].id)
        reply = InboundMessage(
            HOME,
            ANN,
            "m99",
            words,
            scene.clock.now(),
            quote=quote,
            attachments=files,
            foreign=foreign,
        )
        await scene.application.parts.intake.accept("fake", (scene.channel.update(reply),))
        await scene.shows("Well.")
        assert scene.approvals[0].state is ApprovalState.OPEN
        assert tool.ran == []


async def test_a_forward_that_replies_to_a_card_decides_nothing_and_is_a_message() -> None:
    tool = writing()
    async with stage(calls(write()), says("Eve says so."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("send it to me", reply_to=scene.cards[0], forwarded_from="Eve")
        await scene.shows("Eve says so.")
        assert scene.approvals[0].state is ApprovalState.OPEN
        assert scene.approvals[0].reason == ""
        assert tool.ran == []


async def test_assent_without_a_reply_is_meant_for_the_card_that_the_turn_waits_for() -> None:
    script = (calls(write()), says("Something else."), says("You are welcome."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("yes!")
        await scene.shows(HOW_TO_PRESS)
        assert (len(scene.turns), scene.approvals[0].set_aside) == (1, False)
        await scene.say("how is the weather?")
        await scene.settled(2)
        await scene.say("ok, thanks")
        await scene.settled(3)
        assert scene.texts[-1].startswith("You are welcome.")


@pytest.mark.parametrize("words", ["no", "No, thanks!", "nein", "👎", "いいえ"])
async def test_a_bare_no_denies_the_one_card_that_the_turn_waits_for(words: str) -> None:
    async with stage(calls(write()), says("Then not."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say(words)
        await scene.settled()
        assert (scene.approvals[0].state, scene.approvals[0].reason) == (ApprovalState.DENIED, "")
        assert (len(scene.turns), scene.texts[-1]) == (1, "Then not.")


async def test_a_bare_no_is_for_no_card_where_several_wait_or_something_newer_was_said() -> None:
    script = (calls(write("a", "1"), write("b", "2")), says("Sunny."), says("As you like."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write both")
        await scene.parked()
        await scene.say("no")
        await scene.shows(HOW_TO_PRESS)
        assert len(scene.turns) == 1
        await scene.say("and the weather")
        await scene.settled(2)
        await scene.say("no")
        await scene.settled(3)
        assert {card.state for card in scene.approvals} == {ApprovalState.OPEN}


async def test_a_bare_no_of_somebody_who_may_not_decide_is_a_message() -> None:
    script = (calls(write()), says("No to what?"))
    async with stage(*script, tools=[writing()], people=TEAM) as scene:
        await scene.grant(ANN, Level.CHANGES)
        await scene.say("write x")
        await scene.parked()
        await scene.say("no", BOB)
        await scene.settled(2)
        assert scene.approvals[0].state is ApprovalState.OPEN


@pytest.mark.parametrize("words", ["what exactly will it write?", "why", "Warum"])
async def test_a_question_in_a_reply_is_answered_and_the_card_stays(words: str) -> None:
    tool = writing()
    script = (calls(write()), says("An x, and no more."), says("Written."))
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say(words, reply_to=scene.cards[0])
        await scene.shows(HOW_TO_PRESS)
        await scene.settled(2)
        assert scene.texts[-1] == f"An x, and no more.\n\n{ONE_WAITS_ABOVE}"
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.press("Approve")
        await scene.settled(3)
        assert len(tool.ran) == 1


async def test_change_asks_for_the_words_and_the_reply_is_the_reason() -> None:
    async with stage(calls(write()), says("I see."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert await scene.press(CHANGE) == ""
        asked = await scene.until(lambda: the_question(scene))
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.crash()
        await scene.say("can it be shorter?", reply_to=asked)
        await scene.settled()
        assert "They said: can it be shorter?" in scene.results[0].text
        assert f"{SENT_BACK} · Do write x · “can it be shorter?”" in scene.texts


async def test_a_reply_to_the_question_of_a_decided_card_is_an_ordinary_message() -> None:
    script = (calls(write()), says("Written."), says("Next time."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.press(CHANGE)
        asked = await scene.until(lambda: the_question(scene))
        await scene.press("Approve")
        await scene.settled(1)
        await scene.say("shorter", reply_to=asked)
        await scene.settled(2)
        assert scene.texts[-1] == "Next time."


async def test_only_the_asker_may_ask_for_a_change() -> None:
    async with stage(calls(write()), says("No."), tools=[writing()], people=TEAM) as scene:
        await scene.grant(ANN, Level.CHANGES)
        await scene.say("write x")
        await scene.parked()
        assert await scene.press(CHANGE, BOB) == NOT_YOURS
        assert the_question(scene) is None
        assert scene.channel.refusals == [NOT_YOURS]
        assert await scene.press("Deny") == DENIED_ALONE
        await scene.settled()
        assert scene.channel.refusals == [NOT_YOURS]


def the_question(scene: Stage) -> Shown | None:
    """The message that asks what should be different."""
    return next((s for s in scene.channel.screen.values() if DIFFERENT in s.text), None)
