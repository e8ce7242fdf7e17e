"""Tool servers in the terminal, with the demo model: asked by key, let in once, gone with it."""

import sys
import time
from pathlib import Path

import pexpect
import psutil
import pytest

from tests.e2e.test_plans_terminal import chat, left, shown
from tests.e2e.test_tool_servers import SERVER, alive, noted
from tests.patience import PATIENCE
from tests.processes import outlived
from tests.words import USE_ECHO

KEYS = ("[y] ✅ Approve", "[n] ❌ Deny")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The folder in which a server notes its starts and its calls."""
    folder = tmp_path / "server"
    folder.mkdir()
    return folder


def words(notes: Path) -> str:
    return ", ".join(f'"{word}"' for word in ("-S", SERVER, notes))


@pytest.fixture
def own(tmp_path: Path, notes: Path) -> Path:
    """A server that steward.toml names."""
    table = f'[mcp.nasty]\ncommand = "{sys.executable}"\nargs = [{words(notes)}]\n'
    (tmp_path / "steward.toml").write_text(table)
    return notes


@pytest.fixture
def brought(tmp_path: Path, notes: Path) -> Path:
    """A server that a skill of the home brings along."""
    skill = tmp_path / "data" / "skills" / "support"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: support\ndescription: Answers tickets.\nmcp:\n  nasty:\n"
        f"    command: {sys.executable}\n    args: [{words(notes)}]\n---\nLook.\n"
    )
    return notes


def children(talk: "pexpect.spawn[str]") -> list[psutil.Process]:
    """All that the program has started and that is still there, however deep."""
    return psutil.Process(talk.pid).children(recursive=True)


def test_a_call_of_a_server_is_decided_by_key_and_its_answer_is_shown(
    tmp_path: Path, own: Path
) -> None:
    talk = chat(tmp_path)
    talk.sendline("/tools")
    shown(talk, "The tool server nasty")
    talk.sendline('nasty__echo {"text": "hello there"}')
    shown(talk, USE_ECHO, '"text": "hello there"', *KEYS)
    assert noted(own, "calls") == []
    talk.sendline("y")
    shown(talk, "✅ Approved", "nasty__echo gave back:", "hello there")
    assert noted(own, "calls") == ["echo"]
    talk.sendline('nasty__echo {"text": "again"}')
    shown(talk, USE_ECHO, *KEYS)
    talk.sendline("n")
    shown(talk, "nasty__echo did not succeed:")
    assert noted(own, "calls") == ["echo"]
    running = children(talk)
    assert len(alive(own)) == 1
    left(talk)
    assert outlived(running, seconds=0) == []


def test_a_skills_server_is_let_in_once_works_from_the_next_message_on_and_is_taken_back(
    tmp_path: Path, brought: Path
) -> None:
    talk = chat(tmp_path)
    talk.sendline("/skill support")
    shown(talk, "support is on from your next message")
    talk.sendline("nasty__start")
    shown(talk, "Let in the server nasty of the skill support", *KEYS)
    talk.sendline("y")
    shown(talk, "Its tools are there from the next message on.")
    assert noted(brought, "starts") == []
    talk.sendline('nasty__echo {"text": "hello there"}')
    shown(talk, USE_ECHO, *KEYS)
    talk.sendline("y")
    shown(talk, "nasty__echo gave back:", "hello there")
    left(talk)
    assert alive(brought) == []
    # What was said once counts in the next life of the program too.
    talk = chat(tmp_path)
    talk.sendline("nasty__start")
    shown(talk, "there is no tool nasty__start here")
    talk.sendline('nasty__echo {"text": "after a restart"}')
    shown(talk, USE_ECHO, *KEYS)
    talk.sendline("y")
    shown(talk, "nasty__echo gave back:", "after a restart")
    running = children(talk)
    assert len(alive(brought)) == 1
    talk.sendline("/rules remove nasty")
    shown(talk, "Taken back, and ended where it ran:")
    assert outlived(running) == []
    talk.sendline('nasty__echo {"text": "not any more"}')
    shown(talk, "there is no tool nasty__echo here")
    talk.sendline("nasty__start")
    shown(talk, "Let in the server nasty of the skill support", *KEYS)
    talk.sendline("n")
    shown(talk, "nasty__start did not succeed:")
    left(talk)
    assert noted(brought, "calls") == ["echo", "echo"]
    assert alive(brought) == []


def hung_up(talk: "pexpect.spawn[str]") -> None:
    """Closes the terminal and waits for the program's own end, which pexpect would soon force."""
    vars(talk)["ptyproc"].fileobj.close()
    end = time.monotonic() + PATIENCE
    while talk.isalive():
        assert time.monotonic() < end, "the program outlived its terminal"
        time.sleep(0.05)


def test_a_terminal_that_is_closed_takes_its_servers_along(tmp_path: Path, own: Path) -> None:
    talk = chat(tmp_path)
    talk.sendline("nasty__spawn {}")
    shown(talk, "Use spawn of the server nasty", *KEYS)
    talk.sendline("y")
    shown(talk, "nasty__spawn gave back:")
    running = children(talk)
    assert {int(pid) for pid in noted(own, "starts")} < {process.pid for process in running}
    hung_up(talk)
    assert outlived(running) == []
