"""Files that other chats wrote below a workspace are foreign there, however they are found."""

from pathlib import Path

import pytest

from tests.adapters.tools.conftest import Run

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
