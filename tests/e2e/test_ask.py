"""One question from the command line: its answer, its progress, its cards and its exit code."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.launching import Command, surroundings
from tests.e2e.steward import KEY
from tests.e2e.terminals import Terminal
from tests.e2e.visitors import Ended
from tests.standins.messages_api import (
    Gate,
    MessagesApi,
    ReceivedRequest,
    Reply,
    calls,
    failure,
    text,
    tool,
)
from tests.standins.serving import serving
from tests.words import (
    NO_ANSWER_YET,
    NOBODY_SWITCHES,
    SWITCHES_ON,
    UNASKED,
    UNSEARCHED,
    WORDS_COUNT,
)

WRITE = tool("write_file", {"path": "a.md", "content": "# A\n"})
WRITING_DENIED: dict[str, object] = {
    "answer": "I could not write it.",
    "stop_reason": "final_answer",
    "tools": [
        {"name": "list_files", "status": "success"},
        {"name": "write_file", "status": "blocked"},
    ],
    "denied": ["Create a.md"],
    "files": [],
}
"""What a question tells as JSON, but for its cost, where nobody could approve its writing."""


@dataclass(frozen=True)
class Shell:
    """A folder in which questions are asked of a scripted model."""

    folder: Path
    model: MessagesApi
    access: dict[str, str]
    command: Command

    @property
    def written(self) -> bool:
        return (self.folder / "data" / "workspace" / "a.md").exists()

    async def ask(self, *arguments: str, piped: bytes | None = None) -> Ended:
        process = await asyncio.create_subprocess_exec(
            *self.command("ask", *arguments),
            cwd=self.folder,
            env={**surroundings(), **self.access},
            stdin=DEVNULL if piped is None else PIPE,
            stdout=PIPE,
            stderr=PIPE,
            # Without a terminal of its own, wherever the tests run.
            start_new_session=True,
        )
        out, err = await process.communicate(piped)
        return Ended(process.returncode or 0, out.decode(), err.decode())

    def terminal(self, *arguments: str) -> Terminal:
        words = ("ask", *arguments)
        return Terminal(
            self.folder, *words, columns=60, rows=40, command=self.command, environ=self.access
        )


@pytest.fixture
async def shell(tmp_path: Path, command: Command) -> AsyncIterator[Shell]:
    model = MessagesApi(api_key=KEY)
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        access["STEWARD_MODEL_BACKOFF_SECONDS"] = "0.01"
        yield Shell(tmp_path, model, access, command)


@pytest.fixture
def typed(shell: Shell) -> Iterator[list[Terminal]]:
    """The terminals that a test opened; they are closed at its end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


@pytest.mark.starts_anew
async def test_the_answer_alone_goes_to_the_standard_output(shell: Shell) -> None:
    listing = text("I look around.") + calls(tool("list_files", {}))
    shell.model.script.add(listing, text("There is **nothing** here.\n\n- really"))
    ended = await shell.ask("what", "is here?")
    assert (ended.code, ended.out) == (0, "There is **nothing** here.\n\n- really\n")
    assert ended.err == "✓ List the workspace\n"
    assert "what is here?" in str(shell.model.requests[0].body["messages"][-1])


async def test_each_question_begins_afresh(shell: Shell) -> None:
    shell.model.script.add(text("One."), text("Two."))
    assert (await shell.ask("first")).out == "One.\n"
    assert (await shell.ask("second")).out == "Two.\n"
    assert "first" not in str(shell.model.requests[1].body["messages"])


async def test_what_is_piped_in_comes_along_as_foreign_text(shell: Shell) -> None:
    shell.model.script.add(text("The disk is full."), text("Also that."))
    ended = await shell.ask("what broke?", piped=b"disk full\n")
    assert (ended.code, ended.out) == (0, "The disk is full.\n")
    asked = str(shell.model.requests[0].body["messages"][-1])
    assert "what broke?" in asked
    assert "disk full" in asked
    assert "piped.txt" in asked
    ended = await shell.ask(piped=b"is this a question?\n")
    assert ended.out == "Also that.\n"
    assert "is this a question?" in str(shell.model.requests[1].body["messages"][-1])


async def test_without_a_terminal_a_card_is_denied_and_that_is_said(shell: Shell) -> None:
    shell.model.script.add(calls(WRITE), text("I could not write it."))
    ended = await shell.ask("write it")
    assert (ended.code, ended.out) == (5, "I could not write it.\n")
    assert ended.err.count(UNASKED) == 1
    assert "· Create a.md" in " ".join(ended.err.split())
    assert "[y]" not in ended.err
    assert not shell.written
    assert UNASKED in str(shell.model.requests[1].body["messages"][-1])


@pytest.mark.parametrize("form", ["words", "json"])
async def test_without_a_terminal_the_answer_comes_without_a_search_and_a_line_says_so(
    shell: Shell, form: str
) -> None:
    shell.access["STEWARD_MODEL"] = "anthropic/claude-sonnet-5-5"
    searching = calls(tool("search_with_claude", {}))
    shell.model.script.add(searching, searching, text("I do not know."))
    ended = await shell.ask(*(["--json"] if form == "json" else []), "news?")
    assert (ended.code, " ".join(ended.err.split())) == (0, f"{UNSEARCHED} {SWITCHES_ON}")
    assert "I do not know." in ended.out
    if form == "json":
        assert ended.json["denied"] == []
        assert ended.json["tools"] == [{"name": "search_with_claude", "status": "blocked"}] * 2
    # Nobody has said no, so the model may ask again, and is told why nothing was found.
    offered = ["search_with_claude" in str(asked.body["tools"]) for asked in shell.model.requests]
    assert offered == [True, True, True]
    assert NOBODY_SWITCHES in str(shell.model.requests[1].body["messages"][-1])


