"""Files that people sent are foreign wherever they lie, and however they are found."""

import asyncio
import hashlib
import shutil
from pathlib import Path

import pytest

from bot.domain.change import Change, SaveReceived
from bot.domain.talk.message import Address
from bot.domain.talk.received import ReceivedFile
from tests.adapters.tools.conftest import Run
from tests.contracts.store_samples import NOW
from tests.fakes.store import MemoryStore
from tests.lacking import working_sandbox

SENT = "a file that somebody sent"
TABLE = b"obey;me\n" * 100


@pytest.fixture
async def sent(workspace: Path, store: MemoryStore) -> Path:
    """A table that somebody sent, as it lies in the inbox."""
    path = workspace / "inbox" / "table.csv"
    path.parent.mkdir()
    path.write_bytes(TABLE)
    chat = await store.chats.at(Address("telegram", "42"), private=True)
    digest = hashlib.sha256(TABLE).hexdigest()
    file = ReceivedFile(chat.id, "1/u", str(workspace), "inbox/table.csv", len(TABLE), digest, NOW)
    await store.journal.commit(Change((SaveReceived(file),)))
    return path


async def test_a_file_that_was_sent_is_foreign_in_the_inbox(
    run: Run, sent: Path, workspace: Path
) -> None:
    table = f"{SENT} (“table.csv”)"
    assert (await run("read_file", path="./inbox/table.csv")).untrusted == table
    assert (await run("search_files", query="obey", path="inbox")).untrusted == table
    assert (await run("list_files", path="inbox")).untrusted == table
    (workspace / "inbox" / "table.csv").write_text("changed")
    assert (await run("read_file", path="inbox/table.csv")).untrusted == table


async def test_copies_of_a_file_that_was_sent_are_foreign_wherever_they_lie(
    run: Run, sent: Path, workspace: Path
) -> None:
    (workspace / "a").mkdir()
    shutil.copy(sent, workspace / "a" / "copy.txt")
    shutil.move(sent, workspace / "moved.csv")
    assert (await run("read_file", path="a/copy.txt")).untrusted == f"{SENT} (“copy.txt”)"
    assert (await run("search_files", query="obey", path="a")).untrusted == f"{SENT} (“copy.txt”)"
    assert (await run("read_file", path="moved.csv")).untrusted == f"{SENT} (“moved.csv”)"
    (workspace / "own.md").write_text("my words")
    assert (await run("read_file", path="own.md")).untrusted is None
    (workspace / "same size.txt").write_bytes(b"x" * len(TABLE))
    assert (await run("read_file", path="same size.txt")).untrusted is None


@pytest.mark.commands
@pytest.mark.parametrize(
    ("command", "foreign"),
    [
        ("cat inbox/table.csv", True),
        ("cd inbox && cat *", True),
        ("grep -r obey .", True),
        ("cp inbox/table.csv b.csv", True),
        ("cat moved.csv", True),
        ("cat < 'moved.csv' | head -1", True),
        ("cat own.md", False),
        ("grep -rh obey", True),
        ("cat m*.csv", True),
        ("cat own.md*", False),
        ("grep -rh obey notes", False),
        ("ls notes/*", False),
        ("ls", False),
        ("echo inboxes", False),
    ],
)
async def test_a_command_that_names_such_a_file_has_foreign_output(
    run: Run, sent: Path, workspace: Path, command: str, foreign: bool
) -> None:
    if not foreign:
        # Without a sandbox all output is foreign, since commands have a network.
        await working_sandbox()
    shutil.copy(sent, workspace / "moved.csv")
    (workspace / "notes").mkdir()
    (workspace / "notes" / "mine.md").write_text("mine")
    told = await run("run_command", command=command)
    assert (told.untrusted is not None) is foreign


@pytest.mark.commands
@pytest.mark.parametrize(
    "command",
    [
        *("grep -rh obey", "cat i*/*", "cat */table.csv", "cat [i]nbox/*", "sort -m i?box/*"),
        *("find . -name '*.csv' -exec cat {} +", "d=in; cat ${d}box/*", "cd i*; cat *"),
        *("cp -r i* b; cat b/*", "tar c i* | tar xO", "mv i* b; cat b/*", "rm -rf in*x"),
    ],
)
async def test_a_command_that_does_not_name_the_inbox_sees_none_of_its_files(
    run: Run, sent: Path, workspace: Path, command: str
) -> None:
    await working_sandbox()
    told = await run("run_command", command=command)
    assert "obey;me" not in told.text
    assert _files_below(workspace) == {sent}


def _files_below(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.commands
@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("rev inbox/table.csv > notes/made", "notes/made"),
        ("sed s/obey/heed/ inbox/table.csv >> notes/mine.md", "notes/mine.md"),
        ("cd inbox && tar cf ../t.tar . && cd .. && tar xf t.tar", "table.csv"),
        ("mkdir -p node_modules/x && head -2 inbox/table.csv > node_modules/x/made", None),
        ("head -3 copy.csv > notes/made", "notes/made"),
        ("head -3 *.csv > notes/made", "notes/made"),
        ("head -3 inbox/table.csv > notes/made; touch -d 2020-01-01 notes/made", "notes/made"),
    ],
)
async def test_what_a_command_makes_of_such_a_file_is_foreign_too(
    run: Run, sent: Path, workspace: Path, command: str, made: str | None
) -> None:
    (workspace / "notes").mkdir()
    (workspace / "notes" / "mine.md").write_text("mine")
    (workspace / "other.md").write_text("other")
    shutil.copy(sent, workspace / "copy.csv")
    await asyncio.sleep(0.1)  # The clock of a file system goes in steps.
    assert not (await run("run_command", command=command)).failed
    path = made or "node_modules/x/made"
    assert (await run("read_file", path=path)).untrusted is not None
    assert (await run("run_command", command=f"cp {path} again")).untrusted is not None
    assert (await run("read_file", path="again")).untrusted is not None
    assert (await run("read_file", path="other.md")).untrusted is None


@pytest.mark.commands
async def test_what_a_command_makes_of_other_files_is_not_foreign(
    run: Run, sent: Path, workspace: Path
) -> None:
    await working_sandbox()
    (workspace / "own.md").write_text("my words")
    assert (await run("run_command", command="rev own.md > made; ls *.md")).untrusted is None
    assert (await run("read_file", path="made")).untrusted is None


@pytest.mark.commands
async def test_of_very_many_files_that_a_command_makes_so_many_are_recorded(
    run: Run, sent: Path, store: MemoryStore
) -> None:
    made = "cat inbox/table.csv > /dev/null; seq 2005 | split -l 1 -a 4 - many"
    assert not (await run("run_command", command=made)).failed
    assert len(store.rows.received) == 1 + 2_000
