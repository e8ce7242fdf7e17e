"""The folder for files that people send: in memory, and on the disk."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.tools.inbox_folder import WorkspaceInbox
from bot.domain.talk.limits import InboxBounds
from bot.domain.talk.received import ReceivedFile
from bot.ports.received import InboxFolder
from tests.fakes.inbox_folder import FakeInboxFolder


@pytest.fixture(params=["memory", "disk"])
def folder(request: pytest.FixtureRequest) -> InboxFolder:
    return FakeInboxFolder() if request.param == "memory" else WorkspaceInbox(InboxBounds())


async def kept(folder: InboxFolder, workspace: Path, key: str, data: bytes) -> ReceivedFile:
    path = await folder.free(workspace, "a.csv", len(data))
    digest = hashlib.sha256(data).hexdigest()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    file = ReceivedFile(1, key, str(workspace), path, len(data), digest, at)
    assert await folder.keep(file, data)
    return file


async def test_a_kept_file_has_its_content_and_a_second_one_its_own_name(
    folder: InboxFolder, tmp_path: Path
) -> None:
    first = await kept(folder, tmp_path, "1/u", b"one")
    second = await kept(folder, tmp_path, "2/u", b"two")
    assert (first.path, second.path) == ("inbox/a.csv", "inbox/a (2).csv")
    assert await folder.content(first) == b"one"
    assert await folder.content(second) == b"two"


async def test_a_taken_name_is_refused(folder: InboxFolder, tmp_path: Path) -> None:
    first = await kept(folder, tmp_path, "1/u", b"one")
    assert not await folder.keep(first, b"one")
    assert await folder.content(first) == b"one"


async def test_a_discarded_file_is_gone_and_its_name_is_free(
    folder: InboxFolder, tmp_path: Path
) -> None:
    first = await kept(folder, tmp_path, "1/u", b"one")
    await folder.discard(first)
    await folder.discard(first)
    assert await folder.content(first) is None
    assert await folder.free(tmp_path, "a.csv", 3) == "inbox/a.csv"
