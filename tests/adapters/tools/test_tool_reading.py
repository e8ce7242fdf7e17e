"""Looking at files."""

import os
from pathlib import Path

import pytest

from bot.adapters.tools.reading_files import ListFiles, ReadFile, ReadLimits, SearchFiles
from bot.domain.change import AddArtifact, Change
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Address
from bot.ports.tool import Place
from tests.adapters.tools.conftest import Run
from tests.adapters.tools.folders import set_traps
from tests.fakes.store import MemoryStore
from tests.lacking import skip


async def test_a_file_is_read_with_a_line_that_tells_its_extent(run: Run, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\ntwo\nthree\n")
    assert (await run("read_file", path="a.txt")).text == (
        "a.txt · 14 B · lines 1-3 of 3\none\ntwo\nthree"
    )
    assert (await run("read_file", path="a.txt", offset=2, limit=1)).text == (
        "a.txt · 14 B · lines 2-2 of 3 · go on with offset=3\ntwo"
    )


_SECRETS = (".env", ".env~", "keys.d/server.pem", "id.key.bak", ".\u017fsh")


async def test_a_search_leaves_out_files_whose_names_are_those_of_secrets(
    run: Run, workspace: Path
) -> None:
    for name in (*_SECRETS, "a.txt"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("TOKEN=abc\n")
    told = (await run("search_files", query="token")).text
    assert "a.txt:1: TOKEN=abc" in told
    assert told.count("abc") == 1
    assert "name one as path to ask" in told
    for name in _SECRETS:
        assert name in told
    assert "TOKEN=abc" in (await run("search_files", query="token", path=".env")).text


@pytest.mark.parametrize("name", [".git/config", ".config/gh/hosts.yml"])
async def test_a_search_leaves_out_a_file_that_is_a_secret_in_its_folder_alone(
    run: Run, workspace: Path, name: str
) -> None:
    file = workspace / name
    file.parent.mkdir(parents=True)
    file.write_text("token=abc\n")
    for place in (".", str(Path(name).parent)):
        assert "token=abc" not in (await run("search_files", query="token", path=place)).text
    assert "token=abc" in (await run("search_files", query="token", path=name)).text
    (workspace / file.name).write_text("token=abc\n")
    assert "token=abc" in (await run("search_files", query="token")).text


async def test_a_line_past_the_end_is_told_apart(run: Run, workspace: Path) -> None:
    (workspace / "a").write_text("one\n")
    with pytest.raises(ToolFailure, match="has 1 lines; there is no line 5"):
        await run("read_file", path="a", offset=5)


async def test_pages_of_a_long_file_follow_one_another_without_a_gap(
    run: Run, workspace: Path
) -> None:
    lines = [f"line {n} " + "x" * 90 for n in range(2_000)]
    (workspace / "long").write_text("\n".join(lines))
    read: list[str] = []
    while len(read) < len(lines):
        page = (await run("read_file", path="long", offset=len(read) + 1)).text
        assert len(page.encode()) <= 30_000
        read += page.splitlines()[1:]
    assert read == lines


async def test_odd_content_is_shown_as_text_or_told_apart(run: Run, workspace: Path) -> None:
    (workspace / "bin").write_bytes(b"\x7fELF\0\0")
    (workspace / "latin").write_bytes("é\n".encode("latin-1"))
    (workspace / "empty").write_bytes(b"")
    (workspace / "crlf").write_bytes(b"a\r\nb\r\n")
    (workspace / "wide").write_text("x" * 3_000_000)
    assert "binary file" in (await run("read_file", path="bin")).text
    assert (await run("read_file", path="latin")).text.endswith("\n\ufffd")
    assert (await run("read_file", path="empty")).text.endswith("empty")
    assert (await run("read_file", path="crlf")).text.endswith("\na\nb")
    wide = (await run("read_file", path="wide")).text
    assert "cut]" in wide
    assert len(wide) < 5_000


async def test_a_huge_sparse_file_is_looked_at_in_bounds(place: Place, workspace: Path) -> None:
    with (workspace / "huge").open("wb") as file:
        file.write(b"start\n" * 2_000)
        file.truncate(1 << 40)
    tool = ReadFile(MemoryStore().ledger, ReadLimits(scan_bytes=1_000_000))
    text = (await tool.run({"path": "huge"}, place, None)).text
    assert "more than" in text
    found = SearchFiles(ReadLimits(scan_bytes=1_000_000))
    assert "huge:1: start" in (await found.run({"query": "START"}, place, None)).text


async def test_listing_shows_sizes_and_what_is_not_followed(
    run: Run, workspace: Path, outside: Path
) -> None:
    (workspace / "docs").mkdir()
    (workspace / "docs" / "b.md").write_text("x" * 2_100)
    (workspace / "link").symlink_to(outside)
    os.mkfifo(workspace / "pipe")
    (workspace / "new\nline\x1b[31m").write_text("")
    assert (await run("list_files")).text.splitlines() == [
        "docs/",
        "link  (link, not followed)",
        "new\\nline\\x1b[31m  0 B",
        "pipe  (special file)",
    ]
    assert (await run("list_files", pattern="**/*.md")).text == "docs/b.md  2.1 kB"
    assert (await run("list_files", path="docs")).text == "docs/b.md  2.1 kB"
    assert (await run("list_files", pattern="*.py")).text == "Nothing matches."


async def test_walks_leave_out_what_is_not_the_persons_own(run: Run, workspace: Path) -> None:
    for folder in (".git", "node_modules", "src"):
        (workspace / folder).mkdir()
        (workspace / folder / "x.py").write_text("needle\n")
    assert (await run("list_files", pattern="**/*.py")).text == "src/x.py  7 B"
    assert (await run("search_files", query="needle")).text == "src/x.py:1: needle"
    assert (await run("search_files", query="needle", path=".git")).text == ".git/x.py:1: needle"


async def test_listing_is_bounded_in_what_it_shows_and_looks_at(
    place: Place, workspace: Path
) -> None:
    for number in range(30):
        (workspace / f"f{number:02}").write_text("")
    shown = ListFiles(ReadLimits(shown=10))
    assert (await shown.run({}, place, None)).text.endswith(
        "[20 more; use a narrower path or pattern]"
    )
    looked = ListFiles(ReadLimits(entries=10))
    assert "not everything was looked at" in (await looked.run({}, place, None)).text


async def test_searching_finds_lines_in_text_files_alone(
    run: Run, workspace: Path, outside: Path
) -> None:
    (workspace / "a.txt").write_text("Über\nnothing\nxüBERx " + "y" * 5_000)
    (workspace / "b.bin").write_bytes(b"\0" + "über".encode())
    (workspace / "link").symlink_to(outside / "secret")
    os.link(outside / "secret", workspace / "hard")
    text = (await run("search_files", query="über")).text
    assert [line.partition(": ")[0] for line in text.splitlines()] == ["a.txt:1", "a.txt:3"]
    assert len(text) < 600
    assert (await run("search_files", query="canary")).text == "No line contains it."
    assert (await run("search_files", query="nothing", path="a.txt")).text == "a.txt:2: nothing"


async def test_a_search_stops_at_its_bounds_and_says_so(place: Place, workspace: Path) -> None:
    (workspace / "a").write_text("x\n" * 1_000)
    assert (
        "[the first 5 lines"
        in (await SearchFiles(ReadLimits(shown=5)).run({"query": "x"}, place, None)).text
    )
    assert (
        "not everything was searched"
        in (await SearchFiles(ReadLimits(search_bytes=10)).run({"query": "x"}, place, None)).text
    )


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../outside/secret", "a/../../outside/secret", "link/secret", "file-link",
     "hard", "pipe", "folder", ".", "missing", "x" * 300, "file/inner"],
)  # fmt: skip
async def test_nothing_outside_and_nothing_special_is_read(
    run: Run, workspace: Path, outside: Path, path: str
) -> None:
    set_traps(workspace, outside)
    for tool in ("read_file", "send_file"):
        with pytest.raises(ToolFailure) as raised:
            await run(tool, path=path)
        assert "canary" not in str(raised.value)


