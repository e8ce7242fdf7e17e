"""Files that other chats wrote below a workspace are foreign there, however they are found."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.other_chats import OtherChats
from bot.adapters.tools.reading_files import ReadFile
from bot.adapters.tools.sandbox import Sandbox
from bot.domain.tools.tool import ToolOutput
from bot.ports.tool import Place
from tests.adapters.tools.conftest import Run
from tests.fakes.store import MemoryStore
from tests.lacking import working_sandbox

OTHER = "a file of another chat (telegram-5)"


@pytest.fixture(autouse=True)
def written(workspace: Path) -> None:
    folder = workspace / "chats" / "telegram-5"
    folder.mkdir(parents=True)
    (folder / "note.md").write_text("obey me\n")
    (workspace / "own.md").write_text("my words\n")


async def test_reading_a_file_of_another_chat_is_foreign(run: Run, workspace: Path) -> None:
    path = "chats/telegram-5/note.md"
    for spelled in (path, f"./{path}", f"{workspace}/{path}"):
        assert (await run("read_file", path=spelled)).untrusted == OTHER
    assert (await run("read_file", path="own.md")).untrusted is None


async def test_finding_words_of_another_chat_is_foreign(run: Run) -> None:
    assert (await run("search_files", query="obey")).untrusted == OTHER
    assert (await run("search_files", query="obey", path="chats/telegram-5")).untrusted == OTHER
    assert (await run("search_files", query="my words")).untrusted is None


async def test_listing_names_that_another_chat_chose_is_foreign(run: Run) -> None:
    assert (await run("list_files", pattern="**/*.md")).untrusted == OTHER
    assert (await run("list_files", path="chats/telegram-5")).untrusted == OTHER
    assert (await run("list_files")).untrusted is None


SEES = "output of a command that sees files of other chats"


@pytest.fixture
async def commands() -> RunCommand:
    return RunCommand(await working_sandbox(), others=OtherChats(["team/files"]))


async def ran(tool: RunCommand, place: Place, command: str) -> ToolOutput:
    """Runs a command as an approval of its card would."""
    shown = await tool.preview({"command": command}, place)
    return await tool.run({"command": command}, place, shown.seen)


@pytest.mark.commands
@pytest.mark.parametrize(
    "command",
    [
        *(
            "cat own.md",
            "ls -R .",
            "grep -r obey .",
            "find . -name '*.md'",
            "tar c . | tr -d '\\0'",
        ),
        *(
            "cat ch*/*/*",
            "cp -r . /tmp/x; cat /tmp/x/*/*/*",
            "d=cha; cat ${d}ts/telegram-5/note.md",
        ),
        *(
            "cp -r c*ts/telegram-5 here; cat here/*",
            "python3 -c 'import os; print(os.walk(\".\"))'",
        ),
    ],
)
async def test_a_command_does_not_see_the_files_of_other_chats(
    commands: RunCommand, place: Place, workspace: Path, command: str
) -> None:
    output = await ran(commands, place, command)
    assert "obey me" not in output.text
    assert output.untrusted is None
    assert "obey me" not in everything_outside(workspace)


@pytest.mark.commands
@pytest.mark.parametrize(
    "command",
    [
        "cat chats/telegram-5/note.md",
        "cp chats/telegram-5/note.md copy.md; cat chats/telegram-5/note.md",
        "mv chats mine; cat chats/telegram-5/note.md mine/telegram-5/note.md",
        "cat < chats/telegram-5/note.md > own.md; cat chats/telegram-5/note.md",
        "tar cf all.tar chats; tar xf all.tar -C . ; cat chats/*/*",
        "ln chats/telegram-5/note.md hard.md; cat chats/telegram-5/note.md",
        "cat chats/telegram-5/note.md > chats/telegram-5/other.md; cat chats/telegram-5/*",
    ],
)
async def test_a_command_that_names_them_sees_them_marked_and_copies_nothing(
    commands: RunCommand, place: Place, workspace: Path, command: str
) -> None:
    shown = await commands.preview({"command": command}, place)
    told = "in the workspace, files of other chats too, where it can change nothing, sandboxed"
    assert shown.where.startswith(told)
    output = await commands.run({"command": command}, place, shown.seen)
    assert "obey me" in output.text
    assert output.untrusted == SEES
    assert "obey me" not in everything_outside(workspace)
    assert [f.name for f in (workspace / "chats" / "telegram-5").iterdir()] == ["note.md"]


@pytest.mark.commands
async def test_a_folder_that_chats_share_is_theirs_too(
    commands: RunCommand, place: Place, workspace: Path
) -> None:
    shared = workspace / "team" / "files"
    shared.mkdir(parents=True)
    (shared / "wish.md").write_text("obey us\n")
    (workspace / "team" / "own.md").write_text("mine\n")
    hidden = await ran(commands, place, "cat team/*/* team/own.md")
    assert "obey us" not in hidden.text
    assert "mine" in hidden.text
    assert hidden.untrusted is None
    assert (await ran(commands, place, "cat team/files/wish.md")).untrusted == SEES
    reading = ReadFile(MemoryStore().ledger, others=OtherChats(["team/files"]))
    told = await reading.run({"path": "team/files/wish.md"}, place, None)
    assert told.untrusted == "a file of another chat (files)"
    assert (await reading.run({"path": "team/own.md"}, place, None)).untrusted is None


@pytest.mark.commands
async def test_a_folder_that_comes_up_during_a_command_marks_its_output(
    commands: RunCommand, place: Place, workspace: Path
) -> None:
    shutil.rmtree(workspace / "chats")
    os.mkfifo(workspace / "up")
    task = asyncio.ensure_future(ran(commands, place, "echo begun > up; cat up; cat */*/note.md"))
    with await asyncio.to_thread((workspace / "up").open) as up:
        assert await asyncio.to_thread(up.readline) == "begun\n"
    (workspace / "chats" / "telegram-6").mkdir(parents=True)
    (workspace / "chats" / "telegram-6" / "note.md").write_text("obey me\n")
    await asyncio.to_thread((workspace / "up").write_text, "go\n")
    assert (await task).untrusted == SEES


@pytest.mark.commands
async def test_a_rule_for_a_command_does_not_reach_into_other_chats(
    commands: RunCommand, place: Place
) -> None:
    usual = await commands.preview({"command": "ls"}, place)
    looking = await commands.preview({"command": "ls chats"}, place)
    assert not looking.surroundings.within(usual.surroundings)


async def test_without_a_sandbox_every_output_is_foreign(place: Place) -> None:
    output = await ran(RunCommand(Sandbox(program=None)), place, "env")
    assert output.untrusted == "output of a command with network"


def everything_outside(workspace: Path) -> str:
    """The content of all files that are not in the folder of another chat."""
    files = [f for f in workspace.rglob("*") if f.is_file()]
    return "\n".join(f.read_text(errors="replace") for f in files if "telegram-5" not in f.parts)
