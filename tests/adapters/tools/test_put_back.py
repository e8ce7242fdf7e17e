"""Files are put back through the door that the tools use, and only what was seen is replaced."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.tools.put_back import PutBack
from bot.adapters.tools.workspace import Workspace
from bot.domain.talk.errors import ToolFailure
from bot.domain.tools.file_change import ABSENT, UNDO_BUTTONS, UndoButton, UndoVerb, token_of
from bot.domain.turn.mandate import PERSONAL
from bot.ports.tool import Place, Tool

DOOR = PutBack(1_000)


def place(root: Path) -> Place:
    return Place(root, 1, "turn-1", "c", 1, "UTC", call_id="call_1", mandate=PERSONAL)


@pytest.mark.parametrize(
    ("name", "arguments", "now"),
    [
        ("write_file", {"path": "a/b.txt", "content": "new"}, token_of(b"new")),
        ("edit_file", {"path": "a/b.txt", "old_text": "old", "new_text": "x"}, token_of(b"x\n")),
        ("delete_file", {"path": "a/b.txt"}, ABSENT),
    ],
)
async def test_each_change_hands_on_what_it_replaced_and_is_put_back(
    tools: dict[str, Tool], tmp_path: Path, name: str, arguments: dict[str, str], now: str
) -> None:
    file = tmp_path / "a" / "b.txt"
    file.parent.mkdir()
    file.write_text("old\n")
    file.chmod(0o604)
    output = await tools[name].run(arguments, place(tmp_path), None)
    replaced = output.replaced
    assert replaced is not None
    assert (replaced.path, replaced.content, replaced.now) == ("a/b.txt", b"old\n", now)
    found = await DOOR.look(str(tmp_path), replaced.path)
    assert found.token == now
    root, mode = str(tmp_path), replaced.mode
    await DOOR.put(root, replaced.path, replaced.content, mode, found.token)
    assert file.read_text() == "old\n"
    assert file.stat().st_mode & 0o777 == 0o604


async def test_what_is_new_is_removed_again_and_what_stays_the_same_is_no_change(
    tools: dict[str, Tool], tmp_path: Path
) -> None:
    arguments = {"path": "new.txt", "content": "x"}
    made = (await tools["write_file"].run(arguments, place(tmp_path), None)).replaced
    assert made is not None
    assert made.content is None
    await DOOR.put(str(tmp_path), "new.txt", None, 0, made.now)
    assert not (tmp_path / "new.txt").exists()
    (tmp_path / "new.txt").write_text("x")
    again = await tools["write_file"].run(arguments, place(tmp_path), None)
    assert again.replaced is None


async def test_a_file_that_is_too_large_is_changed_and_not_kept(
    tools: dict[str, Tool], tmp_path: Path
) -> None:
    (tmp_path / "big").write_bytes(b"x" * 1_000_001)
    output = await tools["delete_file"].run({"path": "big"}, place(tmp_path), None)
    assert output.replaced is None
    (tmp_path / "big").write_bytes(b"x" * 1_001)
    found = await DOOR.look(str(tmp_path), "big")
    assert (found.content, found.kept, found.size) == (None, False, 1_001)


async def test_nothing_is_put_back_over_another_content_a_link_or_outside(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "a").write_text("mine")
    with pytest.raises(ToolFailure, match="has changed"):
        await DOOR.put(str(root), "a", b"old", 0o644, token_of(b"theirs"))
    (tmp_path / "outside").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(ToolFailure, match="link"):
        await DOOR.look(str(root), "link")
    with pytest.raises(ToolFailure, match="link"):
        await DOOR.put(str(root), "link", b"x", 0o644, token_of(b"secret"))
    with pytest.raises(ToolFailure, match=r"\.\."):
        await DOOR.look(str(root), "../outside")
    assert (root / "a").read_text() == "mine"
    assert (tmp_path / "outside").read_text() == "secret"


@given(content=st.binary(max_size=2_000))
async def test_the_token_of_a_content_is_that_of_its_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    root = tmp_path_factory.mktemp("w")
    workspace = Workspace(root)
    workspace.write(("f",), content)
    state = workspace.state(("f",))
    assert state is not None
    assert state.token == token_of(content)


@given(
    verb=st.sampled_from(UndoVerb),
    of=st.text("0123456789abcdef-lt", min_size=1, max_size=40),
    flips=st.integers(0, 10**9),
)
def test_a_button_is_read_as_it_was_written(verb: UndoVerb, of: str, flips: int) -> None:
    button = UndoButton(verb, of, flips)
    data = UNDO_BUTTONS.data(button)
    assert UNDO_BUTTONS.read(data) == button
    assert len(data.encode()) <= 64


@pytest.mark.parametrize("data", ["", "u", "u:o:x", "u:z:x:0", "u:o::0", "u:o:x:-1", "a:o:x:0"])
def test_other_data_is_no_button_of_ours(data: str) -> None:
    assert UNDO_BUTTONS.read(data) is None
