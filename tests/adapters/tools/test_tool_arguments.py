"""What models are told of tools, and what is refused before a tool runs."""

import json
from pathlib import Path

import pytest

from bot.adapters.tools.current_time import CurrentTime
from bot.domain.talk.errors import InvalidArguments
from bot.domain.tools.tool import Effect, Replay
from bot.ports.arguments_tool import MAX_TEXT
from bot.ports.tool import Place, Tool
from tests.fakes.clock import FakeClock

Tools = dict[str, Tool]


def test_every_tool_is_there_in_a_stable_order(tools: Tools) -> None:
    assert list(tools) == [
        "current_time", "list_files", "read_file", "search_files", "write_file", "edit_file",
        "delete_file", "run_command", "send_file", "send_message", "get_conversation",
        "end_conversation",
        "submit_plan", "web_fetch", "web_search",
    ]  # fmt: skip


def test_effects_and_replays_are_as_promised(tools: Tools) -> None:
    writing = {"write_file", "edit_file", "delete_file", "run_command"}
    assert {n for n, t in tools.items() if t.spec.effect is Effect.WRITE} == writing
    assert {n for n, t in tools.items() if t.spec.replay is Replay.OUTBOX} == {
        "send_file",
        "send_message",
    }
    once = {n for n, t in tools.items() if t.spec.replay is Replay.ONCE}
    assert once == writing | {"end_conversation"}


def test_schemas_are_flat_and_small(tools: Tools) -> None:
    schemas = [tool.spec.input_schema for tool in tools.values()]
    for schema in schemas:
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
    text = json.dumps(
        [[t.spec.name, t.spec.description, t.spec.input_schema] for t in tools.values()]
    )
    assert not any(
        word in text for word in ('"anyOf"', '"$ref"', '"title": "', '"null"', '"allOf"')
    )
    assert len(text) < 9_000


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("read_file", {}, "path: is missing"),
        ("read_file", {"path": "a", "limit": "5"}, "limit: must be an integer, not the text '5'"),
        ("read_file", {"path": "a", "limit": True}, "limit: must be an integer, not true"),
        ("read_file", {"path": "a", "limit": 1.5}, "limit: must be an integer, not the number 1.5"),
        ("read_file", {"path": 5}, "path: must be a text, not the number 5"),
        ("read_file", {"path": None}, "path: must be a text, not null"),
        ("read_file", {"path": ["a"]}, "path: must be a text, not a list"),
        ("read_file", {"path": {}}, "path: must be a text, not an object"),
        ("read_file", {"path": "a", "offset": 0}, "offset: input should be greater than"),
        ("read_file", {"path": "a\0b"}, "path: holds a NUL character"),
        ("read_file", {"path": "\ud800"}, "path: is not valid Unicode"),
        ("read_file", {"path": "a", "x": 1}, "x: is not an argument of this tool (it takes: path,"),
        ("write_file", {"path": "a", "content": "é" * MAX_TEXT}, "content: is longer than 1 MB"),
        ("run_command", {"command": ""}, "command: is empty"),
        ("run_command", {"command": "x", "timeout": 9999}, "timeout: input should be less than"),
        ("send_message", {"message": "x", "is_question": "yes"}, "is_question: must be true or"),
    ],
)
def test_each_fault_is_one_readable_line(
    tools: Tools, name: str, arguments: dict[str, object], line: str
) -> None:
    with pytest.raises(InvalidArguments) as raised:
        tools[name].check(arguments)
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def test_all_faults_are_told_at_once(tools: Tools) -> None:
    with pytest.raises(InvalidArguments) as raised:
        tools["write_file"].check({"content": 5, "mode": "w"})
    assert len(str(raised.value).splitlines()) == 3


def test_null_stands_for_an_optional_argument_left_out(tools: Tools) -> None:
    tools["read_file"].check({"path": "a", "offset": None, "limit": None})


def test_a_tool_without_an_entry_in_the_house_is_not_built() -> None:
    class Homeless(CurrentTime):
        name = "homeless"

    with pytest.raises(KeyError, match="homeless"):
        _ = Homeless(FakeClock()).spec


def test_importing_the_tools_makes_no_folder(tools: Tools, tmp_path: Path) -> None:
    assert tools
    assert not (tmp_path / "spool").exists()


async def test_calls_that_never_ask_still_have_a_short_subject(tools: Tools, place: Place) -> None:
    preview = await tools["search_files"].preview({"query": "a\x1b[8m", "path": "x" * 99}, place)
    assert preview.effect is Effect.READ
    assert preview.subject == "Search for “a\\x1b[8m”"
    assert preview.always is None