async def test_without_a_terminal_an_action_beside_an_offer_is_still_denied(shell: Shell) -> None:
    shell.access["STEWARD_MODEL"] = "anthropic/claude-sonnet-5-5"
    both = calls(tool("search_with_claude", {}), WRITE)
    shell.model.script.add(both, text("Neither."))
    ended = await shell.ask("--json", "look it up and write it")
    assert (ended.code, ended.json["denied"]) == (5, ["Create a.md"])
    assert UNSEARCHED in ended.err
    assert not shell.written


async def test_in_a_terminal_an_offer_that_is_not_taken_is_no_action_that_was_denied(
    shell: Shell, typed: list[Terminal]
) -> None:
    shell.access["STEWARD_MODEL"] = "anthropic/claude-sonnet-5-5"
    shell.model.script.add(calls(tool("search_with_claude", {})), text("Then I do not know."))
    typed.append(shell.terminal("news?"))
    await typed[-1].shows("Search the web with Claude?", "[y] ✅ Switch on", "[n] ❌ Not now")
    typed[-1].say("n")
    await typed[-1].shows("Then I do not know.")
    assert await typed[-1].ended() == 0
    assert "search_with_claude" not in str(shell.model.requests[1].body["tools"])


async def test_json_tells_everything_in_one_object(shell: Shell) -> None:
    both = calls(tool("list_files", {}), WRITE)
    shell.model.script.add(both, text("I could not write it."))
    ended = await shell.ask("--json", "write it")
    assert ended.code == 5
    told = ended.json
    assert told.pop("usage").keys() >= {"input", "output", "cost"}
    assert told == WRITING_DENIED


async def test_a_question_back_has_a_code_of_its_own(shell: Shell) -> None:
    asks = tool("send_message", {"message": "Tea or coffee?", "is_question": True})
    shell.model.script.add(calls(asks))
    ended = await shell.ask("make me a drink")
    assert ended.code == 6
    assert "Tea or coffee?" in ended.out


async def test_a_failure_has_a_code_of_its_own(shell: Shell) -> None:
    shell.model.script.add(failure(401, "invalid x-api-key"))
    ended = await shell.ask("--json", "hello")
    assert ended.code == 3
    assert ended.json["stop_reason"] == "model_failure"


async def test_a_model_that_stays_away_is_not_waited_for_where_nobody_can_be_asked(
    shell: Shell,
) -> None:
    shell.model.script.rule(lambda _: failure(529))
    ended = await shell.ask("hello")
    assert (ended.code, ended.out) == (3, "")
    assert "nothing is lost" in " ".join(ended.err.split())
    assert "Nobody can be asked here, so I do not wait." in ended.err


async def test_a_command_is_answered_like_a_question(shell: Shell) -> None:
    for words, told in (("/help", "/stop"), ("/why", NO_ANSWER_YET), ("/nonsense", "/help")):
        ended = await shell.ask(words)
        assert ended.code == 0, words
        assert told in ended.out, words
    assert shell.model.requests == []


async def test_without_a_question_the_usage_is_told(shell: Shell) -> None:
    ended = await shell.ask()
    assert (ended.code, ended.out) == (2, "")
    assert 'steward ask "' in ended.err


async def test_in_a_terminal_a_card_is_asked_about_by_keys(
    shell: Shell, typed: list[Terminal]
) -> None:
    shell.model.script.add(calls(WRITE), text("It is **there**."))
    typed.append(shell.terminal("write it"))
    await typed[-1].shows("[y] ✅ Approve", WORDS_COUNT)
    typed[-1].say("yes")
    await typed[-1].shows("Here only the keys of the card count")
    typed[-1].say("y")
    await typed[-1].shows("✅", "It is there.")
    assert await typed[-1].ended() == 0
    assert shell.written


async def test_in_a_terminal_a_card_is_denied_by_words(shell: Shell, typed: list[Terminal]) -> None:
    shell.model.script.add(calls(WRITE), text("Then not."))
    typed.append(shell.terminal("write it"))
    await typed[-1].shows("[y] ✅ Approve")
    typed[-1].say("use another name")
    await typed[-1].shows("Not run · Create", "Then not.")
    assert await typed[-1].ended() == 5
    assert not shell.written


async def test_ctrl_c_stops_the_turn_and_the_next_question_is_answered(
    shell: Shell, typed: list[Terminal]
) -> None:
    gate = Gate()
    shell.model.script.add(text("Too late").held(gate), text("Hello."))
    typed.append(shell.terminal("think"))
    await gate.arrived()
    await typed[-1].shows("… (Ctrl-C stops)")
    typed[-1].type("\x03")
    await gate.abandoned()
    assert await typed[-1].ended() == 130
    ended = await shell.ask("and now?")
    assert (ended.code, ended.out) == (0, "Hello.\n")
    assert len(shell.model.requests) == 2


async def test_a_question_that_was_killed_is_never_answered_to_another_one(
    shell: Shell, typed: list[Terminal]
) -> None:
    gate = Gate()
    shell.model.script.add(text("The first answer").held(gate))
    typed.append(shell.terminal("first"))
    await gate.arrived()
    typed[-1].close()

    def respond(request: ReceivedRequest) -> Reply:
        first = "first" in str(request.body["messages"][-1])
        return text("The first answer" if first else "The second answer")

    shell.model.script.rule(respond)
    ended = await shell.ask("second")
    assert (ended.code, ended.out) == (0, "The second answer\n")
