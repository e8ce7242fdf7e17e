"""The place of the door: for one user alone, and never where somebody else could put another."""

import os
import socket
import stat
from pathlib import Path

import pytest

from bot.adapters.home_door.place import Unsafe, connected, is_ours, listening, remove


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


def test_a_visitor_comes_in_and_the_door_is_for_its_user_alone(home: Path) -> None:
    with listening(home) as server, connected(home, 5.0) or pytest.fail("nobody there") as caller:
        server.setblocking(True)
        came, _ = server.accept()
        with came:
            assert is_ours(came)
            assert is_ours(caller)
        assert stat.S_IMODE((home / "door").lstat().st_mode) == 0o600


def test_a_home_with_a_long_path_has_a_door_too(tmp_path: Path) -> None:
    home = tmp_path / ("x" * 120)
    home.mkdir(mode=0o700)
    with listening(home):
        caller = connected(home, 5.0)
        assert caller is not None
        caller.close()


def test_what_a_dead_program_left_behind_is_replaced(home: Path) -> None:
    listening(home).close()
    assert connected(home, 5.0) is None
    with listening(home):
        caller = connected(home, 5.0)
        assert caller is not None
        caller.close()
        remove(home)
    assert not (home / "door").exists()


def test_a_link_at_the_door_is_not_followed(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    with listening(other):
        (home / "door").symlink_to(other / "door")
        with pytest.raises(Unsafe, match="not a socket"):
            connected(home, 5.0)
        with listening(home):
            assert stat.S_ISSOCK((home / "door").lstat().st_mode)
        assert (other / "door").exists()


def test_a_file_at_the_door_is_left_alone(home: Path) -> None:
    (home / "door").write_text("mine")
    with pytest.raises(Unsafe, match="not a socket"):
        listening(home)
    assert (home / "door").read_text() == "mine"


def test_a_folder_that_others_can_write_in_gets_no_door(home: Path) -> None:
    with listening(home):
        home.chmod(0o770)
        with pytest.raises(Unsafe, match="chmod go-w"):
            connected(home, 5.0)
    with pytest.raises(Unsafe, match="chmod go-w"):
        listening(home)


def test_a_process_of_another_user_is_nobody_of_ours(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_ours(ours)
        user = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        assert not is_ours(ours)
        with pytest.raises(Unsafe, match="another user"):
            listening(home)
