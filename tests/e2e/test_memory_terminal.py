"""The memory in the terminal: recalled in a later talk, noted, searched and erased by words."""

from contextlib import closing
from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import MessagesApi, calls, text, tool
from tests.words import READY


async def test_what_was_said_in_one_talk_is_known_in_the_next_until_it_is_forgotten(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    model.script.add(
        calls(tool("remember", {"note": "Ann eats no nuts."})),
        text("Your dog is Rex."),
        text("I know him."),
        text("I know nobody."),
    )
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("My dog is Rex, and I eat no nuts")
        await talk.shows("Noted: Ann eats no nuts.", "Your dog is Rex.")
        talk.say("/quit")
        assert await talk.ended() == 0
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("/new")
        await talk.shows("fresh start")
        talk.say("Who is my dog Rex?")
        await talk.shows("I know him.")
        asked = str((await model.received(3)).body["messages"])
        assert "Your dog is Rex." in asked
        assert "Ann eats no nuts." in asked
        talk.say("/memory nuts")
        await talk.shows("[1]")
        talk.say("/forget all")
        await talk.shows("I cannot bring it back")
        talk.say("/forget yes all")
        await talk.shows("Erased.")
        talk.say("/new")
        await talk.shows("fresh start")
        talk.say("Who is my dog?")
        await talk.shows("I know nobody.")
        asked = str((await model.received(4)).body["messages"])
        assert "Rex" not in asked
        assert "nuts" not in asked
