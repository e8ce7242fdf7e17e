"""The inbox of a workspace: names that cannot harm, no writing over, bounds, and links."""

import asyncio
import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.tools.inbox_folder import WorkspaceInbox
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.file_name import safe_name
from bot.domain.talk.limits import InboxBounds
from bot.domain.talk.received import ReceivedFile

DATA = b"a;b\n1;2\n"


_BOUNDS = InboxBounds()


def received(workspace: Path, path: str, key: str = "1/u") -> ReceivedFile:
    digest = hashlib.sha256(DATA).hexdigest()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return ReceivedFile(1, key, str(workspace), path, len(DATA), digest, now)


async def kept(workspace: Path, name: str, bounds: InboxBounds = _BOUNDS) -> ReceivedFile:
    inbox = WorkspaceInbox(bounds)
    file = received(workspace, await inbox.free(workspace, name, len(DATA)))
    assert await inbox.keep(file, DATA)
    return file


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../x", "x"),
        ("..\\..\\autoexec.bat", "autoexec.bat"),
        ("/etc/passwd", "passwd"),
        ("a\0b.csv", "a b.csv"),
        ("a\nb\x1b[2J.csv", "a b _2J.csv"),
        ("\u202egpj.exe", "gpj.exe"),
        ("x" * 300 + ".csv", "x" * 116 + ".csv"),
        ("x" * 300, "x" * 120),
        ("ü" * 300 + ".csv", "ü" * 58 + ".csv"),
        ("Bericht 📊 übersicht.xlsx", "Bericht 📊 übersicht.xlsx"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("...", "document"),
        ("", "document"),
        ("\u200b", "document"),
        ("a. ", "a"),
        ("*?.txt", "document"),
        ("'$(reboot)'.txt", "__(reboot)_.txt"),
        ("[draft] {1}.md", "_draft_ _1_.md"),
    ],
)
async def test_a_name_becomes_a_safe_one_that_can_be_kept(
    tmp_path: Path, name: str, safe: str
) -> None:
    assert safe_name(name, "document") == safe
    await kept(tmp_path, safe)
    assert [path.name for path in (tmp_path / "inbox").iterdir()] == [safe]
    assert (tmp_path / "inbox" / safe).read_bytes() == DATA


async def test_a_second_file_of_a_name_gets_a_number_in_any_case_of_letters(tmp_path: Path) -> None:
    names = [(await kept(tmp_path, name)).path for name in ("a.csv", "a.csv", "A.CSV")]
    assert names == ["inbox/a.csv", "inbox/a (2).csv", "inbox/A (3).CSV"]


async def test_a_name_that_is_taken_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    inbox = WorkspaceInbox(_BOUNDS)
    path = await inbox.free(tmp_path, "a.csv", 9)
    (tmp_path / path).write_bytes(b"of somebody else")
    assert not await inbox.keep(received(tmp_path, path), DATA)
    assert (tmp_path / path).read_bytes() == b"of somebody else"
    assert len(list((tmp_path / "inbox").iterdir())) == 1


async def test_a_file_that_a_crash_left_unfinished_is_finished_and_nothing_stays_beside(
    tmp_path: Path,
) -> None:
    file = await kept(tmp_path, "a.csv")
    folder = tmp_path / "inbox"
    file_again = received(tmp_path, "inbox/b.csv", key="2/u")
    # As after SIGKILL between the two names of a finished file, and in the middle of another one.
    part = f".part-{hashlib.sha256(b'1:1/u').hexdigest()[:16]}"
    os.link(folder / "a.csv", folder / part)
    (folder / f".part-{hashlib.sha256(b'1:2/u').hexdigest()[:16]}").write_bytes(b"a;")
    inbox = WorkspaceInbox(_BOUNDS)
    assert await inbox.content(file) == DATA
    assert await inbox.keep(file_again, DATA)
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "b.csv"]
    assert {path.stat().st_nlink for path in folder.iterdir()} == {1}


async def test_a_link_in_place_of_the_inbox_is_not_followed(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    outside.mkdir()
    workspace.mkdir()
    (workspace / "inbox").symlink_to(outside)
    with pytest.raises(ToolFailure, match=r"inbox: .*links are not followed"):
        await kept(workspace, "a.csv")
    assert list(outside.iterdir()) == []


async def test_a_link_in_place_of_a_file_is_left_alone(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(DATA)
    await asyncio.to_thread((tmp_path / "workspace").mkdir)
    file = await kept(tmp_path / "workspace", "a.csv")
    path = tmp_path / "workspace" / file.path
    path.unlink()
    path.symlink_to(secret)
    inbox = WorkspaceInbox(_BOUNDS)
    assert await inbox.content(file) is None
    assert not await inbox.keep(file, DATA)
    await inbox.discard(file)
    assert secret.read_bytes() == DATA
    assert path.is_symlink()


async def test_a_workspace_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ToolFailure, match="not a folder"):
        await kept(tmp_path / "file" / "workspace", "a.csv")


async def test_a_full_inbox_is_told(tmp_path: Path) -> None:
    few, small = InboxBounds(files=2), InboxBounds(bytes=20)
    await kept(tmp_path, "a", bounds=few)
    await kept(tmp_path, "b", bounds=few)
    with pytest.raises(ToolFailure, match="inbox/ is full: it holds 2 files"):
        await kept(tmp_path, "c", bounds=few)
    with pytest.raises(ToolFailure, match="inbox/ is full: it may hold 20 B"):
        await kept(tmp_path, "c", bounds=small)


async def test_only_a_file_that_is_as_it_was_sent_is_discarded(tmp_path: Path) -> None:
    inbox = WorkspaceInbox(_BOUNDS)
    same, changed = await kept(tmp_path, "same.csv"), await kept(tmp_path, "changed.csv")
    (tmp_path / changed.path).write_bytes(b"the work of a person")
    for file in (same, changed, replace(same, path="inbox/gone.csv")):
        await inbox.discard(file)
    assert [path.name for path in (tmp_path / "inbox").iterdir()] == ["changed.csv"]
    assert await inbox.content(changed) is None


async def test_a_kept_file_may_not_be_executed(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        await kept(tmp_path, "run.sh")
    finally:
        os.umask(before)
    assert (tmp_path / "inbox" / "run.sh").stat().st_mode & 0o111 == 0
