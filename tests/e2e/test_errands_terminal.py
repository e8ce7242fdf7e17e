"""Errands in the terminal: one line, a card by key, and the results in the answer."""

from contextlib import closing
from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.terminals import Terminal
from tests.e2e.test_errands import Answer, family, results_in, then
from tests.standins.messages_api import MessagesApi, ReceivedRequest, Reply, calls, text, tool
from tests.words import FOR_ERRAND, READY


def writes(path: str) -> Answer:
    def respond(request: ReceivedRequest) -> Reply:
        if results_in(request):
            return text("It is written.")
        return calls(tool("write_file", {"path": path, "content": "A line.\n"}))

    return respond


async def test_a_card_of_an_errand_is_decided_by_key_also_by_the_next_program(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    note = tmp_path / "data" / "workspace" / "note.txt"
    model.script.rule(family("one", "two", one=then("First result."), two=writes("note.txt")))
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("do two things")
        await talk.shows(FOR_ERRAND, "✅ Approve")
        await talk.shows("Helpers: 1 of 2 done")
        talk.say("/quit")
        assert await talk.ended() == 0
    assert not note.exists()
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        await talk.shows(FOR_ERRAND, "✅ Approve")
        talk.say("y")
        await talk.shows("First result.; It is written.")
        await talk.shows("Helpers: 2 of 2 done")
        talk.say("/quit")
        assert await talk.ended() == 0
    assert note.read_text() == "A line.\n"
