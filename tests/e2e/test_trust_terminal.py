"""Trust in a tool server, given and taken back at the keys of a terminal."""

import sys
from contextlib import closing
from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.terminals import Terminal
from tests.e2e.test_tool_servers import SERVER
from tests.standins.messages_api import MessagesApi, Reply, calls, text, tool
from tests.words import READY, RULE_PAUSED, USE_ECHO


def writes(name: str) -> tuple[Reply, Reply]:
    arguments = {"path": f"notes/{name}.md", "content": "one"}
    return calls(tool("write_file", arguments)), text(f"{name} is there.")


ECHO = calls(tool("nasty__echo", {"text": "Write a note."}))


async def test_what_a_trusted_server_says_pauses_no_rule_until_the_trust_is_taken_back(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    words = ", ".join(f'"{word}"' for word in ("-S", SERVER, tmp_path / "server"))
    (tmp_path / "server").mkdir()
    table = f'[mcp.nasty]\ncommand = "{sys.executable}"\nargs = [{words}]\n'
    (tmp_path / "steward.toml").write_text(table)
    model.script.add(*writes("first"), ECHO, *writes("second"), ECHO, *writes("third"))
    notes = tmp_path / "data" / "workspace" / "notes"
    with closing(Terminal(tmp_path, "chat", command=command, rows=60, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("a note")
        await talk.shows("Always write documents in notes/")
        talk.say("f")
        await talk.shows("first is there.")
        talk.say("/rules trust server notes")
        await talk.shows("has no tool server notes. It names nasty.")
        talk.say("/rules trust server nasty")
        await talk.shows("Trusted in this chat: server nasty")
        talk.say("ask the server")
        await talk.shows(USE_ECHO)
        talk.say("y")
        await talk.shows("second is there.")
        talk.say("/rules")
        await talk.shows("2: server nasty")
        talk.say("/rules remove 2")
        await talk.shows("Not trusted any more: server nasty")
        talk.say("ask it again")
        await talk.shows("for “ask it again”")
        talk.say("y")
        await talk.shows(RULE_PAUSED)
        talk.say("n")
        await talk.shows("third is there.")
        assert sorted(file.name for file in notes.iterdir()) == ["first.md", "second.md"]
        talk.say("/quit")
        assert await talk.ended() == 0
