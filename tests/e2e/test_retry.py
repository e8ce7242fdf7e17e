"""The last message is answered anew, across SIGKILL and on two channels."""

from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.steward import KEY, Steward, words_in
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, text
from tests.standins.serving import serving
from tests.words import ANSWER_ANEW, EDITED, NO_SUCH_MODEL, READY


async def test_an_answer_is_made_anew_once_over_a_kill(steward: Steward) -> None:
    gate = Gate()
    steward.script(text("Four."), text("Lost.").held(gate), text("Five."))
    await steward.start()
    steward.say("Two and two?")
    await steward.sees("Four.")
    await steward.recorded()
    steward.say("/retry")
    await gate.arrived()
    await steward.restart()
    await steward.sees("Five.")
    request = steward.model.requests[-1]
    assert len(request.body["messages"]) == 1
    assert words_in(request).count("Two and two?") == 1
    assert "Four." not in str(request.body)
    assert len(steward.records.stop_reasons) == 2


async def test_an_edited_message_is_answered_anew_after_a_kill(steward: Steward) -> None:
    steward.script(text("Four."), text("Six."))
    await steward.start()
    said = steward.say("Two and two?")
    await steward.sees("Four.")
    steward.edit(said, "Three and three?")
    offer = await steward.sees(EDITED)
    await steward.recorded()
    await steward.restart()
    steward.press(offer, ANSWER_ANEW)
    await steward.sees("Six.")
    assert "Three and three?" in words_in(steward.model.requests[-1])
    assert "Two and two?" not in str(steward.model.requests[-1].body)


async def test_in_the_terminal_an_answer_is_made_anew_with_a_model_that_is_there(
    tmp_path: Path, command: Command
) -> None:
    model = MessagesApi(api_key=KEY)
    model.script.add(text("Four."), text("Five."))
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
        try:
            await talk.shows(READY)
            talk.say("Two and two?")
            await talk.shows("Four.")
            talk.say("/retry nobody/nothing")
            await talk.shows(NO_SUCH_MODEL)
            talk.say("/retry")
            await talk.shows("Five.")
            talk.say("/quit")
            assert await talk.ended() == 0
        finally:
            talk.close()
