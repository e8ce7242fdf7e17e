"""A call is named in one line of plain words."""

from typing import Any

import pytest

from bot.domain.tools.deeds import deed_of, without_deed


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("use_skill", {"name": "tidy-csv"}, "Use the skill tidy-csv"),
        ("use_skill", {"name": "none"}, "Put the skill away"),
        ("send_message", {"message": "Done"}, "Say “Done”"),
        ("send_message", {"message": "Tea?", "is_question": True}, "Ask you a question"),
        ("list_files", {"path": "."}, "List the workspace"),
        ("list_files", {"path": "notes"}, "List notes"),
    ],
)
def test_a_deed_is_told_as_a_person_would(tool: str, arguments: dict[str, Any], told: str) -> None:
    assert deed_of(tool, arguments) == told


def test_a_fault_does_not_repeat_the_command_of_its_deed() -> None:
    assert without_deed("exit code 1 of make", "Run `make`") == "exit code 1"
    assert without_deed("no such file", "Read a.md") == "no such file"
    assert without_deed("a.md: no such file", "Read a.md") == "no such file"
    assert without_deed("skipped; a.md: no such file", "Read a.md") == "skipped; no such file"
    assert without_deed("data.md: no such file", "Read a.md") == "data.md: no such file"