async def test_a_device_is_not_opened(run: Run, workspace: Path) -> None:
    if os.geteuid() != 0:
        skip("only root can make a device", "make test as root")
    try:
        os.mknod(workspace / "zero", 0o020666, os.makedev(1, 5))
    except PermissionError:
        skip("this container may not make devices", "allow it the capability MKNOD")
    with pytest.raises(ToolFailure, match="not a regular file"):
        await run("read_file", path="zero")


async def test_an_absolute_path_inside_the_workspace_is_taken(run: Run, workspace: Path) -> None:
    (workspace / "a").write_text("x")
    assert (await run("read_file", path=str(workspace / "a"))).text.endswith("\nx")


async def test_the_whole_of_a_cut_result_is_read_as_a_stored_result(
    run: Run, store: MemoryStore, place: Place
) -> None:
    whole = "\n".join(f"line {n}" for n in range(1, 100))
    await store.chats.at(Address("telegram", "1"), private=True)
    await store.journal.commit(Change((AddArtifact("t-1", place.chat, whole),)))
    output = await run("read_file", path="artifact:t-1", offset=42, limit=1)
    assert output.text.endswith("\nline 42")
    assert output.untrusted is not None
    with pytest.raises(ToolFailure, match="no artifact:t-2"):
        await run("read_file", path="artifact:t-2")
