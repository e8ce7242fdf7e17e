"""Who the bot is, who the person is and which clock they use, through the real process."""

from typing import Any

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import ReceivedRequest, calls, text, tool
from tests.words import ZONE_QUESTION


def all_words(request: ReceivedRequest) -> str:
    return str(request.body["messages"])


def texts(request: ReceivedRequest) -> list[Any]:
    """The messages of a request without the marks of what the provider may keep."""
    return [
        (message["role"], [block.get("text") for block in message["content"]])
        for message in request.body["messages"]
    ]


async def test_persona_and_about_open_a_conversation_and_survive_a_kill(steward: Steward) -> None:
    (steward.home / "persona.md").write_text("You are a pirate.")
    steward.script(text("Ahoy."), text("Aye."), text("Good day."))
    await steward.start()
    steward.say("/about I am Ann from Kiel.")
    await steward.sees("from your next message on")
    steward.say("Hello")
    await steward.sees("Ahoy.")
    await steward.restart()
    steward.say("And?")
    await steward.sees("Aye.")
    first, second = steward.model.requests
    assert texts(second)[0] == texts(first)[0]
    for request in (first, second):
        assert all_words(request).count("You are a pirate.") == 1
        assert all_words(request).count("I am Ann from Kiel.") == 1
    (steward.home / "persona.md").write_text("You are a butler.")
    await steward.eventually(lambda: "the persona changed" in steward.output)
    steward.say("Who are you?")
    await steward.sees("Good day.")
    words = words_in(await steward.asked(3))
    assert words.index("You are a butler.") < words.index("Who are you?")
    steward.say("/status")
    told = await steward.sees("My character")
    assert "as an owner wrote it, 17 characters" in told.text
    assert "What you told me about yourself: 19 characters" in told.text


async def test_the_clock_is_asked_for_once_below_the_first_answer_that_needs_it(
    steward: Steward,
) -> None:
    steward.script(calls(tool("current_time", {})), text("Hello."), text("Hello again."))
    del steward.settings["STEWARD_TIMEZONE"]
    await steward.start()
    steward.say("Hi")
    question = await steward.sees(ZONE_QUESTION)
    assert steward.shown[0].text == "Hello."
    steward.press(question, "London")
    await steward.sees("From now on I use Europe/London")
    await steward.recorded()
    await steward.restart()
    steward.say("Hi again")
    await steward.sees("Hello again.")
    assert "Europe/London</now>" in words_in(await steward.asked(3))
    assert not steward.showing(ZONE_QUESTION)


@pytest.mark.telegrams_own("its messages tell a language")
async def test_the_cities_are_those_of_the_language(steward: Steward) -> None:
    telegram = steward.telegram
    steward.script(calls(tool("current_time", {})), text("Hi Bob."))
    bob = telegram.person(43, "Bob", language_code="de")
    telegram.private_chat(bob)
    del steward.settings["STEWARD_TIMEZONE"]
    await steward.start(STEWARD_ALLOWED="telegram:43")
    telegram.say(bob, "Hallo")
    await steward.until(lambda: len(telegram.screen(bob.id).from_bot) == 2)
    asked = telegram.screen(bob.id).from_bot[-1]
    assert ZONE_QUESTION in asked.text
    labels = [button.text for row in asked.buttons for button in row]
    assert labels[:3] == ["Berlin", "Vienna", "Zurich"]
