"""Changing files: whole, only inside, and only what was shown."""

import asyncio
import contextlib
import ctypes
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.tools.workspace import Workspace
from bot.adapters.tools.writing_files import WriteFile
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import CodeBlock, Plain
from bot.domain.talk.reach import Reach
from bot.domain.tools.tool import Effect, ExactRule, Preview
from bot.ports.tool import Place, Tool
from tests.adapters.tools.conftest import Run
from tests.adapters.tools.folders import names_in, set_traps

Tools = dict[str, Tool]

_EXCHANGE = 2
_HERE = -100


def exchange(one: Path, other: Path) -> None:
    """Swaps two names in one step of the kernel, as the quickest attacker would."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.renameat2(_HERE, bytes(one), _HERE, bytes(other), _EXCHANGE) == 0


async def foresee(tools: Tools, place: Place, name: str, **arguments: str) -> Preview:
    return await tools[name].preview(arguments, place)


async def test_a_members_approval_covers_files_of_their_chats_own_folder_alone(
    tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "old.txt").write_text("old")
    changes = {
        "write_file": {"path": "x.txt", "content": "x"},
        "edit_file": {"path": "old.txt", "old_text": "old", "new_text": "new"},
        "delete_file": {"path": "old.txt"},
    }
    writing = {name: tool for name, tool in tools.items() if tool.spec.reach is Reach.FOLDER}
    assert set(writing) == set(changes)
    for name, arguments in changes.items():
        for own, reach in ((True, Reach.FOLDER), (False, Reach.BEYOND)):
            preview = await tools[name].preview(arguments, replace(place, own=own))
            assert preview.reach is reach


async def test_a_file_is_made_with_its_folders(run: Run, workspace: Path) -> None:
    output = await run("write_file", path="a/b/c.txt", content="é")
    assert output.text == "Wrote 2 B to a/b/c.txt."
    assert (workspace / "a/b/c.txt").read_text() == "é"


async def test_replacing_keeps_the_mode_and_leaves_no_spare_file(run: Run, workspace: Path) -> None:
    (workspace / "x.sh").write_text("old")
    (workspace / "x.sh").chmod(0o750)
    await run("write_file", path="x.sh", content="new")
    assert (workspace / "x.sh").read_text() == "new"
    assert stat.S_IMODE((workspace / "x.sh").stat().st_mode) == 0o750
    assert names_in(workspace) == ["x.sh"]


async def test_the_card_shows_the_whole_content_with_hidden_characters_made_visible(
    tools: Tools, place: Place, workspace: Path
) -> None:
    preview = await foresee(tools, place, "write_file", path="x.py", content="a\x1b[8m\u202eb\n")
    assert (preview.title, preview.outcome) == ("Create x.py", "x.py created")
    assert preview.blocks == (CodeBlock("a\\x1b[8m\\u202eb\n", "py", folds=True),)
    assert preview.document == "x.py"
    assert preview.effect is Effect.WRITE
    assert preview.seen == "absent"
    assert preview.always is None
    empty = await foresee(tools, place, "write_file", path="x.py", content="")
    assert empty.blocks == (Plain("(an empty file)"),)


async def test_the_card_of_a_file_that_is_replaced_shows_what_changes(
    tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x.py").write_text("one\ntwo\nthree\nfour\nfive\n")
    changed = "one\ntwo\n3\nfour\nfive\n"
    again = await foresee(tools, place, "write_file", path="x.py", content=changed)
    assert (again.title, again.outcome) == ("Replace x.py", "x.py replaced")
    difference = "@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five"
    assert again.blocks == (CodeBlock(difference, "diff", folds=True),)
    assert again.document == "x.py.diff"
    same = await foresee(
        tools, place, "write_file", path="x.py", content=changed.replace("3", "three")
    )
    assert same.blocks == (Plain("No change: the file holds exactly this already."),)
    (workspace / "x.py").write_bytes(b"\xff\xfe")
    binary = await foresee(tools, place, "write_file", path="x.py", content="text\n")
    assert binary.blocks == (
        Plain("The old file is not text. 2 B → 5 B, the new content:"),
        CodeBlock("text\n", "py", folds=True),
    )


@pytest.mark.parametrize("path", [".git/hooks/post-commit", "Makefile", "a/.env", "conftest.py"])
async def test_files_that_decide_what_runs_get_no_standing_rule(
    tools: Tools, place: Place, path: str
) -> None:
    preview = await foresee(tools, place, "write_file", path=path, content="x")
    assert (preview.always, preview.always_label) == (None, "")


async def test_a_file_that_changed_since_the_card_is_left_alone(
    run: Run, tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x").write_text("old")
    write = await foresee(tools, place, "write_file", path="x", content="new")
    delete = await foresee(tools, place, "delete_file", path="x")
    absent = await foresee(tools, place, "write_file", path="y", content="new")
    (workspace / "x").write_text("someone else's")
    (workspace / "y").write_text("someone else's")
    for name, seen, arguments in (
        ("write_file", write.seen, {"path": "x", "content": "new"}),
        ("write_file", absent.seen, {"path": "y", "content": "new"}),
        ("delete_file", delete.seen, {"path": "x"}),
    ):
        with pytest.raises(ToolFailure, match="changed since it was shown"):
            await run(name, seen=seen, **arguments)
    assert (workspace / "x").read_text() == (workspace / "y").read_text() == "someone else's"
    assert names_in(workspace) == ["x", "y"]


async def test_what_was_shown_is_done(
    run: Run, tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x").write_text("old")
    write = await foresee(tools, place, "write_file", path="x", content="new")
    await run("write_file", seen=write.seen, path="x", content="new")
    assert (workspace / "x").read_text() == "new"
    delete = await foresee(tools, place, "delete_file", path="x")
    assert (delete.title, delete.blocks) == (
        "Delete x",
        (Plain("It has 3 B. /undo can bring it back for a while."),),
    )
    (workspace / "large").write_bytes(bytes(1_000_001))
    large = await foresee(tools, place, "delete_file", path="large")
    assert "cannot be brought back." in str(large.blocks)
    await run("delete_file", seen=delete.seen, path="x")
    assert not (workspace / "x").exists()


async def test_an_edit_replaces_one_passage_and_shows_the_difference(
    run: Run, tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x").write_text("one\ntwo\nthree\n")
    preview = await foresee(tools, place, "edit_file", path="x", old_text="two", new_text="2\u200b")
    difference = "@@ -1,3 +1,3 @@\n one\n-two\n+2\\u200b\n three"
    assert preview.blocks == (CodeBlock(difference, "diff", folds=True),)
    assert preview.once, "the same edit cannot be made again"
    await run("edit_file", seen=preview.seen, path="x", old_text="two", new_text="2\u200b")
    assert (workspace / "x").read_text() == "one\n2\u200b\nthree\n"


async def test_an_edit_is_refused_when_the_lines_of_its_card_have_changed(
    run: Run, tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x").write_text("keep this:\nsecret = 1\n")
    preview = await foresee(tools, place, "edit_file", path="x", old_text="= 1", new_text="= 2")
    (workspace / "x").write_text("publish this:\nsecret = 1\n")
    with pytest.raises(ToolFailure, match="have changed since they were shown"):
        await run("edit_file", seen=preview.seen, path="x", old_text="= 1", new_text="= 2")
    assert "= 1" in (workspace / "x").read_text()


async def test_two_edits_of_one_file_that_were_shown_together_both_happen(
    run: Run, tools: Tools, place: Place, workspace: Path
) -> None:
    (workspace / "x").write_text("".join(f"line {n}\n" for n in range(20)))
    first = await foresee(tools, place, "edit_file", path="x", old_text="line 2\n", new_text="")
    other = await foresee(tools, place, "edit_file", path="x", old_text="line 15", new_text="15")
    await run("edit_file", seen=first.seen, path="x", old_text="line 2\n", new_text="")
    await run("edit_file", seen=other.seen, path="x", old_text="line 15", new_text="15")
    assert "line 1\nline 3\n" in (workspace / "x").read_text()
    assert "line 14\n15\nline 16\n" in (workspace / "x").read_text()


async def test_an_edit_in_a_large_file_of_equal_lines_is_shown_at_once(
    tools: Tools, place: Place, workspace: Path
) -> None:
    lines = "same\n" * 200_000
    (workspace / "x").write_text(lines + "last\n")
    preview = await foresee(tools, place, "edit_file", path="x", old_text="last", new_text="end")
    assert preview.blocks[0].text.startswith("@@ -199999,3 +199999,3 @@\n same\n same\n-last\n+end")
    whole = {"path": "x", "old_text": lines, "new_text": "same\n" * 100_000}
    assert "-same" in (await foresee(tools, place, "edit_file", **whole)).blocks[0].text


@pytest.mark.parametrize(
    ("content", "old", "reason"),
    [
        ("abc", "x", "is not in it"),
        ("aaa", "aa", "more than once"),
        ("a\r\nb", "a\nb", "CR LF"),
        ("abc", "new", "the same as the old one"),
    ],
)
async def test_an_edit_that_is_not_certain_is_refused_at_the_card_and_at_the_run(
    run: Run, tools: Tools, place: Place, workspace: Path, content: str, old: str, reason: str
) -> None:
    (workspace / "x").write_bytes(content.encode())
    with pytest.raises(ToolFailure, match=reason):
        await foresee(tools, place, "edit_file", path="x", old_text=old, new_text="new")
    with pytest.raises(ToolFailure, match=reason):
        await run("edit_file", path="x", old_text=old, new_text="new")
    assert (workspace / "x").read_bytes() == content.encode()


async def test_only_text_files_are_edited(run: Run, workspace: Path) -> None:
    (workspace / "x").write_bytes(b"\xff\xfe\0")
    with pytest.raises(ToolFailure, match="not a UTF-8 text file"):
        await run("edit_file", path="x", old_text="a", new_text="b")


@pytest.mark.parametrize("name", ["edit_file", "delete_file"])
async def test_the_impossible_gets_no_card(tools: Tools, place: Place, name: str) -> None:
    extra = {"old_text": "a", "new_text": "b"} if name == "edit_file" else {}
    with pytest.raises(ToolFailure, match="there is no such file"):
        await foresee(tools, place, name, path="missing", **extra)


@pytest.mark.parametrize(
    "path",
    ["/etc/x", "../x", "a/../../x", "link/x", "link", "file-link", "pipe", "folder", ".", "hard",
     "file/x", "a\nb", "a\x1bb", "x" * 300],
)  # fmt: skip
async def test_nothing_outside_and_nothing_special_is_written(
    run: Run, workspace: Path, outside: Path, path: str
) -> None:
    set_traps(workspace, outside)
    before = names_in(workspace)
    with pytest.raises(ToolFailure):
        await run("write_file", path=path, content="x")
    with pytest.raises(ToolFailure):
        await run("delete_file", path=path)
    assert names_in(workspace) == before
    assert names_in(outside) == ["secret"]
    assert (outside / "secret").read_text() == "canary"


async def test_swapping_a_folder_with_a_link_never_leads_a_write_outside(
    run: Run, workspace: Path, outside: Path
) -> None:
    inside, link = workspace / "d", workspace / "l"
    inside.mkdir()
    link.symlink_to(outside)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            exchange(inside, link)

    swapper = threading.Thread(target=swap)
    swapper.start()
    written = 0
    try:
        for number in range(300):
            with contextlib.suppress(ToolFailure):
                await run("write_file", path=f"d/f{number}", content="x")
                written += 1
            with contextlib.suppress(ToolFailure):
                assert "canary" not in (await run("read_file", path="d/secret")).text
    finally:
        done.set()
        swapper.join()
    assert written
    assert names_in(outside) == ["secret"]


async def test_a_cancelled_write_changes_nothing(workspace: Path) -> None:
    (workspace / "x").write_text("old")

    class Gone(Exception):
        pass

    def heed() -> None:
        raise Gone

    with pytest.raises(Gone):
        Workspace(workspace).write(("x",), b"new", heed=heed)
    assert (workspace / "x").read_text() == "old"
    assert names_in(workspace) == ["x"]


async def test_a_full_name_space_is_told_in_words(run: Run, workspace: Path) -> None:
    with pytest.raises(ToolFailure, match="the name is too long"):
        await run("write_file", path="é" * 200, content="x")
    assert names_in(workspace) == []


async def test_many_writes_side_by_side_leave_whole_files(run: Run, workspace: Path) -> None:
    texts = [str(number) * 10_000 for number in range(8)]
    await asyncio.gather(*(run("write_file", path="x", content=text) for text in texts))
    assert (workspace / "x").read_text() in texts
    assert names_in(workspace) == ["x"]


@pytest.mark.parametrize("name", ["write_file", "delete_file"])
async def test_a_program_among_the_files_is_under_no_standing_rule(
    tools: Tools, place: Place, workspace: Path, name: str
) -> None:
    (workspace / "notes.md").write_text("#!/bin/sh")
    (workspace / "notes.md").chmod(0o755)
    content = {"content": "x"} if name == "write_file" else {}
    preview = await foresee(tools, place, name, path="notes.md", **content)
    assert preview.always is None
    assert "always asks" in preview.why


@pytest.mark.parametrize(
    ("path", "offered"),
    [
        *((name, True) for name in ("a.md", "notes/b.TXT", "c.csv")),
        *((name, False) for name in ("x.sh", "run", "x.py", "conf.json", "requirements.txt")),
        *((name, False) for name in ("index.js", "x.service", "x.desktop", "HEAD", "a.md.sh")),
    ],
)
async def test_a_rule_is_offered_for_documents_and_for_nothing_that_could_run(
    tools: Tools, place: Place, workspace: Path, path: str, offered: bool
) -> None:
    new = await foresee(tools, place, "write_file", path=path, content="x")
    assert isinstance(new.always, ExactRule) is offered
    (workspace / path).parent.mkdir(exist_ok=True)
    (workspace / path).write_text("x")
    changed = await foresee(tools, place, "edit_file", path=path, old_text="x", new_text="y")
    assert isinstance(changed.always, ExactRule) is offered
    gone = await foresee(tools, place, "delete_file", path=path)
    assert isinstance(gone.always, ExactRule) is offered


async def test_the_operators_endings_count_as_documents_too(place: Place) -> None:
    tool = WriteFile(frozenset({".org"}))
    assert (await tool.preview({"path": "a.org", "content": "x"}, place)).always is not None
    assert (await tool.preview({"path": "a.md", "content": "x"}, place)).always is None


async def test_a_path_that_no_card_could_show_is_refused(tools: Tools, place: Place) -> None:
    deep = "/".join(["folder"] * 1_000)
    with pytest.raises(ToolFailure, match="the path is too long"):
        await foresee(tools, place, "write_file", path=deep, content="x")


@pytest.mark.parametrize(("own", "reach"), [(True, Reach.FOLDER), (False, Reach.BEYOND)])
async def test_a_change_of_a_file_reaches_beyond_where_chats_share_the_folder(
    tools: Tools, place: Place, *, own: bool, reach: Reach
) -> None:
    preview = await foresee(tools, replace(place, own=own), "write_file", path="a.md", content="x")
    assert preview.reach is reach


async def test_the_content_that_a_file_has_already_asks_nobody_and_is_not_written(
    tools: Tools, place: Place, workspace: Path
) -> None:
    file = workspace / "x.md"
    file.write_text("one\n")
    before = file.stat()
    arguments = {"path": "x.md", "content": "one\n"}
    preview = await foresee(tools, place, "write_file", **arguments)
    assert (preview.effect, preview.always) == (Effect.READ, None)
    output = await tools["write_file"].run(arguments, place, preview.seen)
    assert "has exactly this content already" in output.text
    assert (output.replaced, file.stat().st_ino) == (None, before.st_ino)
    file.write_text("two\n")
    with pytest.raises(ToolFailure, match="has just changed"):
        await tools["write_file"].run(arguments, place, preview.seen)
    assert file.read_text() == "two\n"
    assert (await foresee(tools, place, "write_file", **arguments)).effect is Effect.WRITE


async def test_a_folder_that_is_gone_is_not_made_anew(run: Run, workspace: Path) -> None:
    await asyncio.to_thread(workspace.rmdir)
    for name, arguments in (
        ("write_file", {"path": "a/b.txt", "content": "x"}),
        ("list_files", {}),
    ):
        with pytest.raises(ToolFailure, match=workspace.name):
            await run(name, **arguments)
    assert not await asyncio.to_thread(workspace.exists)
