"""A conversation deleted on the page: what stands beside it goes on, and its buttons are dead."""

import pytest

from tests.e2e.browser import Browser
from tests.e2e.planning import files, said, submit, write
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_page import WRITE, page
from tests.e2e.test_page_hostile import signed_in
from tests.e2e.times import Times
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import calls, failure, text, tool
from tests.words import (
    ANSWER_ANEW,
    APPROVE,
    APPROVED,
    DECIDED_ALREADY,
    EDITED,
    NOT_LET_IN,
    NOTE_SAYS,
    RETRY,
    UNDO,
    WHAT_NOTE,
)

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

__all__ = ("page",)

HOME = "/chat/telegram:42"
ERASED = "What this was about is erased, so this button does nothing."
HOUR = 3_600


async def deleted(steward: Steward, ann: Browser) -> None:
    """Deletes the conversation of the phone on the page, once all of it is on the phone."""
    await steward.recorded()
    async with ann.listening(HOME) as heard:
        await ann.press("Delete this conversation", HOME)
        await ann.sees("Erase this conversation", HOME)
        await ann.press("Erase", HOME)
        await heard.until(lambda one: [e for e in one.events if e.name == "erased"])
    await steward.sees("Erased. I remember nothing")


async def test_no_button_that_still_stands_on_the_phone_does_anything(
    steward: Steward, page: Browser
):
    steward.script(calls(tool(*WRITE)), text("Written."), text("Rome."))
    steward.script(failure(401, "invalid x-api-key"))
    async with signed_in(steward, steward.ann) as ann:
        steward.say("Write it")
        steward.press(await steward.card(), APPROVE)
        await steward.sees("Written.")
        stand = [(await steward.sees("a.txt created"), UNDO)]
        said = steward.say("Where to?")
        await steward.sees("Rome.")
        steward.edit(said, "Where to in the north?")
        stand.append((await steward.sees(EDITED), ANSWER_ANEW))
        steward.say("And when?")
        stand.append((await steward.sees(NOT_LET_IN), RETRY))
        await deleted(steward, ann)
        await all_refused(steward, stand)
        # A page that was open meanwhile has the same buttons.
        assert not [one for one in await ann.forms(HOME) if one.label in (UNDO, RETRY)]
    assert (steward.workspace / "a.txt").read_text() == "x"
    assert len(steward.model.requests) == 4


async def all_refused(steward: Steward, stand: list[tuple[ShownMessage, str]]) -> None:
    for message, label in stand:
        assert await steward.refused(steward.press(message, label)) == ERASED, label


async def test_a_card_a_task_and_a_reply_outlive_the_conversation_they_began_in(
    steward: Steward, times: Times, page: Browser
):
    async with signed_in(steward, steward.ann) as ann:
        steward.script(text("Rome."), calls(tool(*WRITE)))
        steward.say("Where to?")
        rome = await steward.sees("Rome.")
        steward.say("/schedule in 20m | Remind me of the tea")
        await steward.sees("⏰ Scheduled.")
        steward.say("Write it")
        card = await steward.card()
        await deleted(steward, ann)
        # What asks stays until it is decided, here and there, and is decided once.
        assert [one for one in await ann.forms(HOME) if "Approve" in one.label]
        steward.script(text("Written."))
        steward.press(card, APPROVE)
        await steward.sees("Written.")
        await ann.sees("Written.", HOME)
        assert (steward.workspace / "a.txt").exists()
        late = [one for one in await ann.forms("/cards") if "Approve" in one.label]
        assert not late
        # A reply to what is erased is a message like any other.
        steward.script(text("Oslo, then."))
        steward.say("Not there", reply_to=rome)
        await steward.sees("Oslo, then.")
        await ann.sees("Oslo, then.", HOME)
        steward.script(text("Tea!"))
        times.move(HOUR)
        await steward.sees("Tea!")
        await ann.sees("Tea!", HOME)
        assert "Remind me of the tea" in words_in(steward.model.requests[-1])
        assert "Where to?" not in str(steward.model.requests[-1].body)
        shown = " ".join(words for _, words in await ann.messages(HOME))
        assert "Where to?" not in shown
        assert len(steward.showing("Tea!")) == len(steward.showing("Written.")) == 1


async def test_a_plan_a_task_and_a_note_outlive_it_and_their_buttons_work_once(
    steward: Steward, page: Browser
):
    async with signed_in(steward, steward.ann) as ann:
        steward.script(calls(tool("remember", {"note": "Ann eats no nuts."})), text("I will."))
        steward.say("Remember: no nuts")
        await steward.sees("I will.")
        steward.say("/memory")
        steward.press(await steward.sees("My notes:"), "1")
        note = await steward.sees("Noted 20")
        steward.say("/schedule every day at 9:00 | Tea")
        task = await steward.sees("⏰ Scheduled.")
        steward.script(write("one.md"), submit())
        steward.say("/plan write")
        plan = await steward.card()
        await deleted(steward, ann)
        asked = steward.press(note, "✏️ Change")
        steward.reply(await steward.question(asked, WHAT_NOTE), "Ann eats no eggs.")
        await steward.sees(NOTE_SAYS.format("Ann eats no eggs."))
        steward.press(task, "⏸ Pause")
        await steward.sees("⏸ Tea")
        assert steward.records.rows("SELECT state FROM task") == [("paused",)]
        steward.script(write("one.md"), said("It is there."))
        press = steward.press(plan, APPROVE)
        await steward.counted(press, APPROVED)
        await steward.sees("It is there.")
        await steward.sees("1 of 1 step done")
        assert DECIDED_ALREADY in await steward.answered(steward.press(plan, APPROVE))
        assert files(steward) == {"one.md"}
        # What the plan was made of is erased, and it is carried out without that.
        assert "Remember: no nuts" not in str(steward.model.requests[-1].body)
